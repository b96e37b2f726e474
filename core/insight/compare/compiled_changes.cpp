#include "core/insight/compare/compiled_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "core/analysis/compile/compiled_work.h"
#include "core/base/format.h"
#include "core/insight/compare/graph_match.h"
#include "core/insight/compare/operator_origins.h"

namespace lanescope {

namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

// The total time of the kernels, or NaN if none of them ran.
template <typename Kernels>
double kernel_time(const Kernels& kernels) {
    double time = 0;
    bool any = false;
    for (const ProfiledKernel& kernel : kernels) {
        time += kernel.time;
        any = any || kernel.time > 0;
    }
    return any ? time : kNotKnown;
}

std::vector<ProfiledKernel> picked(const ProfiledGraph& graph, const std::vector<uint32_t>& at) {
    std::vector<ProfiledKernel> kernels;
    kernels.reserve(at.size());
    for (const uint32_t i : at) kernels.push_back(graph.kernels[i]);
    return kernels;
}

std::string kernel_names(const std::vector<ProfiledKernel>& kernels) {
    std::vector<std::string> names;
    names.reserve(kernels.size());
    for (const ProfiledKernel& kernel : kernels) names.push_back(kernel.name);
    return joined(names);
}

CodeChange change_of(const KernelGroup& group) {
    if (group.is_same) return CodeChange::same;
    if (group.a.empty()) return CodeChange::added;
    if (group.b.empty()) return CodeChange::gone;
    if (group.a.size() > group.b.size()) return CodeChange::fused;
    return group.a.size() < group.b.size() ? CodeChange::split : CodeChange::changed;
}

FusionChange fusion_of(const ProfiledGraph& a, const ProfiledGraph& b, const KernelGroup& group) {
    const std::vector<ProfiledKernel> of_a = picked(a, group.a);
    const std::vector<ProfiledKernel> of_b = picked(b, group.b);
    FusionChange one;
    one.change = change_of(group);
    one.function = a.function;
    one.direction = a.direction;
    one.a = kernel_names(of_a);
    one.b = kernel_names(of_b);
    one.kernels_a = static_cast<int64_t>(of_a.size());
    one.kernels_b = static_cast<int64_t>(of_b.size());
    one.time_a = kernel_time(of_a);
    one.time_b = kernel_time(of_b);
    std::set<std::string> operators;
    std::vector<std::string> lines;
    for (const auto* const side : {&of_a, &of_b})
        for (const ProfiledKernel& kernel : *side) {
            operators.insert(kernel.operators.begin(), kernel.operators.end());
            for (const std::string& line : kernel.lines)
                if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
            one.grade = weaker(one.grade, kernel.grade);
        }
    one.operators = joined({operators.begin(), operators.end()});
    one.lines = joined(lines);
    return one;
}

class CodeComparer {
  public:
    CodeComparer(const CompiledProfile& a, const CompiledProfile& b) : a_(a), b_(b) {}

    CompiledChanges run() {
        if (!a_.runs_compiled_code && !b_.runs_compiled_code && !a_.has_code && !b_.has_code)
            return {};
        add_missing_code();
        if (a_.has_code && b_.has_code) {
            add_graphs();
            add_guards();
        }
        const bool a_compiles = a_.runs_compiled_code || a_.has_code;
        const bool b_compiles = b_.runs_compiled_code || b_.has_code;
        if (a_compiles != b_compiles && (a_.has_code || b_.has_code)) add_origins(b_compiles);
        return std::move(all_);
    }

  private:
    void add_missing_code() {
        const bool a = a_.runs_compiled_code && !a_.has_code;
        const bool b = b_.runs_compiled_code && !b_.has_code;
        if (!a && !b) return;
        all_.sentences.push_back(fmt::format(
            "{} compiled code, and no log or cache of the compiler was read: what the graphs "
            "consist of is not known. Record with TORCH_TRACE, and keep the log beside the trace "
            "or name it with --compile-artifacts.",
            a && b ? "A and B run"
            : a    ? "A runs"
                   : "B runs"));
    }

    void add_graphs() {
        for (const auto& [in_a, in_b] : matched_graphs(a_.graphs, b_.graphs)) {
            const ProfiledGraph* const a = in_a == kNoGraph ? nullptr : &a_.graphs[in_a];
            const ProfiledGraph* const b = in_b == kNoGraph ? nullptr : &b_.graphs[in_b];
            GraphChange graph;
            graph.change = !a ? CodeChange::added : !b ? CodeChange::gone : add_fusions(*a, *b);
            graph.function = a ? a->function : b->function;
            graph.place = a ? a->place : b->place;
            graph.direction = a ? a->direction : b->direction;
            if (a) {
                graph.a = a->name;
                graph.kernels_a = static_cast<int64_t>(a->kernels.size());
            }
            if (b) {
                graph.b = b->name;
                graph.kernels_b = static_cast<int64_t>(b->kernels.size());
            }
            graph.time_a = a ? kernel_time(a->kernels) : kNotKnown;
            graph.time_b = b ? kernel_time(b->kernels) : kNotKnown;
            all_.graphs.push_back(std::move(graph));
        }
        sort_rows(all_.graphs);
        sort_rows(all_.fusions);
        all_.sentences.push_back("Graphs: " + counts(all_.graphs) + ".");
        if (!all_.fusions.empty())
            all_.sentences.push_back("Kernels of graphs in both: " + counts(all_.fusions) + ".");
    }

    CodeChange add_fusions(const ProfiledGraph& a, const ProfiledGraph& b) {
        CodeChange change = CodeChange::same;
        for (const KernelGroup& group : kernel_groups(a, b)) {
            all_.fusions.push_back(fusion_of(a, b, group));
            if (!group.is_same) change = CodeChange::changed;
        }
        return change;
    }

    // Rows that differ come first, then by time, the longest first.
    template <typename Row>
    static void sort_rows(std::vector<Row>& rows) {
        const auto rank = [](const Row& row) {
            const auto known = [](double time) { return std::isnan(time) ? 0 : time; };
            return std::pair(row.change != CodeChange::same,
                             std::max(known(row.time_a), known(row.time_b)));
        };
        std::ranges::stable_sort(
            rows, [&](const Row& one, const Row& two) { return rank(one) > rank(two); });
    }

    // "3 the same, 1 fused, 1 only in B".
    template <typename Row>
    static std::string counts(const std::vector<Row>& rows) {
        constexpr std::array<std::pair<CodeChange, std::string_view>, 6> words = {
            {{CodeChange::same, "the same"},
             {CodeChange::changed, "changed"},
             {CodeChange::fused, "fused"},
             {CodeChange::split, "split"},
             {CodeChange::gone, "only in A"},
             {CodeChange::added, "only in B"}}};
        std::string text;
        for (const auto& [change, word] : words)
            if (const auto count = std::ranges::count(rows, change, &Row::change); count > 0)
                text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, word);
        return text.empty() ? "none" : text;
    }

    void add_guards() {
        const auto add = [&](const CompiledProfile& from, const CompiledProfile& other,
                             CodeChange change) {
            std::vector<ProfiledGuard> only;
            std::ranges::set_difference(from.guards, other.guards, std::back_inserter(only),
                                        comes_before);
            for (ProfiledGuard& guard : only) all_.guards.push_back({change, std::move(guard)});
        };
        add(a_, b_, CodeChange::gone);
        add(b_, a_, CodeChange::added);
        using Kind = ProfiledGuard::Kind;
        std::ranges::stable_sort(all_.guards, std::greater(),
                                 [](const GuardChange& row) { return row.guard.kind; });
        add_counts(Kind::graph_break, "Graph breaks");
        add_counts(Kind::failed, "Guards that failed");
        add_counts(Kind::guard, "Guards");
    }

    void add_counts(ProfiledGuard::Kind kind, std::string_view word) {
        const auto count = [&](CodeChange change) {
            return std::ranges::count_if(all_.guards, [&](const GuardChange& row) {
                return row.guard.kind == kind && row.change == change;
            });
        };
        const auto gone = count(CodeChange::gone);
        const auto added = count(CodeChange::added);
        if (gone + added > 0)
            all_.sentences.push_back(
                fmt::format("{}: {} only in A, {} only in B.", word, gone, added));
    }

    // Ignores the line, because lines move when a program is edited.
    static bool comes_before(const ProfiledGuard& one, const ProfiledGuard& two) {
        return std::tie(one.kind, one.function, one.text) <
               std::tie(two.kind, two.function, two.text);
    }

    void add_origins(bool compiled_is_b) {
        const CompiledProfile& eager = compiled_is_b ? a_ : b_;
        const CompiledProfile& compiled = compiled_is_b ? b_ : a_;
        all_.compiled_is_b = compiled_is_b;
        all_.origins = operator_origins(eager, compiled);
        double whole = 0;
        double in_kernels = 0;
        std::size_t operators = 0;
        for (const OperatorOrigin& row : all_.origins) {
            whole += row.eager_time;
            if (row.kernels.empty() || row.eager_calls == 0) continue;
            in_kernels += std::max(row.eager_time - row.left_time, 0.0);
            ++operators;
        }
        double time = 0;
        std::size_t kernels = 0;
        for (const ProfiledGraph& graph : compiled.graphs)
            for (const ProfiledKernel& kernel : graph.kernels) {
                time += kernel.time;
                if (kernel.time > 0) ++kernels;
            }
        if (kernels == 0) return;
        const char* const of = compiled_is_b ? "A" : "B";
        const char* const to = compiled_is_b ? "B" : "A";
        all_.sentences.push_back(fmt::format(
            "{} of {}, with {:.0f} % of their time, {} compiled in {} into {}: {} became {}{}.",
            format_count(static_cast<int64_t>(operators), "operator", "operators"), of,
            whole > 0 ? 100 * in_kernels / whole : 0, operators == 1 ? "is" : "are", to,
            format_count(static_cast<int64_t>(kernels), "kernel", "kernels"),
            format_duration(in_kernels), format_duration(time),
            a_.has_steps && b_.has_steps ? " in a step" : ""));
    }

    const CompiledProfile& a_;
    const CompiledProfile& b_;
    CompiledChanges all_;
};

}  // namespace

std::string_view code_change_name(CodeChange change) {
    constexpr std::array<std::string_view, 6> names = {"same",  "changed", "fused",
                                                       "split", "new",     "gone"};
    return names[static_cast<std::size_t>(change)];
}

CompiledChanges compare_compiled_code(const CompiledProfile& a, const CompiledProfile& b) {
    return CodeComparer(a, b).run();
}

}  // namespace lanescope

#include "core/insight/compare/compare_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/insight/compare/compare_samples.h"
#include "core/insight/compare/function_names.h"
#include "core/trace/short_name.h"

namespace lanescope {

namespace {

constexpr std::size_t kNamesOfRow = 3;

// By function of `first`: the functions of `other` that correspond to it.
std::vector<std::vector<uint32_t>> corresponding(const FunctionTree& first,
                                                 const FunctionTree& other) {
    constexpr uint32_t kOpenPlace = ~uint32_t{0};
    std::vector<uint32_t> place(other.nodes.size(), kOpenPlace);
    for (const AlignedFunctions& row : align_functions(first, other))
        if (!row.heads_a.empty())
            for (const uint32_t node : row.nodes_b) place[node] = row.heads_a.front();
    std::vector<std::vector<uint32_t>> nodes(first.nodes.size());
    for (uint32_t i = 0; i < place.size(); ++i) {
        // A function that the first run lacks counts for the function around it.
        if (place[i] == kOpenPlace) place[i] = i == 0 ? 0 : place[other.nodes[i].parent];
        nodes[place[i]].push_back(i);
    }
    return nodes;
}

std::string shown_name(const FunctionNode& node, bool alone) {
    switch (node.kind) {
        case FunctionKind::step:
            return "(outside of functions)";
        case FunctionKind::kernel:
        case FunctionKind::no_launch:
            return alone ? compact_name(node.name)
                         : std::string(short_name(node.name, EventClass::kernel));
        default:
            return node.name;
    }
}

std::string names_of(const FunctionTree& tree, std::span<const uint32_t> heads) {
    std::string names;
    for (std::size_t i = 0; i < std::min(heads.size(), kNamesOfRow); ++i)
        names += (i == 0 ? "" : " + ") + shown_name(tree.nodes[heads[i]], heads.size() == 1);
    if (heads.size() > kNamesOfRow) names += fmt::format(" + {} more", heads.size() - kNamesOfRow);
    return names;
}

std::string path_of(const FunctionTree& tree, uint32_t node) {
    std::vector<uint32_t> around;
    for (uint32_t i = node; i != 0 && tree.nodes[i].parent != 0;) {
        i = tree.nodes[i].parent;
        around.push_back(i);
    }
    std::string path;
    for (std::size_t i = around.size(); i-- > 0;)
        path += (path.empty() ? "" : " > ") + tree.nodes[around[i]].name;
    return path;
}

std::vector<FunctionPart> parts_of(const FunctionTree& tree, std::span<const uint32_t> nodes) {
    std::vector<FunctionPart> parts;
    for (const uint32_t node : nodes) add_parts(parts, tree.parts[node]);
    return parts;
}

Verdict verdict_of(Pairing pairing) {
    switch (pairing) {
        case Pairing::gone:
            return Verdict::gone;
        case Pairing::added:
            return Verdict::added;
        case Pairing::split:
            return Verdict::split;
        case Pairing::fused:
            return Verdict::fused;
        case Pairing::replaced:
            return Verdict::replaced;
        case Pairing::same:
        case Pairing::renamed:
            return Verdict::none;
    }
    return Verdict::none;
}

CompareSide side_of(const RunsOfSide& runs, std::span<const uint32_t> heads,
                    std::span<const uint32_t> nodes) {
    CompareSide side;
    side.samples = runs.samples_of(
        nodes, [](const FunctionShare& share) { return static_cast<double>(share.time()); });
    side.gpu = median_of_any(runs.samples_of(
        nodes, [](const FunctionShare& share) { return static_cast<double>(share.gpu); }));
    side.calls = median_of_any(runs.samples_of(
        heads, [](const FunctionShare& share) { return static_cast<double>(share.calls); }));
    if (heads.empty()) return side;
    const FunctionNode& head = runs.functions().nodes[heads.front()];
    side.inside = parts_of(runs.functions(), nodes);
    if (heads.size() == 1) side.shapes = head.shapes;
    side.longest = head.longest;
    return side;
}

// Places of the same order as `rows`. A place is in the function that contains it in the first run
// or, if the first run lacks it, in the second.
std::vector<FunctionPlace> places_of(const FunctionTree& a, const FunctionTree& b,
                                     std::span<const AlignedFunctions> rows) {
    std::vector<uint32_t> place_a(a.nodes.size(), 0);
    std::vector<uint32_t> place_b(b.nodes.size(), 0);
    for (uint32_t i = 0; i < rows.size(); ++i) {
        for (const uint32_t node : rows[i].nodes_a) place_a[node] = i;
        for (const uint32_t node : rows[i].nodes_b) place_b[node] = i;
    }
    std::vector<FunctionPlace> places(rows.size());
    for (uint32_t i = 1; i < rows.size(); ++i) {
        const auto& [pairing, heads_a, heads_b, nodes_a, nodes_b] = rows[i];
        places[i].around = heads_a.empty() ? place_b[b.nodes[heads_b.front()].parent]
                                           : place_a[a.nodes[heads_a.front()].parent];
        if (!heads_a.empty()) places[i].longest_a = a.nodes[heads_a.front()].longest;
        if (!heads_b.empty()) places[i].longest_b = b.nodes[heads_b.front()].longest;
    }
    return places;
}

bool has_time(const CompareSide& side) {
    return std::ranges::any_of(side.samples, [](double time) { return time > 0; });
}

}  // namespace

RunsOfSide::RunsOfSide(std::span<const RunProfile> runs, FunctionLevels levels, bool of_runs)
    : runs_(runs), of_runs_(of_runs) {
    for (const RunProfile& run : runs) {
        const bool merges = !levels.modules || !levels.shapes;
        if (merges) merged_.push_back(merged_functions(run.functions, levels));
        trees_.push_back(merges ? &merged_.back() : &run.functions);
        nodes_.push_back(trees_.size() == 1 ? std::vector<std::vector<uint32_t>>()
                                            : corresponding(*trees_.front(), *trees_.back()));
    }
}

std::size_t RunsOfSide::samples() const {
    return of_runs_ ? runs_.size() : runs_.front().steps.size();
}

std::vector<double> RunsOfSide::samples_of_step() const {
    if (!of_runs_) return runs_.front().steps;
    std::vector<double> medians;
    for (const RunProfile& run : runs_) medians.push_back(median_of_any(run.steps));
    return medians;
}

std::vector<double> RunsOfSide::samples_of(std::span<const uint32_t> nodes,
                                           double (*value)(const FunctionShare&)) const {
    std::vector<double> medians;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
        std::vector<double> steps(runs_[run].steps.size(), 0);
        const auto add = [&](uint32_t node) {
            for (const FunctionShare& share : trees_[run]->shares_of(node))
                steps[share.step] += value(share);
        };
        for (const uint32_t node : nodes) {
            if (run == 0)
                add(node);
            else
                std::ranges::for_each(nodes_[run][node], add);
        }
        if (!of_runs_) return steps;
        medians.push_back(median_of_any(std::move(steps)));
    }
    return medians;
}

RowsOfFunctions rows_of_functions(const RunsOfSide& a, const RunsOfSide& b) {
    const FunctionTree& tree_a = a.functions();
    const FunctionTree& tree_b = b.functions();
    RowsOfFunctions all;
    const std::vector<AlignedFunctions> aligned_functions = align_functions(tree_a, tree_b);
    all.places = places_of(tree_a, tree_b, aligned_functions);
    std::size_t place = 0;
    for (const AlignedFunctions& aligned : aligned_functions) {
        FunctionPlace& here = all.places[place++];
        CompareRow row;
        row.a = side_of(a, aligned.heads_a, aligned.nodes_a);
        row.b = side_of(b, aligned.heads_b, aligned.nodes_b);
        const bool pair = !aligned.heads_a.empty() && !aligned.heads_b.empty();
        if (pair && verdict_of(aligned.pairing) == Verdict::none && aligned.heads_a.front() != 0) {
            const FunctionNode& node_a = tree_a.nodes[aligned.heads_a.front()];
            const FunctionNode& node_b = tree_b.nodes[aligned.heads_b.front()];
            const bool shaped = node_a.shape != 0 && node_b.shape != 0;
            all.with_shapes += shaped ? 1 : 0;
            all.other_shapes += shaped && node_a.shape != node_b.shape ? 1 : 0;
        }
        const std::string name_a = names_of(tree_a, aligned.heads_a);
        const std::string name_b = names_of(tree_b, aligned.heads_b);
        here.name = name_a == name_b || name_b.empty() ? name_a
                    : name_a.empty()                   ? name_b
                                                       : name_a + " → " + name_b;
        if (!has_time(row.a) && !has_time(row.b)) continue;
        here.function = static_cast<uint32_t>(all.rows.size());
        row.name = here.name;
        row.path = name_a.empty() ? path_of(tree_b, aligned.heads_b.front())
                                  : path_of(tree_a, aligned.heads_a.front());
        row.verdict = verdict_of(aligned.pairing);
        const auto no_launch = [](const FunctionTree& tree, std::span<const uint32_t> heads) {
            return std::ranges::any_of(heads, [&](uint32_t node) {
                return tree.nodes[node].kind == FunctionKind::no_launch;
            });
        };
        row.by_kernel_name =
            no_launch(tree_a, aligned.heads_a) || no_launch(tree_b, aligned.heads_b);
        all.rows.push_back(std::move(row));
    }
    return all;
}

bool have_common_names(const FunctionTree& a, const FunctionTree& b) {
    const auto counts = [](const FunctionNode& node) {
        return node.kind != FunctionKind::step && node.kind != FunctionKind::runtime &&
               !node.name.starts_with("Memcpy") && !node.name.starts_with("Memset");
    };
    std::unordered_set<uint64_t> labels;
    for (const FunctionNode& node : a.nodes)
        if (counts(node)) labels.insert(node.label);
    const auto any_of = [](const FunctionTree& tree, const auto& is) {
        return std::ranges::any_of(tree.nodes, is);
    };
    const auto common = [&](const FunctionNode& node) {
        return counts(node) && labels.contains(node.label);
    };
    // Programs of the driver's calls alone have nothing else.
    if (!any_of(a, counts) && !any_of(b, counts)) return a.nodes.size() > 1 && b.nodes.size() > 1;
    return any_of(b, common);
}

}  // namespace lanescope

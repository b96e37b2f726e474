// Compiled graphs, the calls in their code, and the Python lines that these calls compute.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "core/analysis/compile/compile_tables.h"
#include "core/analysis/compile/compiled_work.h"
#include "core/analysis/context.h"
#include "core/table/cells.h"

namespace lanescope {

struct CompiledGraphRow {
    std::string id;
    std::string function;
    std::string_view aot_id;
    std::string_view key;
    std::string_view cache;
    std::string code;
    std::optional<int64_t> sites;
    std::optional<int64_t> calls = 0;
    Nanos time = 0;
    Nanos kernel_time = 0;
    Nanos linked_time = 0;
    SliceRef first;
};

struct CompiledKernelRow {
    const CompiledWork& work;
    std::string id;
    std::string_view graph;
    std::string operators;
    std::string lines;
    double share = 0;
    std::string scopes = work.site ? joined(work.site->scopes) : std::string();
};

struct CompiledLineRow {
    std::string lines;
    std::string code;
    int64_t kernels = 0;  // number of different calls in generated code
    int64_t calls = 0;
    Nanos time = 0;
    double share = 0;
    std::optional<LinkGrade> grade;
    SliceRef first;
    Nanos longest = -1;
};

namespace {

constexpr std::string_view kUnknownCompile = "neither the trace nor a log tells";
constexpr std::string_view kNoArtefact = "no log or cache of the compiler tells";
constexpr std::string_view kNoWork = "the trace has no such work";

constexpr auto kGraphColumns = columns<CompiledGraphRow>({
    {{"graph", Unit::none, kDistinct, kNoArtefact,
      "Number and direction of the graph: \"0_forward\"."},
     [](const CompiledGraphRow& row) { return known_text(row.aot_id); }},
    {{"compile_id", Unit::none, kDistinct, kUnknownCompile, "Frame and number of the compilation."},
     [](const CompiledGraphRow& row) { return known_text(row.id); }},
    {{"function", Unit::none, kDistinct, kNoArtefact, "The compiled function."},
     [](const CompiledGraphRow& row) { return known_text(row.function); }},
    {{"cache", Unit::none, kDistinct, kNoArtefact,
      "Whether the code came from the cache: hit, miss, bypass."},
     [](const CompiledGraphRow& row) { return known_text(row.cache); }},
    {{"sites", Unit::count, kSum, kNoArtefact, "Calls of kernels and operators in its code."},
     [](const CompiledGraphRow& row) { return row.sites; }},
    {{"calls", Unit::count, kSum, "the trace records none, as of XLA",
      "Calls of the graph in the trace."},
     [](const CompiledGraphRow& row) { return row.calls; }},
    {{"time_ns", Unit::nanoseconds, kSum, "", "Duration of these calls on the host."},
     [](const CompiledGraphRow& row) { return row.time; }},
    {{"kernel_time_ns", Unit::nanoseconds, kSum, "",
      "Time of the GPU work that these calls launched; without GPUs, of the calls of kernels."},
     [](const CompiledGraphRow& row) { return row.kernel_time; }},
    {{"linked_time_ns", Unit::nanoseconds, kSum, "",
      "The part of kernel_time_ns whose place in the code is known."},
     [](const CompiledGraphRow& row) { return row.linked_time; }},
    {on_request({"code", Unit::none, kDistinct, kNoArtefact, "Name of the file with its code."}),
     [](const CompiledGraphRow& row) { return known_text(row.code); }},
    {on_request({"key", Unit::none, kDistinct, "the caches were off, or the key is not recorded",
                 "Its key in the cache of graphs."}),
     [](const CompiledGraphRow& row) { return known_text(row.key); }},
});

constexpr auto kKernelColumns = columns<CompiledKernelRow>({
    {{"call", Unit::none, kDistinct, "", "The call in generated code, or the kernel."},
     [](const CompiledKernelRow& row) { return std::string_view(row.work.name); }},
    {{"operators", Unit::none, kDistinct, "not known", "The operators that it computes."},
     [](const CompiledKernelRow& row) { return known_text(row.operators); }},
    {{"lines", Unit::none, kDistinct, kNoArtefact, "The Python lines that it computes."},
     [](const CompiledKernelRow& row) { return known_text(row.lines); }},
    {{"grade", Unit::none, kDistinct, "",
      "How sure the operators are, as the weakest link: id, nest, order, name, time or guess."},
     [](const CompiledKernelRow& row) { return grade_name(row.work.operators_grade()); }},
    {{"graph", Unit::none, kDistinct, kNoArtefact, "The graph that calls it."},
     [](const CompiledKernelRow& row) { return known_text(row.graph); }},
    {{"compile_id", Unit::none, kDistinct, kUnknownCompile, "Frame and number of the compilation."},
     [](const CompiledKernelRow& row) { return known_text(row.id); }},
    {{"calls", Unit::count, kSum, "", "Calls on the host."},
     [](const CompiledKernelRow& row) { return row.work.calls; }},
    {{"kernels", Unit::count, kSum, "", "Pieces of GPU work that it launched."},
     [](const CompiledKernelRow& row) { return row.work.kernels; }},
    {{"time_ns", Unit::nanoseconds, kSum, "", "Time of that work; without GPUs, of the calls."},
     [](const CompiledKernelRow& row) { return row.work.time; }},
    {{"share", Unit::ratio, kSum, kNoWork,
      "time_ns as a share of all GPU work; without GPUs, of all calls in compiled graphs."},
     [](const CompiledKernelRow& row) { return row.share; }},
    {on_request({"lines_grade", Unit::none, kDistinct, kNoArtefact, "How sure the lines are."}),
     [](const CompiledKernelRow& row) {
         return row.lines.empty() ? std::nullopt
                                  : std::optional(grade_name(row.work.lines_grade()));
     }},
    {on_request({"opcode", Unit::none, kDistinct, "it is no HLO instruction",
                 "The kind of an HLO instruction."}),
     [](const CompiledKernelRow& row) {
         return known_text(row.work.site ? std::string_view(row.work.site->opcode)
                                         : std::string_view());
     }},
    {on_request({"scopes", Unit::none, kDistinct, "it is no HLO instruction, or has none",
                 "The paths of its operators in the program: \"jit(f)/jvp(loss)/dot_general\"."}),
     [](const CompiledKernelRow& row) { return known_text(row.scopes); }},
    {on_request({"handle", Unit::none, kDistinct, "the code has none",
                 "The number of the call for provenance: \"extern_kernels.addmm:2\"."}),
     [](const CompiledKernelRow& row) {
         return row.work.site && !row.work.site->handles.empty()
                    ? std::optional<std::string_view>(row.work.site->handles.front())
                    : std::nullopt;
     }},
    {on_request({"kernel_file", Unit::none, kDistinct, "the code does not say",
                 "The file of the kernel's own code, without folder and ending."}),
     [](const CompiledKernelRow& row) {
         return known_text(row.work.site ? std::string_view(row.work.site->kernel_file)
                                         : std::string_view());
     }},
});

constexpr auto kLineColumns = columns<CompiledLineRow>({
    {{"lines", Unit::none, kDistinct, "",
      "The set of Python lines that kernels compute together; \"not attributable\" for compiled "
      "work without known lines, \"outside compiled code\" for GPU work that no known call of a "
      "compiled graph launched."},
     [](const CompiledLineRow& row) { return std::string_view(row.lines); }},
    {prose({"code", Unit::none, kDistinct, "the set has several lines, or the text is not known",
            "The line."}),
     [](const CompiledLineRow& row) { return known_text(row.code); }},
    {{"time_ns", Unit::nanoseconds, kSum, "", "Time of GPU work; without GPUs, of calls."},
     [](const CompiledLineRow& row) { return row.time; }},
    {{"share", Unit::ratio, kSum, kNoWork, "time_ns as a share of all rows."},
     [](const CompiledLineRow& row) { return row.share; }},
    {{"kernels", Unit::count, kSum, "", "Different calls in generated code."},
     [](const CompiledLineRow& row) { return row.kernels; }},
    {{"calls", Unit::count, kSum, "", "How often they ran."},
     [](const CompiledLineRow& row) { return row.calls; }},
    {{"grade", Unit::none, kDistinct, "there is no link",
      "How sure the link is, as its weakest part: id, nest, order, name, time or guess."},
     [](const CompiledLineRow& row) {
         return row.grade ? std::optional(grade_name(*row.grade)) : std::nullopt;
     }},
});

double share_of(Nanos time, Nanos whole) {
    return whole > 0 ? static_cast<double>(time) / static_cast<double>(whole)
                     : std::numeric_limits<double>::quiet_NaN();
}

CompiledGraphRow row_of(const CompiledCode& code, const CompiledGraph& graph) {
    const Compilation& compile = code.compiles[graph.compile];
    CompiledGraphRow row;
    row.id = text_of(compile.id);
    row.function = compile.function;
    row.aot_id = graph.aot_id;
    row.key = graph.key;
    row.cache = graph.cache;
    row.code = code_stem(graph);
    row.sites = static_cast<int64_t>(graph.sites.size());
    if (!code.links.empty()) row.calls = std::nullopt;
    return row;
}

}  // namespace

const TableOf<CompiledGraphRow> kCompileByGraphTable = {
    {"compile", "Graphs that torch.compile made code for, and their calls.", "graph"},
    kGraphColumns,
    [](const CompiledGraphRow& row) {
        return RowTarget{row.first, {}};
    }};

const TableOf<CompiledKernelRow> kCompileByKernelTable = {
    {"compile", "Calls in generated code: the operators and Python lines that they compute.",
     "kernel"},
    kKernelColumns,
    [](const CompiledKernelRow& row) {
        return RowTarget{row.work.first, {}};
    }};

const TableOf<CompiledLineRow> kCompileByLineTable = {
    {"compile", "Kernel time of compiled code by the Python lines that it computes.", "line"},
    kLineColumns,
    [](const CompiledLineRow& row) {
        return RowTarget{row.first, {}};
    }};

Table compile_by_graph_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const auto& programs = context.get<CompiledPrograms>();
    std::vector<CompiledGraphRow> rows;
    for (const CompiledGraph& graph : programs.code->graphs)
        rows.push_back(row_of(*programs.code, graph));
    std::map<std::pair<std::string_view, CompileId>, uint32_t> unknown;
    std::vector<uint32_t> row_of_call(programs.calls.size(), kNoRow);
    for (uint32_t i = 0; i < programs.calls.size(); ++i) {
        const GraphCall& call = programs.calls[i];
        if (!query.has(trace.start(call.slice))) continue;
        uint32_t at = call.graph;
        if (at == kNoRow) {
            const auto [known, is_new] =
                unknown.try_emplace({call.key, call.id}, static_cast<uint32_t>(rows.size()));
            at = known->second;
            if (is_new) {
                rows.emplace_back().id = text_of(call.id);
                rows.back().key = call.key;
            }
        }
        row_of_call[i] = at;
        rows[at].calls = rows[at].calls.value_or(0) + 1;
        rows[at].time += trace.duration(call.slice);
        if (!rows[at].first) rows[at].first = call.slice;
    }
    const auto add = [&](uint32_t at, Nanos time, bool is_linked) {
        rows[at].kernel_time += time;
        if (is_linked) rows[at].linked_time += time;
    };
    for (const SiteCall& call : programs.sites) {
        const bool is_in_call = call.graph_call != kNoRow;
        const uint32_t at = is_in_call                           ? row_of_call[call.graph_call]
                            : query.has(trace.start(call.slice)) ? call.graph
                                                                 : kNoRow;
        if (at != kNoRow) add(at, programs.time_of(trace, call), call.site != kNoRow);
    }
    for (const LooseKernel& kernel : programs.loose)
        if (const SliceRef slice = trace.gpu_activities.slice[kernel.row];
            kernel.grade == LinkGrade::id && query.has_work(kernel.row, trace.start(slice)))
            add(kernel.graph, trace.duration(slice), true);
    TableBuilder table(kCompileByGraphTable);
    for (const CompiledGraphRow& row : rows) table.add(row);
    return table.take();
}

Table compile_by_kernel_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const auto& programs = context.get<CompiledPrograms>();
    std::vector<CompiledWork> all = compiled_work(trace, programs, query);
    std::ranges::stable_sort(all, std::greater(), &CompiledWork::time);
    const Nanos whole = whole_kernel_time(trace, programs, query);
    TableBuilder table(kCompileByKernelTable);
    for (const CompiledWork& work : all) {
        const CompiledGraph* const graph =
            work.graph == kNoRow ? nullptr : &programs.code->graphs[work.graph];
        table.add({work, text_of(work.id), graph ? std::string_view(graph->aot_id) : "",
                   work.site ? joined(work.site->operators) : std::string(fused_names(work.name)),
                   work.site ? joined_places(work.site->lines) : std::string(),
                   share_of(work.time, whole)});
    }
    return table.take();
}

Table compile_by_line_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const auto& programs = context.get<CompiledPrograms>();
    const Nanos whole = whole_kernel_time(trace, programs, query);
    std::map<std::string, CompiledLineRow> rows;
    CompiledLineRow unknown;
    unknown.lines = "not attributable";
    Nanos compiled = 0;
    for (const CompiledWork& work : compiled_work(trace, programs, query)) {
        const std::vector<SourceLine> none;
        const std::vector<SourceLine>& lines = work.site ? work.site->lines : none;
        const std::string places = joined_places(lines);
        CompiledLineRow& row = places.empty() ? unknown : rows[places];
        if (row.lines.empty()) row.lines = places;
        if (lines.size() == 1) row.code = lines.front().code;
        ++row.kernels;
        row.calls += std::max(work.calls, work.kernels);
        row.time += work.time;
        compiled += work.time;
        if (!places.empty())
            row.grade = weaker(row.grade.value_or(LinkGrade::id), work.lines_grade());
        if (work.longest > row.longest) {
            row.longest = work.longest;
            row.first = work.first;
        }
    }
    std::vector<CompiledLineRow> sorted;
    for (auto& [places, row] : rows) sorted.push_back(std::move(row));
    std::ranges::stable_sort(sorted, std::greater(), &CompiledLineRow::time);
    if (unknown.kernels > 0) sorted.push_back(std::move(unknown));
    if (const Nanos rest = whole - compiled; rest > 0) {
        CompiledLineRow& other = sorted.emplace_back();
        other.lines = "outside compiled code";
        other.time = rest;
    }
    TableBuilder table(kCompileByLineTable);
    for (CompiledLineRow& row : sorted) {
        row.share = share_of(row.time, whole);
        table.add(row);
    }
    return table.take();
}

}  // namespace lanescope

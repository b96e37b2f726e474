#include "core/analysis/compile/compiled_slice.h"

#include <algorithm>

#include "core/analysis/compile/compiled_programs.h"
#include "core/analysis/context.h"

namespace lanescope {

namespace {

void add_graph(const CompiledPrograms& programs, uint32_t graph, CompiledSlice& found) {
    if (graph == kNoRow) return;
    const CompiledGraph& of = programs.code->graphs[graph];
    const Compilation& compile = programs.code->compiles[of.compile];
    found.graph = of.aot_id;
    found.compile_id = text_of(compile.id);
    found.function = compile.function;
}

CompiledSlice at_site(const CompiledPrograms& programs, uint32_t graph, const CallSite* site,
                      LinkGrade grade) {
    CompiledSlice found;
    add_graph(programs, graph, found);
    if (!site) return found;
    found.site = site->name;
    found.code = {programs.code->graphs[graph].code_path, site->code_line, {}, {}};
    found.opcode = site->opcode;
    found.scopes = site->scopes;
    found.operators = site->operators;
    found.lines = site->lines;
    found.grade = weaker(grade, weaker(site->operators_grade, site->lines_grade));
    return found;
}

CompiledSlice of_call(const CompiledPrograms& programs, uint32_t at) {
    const SiteCall& call = programs.sites[at];
    CompiledSlice found = at_site(programs, call.graph, programs.site_of(call), call.grade);
    if (found.compile_id.empty()) found.compile_id = text_of(programs.id_of(call));
    return found;
}

}  // namespace

std::optional<CompiledSlice> compiled_slice(const TraceContext& context, SliceRef slice) {
    const auto& programs = context.get<CompiledPrograms>();
    if (const uint32_t call = programs.call_at(slice); call != kNoRow)
        return of_call(programs, call);
    for (const GraphCall& call : programs.calls)
        if (call.slice == slice) {
            CompiledSlice found = at_site(programs, call.graph, nullptr, call.grade);
            if (found.compile_id.empty()) found.compile_id = text_of(call.id);
            return found;
        }
    const auto& slices = context.trace().gpu_activities.slice;
    const auto row = std::ranges::find(slices, slice);
    if (row == slices.end()) return std::nullopt;
    const auto number = static_cast<uint32_t>(row - slices.begin());
    if (!programs.call_of_row.empty() && programs.call_of_row[number] != kNoRow)
        return of_call(programs, programs.call_of_row[number]);
    const auto loose = std::ranges::lower_bound(programs.loose, number, {}, &LooseKernel::row);
    if (loose == programs.loose.end() || loose->row != number) return std::nullopt;
    return at_site(programs, loose->graph, programs.site_of(*loose), loose->grade);
}

}  // namespace lanescope

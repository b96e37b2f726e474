// Why functions were compiled in pieces, and why they were recompiled.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "core/analysis/compile/compile_tables.h"
#include "core/analysis/compile/compiled_programs.h"
#include "core/analysis/context.h"
#include "core/table/cells.h"

namespace lanescope {

struct GraphBreakRow {
    const GraphBreak& found;
    const Compilation& compile;
    std::string id;
    std::string place;
    std::string hint;
    std::string resumed;  // the frame that continues after the break
};

struct RecompileRow {
    const FailedGuard& found;
    const Compilation& compile;
    std::string id;
    std::string entry;
    std::string place;
};

namespace {

std::string_view function_name(const Compilation& compile) {
    return compile.function;
}

constexpr std::string_view kNotStated = "the log does not say";

constexpr auto kBreakColumns = columns<GraphBreakRow>({
    {{"place", Unit::none, kDistinct, "", "File and line of the program that breaks the graph."},
     [](const GraphBreakRow& row) { return std::string_view(row.place); }},
    {prose({"code", Unit::none, kDistinct, kNotStated, "The line."}),
     [](const GraphBreakRow& row) { return known_text(row.found.place.code); }},
    {prose({"reason", Unit::none, kDistinct, "", "Why the graph breaks there."}),
     [](const GraphBreakRow& row) { return std::string_view(row.found.reason); }},
    {prose({"hint", Unit::none, kDistinct, "the compiler gives none",
            "What the compiler advises first."}),
     [](const GraphBreakRow& row) { return known_text(row.hint); }},
    {{"function", Unit::none, kDistinct, kNotStated, "The function that was compiled."},
     [](const GraphBreakRow& row) { return known_text(function_name(row.compile)); }},
    {{"compile_id", Unit::none, kDistinct, "", "Frame and number of the compilation."},
     [](const GraphBreakRow& row) { return std::string_view(row.id); }},
    {on_request({"resumed_by", Unit::none, kDistinct, "no compiled frame goes on behind it",
                 "Frame and number of the compilation that goes on behind the break."}),
     [](const GraphBreakRow& row) { return known_text(row.resumed); }},
    {on_request(prose({"explanation", Unit::none, kDistinct, "the compiler gives none",
                       "What the compiler says of the reason."})),
     [](const GraphBreakRow& row) { return known_text(row.found.explanation); }},
    {on_request({"attempt", Unit::none, kDistinct, "", "The attempt that met the break, from 0."}),
     [](const GraphBreakRow& row) { return row.found.attempt; }},
    {on_request({"file", Unit::none, kDistinct, "", "The whole path of the file."}),
     [](const GraphBreakRow& row) { return std::string_view(row.found.place.file); }},
});

constexpr auto kRecompileColumns = columns<RecompileRow>({
    {prose({"guard", Unit::none, kDistinct, "", "The guard that failed."}),
     [](const RecompileRow& row) { return std::string_view(row.found.guard); }},
    {{"function", Unit::none, kDistinct, kNotStated, "The function that was compiled again."},
     [](const RecompileRow& row) { return known_text(function_name(row.compile)); }},
    {{"compile_id", Unit::none, kDistinct, "", "Frame and number of the new compilation."},
     [](const RecompileRow& row) { return std::string_view(row.id); }},
    {{"entry", Unit::none, kDistinct, kNotStated,
      "Frame and number of the earlier compilation whose guard failed."},
     [](const RecompileRow& row) { return known_text(row.entry); }},
    {{"place", Unit::none, kDistinct, kNotStated, "File and line that the guard belongs to."},
     [](const RecompileRow& row) { return known_text(row.place); }},
    {prose({"code", Unit::none, kDistinct, kNotStated, "The line."}),
     [](const RecompileRow& row) { return known_text(row.found.place.code); }},
    {{"compile_time_ns", Unit::nanoseconds, kDistinct, kNotStated,
      "Time of the new compilation. It stands at each of its failed guards."},
     [](const RecompileRow& row) { return known(row.compile.duration, -1); }},
});

// The compilation of the function that Dynamo makes from the code after a break.
std::string resumed_by(const CompiledCode& code, const GraphBreak& found) {
    const std::string ending = fmt::format("_at_{}", found.place.line);
    for (const Compilation& one : code.compiles)
        if (one.function.starts_with("torch_dynamo_resume_in_") && one.function.ends_with(ending) &&
            one.file == code.compiles[found.compile].file)
            return text_of(one.id);
    return {};
}

}  // namespace

const TableOf<GraphBreakRow> kCompileByBreakTable = {
    {"compile", "Graph breaks: where compiled functions return to Python, and why.", "break"},
    kBreakColumns,
    {}};

const TableOf<RecompileRow> kCompileByRecompileTable = {
    {"compile", "Guards that failed, so that functions were compiled again.", "recompile"},
    kRecompileColumns,
    {}};

Table compile_by_break_table(const TraceContext& context, const TableQuery&) {
    const CompiledCode& code = *context.get<CompiledPrograms>().code;
    TableBuilder table(kCompileByBreakTable);
    for (const GraphBreak& found : code.breaks) {
        const Compilation& compile = code.compiles[found.compile];
        table.add({found, compile, text_of(compile.id), short_place(found.place),
                   found.hints.empty() ? std::string() : found.hints.front(),
                   resumed_by(code, found)});
    }
    return table.take();
}

Table compile_by_recompile_table(const TraceContext& context, const TableQuery&) {
    const CompiledCode& code = *context.get<CompiledPrograms>().code;
    TableBuilder table(kCompileByRecompileTable);
    for (const FailedGuard& found : code.failed_guards) {
        const Compilation& compile = code.compiles[found.compile];
        table.add({found, compile, text_of(compile.id), text_of(found.entry),
                   found.place.file.empty() ? std::string() : short_place(found.place)});
    }
    return table.take();
}

}  // namespace lanescope

// Compiled frames: functions, and their parts after graph breaks.
#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "core/analysis/compile/compile_tables.h"
#include "core/analysis/compile/compiled_programs.h"
#include "core/analysis/context.h"
#include "core/table/cells.h"

namespace lanescope {

struct CompiledFrameRow {
    int64_t frame = -1;
    std::string function;
    std::string place;
    bool is_logged = false;
    int64_t compiles = 0;
    int64_t attempts = 0;
    int64_t breaks = 0;
    int64_t recompiles = 0;
    int64_t graphs = 0;
    int64_t guards = -1;
    Nanos compile_time = -1;
    std::string failure;
    int64_t calls = 0;
    Nanos time = 0;
    Nanos own_time = 0;
    SliceRef first;

    std::optional<int64_t> logged(int64_t value) const {
        return is_logged ? std::optional(value) : std::nullopt;
    }
};

namespace {

constexpr std::string_view kNoLog = "there is no log of the compilation";

constexpr auto kFrameColumns = columns<CompiledFrameRow>({
    {{"function", Unit::none, kDistinct, kNoLog, "The compiled function."},
     [](const CompiledFrameRow& row) { return known_text(row.function); }},
    {{"place", Unit::none, kDistinct, kNoLog, "File and line where the frame's code begins."},
     [](const CompiledFrameRow& row) { return known_text(row.place); }},
    {{"frame", Unit::none, kDistinct, "", "The frame's number in its process."},
     [](const CompiledFrameRow& row) { return row.frame; }},
    {{"compiles", Unit::count, kSum, "", "How often the frame was compiled, as far as recorded."},
     [](const CompiledFrameRow& row) { return row.compiles; }},
    {{"recompiles", Unit::count, kSum, kNoLog, "Compilations because a guard failed."},
     [](const CompiledFrameRow& row) { return row.logged(row.recompiles); }},
    {{"breaks", Unit::count, kSum, kNoLog, "Graph breaks."},
     [](const CompiledFrameRow& row) { return row.logged(row.breaks); }},
    {{"graphs", Unit::count, kSum, kNoLog, "Graphs that the frame's compilations made."},
     [](const CompiledFrameRow& row) { return row.logged(row.graphs); }},
    {{"compile_time_ns", Unit::nanoseconds, kSum, "the compilation was not recorded",
      "Time of the frame's compilations, with those of frames inside."},
     [](const CompiledFrameRow& row) { return known(row.compile_time, -1); }},
    {{"calls", Unit::count, kSum, "", "Calls of the compiled code in the trace."},
     [](const CompiledFrameRow& row) { return row.calls; }},
    {{"time_ns", Unit::nanoseconds, kSum, "", "Duration of these calls."},
     [](const CompiledFrameRow& row) { return row.time; }},
    {{"own_time_ns", Unit::nanoseconds, kSum, "",
      "Duration of these calls without frames and compilations inside."},
     [](const CompiledFrameRow& row) { return row.own_time; }},
    {on_request({"attempts", Unit::count, kSum, kNoLog,
                 "Attempts of all compilations; a graph break begins another one."}),
     [](const CompiledFrameRow& row) { return row.logged(row.attempts); }},
    {on_request(
         {"guards", Unit::count, kMax, "the log does not say", "Guards of the last compilation."}),
     [](const CompiledFrameRow& row) { return known(row.guards, -1); }},
    {on_request(
         {"failure", Unit::none, kDistinct, "no compilation failed", "Why a compilation failed."}),
     [](const CompiledFrameRow& row) { return known_text(row.failure); }},
});

// Rows by frame, in the order of first mention.
class Frames {
  public:
    CompiledFrameRow& of(int64_t frame) {
        const auto [place, is_new] = places_.try_emplace(frame, rows.size());
        if (is_new) rows.emplace_back().frame = frame;
        return rows[place->second];
    }
    std::vector<CompiledFrameRow> rows;

  private:
    std::map<int64_t, std::size_t> places_;
};

void add_code(const CompiledCode& code, Frames& frames) {
    for (const Compilation& one : code.compiles) {
        if (one.id.frame < 0) continue;
        CompiledFrameRow& row = frames.of(one.id.frame);
        row.is_logged = true;
        if (!one.function.empty()) row.function = one.function;
        if (!one.file.empty()) row.place = short_place({one.file, one.line, {}, {}});
        ++row.compiles;
        row.attempts += one.attempts;
        if (one.guards >= 0) row.guards = one.guards;
        if (one.duration >= 0 || one.backward >= 0)
            row.compile_time = std::max<Nanos>(row.compile_time, 0) +
                               std::max<Nanos>(one.duration, 0) + std::max<Nanos>(one.backward, 0);
        if (!one.failure.empty()) row.failure = one.failure.substr(0, one.failure.find('\n'));
    }
    const auto count = [&](uint32_t compile, int64_t CompiledFrameRow::*what) {
        if (const int64_t frame = code.compiles[compile].id.frame; frame >= 0)
            ++(frames.of(frame).*what);
    };
    for (const GraphBreak& one : code.breaks) count(one.compile, &CompiledFrameRow::breaks);
    for (const CompiledGraph& one : code.graphs) count(one.compile, &CompiledFrameRow::graphs);
    uint32_t last = kNoRow;
    for (const FailedGuard& one : code.failed_guards)
        if (std::exchange(last, one.compile) != one.compile)
            count(one.compile, &CompiledFrameRow::recompiles);
}

}  // namespace

const TableOf<CompiledFrameRow> kCompileTable = {
    {"compile", "Functions that torch.compile compiled, and the calls of their code."},
    kFrameColumns,
    [](const CompiledFrameRow& row) {
        return RowTarget{row.first, {}};
    }};

Table compile_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const auto& programs = context.get<CompiledPrograms>();
    Frames frames;
    add_code(*programs.code, frames);
    for (const RecordedCompile& one : programs.compiles) {
        if (one.id.frame < 0) continue;
        CompiledFrameRow& row = frames.of(one.id.frame);
        if (row.is_logged) continue;
        ++row.compiles;
        row.compile_time = std::max<Nanos>(row.compile_time, 0) + trace.duration(one.slice);
    }
    for (const CompiledRegion& region : programs.regions) {
        if (region.id.frame < 0 || !query.has(trace.start(region.slice))) continue;
        CompiledFrameRow& row = frames.of(region.id.frame);
        ++row.calls;
        row.time += trace.duration(region.slice);
        row.own_time += region.own;
        if (!row.first) row.first = region.slice;
    }
    TableBuilder table(kCompileTable);
    for (const CompiledFrameRow& row : frames.rows) table.add(row);
    return table.take();
}

}  // namespace lanescope

#include "core/sql/perfetto_modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/sql/tokens.h"

namespace lanescope {

namespace {

constexpr std::string_view kPrelude = R"(
CREATE VIEW slices AS SELECT * FROM slice;
CREATE VIEW instant AS
    SELECT ts, track_id, name, arg_set_id FROM slice WHERE dur = 0;
CREATE VIEW instants AS SELECT * FROM instant;
CREATE VIEW counters AS
    SELECT c.*, t.name, t.unit FROM counter c JOIN counter_track t ON c.track_id = t.id;
CREATE VIEW kernel AS
    SELECT * FROM gpu_activity WHERE category IN ('kernel', 'Kernel');
CREATE VIEW launch AS
    SELECT l.id, l.ts, l.dur, l.track_id, l.name, l.correlation, l.external_id,
           g.id AS activity_id, g.ts AS activity_ts, g.dur AS activity_dur, g.name AS activity_name,
           g.category AS activity_category, g.operator_id, g.step, g.ts - l.ts AS delay
    FROM gpu_activity g CROSS JOIN runtime_call l ON l.id = g.launch_id;
)";

// Functions of Perfetto's standard library; its documentation defines their results.
constexpr std::string_view kFlowFunctions = R"(
CREATE PERFETTO FUNCTION following_flow(start_slice_id LONG)
RETURNS TABLE(id LONG, slice_out LONG, slice_in LONG, trace_id LONG, arg_set_id LONG) AS
WITH RECURSIVE reached(slice) AS (
    SELECT $start_slice_id
    UNION SELECT d.id FROM reached CROSS JOIN descendant_slice(reached.slice) d
    UNION SELECT f.slice_in FROM reached CROSS JOIN flow f ON f.slice_out = reached.slice)
SELECT f.id, f.slice_out, f.slice_in, f.trace_id, f.arg_set_id
FROM reached CROSS JOIN flow f ON f.slice_out = reached.slice;

CREATE PERFETTO FUNCTION preceding_flow(start_slice_id LONG)
RETURNS TABLE(id LONG, slice_out LONG, slice_in LONG, trace_id LONG, arg_set_id LONG) AS
WITH RECURSIVE reached(slice) AS (
    SELECT $start_slice_id
    UNION SELECT a.id FROM reached CROSS JOIN ancestor_slice(reached.slice) a
    UNION SELECT f.slice_out FROM reached CROSS JOIN flow f ON f.slice_in = reached.slice)
SELECT f.id, f.slice_out, f.slice_in, f.trace_id, f.arg_set_id
FROM reached CROSS JOIN flow f ON f.slice_in = reached.slice;

CREATE PERFETTO FUNCTION directly_connected_flow(start_slice_id LONG)
RETURNS TABLE(id LONG, slice_out LONG, slice_in LONG, trace_id LONG, arg_set_id LONG) AS
WITH RECURSIVE after(slice) AS (
    SELECT $start_slice_id
    UNION SELECT f.slice_in FROM after CROSS JOIN flow f ON f.slice_out = after.slice),
before(slice) AS (
    SELECT $start_slice_id
    UNION SELECT f.slice_out FROM before CROSS JOIN flow f ON f.slice_in = before.slice)
SELECT f.id, f.slice_out, f.slice_in, f.trace_id, f.arg_set_id
FROM after CROSS JOIN flow f ON f.slice_out = after.slice
UNION
SELECT f.id, f.slice_out, f.slice_in, f.trace_id, f.arg_set_id
FROM before CROSS JOIN flow f ON f.slice_in = before.slice;
)";

constexpr std::string_view kWithContext = R"(
CREATE TEMP VIEW IF NOT EXISTS thread_slice AS
    SELECT s.id, s.ts, s.dur, s.category, s.name, s.depth, s.parent_id, s.arg_set_id, s.track_id,
           t.utid, t.tid, t.name AS thread_name, t.is_main_thread, p.upid, p.pid,
           p.name AS process_name, s.thread_ts, s.thread_dur
    FROM slice s JOIN thread_track tt ON s.track_id = tt.id JOIN thread t USING (utid)
         LEFT JOIN process p USING (upid);
CREATE TEMP VIEW IF NOT EXISTS process_slice AS
    SELECT s.id, s.ts, s.dur, s.category, s.name, s.depth, s.parent_id, s.arg_set_id, s.track_id,
           p.upid, p.pid, p.name AS process_name, s.thread_ts, s.thread_dur
    FROM slice s JOIN process_track pt ON s.track_id = pt.id JOIN process p USING (upid);
CREATE TEMP VIEW IF NOT EXISTS thread_or_process_slice AS
    SELECT id, ts, dur, category, name, depth, parent_id, arg_set_id, track_id, utid, tid,
           thread_name, is_main_thread, upid, pid, process_name FROM thread_slice
    UNION ALL
    SELECT id, ts, dur, category, name, depth, parent_id, arg_set_id, track_id, NULL, NULL, NULL,
           NULL, upid, pid, process_name FROM process_slice;
)";

constexpr std::string_view kSelfDuration = R"(
CREATE TEMP VIEW IF NOT EXISTS slice_self_dur AS
    SELECT s.id, s.dur - ifnull((SELECT sum(c.dur) FROM slice c WHERE c.parent_id = s.id), 0)
           AS self_dur
    FROM slice s;
)";

constexpr std::array kModules = {
    SqlModule{"prelude", ""},
    SqlModule{"time.conversion", ""},
    SqlModule{"slices.flow", ""},
    SqlModule{"slices.with_context", kWithContext},
    SqlModule{"slices.slices", kWithContext},
    SqlModule{"slices.self_dur", kSelfDuration},
};

}  // namespace

std::string_view sql_prelude() {
    return kPrelude;
}

std::string_view sql_flow_functions() {
    return kFlowFunctions;
}

std::span<const SqlModule> sql_modules() {
    return kModules;
}

const SqlModule* find_sql_module(std::string_view name) {
    const auto* const found = std::ranges::find_if(
        kModules, [&](const SqlModule& module) { return same_word(module.name, name); });
    return found == kModules.end() ? nullptr : found;
}

const SqlModule* module_with_view(std::string_view view) {
    const std::string made = fmt::format(" {} AS\n", view);
    const auto* const found = std::ranges::find_if(kModules, [&](const SqlModule& module) {
        return module.sql.find(made) != std::string_view::npos;
    });
    return found == kModules.end() ? nullptr : found;
}

}  // namespace lanescope

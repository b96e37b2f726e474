// The table of idle gaps: each gap once, with the streams that are idle in it.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/analysis/gpu/gaps.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/step_cell.h"
#include "core/analysis/structure/steps.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

// What the table's rows are computed from.
struct GapRows {
    GapRows(const TraceContext& whole, const TableQuery& query)
        : context(whole),
          cut(query.range ? idle_gaps(whole, query) : Column<IdleGap>()),
          gaps(query.range ? cut : context.get<AllIdleGaps>().rows) {
        leave_out_repeated();
        find_streams();
    }

    TraceContext context;
    Column<IdleGap> cut;  // clipped to the range, if there is one
    const Column<IdleGap>& gaps;
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    std::vector<uint32_t> listed;      // rows of `gaps`
    std::vector<uint32_t> streams_of;  // by row of `gaps`: of stream_lists
    std::vector<std::string> stream_lists = {""};

  private:
    // A gap of a stream between the same activities as a gap of its device is the same gap.
    void leave_out_repeated() {
        std::set<std::tuple<uint32_t, int32_t, uint32_t, uint32_t>> of_devices;
        const auto key = [](const IdleGap& gap) {
            return std::tuple(gap.process, gap.device, gap.before, gap.after);
        };
        for (const IdleGap& gap : gaps)
            if (gap.of_device) of_devices.insert(key(gap));
        for (uint32_t i = 0; i < gaps.size(); ++i)
            if (gaps[i].of_device || !of_devices.contains(key(gaps[i]))) listed.push_back(i);
    }

    // For each listed gap: the streams that are idle during a device's whole gap, or the stream of
    // a stream's gap.
    void find_streams() {
        std::map<std::string, uint32_t> known = {{"", 0}};
        streams_of.resize(gaps.size());
        for (const GpuDevice& device : context.get<GpuDevices>().all) {
            std::vector<TimeRange> spans;
            for (const GpuStream& stream : device.streams) spans.push_back(span_of(stream.work));
            for (const uint32_t i : listed) {
                const IdleGap& gap = gaps[i];
                if (gap.process != device.process || gap.device != device.device) continue;
                std::string list;
                for (std::size_t s = 0; s < spans.size(); ++s) {
                    const int32_t stream = device.streams[s].stream;
                    const bool is_idle = gap.of_device ? spans[s].begin <= gap.range.begin &&
                                                             gap.range.end <= spans[s].end
                                                       : stream == gap.stream;
                    if (is_idle && stream >= 0)
                        list += fmt::format("{}{}", list.empty() ? "" : " ", stream);
                }
                const auto [place, added] =
                    known.try_emplace(list, static_cast<uint32_t>(stream_lists.size()));
                if (added) stream_lists.push_back(list);
                streams_of[i] = place->second;
            }
        }
    }
};

}  // namespace

struct GapTableRow {
    const GapRows& source;
    uint32_t row = 0;  // of source.gaps
    const IdleGap& gap = source.gaps[row];
    const Trace& trace = source.trace;

    std::string_view activity(uint32_t number) const {
        return trace.name(trace.gpu_activities.slice[number]);
    }
    // The step in which the activity after it was launched.
    std::optional<int64_t> step() const {
        if (!gap.launch) return std::nullopt;
        return step_index(source.steps, trace.lanes[gap.launch.lane].process,
                          trace.start(gap.launch));
    }
};

namespace {

constexpr auto kGapColumns = columns<GapTableRow>({
    {{"device", Unit::none, kDistinct, "the file does not say", "Ordinal of the GPU."},
     [](const GapTableRow& row) { return known(row.gap.device, -1); }},
    {on_request({"stream", Unit::none, kDistinct,
                 "no stream of the device ran anything, or the stream is not recorded",
                 "Id of the idle stream."}),
     [](const GapTableRow& row) { return known(row.gap.stream, -1); }},
    {{"streams", Unit::none, kDistinct, "no stream is recorded",
      "Ids of the idle streams: of a whole device's gap, all streams that ran something before and "
      "after it."},
     [](const GapTableRow& row) {
         return known_text(row.source.stream_lists[row.source.streams_of[row.row]]);
     }},
    {{"start_ns", Unit::nanoseconds, kMin, "", "Begin, from the trace's origin."},
     [](const GapTableRow& row) { return row.gap.range.begin - row.trace.origin; }},
    {{"duration_ns", Unit::nanoseconds, kSum, "",
      "Time without a kernel, copy or set, cut to the range."},
     [](const GapTableRow& row) { return row.gap.range.length(); }},
    {{"cause", Unit::none, kDistinct, "the launch of the next activity is not in the file",
      "The first that applies: recording edge, profiler overhead, synchronisation, copy, host, "
      "dependency, graph "
      "(not recorded: the next activity is in a graph that had been launched), or launch latency."},
     [](const GapTableRow& row) { return known_text(gap_cause_name(row.gap.cause)); }},
    {{"before", Unit::none, kDistinct, "", "The activity that ended when the gap began."},
     [](const GapTableRow& row) { return row.activity(row.gap.before); }},
    {{"after", Unit::none, kDistinct, "", "The activity that began when the gap ended."},
     [](const GapTableRow& row) { return row.activity(row.gap.after); }},
    {{"step", Unit::none, kDistinct, "not launched in a step, or the launch is not known",
      "Index of the step in which the activity after it was launched."},
     [](const GapTableRow& row) { return row.step(); }},
    {{"host_call", Unit::none, kDistinct, "none does, or the launch is not known",
      "On the thread that launched the activity after it: the innermost call that covers at least "
      "half of the gap."},
     [](const GapTableRow& row) { return known_name(row.trace, row.gap.host_call); }},
    {on_request(
         {"pid", Unit::none, kDistinct, "", "Id of the device's rows, as the file writes it."}),
     [](const GapTableRow& row) {
         return row.trace.strings[row.trace.processes[row.gap.process].pid];
     }},
    {{"launch_start_ns", Unit::nanoseconds, kMin, "the launch is not in the file",
      "Begin of the call that launched the activity after it, from the trace's origin.",
      Priority::detail},
     [](const GapTableRow& row) {
         return row.gap.launch ? std::optional(row.trace.start(row.gap.launch) - row.trace.origin)
                               : std::nullopt;
     }},
});

}  // namespace

const TableOf<GapTableRow> kGapsTable = {
    {"gaps", "Idle gaps of each GPU and of single streams, and what they waited for."},
    kGapColumns,
    [](const GapTableRow& row) {
        return RowTarget{{}, row.gap.range, true};
    }};

Table gaps_table(const TraceContext& context, const TableQuery& query) {
    const auto source = std::make_shared<const GapRows>(context, query);
    return table_on_demand(kGapsTable, source->listed, [source](uint32_t row) {
        return GapTableRow{*source, row};
    });
}

}  // namespace lanescope

#include "core/analysis/statistics/sections.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/steps.h"
#include "core/table/cells.h"
#include "core/trace/short_name.h"

namespace lanescope {

namespace {

constexpr auto kSectionColumns = columns<SectionRow>({
    {{"name", Unit::none, kDistinct, "", "Name of the annotation; all of ProfilerStep#N are one."},
     [](const SectionRow& row) { return std::string_view(row.name); }},
    kShortNameColumn,
    {{"runs", Unit::count, kSum, "", "Number of runs, including warm-up."},
     [](const SectionRow& row) { return row.runs; }},
    {{"warm_up", Unit::count, kSum, "",
      "Leading runs excluded from the following columns: each above p50 + 3 × 1.4826 × median "
      "absolute deviation of the runs after it."},
     [](const SectionRow& row) { return row.warm_up; }},
    {{"p50_ns", Unit::nanoseconds, kNoAggregate, "", "Median."},
     [](const SectionRow& row) { return row.durations.p50; }},
    {{"mean_ns", Unit::nanoseconds, mean_by("runs"), "", "Mean."},
     [](const SectionRow& row) { return row.durations.mean; }},
    {{"ci95_ns", Unit::nanoseconds, kNoAggregate, "a single run",
      "Half width of the 95 % confidence interval of the mean, by Student's t."},
     [](const SectionRow& row) { return row.durations.ci95; }},
    {{"sd_ns", Unit::nanoseconds, kNoAggregate, "a single run", "Standard deviation (n - 1)."},
     [](const SectionRow& row) { return row.durations.sd; }},
    {{"p90_ns", Unit::nanoseconds, kNoAggregate, "", "90 % are at most as long."},
     [](const SectionRow& row) { return row.durations.p90; }},
    {{"p99_ns", Unit::nanoseconds, kNoAggregate, "", "99 % are at most as long."},
     [](const SectionRow& row) { return row.durations.p99; }},
    {{"min_ns", Unit::nanoseconds, kMin, "", "Shortest."},
     [](const SectionRow& row) { return row.durations.min; }},
    {{"max_ns", Unit::nanoseconds, kMax, "", "Longest."},
     [](const SectionRow& row) { return row.durations.max; }},
    {{"total_ns", Unit::nanoseconds, kSum, "", "Sum."},
     [](const SectionRow& row) { return row.durations.total; }},
    {{"outliers", Unit::count, kSum, "", "Runs above that limit."},
     [](const SectionRow& row) { return row.durations.outliers; }},
    {{"runs_per_second", Unit::none, kNoAggregate, "runs take no time",
      "How many runs of mean length follow each other in a second."},
     [](const SectionRow& row) { return known_ratio(1e9, row.durations.mean); }},
});

// Ids of names; all ProfilerStep#N have the same id.
std::vector<StringId> section_ids(const Trace& trace) {
    std::vector<StringId> ids(trace.strings.size());
    StringId steps = StringPool::none;
    for (StringId id = 0; id < ids.size(); ++id) {
        ids[id] = id;
        if (profiler_step_index(trace.strings[id]) < 0) continue;
        if (steps == StringPool::none) steps = id;
        ids[id] = steps;
    }
    return ids;
}

SectionRow row_of(const Trace& trace, StringId name, std::vector<SliceRef> slices) {
    std::ranges::stable_sort(slices, {}, [&](SliceRef slice) { return trace.start(slice); });
    SectionRow row;
    row.name = profiler_step_index(trace.strings[name]) < 0 ? std::string(trace.strings[name])
                                                            : "ProfilerStep*";
    row.compact = compact_name(row.name);
    row.runs = slices.size();
    std::vector<Nanos> durations;
    durations.reserve(slices.size());
    for (const SliceRef slice : slices) durations.push_back(trace.duration(slice));
    row.warm_up = warm_up_count(durations);
    const auto first = durations.begin() + static_cast<std::ptrdiff_t>(row.warm_up);
    const auto longest = std::max_element(first, durations.end());
    row.longest = slices[static_cast<std::size_t>(longest - durations.begin())];
    std::sort(first, durations.end());
    row.durations = distribution_of(std::span<const Nanos>(durations).subspan(row.warm_up));
    return row;
}

}  // namespace

const TableOf<SectionRow> kSectionsTable = {
    {"sections", "Annotations as timers: how long each kind takes from run to run."},
    kSectionColumns,
    [](const SectionRow& row) {
        return RowTarget{row.longest, {}};
    }};

std::vector<SectionRow> section_rows(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const std::vector<StringId> ids = section_ids(trace);
    std::unordered_map<StringId, std::vector<SliceRef>> runs;
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        const Lane& lane = trace.lanes[id];
        if (lane.kind == LaneKind::stream || lane.kind == LaneKind::samples) continue;
        if (trace.processes[lane.process].is_gpu) continue;
        const LaneView view(lane);
        for (uint32_t i = 0; i < view.size(); ++i) {
            const Category& category = trace.categories[view.category(i)];
            if (category.event_class != EventClass::annotation) continue;
            if (trace.strings[category.name] == "Trace") continue;  // the profiler's own
            if (query.range && !query.range->contains(view.start(i))) continue;
            runs[ids[view.name(i)]].push_back({id, i});
        }
    }
    std::vector<SectionRow> rows;
    rows.reserve(runs.size());
    for (auto& [name, slices] : runs) rows.push_back(row_of(trace, name, std::move(slices)));
    std::ranges::sort(rows, [](const SectionRow& a, const SectionRow& b) {
        return a.durations.total != b.durations.total ? a.durations.total > b.durations.total
                                                      : a.name < b.name;
    });
    return rows;
}

Table sections_table(const TraceContext& context, const TableQuery& query) {
    TableBuilder table(kSectionsTable);
    for (const SectionRow& row : section_rows(context, query)) table.add(row);
    return table.take();
}

}  // namespace lanescope

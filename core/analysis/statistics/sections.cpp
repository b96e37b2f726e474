#include "core/analysis/statistics/sections.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/steps.h"

namespace lanescope {

namespace {

constexpr std::array kColumns = {
    ColumnSpec{"name", ValueType::text, Unit::none, "",
               "Name of the annotation; all of ProfilerStep#N are one."},
    ColumnSpec{"runs", ValueType::integer, Unit::count, "", "How often it ran, warm-up with it."},
    ColumnSpec{"warm_up", ValueType::integer, Unit::count, "",
               "Leading runs excluded from the following columns: each above p50 + 3 × 1.4826 × "
               "median absolute deviation of the runs after it."},
    ColumnSpec{"p50_ns", ValueType::real, Unit::nanoseconds, "", "Median."},
    ColumnSpec{"mean_ns", ValueType::real, Unit::nanoseconds, "", "Mean."},
    ColumnSpec{"ci95_ns", ValueType::real, Unit::nanoseconds, "a single run",
               "Half width of the 95 % confidence interval of the mean, by Student's t."},
    ColumnSpec{"sd_ns", ValueType::real, Unit::nanoseconds, "a single run",
               "Standard deviation (n - 1)."},
    ColumnSpec{"p90_ns", ValueType::real, Unit::nanoseconds, "", "90 % are at most as long."},
    ColumnSpec{"p99_ns", ValueType::real, Unit::nanoseconds, "", "99 % are at most as long."},
    ColumnSpec{"min_ns", ValueType::integer, Unit::nanoseconds, "", "Shortest."},
    ColumnSpec{"max_ns", ValueType::integer, Unit::nanoseconds, "", "Longest."},
    ColumnSpec{"total_ns", ValueType::integer, Unit::nanoseconds, "", "Sum."},
    ColumnSpec{"outliers", ValueType::integer, Unit::count, "", "Runs over that limit."},
    ColumnSpec{"runs_per_second", ValueType::real, Unit::none, "runs take no time",
               "How many runs of mean length follow each other in a second."},
};

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

const TableSpec kSectionsTable = {
    "sections", "Annotations as timers: how long each kind takes from run to run.", kColumns};

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
    Table table(kSectionsTable);
    for (const SectionRow& row : section_rows(context, query)) {
        const Distribution& d = row.durations;
        table.add_row({row.name, static_cast<int64_t>(row.runs), static_cast<int64_t>(row.warm_up),
                       d.p50, d.mean, d.ci95, d.sd, d.p90, d.p99, d.min, d.max, d.total,
                       static_cast<int64_t>(d.outliers), d.mean > 0 ? Cell(1e9 / d.mean) : Cell()},
                      {row.longest, {}});
    }
    return table;
}

}  // namespace lanescope

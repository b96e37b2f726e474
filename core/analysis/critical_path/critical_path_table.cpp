#include <algorithm>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/analysis/critical_path/critical_path.h"
#include "core/analysis/structure/process_cell.h"
#include "core/analysis/structure/short_names.h"
#include "core/analysis/structure/steps.h"
#include "core/table/cells.h"

namespace lanescope {

struct CriticalPathTableRow {
    const Trace& trace;
    const StepPath& path;
    const Step* step;   // null: the trace has no steps
    std::string label;  // empty: the trace has no steps

    uint32_t process_row() const { return step ? step->process : trace.lanes[path.lane].process; }
    Nanos part(PathPart part) const { return path.parts[static_cast<std::size_t>(part)]; }
    std::optional<std::string_view> largest() const {
        const auto largest = std::ranges::max_element(path.parts);
        if (*largest <= 0) return std::nullopt;
        return path_part_name(static_cast<PathPart>(largest - path.parts.begin()));
    }
};

// The segments of one part and name.
struct PathNameTableRow {
    const Trace& trace;
    const ShortNames& short_names;
    PathPart part = PathPart::unknown;
    StringId name = StringPool::none;  // none: segments without a slice
    int64_t segments = 0;
    Nanos time = 0;
    PathSegment longest;
    uint32_t before = 0;  // the sum of another part with the same name
    Nanos all = 0;        // sum over all paths
};

struct PathSegmentTableRow {
    const Trace& trace;
    const ShortNames& short_names;
    const Steps& steps;
    const StepPath& path;
    PathSegment segment;
};

namespace {

constexpr ColumnText kPartColumn{
    "part", Unit::none, kDistinct, "",
    "Kind: kernel, communication, copy, launch, gap, operator, call, synchronisation, data "
    "loading, program or unknown."};

constexpr ColumnText kNameColumn{
    "name", Unit::none, kDistinct, "nothing was recorded",
    "What ran or was waited for. For a launch or gap, the activity that then began; for the "
    "program, the Python frame or annotation."};

// Missing if the name is.
constexpr ColumnText short_name_of_known() {
    ColumnText text = kShortNameColumn.text;
    text.null = kNameColumn.null;
    return text;
}

constexpr auto kCriticalPathColumns = columns<CriticalPathTableRow>({
    {{"name", Unit::none, kDistinct, "the trace has no steps: the whole trace",
      "Name of the step."},
     [](const CriticalPathTableRow& row) { return known_text(row.label); }},
    {{"index", Unit::none, kDistinct, "the trace has no steps", "Number of the step."},
     [](const CriticalPathTableRow& row) {
         return row.step ? std::optional(row.step->index) : std::nullopt;
     }},
    {{"start_ns", Unit::nanoseconds, kMin, "", "Its begin, from the trace's origin."},
     [](const CriticalPathTableRow& row) { return row.path.range.begin - row.trace.origin; }},
    {{"duration_ns", Unit::nanoseconds, kSum, "",
      "To its end on the CPU, or to the end of its last activity, if later: the length of the "
      "path."},
     [](const CriticalPathTableRow& row) { return row.path.range.length(); }},
    {{"kernel_ns", Unit::nanoseconds, kSum, "", "In kernels other than collectives."},
     [](const CriticalPathTableRow& row) { return row.part(PathPart::kernel); }},
    {{"communication_ns", Unit::nanoseconds, kSum, "", "In collectives' kernels."},
     [](const CriticalPathTableRow& row) { return row.part(PathPart::communication); }},
    {{"copy_ns", Unit::nanoseconds, kSum, "", "In copies and sets on the device."},
     [](const CriticalPathTableRow& row) { return row.part(PathPart::copy); }},
    {{"launch_ns", Unit::nanoseconds, kSum, "",
      "From the begin of a launch call to the begin of its activity, if nothing else delayed "
      "that."},
     [](const CriticalPathTableRow& row) { return row.part(PathPart::launch); }},
    {{"gap_ns", Unit::nanoseconds, kSum, "",
      "Between two activities of a stream, the second launched before the first ended."},
     [](const CriticalPathTableRow& row) { return row.part(PathPart::gap); }},
    {{"operator_ns", Unit::nanoseconds, kSum, "", "On the CPU in operators."},
     [](const CriticalPathTableRow& row) { return row.part(PathPart::op); }},
    {{"call_ns", Unit::nanoseconds, kSum, "", "On the CPU in runtime and driver calls."},
     [](const CriticalPathTableRow& row) { return row.part(PathPart::call); }},
    {{"synchronisation_ns", Unit::nanoseconds, kSum, "",
      "From the end of what was waited for to the end of the waiting call, or to the begin of the "
      "activity that the stream delayed."},
     [](const CriticalPathTableRow& row) { return row.part(PathPart::synchronisation); }},
    {{"loading_ns", Unit::nanoseconds, kSum, "", "On the CPU in the data loader."},
     [](const CriticalPathTableRow& row) { return row.part(PathPart::loading); }},
    {{"program_ns", Unit::nanoseconds, kSum, "",
      "On the CPU outside all of these: Python, or the program itself."},
     [](const CriticalPathTableRow& row) { return row.part(PathPart::program); }},
    {{"unknown_ns", Unit::nanoseconds, kSum, "", "No record says what was waited for."},
     [](const CriticalPathTableRow& row) { return row.part(PathPart::unknown); }},
    {{"largest", Unit::none, kDistinct, "the step has no length",
      "The part with most of the time."},
     [](const CriticalPathTableRow& row) { return row.largest(); }},
    kProcessColumn,
});

constexpr auto kByNameColumns = columns<PathNameTableRow>({
    {kPartColumn, [](const PathNameTableRow& row) { return path_part_name(row.part); }},
    {kNameColumn,
     [](const PathNameTableRow& row) {
         return row.name == StringPool::none ? std::nullopt
                                             : std::optional(row.trace.strings[row.name]);
     }},
    {short_name_of_known(),
     [](const PathNameTableRow& row) {
         return row.name == StringPool::none
                    ? std::nullopt
                    : std::optional(row.short_names.of(row.trace, row.name));
     }},
    {{"segments", Unit::count, kSum, "", "Number of segments of the paths."},
     [](const PathNameTableRow& row) { return row.segments; }},
    {{"path_ns", Unit::nanoseconds, kSum, "", "Time on the paths."},
     [](const PathNameTableRow& row) { return row.time; }},
    {{"share", Unit::ratio, kSum, "the paths have no length", "Part of the length of all paths."},
     [](const PathNameTableRow& row) {
         return known_ratio(static_cast<double>(row.time), static_cast<double>(row.all));
     }},
});

constexpr auto kBySegmentColumns = columns<PathSegmentTableRow>({
    {{"step", Unit::none, kDistinct, "the trace has no steps", "Number of the step."},
     [](const PathSegmentTableRow& row) {
         return row.path.step == kNoRow ? std::nullopt
                                        : std::optional(row.steps.all[row.path.step].index);
     }},
    {{"start_ns", Unit::nanoseconds, kMin, "", "Its begin, from the trace's origin."},
     [](const PathSegmentTableRow& row) { return row.segment.range.begin - row.trace.origin; }},
    {{"duration_ns", Unit::nanoseconds, kSum, "", "Its length on the path."},
     [](const PathSegmentTableRow& row) { return row.segment.range.length(); }},
    {kPartColumn, [](const PathSegmentTableRow& row) { return path_part_name(row.segment.part); }},
    {kNameColumn,
     [](const PathSegmentTableRow& row) { return known_name(row.trace, row.segment.slice); }},
    {short_name_of_known(),
     [](const PathSegmentTableRow& row) {
         const SliceRef slice = row.segment.slice;
         return slice ? std::optional(row.short_names.of(row.trace, row.trace.name_id(slice)))
                      : std::nullopt;
     }},
    {{"lane", Unit::none, kDistinct, "", "The thread or stream."},
     [](const PathSegmentTableRow& row) {
         return row.trace.strings[row.trace.lanes[row.segment.lane].name];
     }},
});

// Sums segments by name and part.
class PathSums {
  public:
    explicit PathSums(const TraceContext& context)
        : trace_(context.trace()),
          short_names_(context.get<ShortNames>()),
          last_(trace_.strings.size() + 1, kNone) {}

    void add(const PathSegment& segment) {
        PathNameTableRow& sum =
            sum_of(segment.slice ? trace_.name_id(segment.slice) : StringPool::none, segment.part);
        ++sum.segments;
        sum.time += segment.range.length();
        if (segment.range.length() > sum.longest.range.length()) sum.longest = segment;
    }
    // The longest first.
    std::vector<const PathNameTableRow*> sorted() const {
        std::vector<const PathNameTableRow*> rows;
        rows.reserve(sums_.size());
        for (const PathNameTableRow& sum : sums_) rows.push_back(&sum);
        std::ranges::sort(rows, {}, [](const PathNameTableRow* sum) {
            return std::tuple(-sum->time, sum->part, sum->name);
        });
        return rows;
    }

  private:
    static constexpr uint32_t kNone = ~uint32_t{0};

    PathNameTableRow& sum_of(StringId name, PathPart part) {
        uint32_t& of_name = last_[std::min<std::size_t>(name, last_.size() - 1)];
        for (uint32_t i = of_name; i != kNone; i = sums_[i].before)
            if (sums_[i].part == part) return sums_[i];
        sums_.push_back({.trace = trace_,
                         .short_names = short_names_,
                         .part = part,
                         .name = name,
                         .longest = {},
                         .before = of_name});
        of_name = static_cast<uint32_t>(sums_.size() - 1);
        return sums_.back();
    }

    const Trace& trace_;
    const ShortNames& short_names_;
    std::vector<uint32_t> last_;  // by name; the last entry is for segments without a slice
    std::vector<PathNameTableRow> sums_;
};

}  // namespace

const TableOf<CriticalPathTableRow> kCriticalPathTable = {
    {"critical-path", "What each step's time is made of along its critical path."},
    kCriticalPathColumns,
    [](const CriticalPathTableRow& row) {
        return RowTarget{row.step ? row.step->slice : SliceRef{}, row.path.range};
    }};
const TableOf<PathNameTableRow> kCriticalPathByNameTable = {
    {"critical-path", "What is on the critical paths of all steps.", "name"},
    kByNameColumns,
    [](const PathNameTableRow& row) {
        return RowTarget{row.longest.slice, row.longest.range};
    }};
const TableOf<PathSegmentTableRow> kCriticalPathBySegmentTable = {
    {"critical-path", "The critical paths, segment by segment.", "segment"},
    kBySegmentColumns,
    [](const PathSegmentTableRow& row) {
        return RowTarget{row.segment.slice, row.segment.range};
    }};

Table critical_path_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    TableBuilder table(kCriticalPathTable);
    const auto paths = shared_critical_paths(context, query);
    for (const StepPath& path : *paths) {
        const bool is_step = path.step != kNoRow;
        table.add({trace, path, is_step ? &steps.all[path.step] : nullptr,
                   is_step ? step_label(trace, steps, path.step) : std::string()});
    }
    return table.take();
}

Table critical_path_by_name_table(const TraceContext& context, const TableQuery& query) {
    PathSums sums(context);
    Nanos all = 0;
    const auto paths = shared_critical_paths(context, query);
    for (const StepPath& path : *paths) {
        all += path.range.length();
        PathSegments segments(context, path);
        for (std::size_t i = 0; i < segments.size(); ++i) sums.add(segments.at(i));
    }
    TableBuilder table(kCriticalPathByNameTable);
    for (const PathNameTableRow* const sum : sums.sorted()) {
        PathNameTableRow row = *sum;
        row.all = all;
        table.add(row);
    }
    return table.take();
}

Table critical_path_by_segment_table(const TraceContext& context, const TableQuery& query) {
    // A segment, as a path and an index in it.
    struct Segments {
        TraceContext context;
        const Steps& steps;
        const DependencyGraph& graph;
        const ShortNames& short_names;
        std::shared_ptr<const std::vector<StepPath>> paths;
        std::vector<uint32_t> first;  // by path: the item of its first segment

        PathSegmentTableRow row(uint32_t item) const {
            const auto at =
                static_cast<std::size_t>(std::ranges::upper_bound(first, item) - first.begin() - 1);
            const StepPath& path = (*paths)[at];
            return {context.trace(), short_names, steps, path,
                    PathSegments(context.trace(), graph, path).at(item - first[at])};
        }
    };
    Segments segments{context,
                      context.get<Steps>(),
                      context.get<DependencyGraph>(),
                      context.get<ShortNames>(),
                      shared_critical_paths(context, query),
                      {}};
    uint32_t count = 0;
    for (const StepPath& path : *segments.paths) {
        segments.first.push_back(count);
        count += static_cast<uint32_t>(path.links.size());
    }
    std::vector<uint32_t> items(count);
    std::iota(items.begin(), items.end(), 0U);
    return table_on_demand(kCriticalPathBySegmentTable, std::move(items),
                           [rows = std::move(segments)](uint32_t item) { return rows.row(item); });
}

}  // namespace lanescope

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "core/analysis/critical_path/critical_path.h"
#include "core/analysis/structure/steps.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

using enum ValueType;

constexpr ColumnSpec kPartColumn{
    "part", text, Unit::none, "",
    "What it is: kernel, communication, copy, launch, gap, operator, call, synchronisation, data "
    "loading, program or unknown."};

constexpr ColumnSpec kNameColumn{
    "name", text, Unit::none, "nothing was recorded",
    "What ran or was waited for. For a launch or gap, the activity that then began; for the "
    "program, the Python frame or annotation."};

constexpr std::array kColumns = {
    ColumnSpec{"name", text, Unit::none, "the trace has no steps: the whole trace",
               "Name of the step."},
    ColumnSpec{"index", integer, Unit::none, "the trace has no steps", "Number of the step."},
    ColumnSpec{"start_ns", integer, Unit::nanoseconds, "", "Its begin, from the trace's origin."},
    ColumnSpec{"duration_ns", integer, Unit::nanoseconds, "",
               "To its end on the CPU, or that of the last activity launched in it: the length of "
               "the path."},
    ColumnSpec{"kernel_ns", integer, Unit::nanoseconds, "", "In kernels other than collectives."},
    ColumnSpec{"communication_ns", integer, Unit::nanoseconds, "", "In collectives' kernels."},
    ColumnSpec{"copy_ns", integer, Unit::nanoseconds, "", "In copies and sets on the device."},
    ColumnSpec{"launch_ns", integer, Unit::nanoseconds, "",
               "From the begin of a launch call to the begin of its activity, if nothing else "
               "delayed that."},
    ColumnSpec{"gap_ns", integer, Unit::nanoseconds, "",
               "Between two activities of a stream, the second launched before the first ended."},
    ColumnSpec{"operator_ns", integer, Unit::nanoseconds, "", "On the CPU in operators."},
    ColumnSpec{"call_ns", integer, Unit::nanoseconds, "",
               "On the CPU in runtime and driver calls."},
    ColumnSpec{"synchronisation_ns", integer, Unit::nanoseconds, "",
               "From the end of what was waited for to the end of the waiting call, or to the "
               "begin of the activity that the stream delayed."},
    ColumnSpec{"loading_ns", integer, Unit::nanoseconds, "", "On the CPU in the data loader."},
    ColumnSpec{"program_ns", integer, Unit::nanoseconds, "",
               "On the CPU outside all of these: Python, or the program itself."},
    ColumnSpec{"unknown_ns", integer, Unit::nanoseconds, "",
               "No record tells what was waited for."},
    ColumnSpec{"largest", text, Unit::none, "the step has no length",
               "The part with most of the time."},
};

constexpr std::array kByNameColumns = {
    kPartColumn,
    kNameColumn,
    ColumnSpec{"segments", integer, Unit::count, "", "Stretches of the paths."},
    ColumnSpec{"path_ns", integer, Unit::nanoseconds, "", "Time on the paths."},
    ColumnSpec{"share", real, Unit::ratio, "the paths have no length",
               "Part of the length of all paths."},
};

constexpr std::array kBySegmentColumns = {
    ColumnSpec{"step", integer, Unit::none, "the trace has no steps", "Number of the step."},
    ColumnSpec{"start_ns", integer, Unit::nanoseconds, "", "Its begin, from the trace's origin."},
    ColumnSpec{"duration_ns", integer, Unit::nanoseconds, "", "Its length on the path."},
    kPartColumn,
    kNameColumn,
    ColumnSpec{"lane", text, Unit::none, "", "The thread or stream."},
};

// For the columns from kernel_ns on.
constexpr std::array kPartOrder = {
    PathPart::kernel,  PathPart::communication,
    PathPart::copy,    PathPart::launch,
    PathPart::gap,     PathPart::op,
    PathPart::call,    PathPart::synchronisation,
    PathPart::loading, PathPart::program,
    PathPart::unknown,
};

Cell largest_of(const StepPath& path) {
    const auto most = std::ranges::max_element(path.parts);
    if (*most <= 0) return {};
    return path_part_name(static_cast<PathPart>(most - path.parts.begin()));
}

}  // namespace

const TableSpec kCriticalPathTable = {
    "critical-path", "What each step's time is made of along its critical path.", kColumns};
const TableSpec kCriticalPathByNameTable = {
    "critical-path", "What is on the critical paths of all steps.", kByNameColumns, "name"};
const TableSpec kCriticalPathBySegmentTable = {
    "critical-path", "The critical paths, segment by segment.", kBySegmentColumns, "segment"};

Table critical_path_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    Table table(kCriticalPathTable);
    const auto paths = shared_critical_paths(context, query);
    for (const StepPath& path : *paths) {
        const bool is_step = path.step != kNoRow;
        const std::string label = is_step ? step_label(trace, steps, path.step) : std::string();
        std::vector<Cell> cells = {text_cell(label),
                                   is_step ? Cell(steps.all[path.step].index) : Cell(),
                                   path.range.begin - trace.origin, path.range.length()};
        for (const PathPart part : kPartOrder)
            cells.emplace_back(path.parts[static_cast<std::size_t>(part)]);
        cells.push_back(largest_of(path));
        table.add_row(cells, {is_step ? steps.all[path.step].slice : SliceRef{}, path.range});
    }
    return table;
}

Table critical_path_by_name_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    struct Sum {
        PathPart part = PathPart::unknown;
        StringId name = StringPool::none;
        int64_t segments = 0;
        Nanos time = 0;
        PathSegment longest;
        uint32_t before = 0;  // the sum of another part with the same name
    };
    constexpr uint32_t none = ~uint32_t{0};
    // By name; the last entry is for segments without a slice.
    std::vector<uint32_t> last(trace.strings.size() + 1, none);
    std::vector<Sum> sums;
    const auto sum_of = [&](StringId name, PathPart part) -> Sum& {
        uint32_t& of_name = last[std::min<std::size_t>(name, last.size() - 1)];
        for (uint32_t i = of_name; i != none; i = sums[i].before)
            if (sums[i].part == part) return sums[i];
        sums.push_back({part, name, 0, 0, {}, of_name});
        of_name = static_cast<uint32_t>(sums.size() - 1);
        return sums.back();
    };
    Nanos all = 0;
    const auto paths = shared_critical_paths(context, query);
    for (const StepPath& path : *paths) {
        all += path.range.length();
        PathSegments segments(context, path);
        for (std::size_t i = 0; i < segments.size(); ++i) {
            const PathSegment segment = segments.at(i);
            Sum& sum = sum_of(segment.slice ? trace.name_id(segment.slice) : StringPool::none,
                              segment.part);
            ++sum.segments;
            sum.time += segment.range.length();
            if (segment.range.length() > sum.longest.range.length()) sum.longest = segment;
        }
    }
    Table table(kCriticalPathByNameTable);
    std::vector<const Sum*> rows;
    rows.reserve(sums.size());
    for (const Sum& sum : sums) rows.push_back(&sum);
    std::ranges::sort(rows, [](const Sum* a, const Sum* b) {
        return std::tuple(-a->time, a->part, a->name) < std::tuple(-b->time, b->part, b->name);
    });
    for (const Sum* sum : rows)
        table.add_row(
            {path_part_name(sum->part),
             sum->name == StringPool::none ? Cell() : Cell(trace.strings[sum->name]), sum->segments,
             sum->time,
             all > 0 ? Cell(static_cast<double>(sum->time) / static_cast<double>(all)) : Cell()},
            {sum->longest.slice, sum->longest.range});
    return table;
}

Table critical_path_by_segment_table(const TraceContext& context, const TableQuery& query) {
    // A segment, as a path and an index in it.
    struct Segments {
        TraceContext context;
        const Steps& steps;
        std::shared_ptr<const std::vector<StepPath>> paths;
        std::vector<uint32_t> first;  // by path: the item of its first segment

        const StepPath& path(uint32_t item) const {
            return (*paths)[static_cast<std::size_t>(std::ranges::upper_bound(first, item) -
                                                     first.begin() - 1)];
        }
        PathSegment segment(uint32_t item) const {
            const StepPath& of = path(item);
            return PathSegments(context, of)
                .at(item - first[static_cast<std::size_t>(&of - paths->data())]);
        }
    };
    const auto of = std::make_shared<Segments>(
        Segments{context, context.get<Steps>(), shared_critical_paths(context, query), {}});
    uint32_t count = 0;
    for (const StepPath& path : *of->paths) {
        of->first.push_back(count);
        count += static_cast<uint32_t>(path.links.size());
    }
    RowsOnDemand rows;
    rows.items.resize(count);
    std::iota(rows.items.begin(), rows.items.end(), 0U);
    rows.cells = {
        [of](uint32_t item) {
            const StepPath& path = of->path(item);
            return path.step == kNoRow ? Cell() : Cell(of->steps.all[path.step].index);
        },
        [of](uint32_t item) {
            return Cell(of->segment(item).range.begin - of->context.trace().origin);
        },
        [of](uint32_t item) { return Cell(of->segment(item).range.length()); },
        [of](uint32_t item) { return Cell(path_part_name(of->segment(item).part)); },
        [of](uint32_t item) { return name_cell(of->context.trace(), of->segment(item).slice); },
        [of](uint32_t item) {
            const Trace& trace = of->context.trace();
            return Cell(trace.strings[trace.lanes[of->segment(item).lane].name]);
        },
    };
    rows.target = [of](uint32_t item) {
        const PathSegment segment = of->segment(item);
        return RowTarget{segment.slice, segment.range};
    };
    return {kCriticalPathBySegmentTable, std::move(rows)};
}

}  // namespace lanescope

#include "core/overlays/idle_spans.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "core/analysis/gpu/dead_windows.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/base/format.h"
#include "core/insight/summary/gap_story.h"
#include "core/trace/query.h"

namespace lanescope {

namespace {

constexpr std::size_t kFan = 64;
constexpr std::size_t kCauses = static_cast<std::size_t>(GapCause::recording) + 1;

struct Found {
    TimeRange span;
    GapCause cause = GapCause::unknown;
    std::pair<uint32_t, uint32_t> sides;
    Nanos device_idle = 0;
};
using FoundRows = std::vector<std::vector<std::vector<Found>>>;  // by lane, by depth

void add(FoundRows& rows, LaneId lane, uint32_t depth, const Found& found) {
    if (rows[lane].size() <= depth) rows[lane].resize(depth + 1);
    rows[lane][depth].push_back(found);
}

IdleRow row_of(std::vector<Found>& found, bool of_gaps) {
    std::ranges::sort(found, {},
                      [](const Found& f) { return std::pair(f.span.begin, f.span.end); });
    std::vector<TimeRange> spans;
    spans.reserve(found.size());
    for (const Found& f : found) spans.push_back(f.span);
    IdleRow row = idle_row(std::move(spans));
    if (!of_gaps) return row;
    for (const Found& f : found) {
        row.causes.push_back(f.cause);
        row.sides.push_back(f.sides);
        row.device_idle.push_back(f.device_idle);
    }
    return row;
}

// When nothing runs on a device, between its first and its last work.
class DeviceIdle {
  public:
    explicit DeviceIdle(const Column<IdleGap>& all) {
        for (const IdleGap& gap : all)
            if (gap.of_device) of_[{gap.process, gap.device}].ranges.push_back(gap.range);
        for (auto& [device, idle] : of_) {
            std::ranges::sort(idle.ranges, {}, &TimeRange::begin);
            idle.before.push_back(0);
            for (const TimeRange range : idle.ranges)
                idle.before.push_back(idle.before.back() + range.length());
        }
    }

    Nanos inside(const IdleGap& gap) const {
        const auto idle = of_.find({gap.process, gap.device});
        return idle == of_.end()
                   ? 0
                   : until(idle->second, gap.range.end) - until(idle->second, gap.range.begin);
    }

  private:
    struct Idle {
        std::vector<TimeRange> ranges;  // sorted, without overlaps
        std::vector<Nanos> before;      // the sum of the ranges before each
    };

    static Nanos until(const Idle& idle, Nanos t) {
        const auto next = std::ranges::upper_bound(idle.ranges, t, {}, &TimeRange::begin);
        const auto count = static_cast<std::size_t>(next - idle.ranges.begin());
        return count == 0
                   ? 0
                   : idle.before[count - 1] + std::min((next - 1)->length(), t - (next - 1)->begin);
    }

    std::map<std::pair<uint32_t, int32_t>, Idle> of_;  // by process and device
};

FoundRows find_rows(const TraceContext& context) {
    const Trace& trace = context.trace();
    FoundRows rows(trace.lanes.size());
    for (const DeadWindow& window : context.get<AllDeadWindows>().rows)
        if (window.is_dead())
            add(rows, window.parent().lane, depth_of(trace, window.parent()) + 1,
                {window.range, {}, {}, 0});
    const Column<IdleGap>& gaps = context.get<AllIdleGaps>().rows;
    const DeviceIdle device_idle(gaps);
    for (const IdleGap& gap : gaps) {
        if (gap.of_device) continue;
        const SliceRef before = trace.gpu_activities.slice[gap.before];
        const SliceRef after = trace.gpu_activities.slice[gap.after];
        // A file may show one stream in several lanes.
        if (before.lane == after.lane)
            add(rows, after.lane, depth_of(trace, after),
                {gap.range, gap.cause, {before.index, after.index}, device_idle.inside(gap)});
    }
    return rows;
}

std::string_view waiting_for(GapCause cause) {
    switch (cause) {
        case GapCause::host:
            return "waiting for the host";
        case GapCause::synchronisation:
            return "after synchronisation";
        case GapCause::copy:
            return "waiting for copies";
        case GapCause::dependency:
            return "waiting for another stream";
        case GapCause::launch_latency:
            return "launch latency";
        case GapCause::graph:
            return "for a cause that is not recorded";
        case GapCause::profiler_overhead:
            return "for the profiler";
        case GapCause::recording:
            return "at the edge of the recording";
        case GapCause::unknown:
            break;
    }
    return "of unknown cause";
}

// A process with several devices gets no line, because the line could not name the device.
void add_device_lines(const TraceContext& context, IdleSpans& result) {
    const Trace& trace = context.trace();
    result.device_lines.resize(trace.processes.size());
    std::vector<std::array<Nanos, kCauses>> idle(trace.processes.size());
    for (const IdleGap& gap : device_gaps(context, {}))
        idle[gap.process][static_cast<std::size_t>(gap.cause)] += gap.range.length();
    std::vector<int> devices(trace.processes.size());
    for (const GpuDevice& device : context.get<GpuDevices>().all) ++devices[device.process];
    for (const GpuDevice& device : context.get<GpuDevices>().all) {
        const TimeRange span = span_of(device.work);
        if (devices[device.process] != 1 || span.length() <= 0) continue;
        auto& causes = idle[device.process];
        // The profiler made this gap, so it is not part of the program's time.
        const Nanos at_edges =
            std::exchange(causes[static_cast<std::size_t>(GapCause::recording)], 0);
        const Nanos whole = span.length() - at_edges;
        const Nanos busy = whole - std::reduce(causes.begin(), causes.end());
        DeviceLine& line = result.device_lines[device.process];
        line.busy = fmt::format(
            "busy {}", format_percent(static_cast<double>(busy) / static_cast<double>(whole)));
        line.text = line.busy + (at_edges > 0 ? " without the recording's edge" : " of its span");
        const auto largest = std::ranges::max_element(causes);
        if (*largest > 0)
            line.text += fmt::format(" · idle mostly {}",
                                     waiting_for(static_cast<GapCause>(largest - causes.begin())));
    }
}

const IdleRow* row_in(const std::vector<std::vector<IdleRow>>& rows, LaneId lane, uint32_t depth) {
    if (lane >= rows.size() || depth >= rows[lane].size()) return nullptr;
    return rows[lane][depth].spans.empty() ? nullptr : &rows[lane][depth];
}

}  // namespace

IdleRow idle_row(std::vector<TimeRange> spans) {
    IdleRow row;
    row.spans = std::move(spans);
    const auto sum_up = [&](std::size_t size, const auto& length) {
        std::vector<Nanos> level((size + kFan - 1) / kFan);
        for (std::size_t i = 0; i < size; ++i)
            level[i / kFan] = std::max(level[i / kFan], length(i));
        row.longest.push_back(std::move(level));
    };
    if (row.spans.size() <= kFan) return row;
    sum_up(row.spans.size(), [&](std::size_t i) { return row.spans[i].length(); });
    while (row.longest.back().size() > kFan) {
        const std::vector<Nanos> finer = row.longest.back();
        sum_up(finer.size(), [&](std::size_t i) { return finer[i]; });
    }
    return row;
}

const IdleRow* IdleSpans::row(LaneId lane, uint32_t depth) const {
    return row_in(rows, lane, depth);
}

const IdleRow* ShownIdleSpans::row(LaneId lane, uint32_t depth) const {
    return row_in(rows, lane, depth);
}

std::shared_ptr<const ShownIdleSpans> shown_idle_spans(const Trace& trace, const IdleSpans& idle,
                                                       ShownLanesPtr shown) {
    auto result = std::make_shared<ShownIdleSpans>();
    result->shown = std::move(shown);
    result->rows.resize(idle.rows.size());
    for (LaneId lane = 0; lane < idle.rows.size(); ++lane) {
        if (!result->shown || !result->shown->lanes[lane]) continue;
        std::vector<std::vector<std::pair<TimeRange, uint32_t>>> found;  // by displayed depth
        for (uint32_t depth = 1; depth < idle.rows[lane].size(); ++depth) {
            if (!idle.rows[lane][depth].causes.empty()) continue;
            for (const TimeRange span : idle.rows[lane][depth].spans) {
                const SliceRef call = slice_at(trace, lane, depth - 1, span.begin);
                const uint32_t above =
                    call ? shown_depth(trace, result->shown, call) : ShownLane::hidden;
                if (above == ShownLane::hidden) continue;
                if (found.size() <= above + 1) found.resize(above + 2);
                found[above + 1].push_back({span, depth});
            }
        }
        for (auto& row : found) {
            std::ranges::sort(row, {}, [](const auto& one) { return one.first.begin; });
            std::vector<TimeRange> spans;
            spans.reserve(row.size());
            for (const auto& [span, depth] : row) spans.push_back(span);
            IdleRow& added = result->rows[lane].emplace_back(idle_row(std::move(spans)));
            for (const auto& [span, depth] : row) added.depths.push_back(depth);
        }
    }
    return result;
}

const DeviceLine* IdleSpans::device_line(uint32_t process) const {
    if (process >= device_lines.size() || device_lines[process].text.empty()) return nullptr;
    return &device_lines[process];
}

std::shared_ptr<const IdleSpans> joined_idle_spans(
    const std::vector<std::shared_ptr<const IdleSpans>>& parts) {
    if (parts.size() == 1) return parts.front();
    auto joined = std::make_shared<IdleSpans>();
    for (const auto& part : parts) {
        joined->rows.resize(std::max(joined->rows.size(), part->rows.size()));
        joined->device_lines.resize(
            std::max(joined->device_lines.size(), part->device_lines.size()));
        for (std::size_t lane = 0; lane < part->rows.size(); ++lane)
            if (!part->rows[lane].empty()) joined->rows[lane] = part->rows[lane];
        for (std::size_t p = 0; p < part->device_lines.size(); ++p)
            if (part->device_line(static_cast<uint32_t>(p)))
                joined->device_lines[p] = part->device_lines[p];
    }
    return joined;
}

std::shared_ptr<const IdleSpans> find_idle_spans(const TraceContext& context) {
    const Trace& trace = context.trace();
    auto result = std::make_shared<IdleSpans>();
    FoundRows found = find_rows(context);
    result->rows.resize(found.size());
    for (LaneId lane = 0; lane < found.size(); ++lane)
        for (auto& row : found[lane])
            result->rows[lane].push_back(row_of(row, trace.lanes[lane].kind == LaneKind::stream));
    add_device_lines(context, *result);
    return result;
}

void find_spans(const IdleRow& row, TimeRange range, Nanos min_length, std::size_t limit,
                std::vector<uint32_t>& found) {
    found.clear();
    const auto& spans = row.spans;
    const auto first = std::ranges::partition_point(
        spans, [&](const TimeRange& s) { return s.end <= range.begin; });
    const auto last = std::ranges::partition_point(
        spans, [&](const TimeRange& s) { return s.begin < range.end; });
    const auto end = static_cast<std::size_t>(last - spans.begin());
    for (auto i = static_cast<std::size_t>(first - spans.begin());
         i < end && found.size() < limit;) {
        // The largest block that begins here without a span of sufficient length.
        std::size_t step = 0;
        std::size_t block = kFan;
        for (const auto& level : row.longest) {
            if (i % block != 0 || level[i / block] >= min_length) break;
            step = block;
            block *= kFan;
        }
        if (step == 0 && spans[i].length() >= min_length) found.push_back(static_cast<uint32_t>(i));
        i += std::max<std::size_t>(step, 1);
    }
}

std::optional<uint32_t> span_at(const IdleRow& row, Nanos time, Nanos min_length) {
    const auto after = std::ranges::partition_point(
        row.spans, [&](const TimeRange& s) { return s.begin <= time; });
    if (after == row.spans.begin()) return std::nullopt;
    const TimeRange span = *(after - 1);
    if (time >= span.end || span.length() < min_length) return std::nullopt;
    return static_cast<uint32_t>(after - 1 - row.spans.begin());
}

Neighbours sides_of_window(const Trace& trace, LaneId lane, uint32_t depth, TimeRange span) {
    Neighbours result;
    for (const auto& chunk : trace.lanes[lane].chunks) {
        if (depth >= chunk->rows.size() || chunk->rows[depth].size() == 0) continue;
        const DepthRow& row = chunk->rows[depth];
        const Nanos* const start = chunk->start.data();
        const Nanos* const next = std::lower_bound(start + row.begin, start + row.end, span.begin);
        if (next != start + row.begin)
            result.before = {lane, chunk->first + static_cast<uint32_t>(next - start) - 1};
        if (next != start + row.end) {
            result.after = {lane, chunk->first + static_cast<uint32_t>(next - start)};
            break;
        }
    }
    const SliceRef parent = slice_at(trace, lane, depth - 1, span.begin);
    if (result.before && parent_of(trace, result.before) != parent) result.before = {};
    if (result.after && parent_of(trace, result.after) != parent) result.after = {};
    return result;
}

std::string_view short_cause(GapCause cause) {
    switch (cause) {
        case GapCause::host:
            return "host";
        case GapCause::synchronisation:
            return "synchronisation";
        case GapCause::copy:
            return "copy";
        case GapCause::dependency:
            return "other stream";
        case GapCause::launch_latency:
            return "launch latency";
        case GapCause::graph:
            return "not recorded";
        case GapCause::profiler_overhead:
            return "profiler";
        case GapCause::recording:
            return "recording's edge";
        case GapCause::unknown:
            break;
    }
    return "unknown";
}

IdleLook dead_window_look(Theme theme) {
    const ThemeColors& colors = theme_colors(theme);
    return {colors.bg, mixed(colors.bg, colors.waiting, 0.3), colors.waiting};
}

IdleLook gap_look(Theme theme, GapCause cause) {
    const ThemeColors& colors = theme_colors(theme);
    const auto mark = [&] {
        switch (cause) {
            case GapCause::host:
                return colors.waiting;
            case GapCause::synchronisation:
                return slice_mark(theme, EventClass::sync);
            case GapCause::copy:
                return slice_mark(theme, EventClass::annotation);
            case GapCause::dependency:
                return slice_mark(theme, EventClass::kernel);
            case GapCause::launch_latency:
                return slice_mark(theme, EventClass::runtime);
            case GapCause::graph:
                return slice_mark(theme, EventClass::op);
            case GapCause::profiler_overhead:
            case GapCause::recording:
            case GapCause::unknown:
                break;
        }
        return colors.low;
    }();
    const Color fill = mixed(colors.bg, mark, 0.1);
    return {fill, fill, with_contrast(mark, fill, 4.5, theme == Theme::dark)};
}

}  // namespace lanescope

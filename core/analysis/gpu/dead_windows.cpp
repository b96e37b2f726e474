#include "core/analysis/gpu/dead_windows.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/longest_first.h"
#include "core/analysis/structure/process_cell.h"
#include "core/analysis/structure/step_cell.h"
#include "core/analysis/structure/steps.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

// Slices sorted by start, enclosing ones first. `sorted` holds them if the tree's own order
// differs.
std::span<const uint32_t> in_time(const LaneView& view, const CallTree& tree,
                                  Column<uint32_t>& sorted) {
    const auto key = [&](uint32_t i) { return std::pair(view.start(i), -view.end(i)); };
    if (std::ranges::is_sorted(tree.order.span(), {}, key)) return tree.order;
    sorted = tree.order.clone();
    std::ranges::stable_sort(std::span(sorted.data(), sorted.size()), {}, key);
    return sorted;
}

// Walks over a thread's calls in order of time. A call that begins inside another counts as its
// child, even if it ends later.
class WindowFinder {
  public:
    WindowFinder(const TraceContext& context, std::optional<TimeRange> range,
                 Column<DeadWindow>& windows)
        : trace_(context.trace()),
          kinds_(context),
          limit_(range.value_or(
              TimeRange{std::numeric_limits<Nanos>::min(), std::numeric_limits<Nanos>::max()})),
          windows_(windows) {}

    void search(LaneId lane, const CallTree& tree) {
        const LaneView view(trace_.lanes[lane]);
        lane_ = lane;
        Column<uint32_t> sorted;
        for (const uint32_t i : in_time(view, tree, sorted)) {
            const EventClass c = trace_.categories[view.category(i)].event_class;
            const bool counts = c == EventClass::op || c == EventClass::annotation;
            begin({i, counts, view.end(i), view.start(i), CallTree::none});
        }
        while (!open_.empty()) end_last();
    }

  private:
    struct Call {
        uint32_t index;
        bool counts;  // it is an operator or annotation, so its windows count
        Nanos end;
        Nanos busy_until;    // latest end of the calls that began inside it so far
        uint32_t busy_last;  // the call with that end; none: no call began inside it yet
    };

    void begin(const Call& call) {
        const Nanos start = call.busy_until;
        while (!open_.empty() && open_.back().end <= start) end_last();
        bool innermost = true;
        for (std::size_t k = open_.size(); k-- > 0;) {
            Call& around = open_[k];
            if (around.end <= start) continue;  // an inner call that outlives it covers the rest
            if (innermost)
                add(around, start, call.index);
            else if (around.busy_until >= call.end)
                break;  // the enclosing calls are busy until then, too
            if (around.busy_until <= call.end) {
                around.busy_until = call.end;
                around.busy_last = call.index;
            }
            innermost = false;
        }
        open_.push_back(call);
    }

    void end_last() {
        const Call& call = open_.back();
        if (call.busy_last != CallTree::none) add(call, call.end, CallTree::none);
        open_.pop_back();
    }

    void add(const Call& parent, Nanos end, uint32_t before) {
        if (!parent.counts || end - parent.busy_until < kShortestDeadWindow) return;
        const TimeRange cut{std::max(parent.busy_until, limit_.begin), std::min(end, limit_.end)};
        if (cut.begin >= cut.end) return;
        windows_.push_back({cut, lane_, parent.index, parent.busy_last, before,
                            kinds_.wait_in(lane_, {parent.busy_until, end})});
    }

    const Trace& trace_;
    WindowKinds kinds_;
    TimeRange limit_;
    Column<DeadWindow>& windows_;
    LaneId lane_ = 0;
    std::vector<Call> open_;
};

// What the table's rows are computed from.
struct WindowRows {
    WindowRows(const TraceContext& whole, const TableQuery& query)
        : context(whole),
          cut(query.range ? dead_windows(whole, query) : Column<DeadWindow>()),
          windows(query.range ? cut : context.get<AllDeadWindows>().rows) {}

    const Lane& lane(uint32_t i) const { return trace.lanes[windows[i].lane]; }

    TraceContext context;
    Column<DeadWindow> cut;  // clipped to the range, if there is one
    const Column<DeadWindow>& windows;
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
};

constexpr std::string_view kParent =
    "The operator or annotation that calls nothing during the window.";

}  // namespace

struct DeadWindowTableRow {
    const WindowRows& source;
    const DeadWindow& window;
    const Trace& trace = source.trace;
    const Lane& lane = trace.lanes[window.lane];

    uint32_t process_row() const { return lane.process; }
    std::optional<std::string_view> waits_for() const {
        switch (window.wait.kind) {
            case WindowWait::Kind::autograd:
                return trace.strings[trace.lanes[window.wait.place].name];
            case WindowWait::Kind::call:
                return trace.name({window.lane, window.wait.place});
            default:
                return std::nullopt;
        }
    }
};

struct DeadWindowParentTableRow {
    const Trace& trace;
    StringId name = 0;
    int64_t windows = 0;
    Nanos total = 0;
    TimeRange longest = {};  // the first of them
};

namespace {

constexpr auto kDeadWindowColumns = columns<DeadWindowTableRow>({
    {{"thread", Unit::none, kDistinct, "", "Name of the thread."},
     [](const DeadWindowTableRow& row) { return row.trace.strings[row.lane.name]; }},
    {{"parent", Unit::none, kDistinct, "", kParent},
     [](const DeadWindowTableRow& row) { return row.trace.name(row.window.parent()); }},
    {{"start_ns", Unit::nanoseconds, kMin, "", "Begin, from the trace's origin."},
     [](const DeadWindowTableRow& row) { return row.window.range.begin - row.trace.origin; }},
    {{"duration_ns", Unit::nanoseconds, kSum, "", "How long it lasts."},
     [](const DeadWindowTableRow& row) { return row.window.range.length(); }},
    {{"after", Unit::none, kDistinct, "at the begin of the parent",
      "The call inside the parent that ran before the window."},
     [](const DeadWindowTableRow& row) { return known_name(row.trace, row.window.after()); }},
    {{"before", Unit::none, kDistinct, "at the end of the parent",
      "The call inside the parent after the window."},
     [](const DeadWindowTableRow& row) { return known_name(row.trace, row.window.before()); }},
    {{"step", Unit::none, kDistinct, "in no step", "Index of the step in which it begins."},
     [](const DeadWindowTableRow& row) {
         return step_index(row.source.steps, row.lane.process, row.window.range.begin);
     }},
    {{"kind",
      Unit::none,
      kDistinct,
      "",
      "waiting: for at least 90 % of the window autograd's thread works for this thread or step, "
      "or "
      "the thread is inside a synchronising call; otherwise dead.",
      Priority::normal,
      {"uncertain"}},
     [](const DeadWindowTableRow& row) {
         return std::string_view(row.window.is_dead() ? "dead" : "waiting");
     }},
    {{"waits_for", Unit::none, kDistinct, "the file records nothing to wait for",
      "The name of autograd's thread, or the synchronising call."},
     [](const DeadWindowTableRow& row) { return row.waits_for(); }},
    {{"uncertain", Unit::none, kMax, "",
      "1: dead, but perhaps waiting: autograd's thread works, and the file does not say for what."},
     [](const DeadWindowTableRow& row) { return row.window.is_uncertain(); }},
    kProcessColumn,
});

constexpr auto kParentColumns = columns<DeadWindowParentTableRow>({
    {{"parent", Unit::none, kDistinct, "", kParent},
     [](const DeadWindowParentTableRow& row) { return row.trace.strings[row.name]; }},
    {{"windows", Unit::count, kSum, "", "Dead windows in all its calls, without waiting."},
     [](const DeadWindowParentTableRow& row) { return row.windows; }},
    {{"total_ns", Unit::nanoseconds, kSum, "", "Their sum."},
     [](const DeadWindowParentTableRow& row) { return row.total; }},
    {{"mean_ns", Unit::nanoseconds, mean_by("windows"), "", "Their mean."},
     [](const DeadWindowParentTableRow& row) {
         return static_cast<double>(row.total) / static_cast<double>(row.windows);
     }},
    {{"max_ns", Unit::nanoseconds, kMax, "", "The longest."},
     [](const DeadWindowParentTableRow& row) { return row.longest.length(); }},
});

}  // namespace

const TableOf<DeadWindowTableRow> kDeadWindowsTable = {
    {"dead-windows",
     "Time of at least 1 µs inside operators and annotations during which nothing that they call "
     "runs."},
    kDeadWindowColumns,
    [](const DeadWindowTableRow& row) {
        return RowTarget{{}, row.window.range};
    }};
const TableOf<DeadWindowParentTableRow> kDeadWindowsByParentTable = {
    {"dead-windows", "How much dead time each operator and annotation has.", "parent"},
    kParentColumns,
    [](const DeadWindowParentTableRow& row) {
        return RowTarget{{}, row.longest};
    }};

Column<DeadWindow> dead_windows(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const std::span<const CallTree> trees = context.get<CallTrees>().by_lane;
    std::size_t calls = 0;
    for (const CallTree& tree : trees) calls += tree.parent.size();
    Column<DeadWindow> windows;
    windows.reserve(2 * calls);  // an upper bound; unused capacity costs nothing
    WindowFinder finder(context, query.range, windows);
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane)
        if (trace.lanes[lane].kind == LaneKind::thread &&
            !trace.processes[trace.lanes[lane].process].is_gpu)
            finder.search(lane, trees[lane]);
    windows.shrink_to_fit();
    return windows;
}

Table dead_windows_table(const TraceContext& context, const TableQuery& query) {
    const auto source = std::make_shared<const WindowRows>(context, query);
    std::vector<uint32_t> order = longest_first(
        source->windows,
        [](const DeadWindow& a, const DeadWindow& b) { return a.parent() < b.parent(); });
    return table_on_demand(kDeadWindowsTable, std::move(order), [source](uint32_t i) {
        return DeadWindowTableRow{*source, source->windows[i]};
    });
}

Table dead_windows_by_parent_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    std::vector<DeadWindowParentTableRow> sums;
    for (StringId id = 0; id < trace.strings.size(); ++id) sums.push_back({trace, id});
    const WindowRows all(context, query);
    for (const DeadWindow& window : all.windows) {
        if (!window.is_dead()) continue;
        DeadWindowParentTableRow& sum = sums[trace.name_id(window.parent())];
        if (sum.windows++ == 0 || std::pair(-window.range.length(), window.range.begin) <
                                      std::pair(-sum.longest.length(), sum.longest.begin))
            sum.longest = window.range;
        sum.total += window.range.length();
    }
    std::vector<uint32_t> order;
    for (StringId id = 0; id < sums.size(); ++id)
        if (sums[id].windows > 0) order.push_back(id);
    std::ranges::stable_sort(order, std::greater(), [&](uint32_t id) { return sums[id].total; });
    TableBuilder table(kDeadWindowsByParentTable);
    for (const uint32_t id : order) table.add(sums[id]);
    return table.take();
}

AllDeadWindows AllDeadWindows::compute(const TraceContext& context) {
    return {dead_windows(context, {})};
}

}  // namespace lanescope

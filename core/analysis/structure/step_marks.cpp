// Steps from annotations: core/analysis/structure/step_finders.h.
#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/step_batches.h"
#include "core/analysis/structure/step_finders.h"

namespace lanescope {

namespace {

constexpr std::size_t kMinMarks = 3;

struct Marks {
    LaneId lane = 0;
    StringId name = 0;
    std::vector<uint32_t> slices;  // in order of time
    Nanos total = 0;
};

// PyTorch's own annotations are inside a step; "Trace" is the profiler's own row.
bool is_of_user(const Trace& trace, StringId name, CategoryId category) {
    const std::string_view text = trace.strings[name];
    return trace.event_class(name, category) == EventClass::annotation &&
           trace.strings[trace.categories[category].name] != "Trace" &&
           !text.starts_with("Optimizer.") && !is_data_loading(text);
}

std::vector<uint32_t> in_order(const LaneView& view, std::vector<uint32_t> slices) {
    std::stable_sort(slices.begin(), slices.end(),
                     [&](uint32_t a, uint32_t b) { return view.start(a) < view.start(b); });
    return slices;
}

// Outermost marks of each kind by lane and name. `counts`: whether a name and category counts.
std::vector<Marks> marks_of(const Trace& trace,
                            const std::function<bool(StringId, CategoryId)>& counts) {
    std::map<std::pair<LaneId, StringId>, Marks> by_name;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        if (!is_cpu_thread(trace, trace.lanes[lane])) continue;
        const LaneView view(trace.lanes[lane]);
        std::vector<uint32_t> found;
        for (uint32_t i = 0; i < view.size(); ++i)
            if (counts(view.name(i), view.category(i))) found.push_back(i);
        Nanos covered = INT64_MIN;
        for (const uint32_t i : in_order(view, std::move(found))) {
            if (view.start(i) < covered) continue;
            covered = std::max(covered, view.end(i));
            Marks& marks = by_name[{lane, view.name(i)}];
            marks.lane = lane;
            marks.name = view.name(i);
            marks.slices.push_back(i);
            marks.total += view.duration(i);
        }
    }
    std::vector<Marks> all;
    all.reserve(by_name.size());
    for (auto& [key, marks] : by_name) all.push_back(std::move(marks));
    return all;
}

// The most frequent; among equals the one with the longest total. Null if there are too few.
const Marks* most_frequent(const std::vector<Marks>& all) {
    const auto best = std::ranges::max_element(all, {}, [](const Marks& marks) {
        return std::pair{marks.slices.size(), marks.total};
    });
    return best == all.end() || best->slices.size() < kMinMarks ? nullptr : &*best;
}

// Calls visit(range) for every operator and annotation of the lane.
template <typename Visit>
void visit_work(const Trace& trace, const LaneView& view, const Visit& visit) {
    for (uint32_t i = 0; i < view.size(); ++i) {
        const EventClass c = trace.categories[view.category(i)].event_class;
        if (c == EventClass::op || c == EventClass::annotation)
            visit(TimeRange{view.start(i), view.end(i)});
    }
}

std::vector<Step> steps_between(const Trace& trace, const Marks& marks,
                                const std::vector<Nanos>& borders) {
    std::vector<Step> steps;
    for (std::size_t i = 0; i + 1 < borders.size(); ++i)
        steps.push_back({marks.name,
                         static_cast<int64_t>(i),
                         trace.lanes[marks.lane].process,
                         {borders[i], borders[i + 1]},
                         {},
                         {}});
    return steps;
}

// The longest step between these borders.
Nanos longest_between(const std::vector<Nanos>& borders) {
    Nanos longest = 0;
    for (std::size_t i = 0; i + 1 < borders.size(); ++i)
        longest = std::max(longest, borders[i + 1] - borders[i]);
    return longest;
}

// Each mark begins a step. The last step lasts until the end of the thread's work, but at most as
// long as the longest step before it.
std::vector<Step> steps_from_begins(const Trace& trace, const Marks& marks) {
    const LaneView view(trace.lanes[marks.lane]);
    std::vector<Nanos> borders;
    for (const uint32_t i : marks.slices) borders.push_back(view.start(i));
    const Nanos latest = borders.back() + longest_between(borders);
    Nanos end = view.end(marks.slices.back());
    visit_work(trace, view, [&](TimeRange work) { end = std::max(end, work.end); });
    borders.push_back(std::max(view.end(marks.slices.back()), std::min(end, latest)));
    return steps_between(trace, marks, borders);
}

// Each mark ends a step. The first step begins with the thread's work, but lasts at most as long as
// the longest step after it.
std::vector<Step> steps_to_ends(const Trace& trace, const Marks& marks) {
    const LaneView view(trace.lanes[marks.lane]);
    std::vector<Nanos> borders;
    for (const uint32_t i : marks.slices) borders.push_back(view.end(i));
    const Nanos earliest = borders.front() - longest_between(borders);
    Nanos begin = view.start(marks.slices.front());
    visit_work(trace, view, [&](TimeRange work) { begin = std::min(begin, work.begin); });
    borders.insert(borders.begin(),
                   std::min(view.start(marks.slices.front()), std::max(begin, earliest)));
    return steps_between(trace, marks, borders);
}

}  // namespace

std::vector<Step> steps_by_engine(const Trace& trace) {
    std::vector<Step> steps;
    for (const BatchMarks& marked : batch_marks(trace)) {
        const LaneView view(trace.lanes[marked.lane]);
        int64_t index = 0;
        for (const BatchMark& mark : marked.marks)
            steps.push_back({view.name(mark.slice),
                             index++,
                             trace.lanes[marked.lane].process,
                             {view.start(mark.slice), view.end(mark.slice)},
                             {marked.lane, mark.slice},
                             {marked.lane, mark.slice}});
    }
    end_with_work(trace, steps);
    return steps;
}

std::vector<Step> steps_by_annotation(const Trace& trace) {
    const std::vector<Marks> all = marks_of(trace, [&](StringId name, CategoryId category) {
        return is_of_user(trace, name, category);
    });
    const Marks* const marks = most_frequent(all);
    if (!marks) return {};
    const LaneView view(trace.lanes[marks->lane]);
    const Nanos span = view.end(marks->slices.back()) - view.start(marks->slices.front());
    std::vector<Step> steps;
    for (const uint32_t i : marks->slices)
        steps.push_back({marks->name,
                         static_cast<int64_t>(steps.size()),
                         trace.lanes[marks->lane].process,
                         {view.start(i), view.end(i)},
                         {marks->lane, i},
                         {marks->lane, i}});
    if (!end_with_work(trace, steps) && 2 * marks->total < span)
        return steps_from_begins(trace, *marks);
    return steps;
}

std::vector<Step> steps_by_data_loader(const Trace& trace) {
    const std::vector<Marks> all = marks_of(
        trace, [&](StringId name, CategoryId) { return is_data_loading(trace.strings[name]); });
    const Marks* const marks = most_frequent(all);
    return marks ? steps_from_begins(trace, *marks) : std::vector<Step>();
}

std::vector<Step> steps_by_optimizer(const Trace& trace) {
    const std::vector<Marks> all = marks_of(trace, [&](StringId name, CategoryId) {
        return trace.strings[name].starts_with("Optimizer.step#");
    });
    const Marks* const marks = most_frequent(all);
    return marks ? steps_to_ends(trace, *marks) : std::vector<Step>();
}

}  // namespace lanescope

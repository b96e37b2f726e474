// Divides the time of steps among functions. Each moment counts for one: for the function whose GPU
// work runs or, if none runs, for the one that the host is in.
#include "core/insight/compare/function_tree.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/step_finders.h"
#include "core/base/intervals.h"
#include "core/insight/compare/function_nodes.h"
#include "core/trace/short_name.h"

namespace lanescope {

namespace {

constexpr std::size_t kPartsOfFunction = 8;

// Time of the parts of functions, by their names.
class PartSums {
  public:
    void add(uint32_t node, StringId name, Nanos time) {
        const auto next = static_cast<uint32_t>(sums_.size());
        const auto [index, added] = index_.try_emplace(uint64_t{node} << 32U | name, next);
        if (added) sums_.push_back({node, name, 0});
        sums_[index].time += time;
    }
    void finish(const Trace& trace, FunctionTree& tree) {
        std::ranges::stable_sort(sums_, std::greater<>(), &Sum::time);
        tree.parts.resize(tree.nodes.size());
        std::unordered_map<StringId, std::shared_ptr<const std::string>> names;
        for (const Sum& sum : sums_) {
            std::vector<FunctionPart>& parts = tree.parts[sum.node];
            if (parts.size() >= kPartsOfFunction) continue;
            std::shared_ptr<const std::string>& name = names[sum.name];
            if (!name) name = std::make_shared<const std::string>(trace.strings[sum.name]);
            parts.push_back({name, sum.time});
        }
    }

  private:
    struct Sum {
        uint32_t node;
        StringId name;
        Nanos time;
    };
    FlatMap<uint32_t> index_;
    std::vector<Sum> sums_;
};

// Passes on the pieces of a thread's time in sequence: which call is the innermost.
// `order`: calls in preorder.
template <typename Visit>
void visit_innermost(const LaneView& view, std::span<const uint32_t> order, const Visit& visit) {
    struct Open {
        Nanos end;
        uint32_t call;
    };
    std::vector<Open> stack;
    Nanos at = INT64_MIN;
    const auto until = [&](Nanos t) {
        if (t <= at) return;
        visit(stack.back().call, TimeRange{at, t});
        at = t;
    };
    const auto close = [&](Nanos t) {
        while (!stack.empty() && stack.back().end <= t) {
            until(stack.back().end);
            stack.pop_back();
        }
    };
    for (const uint32_t i : order) {
        const Nanos start = view.start(i);
        close(start);
        if (!stack.empty()) until(start);
        at = std::max(at, start);
        const Nanos end = view.end(i);
        stack.push_back({stack.empty() ? end : std::min(end, stack.back().end), i});
    }
    close(INT64_MAX);
}

class TimeDivider {
  public:
    TimeDivider(const TraceContext& context, std::span<const StringId> marks)
        : context_(context), trace_(context.trace()), nodes_(context, marks) {}

    void add_process(const StepsOfProcess& steps, LaneId main) {
        steps_ = &steps;
        const std::vector<LaneId> threads = threads_of(steps.process, main);
        std::vector<std::vector<uint32_t>> inside(threads.size());
        for (std::size_t i = 0; i < threads.size(); ++i)
            nodes_.add_thread(threads[i], steps, inside[i]);
        std::vector<TimeRange> ranges(steps.steps);
        left_ = merged(std::move(ranges));
        add_work();
        std::vector<std::vector<Piece>> frames(threads.size());
        for (std::size_t i = 0; i < threads.size() && !left_.empty(); ++i)
            frames[i] = add_thread(threads[i], inside[i]);
        for (const std::vector<Piece>& pieces : frames) add_frames(pieces);
        for (const TimeRange range : left_) add(0, range, false, 0);
    }

    FunctionTree take() {
        FunctionTree tree = nodes_.take();
        parts_.finish(trace_, tree);
        return tree;
    }

  private:
    // The thread of the loop first, then others by their number of calls.
    std::vector<LaneId> threads_of(uint32_t process, LaneId main) const {
        std::vector<LaneId> threads;
        for (LaneId lane = 0; lane < trace_.lanes.size(); ++lane)
            if (trace_.lanes[lane].process == process && trace_.lanes[lane].slice_count > 0 &&
                is_cpu_thread(trace_, trace_.lanes[lane]))
                threads.push_back(lane);
        std::ranges::stable_sort(threads, std::greater<>(), [&](LaneId lane) {
            return std::pair(lane == main, trace_.lanes[lane].slice_count);
        });
        return threads;
    }

    // `range` may lie in several steps, or outside of them.
    void add(uint32_t node, TimeRange range, bool gpu, StringId part) {
        while (range.begin < range.end) {
            const uint32_t step = steps_->at(range.begin, near_);
            if (step == StepsOfProcess::none) {
                if (near_ >= steps_->steps.size()) return;
                range.begin = steps_->steps[near_].begin;
                continue;
            }
            const Nanos end = std::min(range.end, steps_->steps[step].end);
            FunctionShare& share = nodes_.sums().of(node, steps_->first + step);
            (gpu ? share.gpu : share.host) += end - range.begin;
            if (part != 0) parts_.add(node, part, end - range.begin);
            range.begin = end;
        }
    }

    // What of the process's work counts; work whose launch is unknown counts for all processes of
    // its file.
    std::vector<GpuWork> work_of_process() const {
        const std::vector<SliceRef>& launch = context_.get<Attribution>().launch;
        const auto part_of = [&](uint32_t process) { return trace_.processes[process].part; };
        std::vector<GpuWork> all;
        for (const GpuDevice& device : context_.get<GpuDevices>().all)
            for (const GpuWork& work : device.work) {
                const SliceRef call = launch[work.row];
                if (call ? trace_.lanes[call.lane].process == steps_->process
                         : part_of(device.process) == part_of(steps_->process))
                    all.push_back(work);
            }
        std::ranges::stable_sort(all, {}, [](const GpuWork& work) { return work.range.begin; });
        return all;
    }

    // Computing first, then communication, copies and sets; within each what began first.
    void add_work() {
        const Attribution& attribution = context_.get<Attribution>();
        const std::vector<GpuWork> all = work_of_process();
        Intervals taken;
        for (const WorkKind kind :
             {WorkKind::compute, WorkKind::communication, WorkKind::copy, WorkKind::set}) {
            near_ = 0;
            Intervals of_kind;
            std::size_t cursor = 0;  // the first of `taken` that ends after the piece begins
            Nanos end = INT64_MIN;
            for (const GpuWork& work : all) {
                if (work.kind != kind) continue;
                const SliceRef slice = trace_.gpu_activities.slice[work.row];
                uint32_t near = near_;
                const uint32_t step = steps_->at(work.range.begin, near);
                if (step == StepsOfProcess::none && work.range.end <= first_begin_after(near))
                    continue;
                const Nanos first =
                    step == StepsOfProcess::none ? 0 : work.range.begin - steps_->steps[step].begin;
                const uint32_t node = nodes_.node_of_work(slice, attribution.launch[work.row],
                                                          attribution.op[work.row], first);
                const FunctionKind node_kind = nodes_.kind(node);
                const bool own =
                    node_kind == FunctionKind::kernel || node_kind == FunctionKind::no_launch;
                if (own && step != StepsOfProcess::none)
                    ++nodes_.sums().of(node, steps_->first + step).calls;
                TimeRange free{std::max(end, work.range.begin), work.range.end};
                if (free.begin >= free.end) continue;
                end = free.end;
                append_merged(of_kind, free);
                const StringId part = own ? 0 : trace_.name_id(slice);
                while (cursor < taken.size() && taken[cursor].end <= free.begin) ++cursor;
                for (std::size_t i = cursor; i < taken.size() && taken[i].begin < free.end; ++i) {
                    add(node, {free.begin, std::min(free.end, taken[i].begin)}, true, part);
                    free.begin = std::max(free.begin, taken[i].end);
                }
                add(node, free, true, part);
            }
            lanescope::add(taken, of_kind);
        }
        left_ = subtract(left_, taken);
    }

    Nanos first_begin_after(uint32_t near) const {
        return near < steps_->steps.size() ? steps_->steps[near].begin : INT64_MAX;
    }

    struct Piece {
        TimeRange range;
        uint32_t node;
        StringId part;
    };

    // Divides what is left among the calls of a thread that work. Returns the time of other calls,
    // which gets what no thread's work takes.
    std::vector<Piece> add_thread(LaneId lane, std::span<const uint32_t> inside) {
        const LaneView view(trace_.lanes[lane]);
        std::vector<Piece> frames;
        Intervals taken;
        std::size_t cursor = 0;
        near_ = 0;
        visit_innermost(view, inside, [&](uint32_t call, TimeRange range) {
            while (cursor < left_.size() && left_[cursor].end <= range.begin) ++cursor;
            if (cursor >= left_.size() || left_[cursor].begin >= range.end) return;
            const StringId name = view.name(call);
            const uint32_t node = nodes_.node_of({lane, call});
            const StringId part = nodes_.name_id(node) == name ? 0 : name;
            const bool works = nodes_.works(node, trace_.event_class(name, view.category(call)));
            for (std::size_t i = cursor; i < left_.size() && left_[i].begin < range.end; ++i) {
                const TimeRange piece{std::max(range.begin, left_[i].begin),
                                      std::min(range.end, left_[i].end)};
                if (works) {
                    add(node, piece, false, part);
                    append_merged(taken, piece);
                } else {
                    frames.push_back({piece, node, part});
                }
            }
        });
        left_ = subtract(left_, taken);
        return frames;
    }

    void add_frames(std::span<const Piece> pieces) {
        Intervals taken;
        std::size_t cursor = 0;
        near_ = 0;
        for (const Piece& piece : pieces) {
            while (cursor < left_.size() && left_[cursor].end <= piece.range.begin) ++cursor;
            for (std::size_t i = cursor; i < left_.size() && left_[i].begin < piece.range.end;
                 ++i) {
                const TimeRange range{std::max(piece.range.begin, left_[i].begin),
                                      std::min(piece.range.end, left_[i].end)};
                add(piece.node, range, false, piece.part);
                append_merged(taken, range);
            }
        }
        left_ = subtract(left_, taken);
    }

    const TraceContext& context_;
    const Trace& trace_;
    FunctionNodes nodes_;
    PartSums parts_;
    const StepsOfProcess* steps_ = nullptr;
    uint32_t near_ = 0;
    Intervals left_;  // in steps, and not yet divided
};

}  // namespace

FunctionTree make_function_tree(const TraceContext& context, std::span<const SampledStep> steps,
                                std::span<const StringId> marks) {
    TimeDivider divider(context, marks);
    for (uint32_t first = 0; first < steps.size();) {
        StepsOfProcess of_process{steps[first].process, first, {}, {}};
        LaneId main = SliceRef::no_index;
        uint32_t next = first;
        for (; next < steps.size() && steps[next].process == of_process.process; ++next) {
            of_process.steps.push_back(steps[next].range);
            of_process.host.push_back(steps[next].host);
            if (main == SliceRef::no_index) main = steps[next].lane;
        }
        divider.add_process(of_process, main);
        first = next;
    }
    return merged_functions(divider.take(), {});
}

}  // namespace lanescope

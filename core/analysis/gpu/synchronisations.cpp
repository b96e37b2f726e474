#include "core/analysis/gpu/synchronisations.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/lane_view.h"
#include "core/base/radix_sort.h"
#include "core/trace/call_key.h"

namespace lanescope {

namespace {

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

// Facts from names, by StringId.
enum SyncTrait : uint8_t {
    kWaits = 1,          // a call named …Synchronize…
    kOfStream = 2,       // … of a stream
    kOfEvent = 4,        // … of an event
    kCopies = 8,         // a call that copies
    kBlockingCopy = 16,  // … and is not asynchronous
    kHostCopy = 32,      // a copy between host and device
    kPinned = 64,        // … of pinned memory
    kReadsItem = 128,    // an operator that passes a value to Python
};

uint8_t sync_traits(std::string_view name) {
    uint8_t traits = 0;
    if (has(name, "Synchronize")) traits |= kWaits;
    if (has(name, "StreamSynchronize")) traits |= kOfStream;
    if (has(name, "EventSynchronize")) traits |= kOfEvent;
    if (has(name, "emcpy")) traits |= has(name, "Async") ? kCopies : kCopies | kBlockingCopy;
    if (has(name, "HtoD") || has(name, "DtoH")) traits |= kHostCopy;
    if (has(name, "Pinned")) traits |= kPinned;
    if (name == "aten::item" || name == "aten::_local_scalar_dense" || name == "aten::is_nonzero")
        traits |= kReadsItem;
    return traits;
}

// Frames of torch's profiler, which waits for the GPU when it stops.
bool is_profiler_frame(std::string_view name) {
    return name.starts_with("torch/autograd/profiler.py(") ||
           name.starts_with("torch/profiler/profiler.py(");
}

// The ends of GPU work sorted by time, for every stream and every device.
class WorkEnds {
  public:
    explicit WorkEnds(const TraceContext& context) {
        place_of_row_.resize(context.trace().gpu_activities.slice.size());
        for (const GpuDevice& device : context.get<GpuDevices>().all) {
            std::vector<Ended>& all = of_[{device.process, device.device, kWholeDevice}];
            for (const GpuStream& stream : device.streams) {
                std::vector<Ended>& ends = of_[{device.process, device.device, stream.stream}];
                for (const GpuWork& work : stream.work) ends.emplace_back(work.range.end, work.row);
                if (!std::ranges::is_sorted(ends)) std::ranges::sort(ends);
                const auto middle = all.insert(all.end(), ends.begin(), ends.end());
                std::inplace_merge(all.begin(), middle, all.end());
                for (const GpuWork& work : stream.work)
                    place_of_row_[work.row] = {device.process, device.device, stream.stream};
            }
            only_ = {device.process, device.device, kWholeDevice};
            ++devices_;
        }
    }

    struct Place {
        uint32_t process = 0;
        int32_t device = -1;
        int32_t stream = -1;
        friend auto operator<=>(const Place&, const Place&) = default;
    };
    static constexpr int32_t kWholeDevice = -2;

    Place place_of(uint32_t row) const { return place_of_row_[row]; }
    // The only device, if there is just one.
    bool only_device(Place& place) const {
        if (devices_ != 1) return false;
        place = only_;
        return true;
    }
    // The work that ended last at or before `t`, or kNoRow.
    uint32_t last_ended(const Place& place, Nanos t) const {
        const auto found = of_.find(place);
        if (found == of_.end()) return kNoRow;
        const auto after = std::ranges::upper_bound(found->second, t, {}, &Ended::first);
        return after == found->second.begin() ? kNoRow : (after - 1)->second;
    }

  private:
    using Ended = std::pair<Nanos, uint32_t>;  // end and row

    std::map<Place, std::vector<Ended>> of_;
    std::vector<Place> place_of_row_;
    Place only_;
    std::size_t devices_ = 0;
};

class SyncFinder {
  public:
    explicit SyncFinder(const TraceContext& context)
        : context_(context), trace_(context.trace()), attribution_(context.get<Attribution>()) {
        traits_.resize(trace_.strings.size());
        for (StringId id = 0; id < traits_.size(); ++id)
            traits_[id] = sync_traits(trace_.strings[id]);
    }

    std::vector<Synchronisation> find(const TableQuery& query) {
        const auto in_range = [&](SliceRef call) {
            return !query.range || query.range->contains(trace_.start(call));
        };
        for (const SliceRef call : trace_.runtime_calls.slice)
            if ((traits_[trace_.name_id(call)] & kWaits) && in_range(call))
                found_.push_back({.call = call});
        add_copies(in_range);
        if (found_.empty()) return {};
        find_last_begins();
        note_launches();
        const Synchronisations& syncs = trace_.synchronisations;
        for (uint32_t row = 0; row < syncs.rows(); ++row)
            recorded_.try_emplace(
                key_of_work(trace_, syncs.slice[row].lane, syncs.correlation[row]), row);
        const WorkEnds ends(context_);
        for (Synchronisation& sync : found_) {
            say_who_asked(sync);
            say_what_for(sync, ends);
        }
        std::ranges::sort(found_, {}, [&](const Synchronisation& s) {
            return std::tuple(-trace_.duration(s.call), trace_.start(s.call), s.call);
        });
        return std::move(found_);
    }

  private:
    template <typename InRange>
    void add_copies(const InRange& in_range) {
        const GpuActivities& gpu = trace_.gpu_activities;
        SliceRef last;
        for (const uint32_t row : attribution_.by_launch) {
            const SliceRef call = attribution_.launch[row];
            const SliceRef copy = gpu.slice[row];
            if (trace_.event_class(copy) != EventClass::memory) continue;
            const uint8_t of_call = traits_[trace_.name_id(call)];
            const uint8_t of_copy = traits_[trace_.name_id(copy)];
            if (!(of_call & kCopies) || !(of_copy & kHostCopy) || !in_range(call)) continue;
            const bool waits =
                (of_call & kBlockingCopy) ||
                (!(of_copy & kPinned) && trace_.slice_end(call) > trace_.start(copy));
            if (!waits || call == last) continue;
            last = call;
            found_.push_back({.call = call, .is_copy = true, .waited_for = row});
        }
    }

    // Finds when the last call of each thread begins, and the last operator or annotation of each
    // process. (Watchdogs of collectives continue to query events on threads of their own.)
    void find_last_begins() {
        last_call_.assign(trace_.lanes.size(), INT64_MIN);
        last_op_.assign(trace_.processes.size(), INT64_MIN);
        for (const SliceRef call : trace_.runtime_calls.slice)
            last_call_[call.lane] = std::max(last_call_[call.lane], trace_.start(call));
        for (const SliceRef op : trace_.operators.slice) {
            Nanos& last = last_op_[trace_.lanes[op.lane].process];
            last = std::max(last, trace_.start(op));
        }
    }

    bool nothing_follows(SliceRef call) const {
        const Nanos start = trace_.start(call);
        return start >= last_call_[call.lane] && start > last_op_[trace_.lanes[call.lane].process];
    }

    // By thread, its launches sorted by call.
    void note_launches() {
        launches_.resize(trace_.lanes.size());
        for (uint32_t row = 0; row < attribution_.launch.size(); ++row)
            if (const SliceRef call = attribution_.launch[row])
                launches_[call.lane].emplace_back(trace_.start(call), row);
        for (auto& launches : launches_)
            radix_sort(launches, [](const auto& launch) { return radix_key(launch.first); });
    }

    uint32_t last_launched(SliceRef call) const {
        const auto& launches = launches_[call.lane];
        const auto after =
            std::ranges::lower_bound(launches, std::pair(trace_.start(call), uint32_t{0}));
        return after == launches.begin() ? kNoRow : (after - 1)->second;
    }

    void say_who_asked(Synchronisation& sync) const {
        bool item = false;
        bool in_annotation = false;
        bool in_profiler = false;
        bool chain = true;  // the chain of operators, unbroken so far
        for (const SliceRef around : running_around(context_, sync.call)) {
            const LaneView view(trace_.lanes[around.lane]);
            const EventClass c = trace_.categories[view.category(around.index)].event_class;
            const StringId name = view.name(around.index);
            if (c == EventClass::op) {
                if (!sync.op) sync.op = around;
                if (chain) sync.outer_op = around;
                item = item || (traits_[name] & kReadsItem);
            } else {
                chain = chain && !sync.op;
            }
            in_annotation = in_annotation || c == EventClass::annotation;
            in_profiler =
                in_profiler || (c == EventClass::python && is_profiler_frame(trace_.strings[name]));
        }
        const bool of_device =
            !sync.is_copy && !(traits_[trace_.name_id(sync.call)] & (kOfStream | kOfEvent));
        const std::string_view op = sync.op ? trace_.name(sync.op) : std::string_view();
        if (of_device && !sync.op &&
            (in_profiler || (!in_annotation && nothing_follows(sync.call))))
            sync.cause = SyncCause::profiler;
        else if (item)
            sync.cause = SyncCause::item;
        else if (sync.is_copy || op == "aten::copy_" || op == "aten::_copy_from")
            sync.cause = SyncCause::copy;
        else
            sync.cause = sync.op ? SyncCause::op : SyncCause::program;
    }

    // The stream or device for which a call waits: as recorded, else the stream of its
    // thread's last launch.
    bool place_of(Synchronisation& sync, const WorkEnds& ends, WorkEnds::Place& place) const {
        const uint32_t launched = last_launched(sync.call);
        if (launched != kNoRow)
            place = ends.place_of(launched);
        else if (!ends.only_device(place))
            return false;
        const uint8_t traits = traits_[trace_.name_id(sync.call)];
        if (traits & kOfStream) {
            if (place.stream != WorkEnds::kWholeDevice) sync.stream = place.stream;
        } else {
            place.stream = WorkEnds::kWholeDevice;
        }
        const int64_t stream = recorded_stream(sync.call);
        if (stream >= 0) sync.stream = place.stream = static_cast<int32_t>(stream);
        return true;
    }

    int64_t recorded_stream(SliceRef call) const {
        const uint32_t row = find_row(trace_.runtime_calls.slice, call);
        if (row == kNoRow || trace_.runtime_calls.correlation.empty()) return -1;
        const auto found =
            recorded_.find(key_of_call(trace_, call.lane, trace_.runtime_calls.correlation[row]));
        if (found == recorded_.end()) return -1;
        const Synchronisations& syncs = trace_.synchronisations;
        const bool of_event = (traits_[trace_.name_id(call)] & kOfEvent) != 0;
        const auto& streams = of_event ? syncs.wait_on_stream : syncs.stream;
        // A wait for the whole device has the largest unsigned number.
        const bool one = !streams.empty() && streams[found->second] <= INT32_MAX;
        return one ? streams[found->second] : -1;
    }

    void say_what_for(Synchronisation& sync, const WorkEnds& ends) const {
        const Nanos end = trace_.slice_end(sync.call);
        if (sync.is_copy) {
            sync.stream = ends.place_of(sync.waited_for).stream;
        } else {
            WorkEnds::Place place;
            if (!place_of(sync, ends, place)) return;
            sync.waited_for = ends.last_ended(place, end);
        }
        if (sync.waited_for == kNoRow) return;
        const Nanos ended = trace_.slice_end(trace_.gpu_activities.slice[sync.waited_for]);
        sync.waited =
            std::clamp<Nanos>(ended - trace_.start(sync.call), 0, trace_.duration(sync.call));
    }

    const TraceContext& context_;
    const Trace& trace_;
    const Attribution& attribution_;
    std::vector<uint8_t> traits_;
    std::vector<Synchronisation> found_;
    std::vector<Nanos> last_call_;                                   // by lane
    std::vector<Nanos> last_op_;                                     // by process
    std::vector<std::vector<std::pair<Nanos, uint32_t>>> launches_;  // begin of the call, row
    std::unordered_map<CallKey, uint32_t, CallKeyHash> recorded_;    // row of a wait
};

}  // namespace

std::string_view sync_cause_name(SyncCause cause) {
    constexpr std::array<std::string_view, 5> names = {"profiler", "item", "copy", "operator",
                                                       "program"};
    return names[static_cast<std::size_t>(cause)];
}

std::vector<SliceRef> running_around(const TraceContext& context, SliceRef call) {
    const Trace& trace = context.trace();
    std::vector<SliceRef> around = enclosing(context.get<CallTrees>().by_lane, call);
    std::erase_if(around,
                  [&](SliceRef slice) { return trace.slice_end(slice) <= trace.start(call); });
    return around;
}

std::vector<Synchronisation> synchronisations(const TraceContext& context,
                                              const TableQuery& query) {
    return SyncFinder(context).find(query);
}

AllSynchronisations AllSynchronisations::compute(const TraceContext& context) {
    return {synchronisations(context, {})};
}

}  // namespace lanescope

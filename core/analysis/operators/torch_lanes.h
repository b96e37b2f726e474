// TorchEvents::Lanes: which slices of each lane are torch's events, where they count, and the
// device time that torch assigns to each before it sums their trees.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "core/analysis/operators/torch_events.h"
#include "core/analysis/operators/torch_memory.h"
#include "core/base/id_map.h"
#include "core/trace/query.h"

namespace lanescope {

class TorchEvents::Lanes {
  public:
    Lanes(const Trace& trace, std::span<const CallTree> trees, const Attribution& attribution);

    void walk(LaneId lane, Visitor visitor) const;
    void walk_kept(LaneId lane, Visitor visitor) const;

  private:
    class TreeWalk;
    struct CategoryRule {
        std::optional<TorchRow> row;
        EventClass base = EventClass::other;
    };
    struct DeviceTimes {
        Nanos self = 0;
        Nanos by_launch_self = 0;
    };
    // The arguments of visitors, in order.
    struct Kept {
        struct Event {
            TorchEvent event;
            uint32_t place = 0;
            uint32_t sums = kNoRow;  // kNoRow: null
        };
        Column<Event> events;
        std::vector<TorchSums> sums;
    };
    Kept keep(LaneId lane) const;

    bool is_gpu_lane(LaneId lane) const { return trace_.lanes[lane].kind == LaneKind::stream; }

    bool starts_before(const TorchEvent& a, const TorchEvent& b) const {
        if (a.start != b.start) return a.start < b.start;
        if (a.duration != b.duration) return a.duration > b.duration;
        return torch_source(trace_, a.slice) < torch_source(trace_, b.slice);
    }

    const CategoryRule& rule_of(SliceRef slice) const {
        const auto [chunk, local] = trace_.lanes[slice.lane].locate(slice.index);
        return rules_[chunk->category[local]];
    }

    TorchEvent event_at(SliceRef slice, TorchRow row) const {
        const auto [chunk, local] = trace_.lanes[slice.lane].locate(slice.index);
        return {slice, chunk->start[local], chunk->duration[local], names_[chunk->name[local]],
                row};
    }

    // Whether a slice makes an event on its own lane.
    bool makes_event(const Chunk& chunk, uint32_t local, SliceRef slice) const {
        const CategoryRule& rule = rules_[chunk.category[local]];
        if (!rule.row || names_[chunk.name[local]] == StringPool::none) return false;
        if (rule.base == EventClass::overhead && moved_slices_.count(slice) > 0) return false;
        return *rule.row != TorchRow::python || python_in_tree_;
    }

    bool makes_event(SliceRef slice) const {
        const auto [chunk, local] = trace_.lanes[slice.lane].locate(slice.index);
        return makes_event(*chunk, local, slice);
    }

    // Sorted by start, longest first.
    Column<TorchEvent> events_of(LaneId id) const;
    void sort(Column<TorchEvent>& events) const;

    // Overhead is recorded in a separate lane; torch attaches it where it happened.
    void move_overheads();
    DeviceTimes& times_of(SliceRef slice);
    // Work launched by an operator counts for it, or for the event around it.
    void sum_by_launch(const Attribution& attribution);
    void sum_by_id(const Attribution& attribution);

    Nanos of_id(uint32_t process, int64_t id) const {
        return process < by_id_.size() && id > 0 ? by_id_[process].find(id) : 0;
    }

    // torch matches ids regardless of their kind: a call outside any operator takes the kernels of
    // an operator whose External id equals the call's correlation.
    void give_times_by_id();

    const Trace& trace_;
    std::span<const CallTree> trees_;
    MemorySums memory_;
    std::vector<CategoryRule> rules_;
    std::vector<StringId> names_;  // by StringId; none: skipped
    bool python_in_tree_ = false;
    StringId buffer_request_ = StringPool::none;
    std::vector<IdMap<Nanos>> by_id_;  // by process; empty: no activity has an id
    std::vector<DeviceTimes> times_;
    std::vector<Column<uint32_t>> times_at_;  // by lane and index: of times_; kNoRow: none
    std::map<LaneId, std::vector<TorchEvent>> moved_to_;
    std::set<SliceRef> moved_slices_;
    mutable std::once_flag kept_once_;
    mutable std::vector<Kept> kept_;  // by lane
};

}  // namespace lanescope

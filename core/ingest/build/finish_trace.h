// The steps from a builder's collected data to a Trace, in their order of execution.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>
#include <vector>

#include "core/ingest/build/builder_state.h"
#include "core/ingest/build/work_list.h"
#include "core/trace/trace.h"

namespace lanescope {

// `complete_lanes` is FormatSteps::complete_lanes; it is called when all slices are known.
Trace finish_trace(BuilderState state, unsigned workers, void (*complete_lanes)(BuilderState&));

// Step 1: turns begin/end pairs and async events into slices (pairing.cpp). Counts events without a
// partner.
void pair_events(BuilderState& state);
void pair_async_events(BuilderState& state);

// Step 2: releases unused capacity of columns, 35 MB of 230 for four million events
// (side_rows.cpp).
void give_back_slack(BuilderState& state);

// Step 3: turns counter events and memory totals into curves, each in a lane of its own
// (counter_lanes.cpp). `work` fills the curves and sorts the memory events.
void make_counter_lanes(BuilderState& state, WorkList& work);

// The title of the curve of a counter's series, or of memory ("allocated", "reserved").
StringId curve_title(BuilderState& state, StringId counter, StringId series);
StringId memory_curve_title(BuilderState& state, std::string_view what, int32_t device_type,
                            int32_t device);

// Step 4: sorts processes and lanes into display order (lane_order.cpp). Fills trace.processes and
// trace.lanes. Returns the final id of each builder's lane; SliceRef::no_index for empty lanes.
std::vector<LaneId> order_lanes(const BuilderState& state, Trace& trace);

// Step 5: sorts the instants of each lane by time (instants.cpp).
void fill_instants(BuilderState& state, const std::vector<LaneId>& final_lane, Trace& trace,
                   WorkList& work);

// Step 6: side tables get final slices and are sorted by them (side_rows.cpp), and slices are
// linked. Each stage adds work that must finish before the next stage begins.
class SideTableSorter {
  public:
    SideTableSorter(BuilderState& state, const std::vector<LaneId>& final_lane);
    // `place`: for each final lane, the final place of each raw slice.
    void find_orders(const std::vector<Column<uint32_t>>& place, WorkList& work);
    // Sorts the tables that link launches.
    void sort_launch_tables(WorkList& work);
    // Links need the trace's chunks. Linking is one long job, so the other tables are sorted at the
    // same time.
    void link_and_sort_others(Trace& trace, WorkList& work);
    void give_to(Trace& trace);

  private:
    template <typename Table>
    void sort_table(WorkList& work, Table& table);

    BuilderState& state_;
    const std::vector<LaneId>& final_lane_;
    std::deque<Column<uint32_t>> orders_;  // of the tables that are not yet sorted
};

void sort_by_time(MemoryEvents& memory);

// Copies the tables of GPU activities, runtime calls, waits and memory, and the links, from a state
// that continues to grow. Includes the rows whose slice has a `final_slice`, sorted by it
// (side_rows.cpp).
void copy_side_tables(const BuilderState& state, const std::vector<LaneId>& final_lane,
                      const std::function<SliceRef(SliceRef)>& final_slice, Trace& trace);
// Gives a trace the side tables of `owner`, without copying them.
void share_side_tables(const std::shared_ptr<const Trace>& owner, Trace& trace);

// Fills the counts and the trace's warnings (finish_trace.cpp).
void fill_facts(const BuilderState& state, Trace& trace);
void fill_warnings(BuilderState& state, Trace& trace);

// Links launches to GPU activities, and the ends of the file's own flows (linking.cpp). Requires
// the tables of GPU activities and runtime calls.
void link_slices(BuilderState& state, const std::vector<LaneId>& final_lane, Trace& trace);

}  // namespace lanescope

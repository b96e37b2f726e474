// The steps from what a builder has gathered to a Trace, in the order in which they run.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>
#include <vector>

#include "core/ingest/builder_state.h"
#include "core/ingest/jobs.h"
#include "core/trace/trace.h"

namespace lanescope {

Trace finish_trace(BuilderState state, unsigned workers);

// Step 1: begin/end pairs and async events become slices (pairing.cpp). What has no partner is
// counted.
void pair_events(BuilderState& state);
void pair_async_events(BuilderState& state);

// Step 2: columns keep no more memory than they have values, 35 MB of 230 for four million events
// (side_rows.cpp).
void give_back_slack(BuilderState& state);

// Step 3: counter events and memory totals become curves, each a lane of its own
// (counter_lanes.cpp). Jobs fill the curves, and sort the memory events.
void make_counter_lanes(BuilderState& state, Jobs& jobs);

// How the curve of a counter's series, or of memory ("allocated", "reserved"), is called.
StringId curve_title(BuilderState& state, StringId counter, StringId series);
StringId memory_curve_title(BuilderState& state, std::string_view what, int32_t device_type,
                            int32_t device);

// Step 4: processes and lanes in the order they are shown (lane_order.cpp). Fills trace.processes
// and trace.lanes; returns the final id of each of the builder's lanes, SliceRef::no_index for
// empty ones.
std::vector<LaneId> order_lanes(const BuilderState& state, Trace& trace);

// Step 5: the instants of each lane, in order of time (instants.cpp).
void fill_instants(BuilderState& state, const std::vector<LaneId>& final_lane, Trace& trace,
                   Jobs& jobs);

// Step 6: side tables get final slices and are sorted by them (side_rows.cpp), and slices are
// linked. Each stage adds jobs, which have to be done before the next stage begins.
class SideTables {
  public:
    SideTables(BuilderState& state, const std::vector<LaneId>& final_lane);
    // `place` by final lane: that of each raw slice.
    void find_orders(const std::vector<Column<uint32_t>>& place, Jobs& jobs);
    // Those that launches are linked by.
    void sort_launch_tables(Jobs& jobs);
    // Links need the trace's chunks. Linking is one long job: the other tables are sorted beside
    // it.
    void link_and_sort_others(Trace& trace, Jobs& jobs);
    void give_to(Trace& trace);

  private:
    template <typename... T>
    void sort_table(Jobs& jobs, Column<T>&... columns);

    BuilderState& state_;
    const std::vector<LaneId>& final_lane_;
    std::deque<Column<uint32_t>> orders_;  // of the tables that are not sorted yet
};

void sort_by_time(MemoryEvents& memory);

// The tables of GPU activities, runtime calls, waits and memory, and links, of a state that goes
// on: of the rows whose slice `final_slice` gives one for, sorted by it (side_rows.cpp).
void copy_side_tables(const BuilderState& state, const std::vector<LaneId>& final_lane,
                      const std::function<SliceRef(SliceRef)>& final_slice, Trace& trace);

// Counts of what came, and warnings as a trace has them (finish_trace.cpp).
void fill_facts(const BuilderState& state, Trace& trace);
void fill_warnings(BuilderState& state, Trace& trace);

// Launches to what they launched, and the file's own flows (linking.cpp). Needs the tables of GPU
// activities and of runtime calls.
void link_slices(BuilderState& state, const std::vector<LaneId>& final_lane, Trace& trace);

}  // namespace lanescope

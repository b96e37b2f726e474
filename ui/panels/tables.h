// The tables below the timeline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/trace/trace.h"
#include "ui/shell/requests.h"
#include "ui/shell/theme.h"

namespace lanescope {

// One lane in figures.
struct LaneRow {
    LaneId lane = 0;
    std::string name, process, kind;
    uint64_t events = 0;
    uint32_t depth = 0;
    Nanos first = 0;            // from the trace's origin
    std::optional<Nanos> busy;  // as busy_time() counts it; unknown until that is done
};
// Of every lane that holds anything, without the busy times.
std::vector<LaneRow> lane_rows(const Trace& trace);
// Reads every slice: not for a frame.
std::vector<LaneRow> with_busy_times(const Trace& trace, std::vector<LaneRow> rows);

// Every lane with its events and busy time; a click goes to the lane.
class LanesTable {
  public:
    void set_rows(std::vector<LaneRow> rows);
    void draw(const Look& look, Requests& requests);

  private:
    void sort(const ImGuiTableSortSpecs& specs);

    std::vector<LaneRow> rows_;
    bool sorted_ = false;
};

// What a reader should know about the file.
void draw_warnings(const Trace* trace, const Look& look);

}  // namespace lanescope

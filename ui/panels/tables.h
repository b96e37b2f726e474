// The tables below the timeline.
#pragma once

#include "core/trace/trace.h"
#include "ui/shell/requests.h"
#include "ui/shell/theme.h"

namespace lanescope {

// Every lane with its slices and busy time; a click goes to the lane.
class LanesTable {
  public:
    void draw(const Trace* trace, const Look& look, Requests& requests);

  private:
    struct Row {
        LaneId lane = 0;
        std::string name, process, kind;
        uint64_t events = 0;
        uint32_t depth = 0;
        Nanos first = 0;  // from the trace's origin
        Nanos busy = 0;   // covered by its outermost slices
    };
    void gather(const Trace& trace);
    void sort(const ImGuiTableSortSpecs& specs);

    const Trace* of_ = nullptr;
    std::vector<Row> rows_;
};

// What a reader should know about the file.
void draw_warnings(const Trace* trace, const Look& look);

}  // namespace lanescope

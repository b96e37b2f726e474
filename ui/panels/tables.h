// The tables below the timeline.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/trace/trace.h"
#include "ui/shell/requests.h"
#include "ui/shell/theme.h"
#include "ui/timeline/timeline.h"

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

// Every lane with its events and busy time, and whether it is shown and pinned; a click goes to the
// lane.
class LanesTable {
  public:
    void set_rows(std::vector<LaneRow> rows);
    void draw(Timeline& timeline, const Look& look, Requests& requests);

    // What is shown, for tests: the lanes in their order, and where things stand.
    std::vector<LaneId> shown() const;
    float first_row_y() const { return first_row_y_; }  // its middle, on the screen
    ImVec2 filter_place() const { return filter_place_; }

  private:
    void draw_tools(Timeline& timeline, const Look& look);
    void draw_row(const LaneRow& row, Timeline& timeline, const Look& look, Requests& requests);
    void choose();
    void sort(const ImGuiTableSortSpecs& specs);

    std::vector<LaneRow> rows_;
    std::vector<uint32_t> chosen_;  // rows that have what was typed
    std::array<char, 96> filter_{};
    bool sorted_ = false;
    float first_row_y_ = 0;
    ImVec2 filter_place_;
};

// What a reader should know about the file: what was odd in it, and behind that the arguments that
// models could not use.
void draw_warnings(const Trace* trace, std::span<const Warning> of_models, const Look& look);

}  // namespace lanescope

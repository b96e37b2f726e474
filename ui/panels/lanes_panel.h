// Lanes: every lane with its events, busy time, visibility and pin.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/trace.h"
#include "ui/commands/requests.h"
#include "ui/look/theme.h"
#include "ui/panels/panel.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

// One lane in figures.
struct LaneRow {
    LaneId lane = 0;
    std::string name, process, kind;
    uint64_t events = 0;
    uint32_t depth = 0;
    Nanos first = 0;            // from the trace's origin
    std::optional<Nanos> busy;  // see busy_time(); unknown until computed
};
// All non-empty lanes, without busy times.
std::vector<LaneRow> lane_rows(const Trace& trace);
// Reads every slice: too slow for a frame.
std::vector<LaneRow> with_busy_times(const Trace& trace, std::vector<LaneRow> rows);

// A click goes to the lane.
class LanesPanel : public Panel {
  public:
    std::string_view name() const override;
    void draw(Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

    void set_rows(std::vector<LaneRow> rows);

    // For tests: the displayed lanes in order, and positions.
    std::vector<LaneId> shown() const;
    float first_row_y() const { return first_row_y_; }  // middle of the row on the screen
    ImVec2 filter_place() const { return filter_place_; }

  private:
    void draw_contents(Timeline& timeline, const Look& look, Requests& requests);
    void draw_lanes(LaneArrangement& arrangement, const Look& look, Requests& requests);
    void draw_tools(LaneArrangement& arrangement, const Look& look);
    void draw_row(const LaneRow& row, LaneArrangement& arrangement, const Look& look,
                  Requests& requests);
    void choose();
    void sort(const ImGuiTableSortSpecs& specs);

    std::vector<LaneRow> rows_;
    std::vector<uint32_t> chosen_;  // rows that match the typed text
    std::array<char, 96> filter_{};
    bool sorted_ = false;
    float first_row_y_ = 0;
    ImVec2 filter_place_;
};

}  // namespace lanescope

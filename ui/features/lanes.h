// Lanes: their arrangement, which is saved for each trace; their commands, and the menu of their
// heads.
#pragma once

#include <optional>
#include <string>

#include "ui/frame/feature.h"
#include "ui/panels/lanes_panel.h"

namespace lanescope {

class LanesFeature : public Feature {
  public:
    // Fills the panel.
    explicit LanesFeature(LanesPanel& panel) : panel_(panel) {}

    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool take(const Request& request, Frame& frame) override;
    bool is_on(Action action, const Frame& frame) const override;
    void opened(OpenTrace& trace, Frame& frame) override;
    void replacing(const ViewIndexPtr& next, Frame& frame) override;
    void shown(bool first, Frame& frame) override;
    void draw_on_timeline(ImVec2 min, ImVec2 max, Frame& frame) override;
    void follow(Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

  private:
    void restore(Frame& frame);
    static void keep_lanes(LaneArrangement& arrangement, const ViewIndexPtr& next, Frame& frame);
    void list(Frame& frame);
    static void offer_lanes(Frame& frame);
    void follow_wanted(Frame& frame);
    void ask_for_menu(Frame& frame);
    void draw_menu_of_head(Frame& frame);
    void draw_lane_items(LaneArrangement& arrangement, Frame& frame);
    void draw_group_items(LaneArrangement& arrangement, Frame& frame);
    static void draw_filter_items(LaneArrangement& arrangement, Frame& frame);

    LanesPanel& panel_;
    HeadTarget menu_of_;             // the head whose menu is open
    std::optional<ImVec2> menu_at_;  // where a key opens the menu
};

}  // namespace lanescope

// Statistics: a histogram of the durations of the selected kernel, operator or section, with
// figures and outliers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/statistics/siblings.h"
#include "ui/commands/requests.h"
#include "ui/look/theme.h"
#include "ui/panels/histogram_picture.h"
#include "ui/panels/panel.h"
#include "ui/panels/panel_inputs.h"

namespace lanescope {

// The siblings of the selected slice, computed in the background.
class SiblingsOfSelection {
  public:
    // To be called once a frame.
    void follow(const PanelInputs& inputs);
    // Null: nothing is selected, the result is not ready, or the marked range has no sibling.
    // During a recording, the result for one snapshot stays until the next is ready.
    const Siblings* get() const {
        return (ready() || wanted_.snapshot) && siblings_ ? &*siblings_ : nullptr;
    }
    // The inputs that get() was computed from.
    PanelInputs drawn_of(const PanelInputs& inputs) const;
    bool ready() const { return wanted_ == made_; }
    void clear();
    // Restricts the statistics to replays of the selected kernel's node, if a graph launched it.
    void choose_node(bool only) { only_node_ = only; }
    bool only_node() const { return only_node_; }
    // Whether a graph may have launched the selected slice.
    bool may_be_replayed(const PanelInputs& inputs);

  private:
    struct Made {
        std::shared_ptr<const TraceContext> context;
        std::optional<TimeRange> range;
        std::optional<SiblingKind> kind;
        SliceRef of_node;  // a replay of the node; none: all siblings
        TracePtr snapshot;
        friend bool operator==(const Made&, const Made&) = default;
    };

    static std::optional<Siblings> compute(const Made& wanted);

    bool only_node_ = false;
    std::weak_ptr<const TraceContext> looked_at_;
    bool any_graph_ = false;  // the trace launches graphs
    Made wanted_;
    Made made_;
    SliceRef made_for_;
    JobSlot making_;
    std::optional<Siblings> siblings_;
};

class StatisticsPanel : public Panel {
  public:
    // Shows these siblings, which another panel keeps up to date.
    explicit StatisticsPanel(SiblingsOfSelection& siblings) : of_(siblings) {}

    std::string_view name() const override;
    void draw(Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

    // For tests: what the last frame showed.
    struct Figure {
        std::string name, value;
    };
    const std::vector<Figure>& figures() const { return figures_; }
    const std::vector<HistogramBar>& bars() const { return bars_; }
    float bars_y() const { return bars_y_; }  // a point a little above the axis
    const std::string& comparison() const { return comparison_; }
    ImVec2 first_outlier() const { return first_outlier_; }

  private:
    void draw_contents(const PanelInputs& inputs, const SiblingsOfSelection& siblings_of_selection,
                       const Look& look, Requests& requests);
    void draw_all(const PanelInputs& inputs, const SiblingsOfSelection& siblings_of_selection,
                  const Look& look, Requests& requests);
    void draw_head(const PanelInputs& inputs, const Siblings& siblings, const Look& look);
    void draw_node_choice(const PanelInputs& inputs, const Look& look);
    void draw_picture(const PanelInputs& inputs, const Siblings& siblings, const Box& box,
                      const Look& look, Requests& requests);
    void draw_figures(const PanelInputs& inputs, const Siblings& siblings, const Box& box,
                      const Look& look, Requests& requests);
    void draw_outliers(const PanelInputs& inputs, const Siblings& siblings, const Box& box,
                       const Look& look, Requests& requests);

    SiblingsOfSelection& of_;
    std::vector<Figure> figures_;
    std::vector<HistogramBar> bars_;
    float bars_y_ = 0;
    std::string comparison_;
    ImVec2 first_outlier_;
    ImVec2 node_choice_;  // centre of the button; 0: not shown
};

}  // namespace lanescope

// Roofline: a point for each operator or kernel below the roofs of its device.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/pictures/roofline_picture.h"
#include "ui/commands/requests.h"
#include "ui/look/theme.h"
#include "ui/panels/panel.h"
#include "ui/panels/panel_inputs.h"

struct ImPlotContext;

namespace lanescope {

class RooflinePanel : public Panel {
  public:
    RooflinePanel();
    ~RooflinePanel() override;

    std::string_view name() const override;
    void draw(Frame& frame) override;
    bool ready() const override { return made_ == wanted_ && points_; }
    void forget() override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

    // For tests: what the last frame showed; positions in pixels.
    struct Dot {
        std::string name;
        ImVec2 middle;
        float radius = 0;
    };
    const std::vector<Dot>& dots() const { return dots_; }
    const std::vector<std::string>& roofs() const { return roofs_; }
    struct Button {
        std::string name;
        ImVec2 middle;
    };
    const std::vector<Button>& buttons() const { return buttons_; }
    const RooflineFrame& frame() const { return frame_; }
    const std::string& tooltip() const { return hovered_; }

  private:
    struct Made {
        std::shared_ptr<const TraceContext> context;
        std::optional<TimeRange> range;
        RooflineOf kind = RooflineOf::operators;
        TracePtr snapshot;  // snapshot of a running recording for which it was computed
        friend bool operator==(const Made&, const Made&) = default;
    };
    void draw_contents(const PanelInputs& inputs, const Look& look, Requests& requests);
    void make(const PanelInputs& inputs);
    bool button(const char* label, bool chosen, const Look& look);
    void draw_tools(const PanelInputs& inputs, const Look& look, Requests& requests);
    void draw_plot(const PanelInputs& inputs, const Look& look, Requests& requests);
    void draw_roofs(const Look& look);
    void draw_labels(const Look& look);
    void draw_points(const PanelInputs& inputs, const Look& look, Requests& requests);
    void save_svg(const PanelInputs& inputs, const Look& look, Requests& requests);

    ImPlotContext* plot_ = nullptr;  // ImPlot's context, created by the first draw
    Made wanted_;
    Made made_;
    JobSlot making_;
    std::shared_ptr<const RooflinePoints> points_;
    RooflineOf of_ = RooflineOf::operators;
    bool fit_ = true;  // the next frame shows everything
    RooflineFrame frame_;
    ImVec2 plot_min_, plot_max_;  // area of the whole plot, including its axes
    std::vector<Dot> dots_;
    std::vector<std::string> roofs_;
    std::vector<Button> buttons_;
    std::string hovered_;  // description of the point under the pointer
};

}  // namespace lanescope

// Compares the window's traces: one row each, with a bar for each figure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/context.h"
#include "core/pictures/traces_picture.h"
#include "ui/base/jobs.h"
#include "ui/commands/requests.h"
#include "ui/look/theme.h"
#include "ui/panels/panel.h"

namespace lanescope {

struct SideBySideInputs {
    const std::vector<std::shared_ptr<const TraceContext>>& contexts;  // empty: no trace yet
    uint32_t shown_part = 0;         // the part that the tables show
    std::optional<TimeRange> range;  // the range marked on the timeline
    Jobs* jobs = nullptr;            // its jobs end before the panel is destroyed
};

class SideBySidePanel : public Panel {
  public:
    std::string_view name() const override;
    void draw(Frame& frame) override;
    bool ready() const override { return !making_.busy() && shown_ && made_ == wanted_; }
    void forget() override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

    // For tests: what the last frame showed; positions in pixels.
    struct Place {
        std::string name;
        ImVec2 middle;
    };
    const std::vector<Place>& rows() const { return rows_; }
    const std::vector<Place>& buttons() const { return buttons_; }
    const std::string& tooltip() const { return hovered_; }
    // Null until computed.
    const std::vector<TraceFigures>* figures() const { return shown_ ? &shown_->figures : nullptr; }

  private:
    struct Made {
        std::vector<std::shared_ptr<const TraceContext>> contexts;
        std::optional<TimeRange> range;
        friend bool operator==(const Made&, const Made&) = default;
    };
    struct Shown {
        std::vector<TraceFigures> figures;
        std::vector<TraceBars> columns;
    };
    // Returns the part that was clicked.
    std::optional<uint32_t> draw_contents(const SideBySideInputs& inputs, const Look& look,
                                          Requests& requests);
    void make(const SideBySideInputs& inputs);
    bool button(const char* label, const char* hint, const Look& look);
    void draw_tools(const SideBySideInputs& inputs, const Look& look, Requests& requests);
    std::vector<float> column_widths(float room, const Look& look) const;
    void draw_heads(ImVec2 at, const std::vector<float>& widths, const Look& look);
    void draw_bar(const TraceBar& bar, ImVec2 at, float width, const Look& look) const;
    bool draw_row(uint32_t index, ImVec2 at, const std::vector<float>& widths, bool is_shown,
                  const Look& look);
    std::optional<uint32_t> draw_picture(const SideBySideInputs& inputs, const Look& look);
    SaveRequest picture_to_save(const Look& look) const;
    SaveRequest table_to_save() const;

    Made wanted_;
    Made made_;
    JobSlot making_;
    std::shared_ptr<const Shown> shown_;
    ImVec2 picture_min_, picture_max_;  // area of heads and rows
    std::vector<Place> rows_;
    std::vector<Place> buttons_;
    std::string hovered_;  // description of the row under the pointer
};

}  // namespace lanescope

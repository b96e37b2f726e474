// The window's traces: names, begins and alignment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/session/document.h"
#include "ui/commands/requests.h"
#include "ui/look/theme.h"
#include "ui/panels/panel.h"

namespace lanescope {

struct TracesShown {
    const std::vector<TracePtr>& parts;  // a single one for a window with one trace
    uint32_t shown_part = 0;             // the part that the tables show
    Alignment alignment;                 // as it was asked for …
    AlignBy aligned_by = AlignBy::best;  // … and what that came to
    bool busy = false;                   // another alignment is in progress
    const std::vector<PartProblem>& problems;
};

struct TracesAnswer {
    std::optional<uint32_t> show_part;  // the part that panels show
    std::optional<uint32_t> frame;      // the part to fit into view
};

class TracesPanel : public Panel {
  public:
    std::string_view name() const override;
    void draw(Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

    // For tests: where things were in the last frame, as centres on the screen.
    struct Place {
        std::string what;  // "remove 1", "tell 0", "later 1", "start", "clock", "step"
        ImVec2 middle;
    };
    const std::vector<Place>& places() const { return places_; }

  private:
    TracesAnswer draw_contents(const TracesShown& shown, const Look& look, Requests& requests);
    void draw_tools(const TracesShown& shown, const Look& look, Requests& requests);
    void draw_part(const TracesShown& shown, uint32_t index, const Look& look, Requests& requests,
                   TracesAnswer& answer);
    void note_place(std::string what);

    int step_ = 0;
    std::optional<uint32_t> edited_;  // the part whose begin is being edited
    std::string typed_;
    std::vector<Place> places_;
};

}  // namespace lanescope

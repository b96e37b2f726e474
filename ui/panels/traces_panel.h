// The traces of the window: what each is, where it begins, by what they are aligned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/session/document.h"
#include "ui/shell/requests.h"
#include "ui/shell/theme.h"

namespace lanescope {

struct TracesShown {
    const std::vector<TracePtr>& parts;  // one of a window with one trace
    uint32_t told = 0;                   // the part that the tables tell of
    Alignment alignment;                 // as it was asked for …
    AlignBy aligned_by = AlignBy::best;  // … and what that came to
    bool busy = false;                   // another alignment is under way
    const std::vector<PartProblem>& problems;
};

struct TracesAnswer {
    std::optional<uint32_t> tell;
    std::optional<uint32_t> remove;
    std::optional<std::pair<uint32_t, Nanos>> begin_at;  // a part; from the origin of all
    std::optional<uint32_t> frame;
    std::optional<Alignment> align;
};

class TracesPanel {
  public:
    TracesAnswer draw(const TracesShown& shown, const Look& look, Requests& requests);

    // Where things stood in the last frame, for tests: middles on the screen.
    struct Place {
        std::string what;  // "remove 1", "tell 0", "later 1", "start", "clock", "step"
        ImVec2 middle;
    };
    const std::vector<Place>& places() const { return places_; }

  private:
    void draw_tools(const TracesShown& shown, const Look& look, Requests& requests,
                    TracesAnswer& answer);
    void draw_part(const TracesShown& shown, uint32_t index, const Look& look,
                   TracesAnswer& answer);
    void note_place(std::string what);

    int step_ = 0;
    std::optional<uint32_t> edited_;  // the part whose begin is being typed
    std::string typed_;
    std::vector<Place> places_;
};

}  // namespace lanescope

// Story: what limits the trace, in a few sentences.
#pragma once

#include "ui/panels/panel.h"
#include "ui/panels/story.h"

namespace lanescope {

class StoryPanel : public Panel {
  public:
    // The story of the selection's panel, which shows it while nothing is selected.
    explicit StoryPanel(const TraceStory& story) : story_(story) {}

    std::string_view name() const override;
    void draw(Frame& frame) override;

  private:
    const TraceStory& story_;
};

}  // namespace lanescope

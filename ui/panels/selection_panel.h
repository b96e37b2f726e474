// Selection: the facts on the selected slice, the idle gap that the user stepped to, or the story
// of the trace.
#pragma once

#include "ui/panels/model_section.h"
#include "ui/panels/panel.h"
#include "ui/panels/statistics.h"
#include "ui/panels/story.h"

namespace lanescope {

class SelectionPanel : public Panel {
  public:
    std::string_view name() const override;
    void follow(Frame& frame) override;
    void draw(Frame& frame) override;
    bool ready() const override { return siblings_.ready() && model_.ready(); }
    bool works_hidden() const override { return true; }
    void forget() override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

    const SiblingsOfSelection& siblings() const { return siblings_; }
    const TraceStory& story() const { return story_; }

  private:
    TraceStory story_;
    SiblingsOfSelection siblings_;
    ModelOfSelection model_;
};

}  // namespace lanescope

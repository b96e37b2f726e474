// Notes: marks and notes of the open trace: their commands, their editor, and saving.
#pragma once

#include "ui/frame/feature.h"
#include "ui/panels/notes_panel.h"

namespace lanescope {

class NotesFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool take(const Request& request, Frame& frame) override;
    bool dismiss(Layer layer, Frame& frame) override;
    void loaded(LoadedTrace& loaded, Frame& frame) override;
    void follow(Frame& frame) override;
    void draw_on_timeline(ImVec2 min, ImVec2 max, Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

  private:
    static void show(uint32_t index, Timeline& timeline);
};

}  // namespace lanescope

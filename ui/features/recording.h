// Recording: runs and records a program, and follows a growing recording.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/capture/recorder.h"
#include "ui/features/record_dialog.h"
#include "ui/frame/feature.h"

namespace lanescope {

class RecordingFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool is_on(Action action, const Frame& frame) const override;
    void replacing(const ViewIndexPtr& next, Frame& frame) override;
    void shown(bool first, Frame& frame) override;
    void begin(Frame& frame) override;
    void draw_on_timeline(ImVec2 min, ImVec2 max, Frame& frame) override;
    void draw_over(Frame& frame) override;
    bool dialog_shown() const override { return dialog_.shown(); }
    void describe(const Frame& frame, nlohmann::json& state) const override;

    // The card with the state of the recording replaces that of a running load.
    bool has_card(const Frame& frame) const;

  private:
    void show_dialog(RecordDialog::Also also);
    void follow_recorder(Frame& frame);
    float draw_buttons(ImVec2 corner, Frame& frame);

    RecordDialog dialog_;
    std::unique_ptr<Recorder> recorder_;                  // started by this window; null: none
    std::vector<std::pair<std::string, ImVec2>> places_;  // of the card's buttons, for tests
};

}  // namespace lanescope

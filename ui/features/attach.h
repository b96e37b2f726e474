// Attach: captures running PyTorch processes: the dialog, the daemon behind it, and the captures.
#pragma once

#include <cstdint>
#include <memory>

#include "core/capture/kineto/attacher.h"
#include "ui/features/attach_dialog.h"
#include "ui/frame/feature.h"

namespace lanescope {

class AttachFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    void draw_over(Frame& frame) override;
    bool dialog_shown() const override { return dialog_.shown(); }
    void describe(const Frame& frame, nlohmann::json& state) const override;

  private:
    void take_captures(const AttachView& view, Frame& frame);

    AttachDialog dialog_;
    uint64_t seen_ = 0;                   // number of captures that have been opened
    std::unique_ptr<Attacher> attacher_;  // null: not listening
};

}  // namespace lanescope

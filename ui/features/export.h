// Export: lists the commands that save a report, pictures, the table in front, and notes; asks
// where a file is to be saved, and saves it.
#pragma once

#include "ui/features/save_dialog.h"
#include "ui/frame/feature.h"

namespace lanescope {

class ExportFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool take(const Request& request, Frame& frame) override;
    void draw_over(Frame& frame) override;
    bool dialog_shown() const override { return dialog_.shown(); }
    void describe(const Frame& frame, nlohmann::json& state) const override;

  private:
    static void ask_for_report(Frame& frame);

    SaveDialog dialog_;
};

}  // namespace lanescope

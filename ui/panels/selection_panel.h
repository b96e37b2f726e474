// Selection: the facts on the selected slice, the idle gap that the user stepped to, or the
// findings of the trace.
#pragma once

#include "ui/panels/compiled_section.h"
#include "ui/panels/finding_cards.h"
#include "ui/panels/findings.h"
#include "ui/panels/model_section.h"
#include "ui/panels/panel.h"
#include "ui/panels/statistics.h"

namespace lanescope {

class SelectionPanel : public Panel {
  public:
    // The findings that the panel Findings shows, too.
    explicit SelectionPanel(TraceFindings& findings) : findings_(findings) {}

    std::string_view name() const override;
    // "Findings 4" while they are shown.
    std::string tab_text(const Frame& frame) const override;
    void follow(Frame& frame) override;
    void draw(Frame& frame) override;
    bool ready() const override {
        return siblings_.ready() && model_.ready() && compiled_.ready() && findings_.ready();
    }
    bool works_hidden() const override { return true; }
    void forget() override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

    SiblingsOfSelection& siblings() { return siblings_; }

  private:
    bool shows_findings(const Frame& frame) const;
    void draw_findings(Frame& frame);
    // Above the place of a finding: a link to the next one, and back to all findings.
    void draw_way_back(Frame& frame);

    TraceFindings& findings_;
    std::string tab_text_;  // of the last frame
    DrawnFindings drawn_;
    std::vector<std::string> told_;  // problems of the user's thresholds
    SiblingsOfSelection siblings_;
    ModelOfSelection model_;
    CompiledOfSelection compiled_;
};

}  // namespace lanescope

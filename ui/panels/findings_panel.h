// Findings: what costs time, the largest first, with the evidence of the one under the pointer.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "ui/panels/finding_cards.h"
#include "ui/panels/findings.h"
#include "ui/panels/panel.h"
#include "ui/panels/panel_column.h"
#include "ui/panels/threshold_editor.h"

namespace lanescope {

class FindingsPanel : public Panel {
  public:
    // Takes the same findings as the panel beside the timeline.
    explicit FindingsPanel(TraceFindings& findings) : findings_(findings) {}

    std::string_view name() const override;
    void draw(Frame& frame) override;
    bool ready() const override { return findings_.ready(); }
    void describe(const Frame& frame, nlohmann::json& state) const override;

  private:
    void draw_head(Frame& frame);
    void draw_list(Frame& frame);
    void draw_details(Frame& frame);
    void draw_all_thresholds(Frame& frame);
    void draw_rule_of_list(const FindingRule& rule, PanelColumn& column, Frame& frame);
    void take(const std::optional<ThresholdChange>& change, Frame& frame);
    // The finding whose evidence is shown: under the pointer, or else chosen, or else the first.
    std::optional<uint32_t> described() const;

    TraceFindings& findings_;
    ThresholdEditor editor_;
    DrawnFindings drawn_;
    std::optional<uint32_t> pointed_;                 // the last one under the pointer, …
    std::optional<uint32_t> chosen_then_;             // … and the one that was chosen then
    std::optional<ImVec2> all_link_;                  // the link to all thresholds, on the screen
    std::map<std::string_view, float> rule_heights_;  // in the list of all thresholds, by id
};

// The findings as JSON for tests; null until they are known.
nlohmann::json state_of(const TraceFindings& findings);
nlohmann::json state_of(const DrawnFindings& drawn);

}  // namespace lanescope

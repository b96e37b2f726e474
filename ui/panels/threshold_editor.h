// Fields in which the user changes thresholds of findings.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/insight/findings/rule.h"
#include "ui/look/theme.h"

namespace lanescope {

// A threshold to be written into the settings.
struct ThresholdChange {
    std::string key;    // "tiny-kernels.max_duration"
    std::string value;  // empty: the default again
};

class ThresholdEditor {
  public:
    // A line for each threshold of a rule, over the width of the window. What was entered.
    std::optional<ThresholdChange> draw_rule(const FindingRule& rule, const Thresholds& thresholds,
                                             const Look& look);
    // The middle of each field and of each reset, on the screen.
    const std::map<std::string, ImVec2>& places() const { return places_; }
    void begin_frame() { places_.clear(); }

  private:
    std::string edited_;  // the key of the field with the cursor; empty: none
    std::string typed_;
    std::map<std::string, ImVec2> places_;
};

// Writes a change into the settings' thresholds; the error names what does not fit.
Result<void> change_threshold(const ThresholdChange& change,
                              std::map<std::string, std::string>& written);

// Whether a threshold of the rule differs from its default.
bool has_changes(const FindingRule& rule, const Thresholds& thresholds);
// "2 thresholds differ from the defaults."; empty: none.
std::string changed_thresholds_text(const Thresholds& thresholds);

}  // namespace lanescope

// FirstTable: which table is in front. Hotspots is the first by default, but says little about some
// traces. Then, unless the user chose a table, a better one comes to the front, until a trace with
// hotspots is opened.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/trace/trace.h"
#include "ui/workspace/layout.h"

namespace lanescope {

// The title of the most useful panel for a trace: hotspots if anything ran on a GPU, or kernels if
// the operators have no shapes; else operators, samples, slices, or lanes, in that order.
std::string_view fitting_panel(const Trace& trace);

class FirstTable {
  public:
    // Another trace is shown, or none any more: whether due_panel() must be called.
    void set_due(bool due) { due_ = due; }
    bool is_due() const { return due_; }
    // The user chose a panel by name.
    void choose(std::string_view panel) { chosen_ = panel; }
    // The panel that must come to the front now, if any. `in_front`: those that are.
    std::optional<std::string_view> due_panel(const Trace& trace,
                                              std::span<const std::string> in_front);
    // Restores the layout as the user left it.
    void leave_out(PanelLayout& layout) const;

  private:
    bool due_ = false;
    std::string chosen_;
    std::string_view stand_in_;  // shown in place of the first; empty: none
};

}  // namespace lanescope

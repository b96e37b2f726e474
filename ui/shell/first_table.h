// FirstTable: which table stands in front. That of kernels, which comes first, is empty for a trace
// without GPU work: where nobody chose another one, a table that tells of such a trace comes to the
// front in its place, until one with GPU work is opened.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/trace/trace.h"
#include "ui/shell/layout.h"

namespace lanescope {

// The title of the panel that tells most of a trace: of kernels where anything ran on a GPU, else
// of operators, samples, or slices, in that order.
std::string_view fitting_panel(const Trace& trace);

class FirstTable {
  public:
    // Another trace is shown, or is not any more: whether due_panel() is to be asked.
    void set_due(bool due) { due_ = due; }
    bool is_due() const { return due_; }
    // Somebody asked for a panel by its name.
    void choose(std::string_view panel) { chosen_ = panel; }
    // The panel that is to come to the front now, if another is to. `in_front`: those that are.
    std::optional<std::string_view> due_panel(const Trace& trace,
                                              std::span<const std::string> in_front);
    // A layout as the user left it.
    void leave_out(PanelLayout& layout) const;

  private:
    bool due_ = false;
    std::string chosen_;
    std::string_view stand_in_;  // shown in place of the first; empty: none is
};

}  // namespace lanescope

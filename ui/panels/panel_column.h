// Building blocks of narrow panels of facts: sections, and rows of a label and a value.
#pragma once

#include <string>

#include "ui/look/theme.h"

namespace lanescope {

// The panel's column: everything is drawn between its edges.
struct PanelColumn {
    const Look& look;
    ImDrawList& list;
    float x0, x1;

    float width() const { return x1 - x0; }
};

// From the cursor to the right edge of the window.
PanelColumn panel_column(const Look& look);

// A heading with a line to the right edge.
void section(PanelColumn& c, const char* title);

// A value right of its label, or below the label if space is short; a menu copies the value.
// `color`: of the value; 0: the default.
void row(PanelColumn& c, const std::string& label, const std::string& value, ImU32 color = 0);

// Sentences over the full width: small in a column of facts.
void say(const PanelColumn& c, const std::string& text);
void say(const Look& look, const std::string& text);

// A menu of the last item that copies the text.
void copy_menu(const char* id, const std::string& text);

}  // namespace lanescope

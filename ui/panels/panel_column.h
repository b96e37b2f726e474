// The parts that a narrow panel of facts is drawn with: sections, and rows of a label and a value.
#pragma once

#include <string>

#include "ui/shell/theme.h"

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

// A value at the right of its label, or below it where there is no room; a menu copies it.
// `color`: of the value; 0: that of values.
void row(PanelColumn& c, const std::string& label, const std::string& value, ImU32 color = 0);

// Sentences over the whole width: small in a column of facts.
void say(const PanelColumn& c, const std::string& text);
void say(const Look& look, const std::string& text);

// Copies the text, from a menu of the last item.
void copy_menu(const char* id, const std::string& text);

}  // namespace lanescope

// Findings as cards in a column, and what a card shows under the pointer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/look/theme.h"
#include "ui/panels/findings.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

ImU32 severity_color(const Colors& colors, Severity severity);

// The rectangles of the cards on the screen, and the card whose evidence is shown.
struct DrawnFindings {
    std::vector<Box> boxes;  // as Findings::all
    std::optional<uint32_t> pointed;
};

// Cards over the width of the window; a click or Enter goes to a place. The evidence is shown in a
// window to the left of the card that the pointer is on, or that has the keyboard's focus.
void draw_finding_cards(TraceFindings& findings, const Look& look, Requests& requests,
                        DrawnFindings& drawn);
// Draws a short line with a bar for the share, for wide panels.
void draw_finding_rows(TraceFindings& findings, const Look& look, Requests& requests,
                       DrawnFindings& drawn);
// The evidence with its units, the advice and the page, over the width of the window.
void draw_evidence(const FindingText& text, const Look& look);
// Sentences with spaces between them.
void draw_sentences(const std::vector<std::string>& sentences, const Look& look, ImU32 color);

// "4.103 ms a step"; without steps "4.103 ms"; empty: it costs no time.
std::string cost_text(const FindingText& text);
// "part of overhead-bound · likely"; empty: it is certain, and part of none.
std::string remarks_text(const FindingText& text);
// "2 of 20: 247.6 µs at 1.849 ms: …" of the place that a click goes to or has gone to; empty: none.
std::string place_line(const TraceFindings& findings, uint32_t finding);
// The text that the card's menu copies.
std::string copied_text(const FindingText& text);

}  // namespace lanescope

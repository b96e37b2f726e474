// Texts and colours of the flame graph of two runs. A box's colour shows how its time changed; its
// text says whether the change is significant.
#pragma once

#include <string>
#include <vector>

#include "core/insight/compare/difference_flames.h"
#include "core/view/palette.h"

namespace lanescope {

// "aten::mm · +420 µs, slower".
std::string difference_label(const DifferenceFlames& flames, uint32_t node);

// Times on both sides, difference and verdict, one fact per line.
std::vector<std::string> difference_facts(const DifferenceFlames& flames, uint32_t node);

// A colour for each ratio of times, blue for less and red for more, in the bands of the colour mode
// "deviation"; grey if the difference is too small to matter.
ClassColor difference_color(const DifferenceFlames& flames, uint32_t node);

// The bands, from much less to much more, for legends.
struct DifferenceBand {
    ClassColor color;
    std::string_view text;  // "1.05 to 1.25"
};
std::vector<DifferenceBand> difference_bands();

// The scale's end for slower or new functions (more time) and for faster or gone ones; plain if the
// verdict says neither.
ClassColor verdict_color(Verdict verdict);

}  // namespace lanescope

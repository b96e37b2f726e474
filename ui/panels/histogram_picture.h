// Draws the histogram of a slice's siblings, with bars that can be clicked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/statistics/siblings.h"
#include "ui/look/theme.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

enum class HistogramAxis : uint8_t { ends, ticks };

struct HistogramBar {
    std::optional<std::size_t> bin;  // none: the bar of durations beyond the cut
    uint64_t count = 0;
    float x0 = 0, x1 = 0;  // pixels
};
// The non-empty bars from left to right, inside `plot`.
std::vector<HistogramBar> histogram_bars(const Siblings& siblings, const Box& plot, float scale);

struct HistogramClick {
    std::optional<SliceRef> slice;        // the instance selected by a click
    std::optional<HistogramBar> hovered;  // the bar under the pointer
};
// Draws into the box, which includes the axis. Clicks on one bar step through its instances,
// longest first.
HistogramClick draw_histogram(const Trace& trace, const Siblings& siblings, SliceRef selected,
                              const Box& box, HistogramAxis axis, const Look& look);
// The part of the box that contains the bars.
Box histogram_plot(const Box& box, const Look& look);

// "12 of 120 take 8.9 … 9.1 µs".
std::string bar_text(const Siblings& siblings, const HistogramBar& bar);
// "9.35 µs ± 780 ns".
std::string mean_text(const Distribution& durations);

}  // namespace lanescope

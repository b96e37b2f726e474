#include "core/view/viewport.h"

#include <algorithm>
#include <cmath>

namespace lanescope {

namespace {

// Moves the left edge by `nanos`, keeping the whole part exact.
Viewport shifted(Viewport view, double nanos) {
    const double moved = view.fraction + nanos;
    const double whole = std::floor(moved);
    view.start += static_cast<Nanos>(whole);
    view.fraction = moved - whole;
    return view;
}

}  // namespace

double Viewport::px_of(Nanos t) const {
    return (static_cast<double>(t - start) - fraction) * (width / span);
}

Nanos Viewport::time_at(double px) const {
    return start + static_cast<Nanos>(std::floor(fraction + px * span / width));
}

TimeRange Viewport::range() const {
    return {start, start + static_cast<Nanos>(std::ceil(fraction + span))};
}

Viewport zoomed(const Viewport& view, double factor, double anchor_px) {
    Viewport result = view;
    result.span = view.span * factor;
    return shifted(result, anchor_px / view.width * (view.span - result.span));
}

Viewport panned(const Viewport& view, double px) {
    return shifted(view, px * view.nanos_per_px());
}

Viewport framed(const Viewport& view, TimeRange range, double margin) {
    Viewport result = view;
    const double length = static_cast<double>(range.length());
    result.span = std::max(length / (1 - 2 * margin), kShortestSpan);
    result.start = range.begin;
    result.fraction = 0;
    return shifted(result, (length - result.span) / 2);
}

Viewport clamped(const Viewport& view, TimeRange content) {
    constexpr double margin = 0.05;
    const double length = static_cast<double>(content.length());
    const double longest = std::max(length / (1 - 2 * margin), kShortestSpan);
    Viewport result = view;
    const double span = std::clamp(view.span, kShortestSpan, longest);
    if (span != view.span) result = zoomed(view, span / view.span, view.width / 2);
    result.span = span;

    // How far the left edge may be from the content's begin.
    const double lowest = -margin * span;
    const double highest = length - span + margin * span;
    const double left = static_cast<double>(result.start - content.begin) + result.fraction;
    Viewport at_begin = result;
    at_begin.start = content.begin;
    at_begin.fraction = 0;
    if (lowest >= highest) return shifted(at_begin, (length - span) / 2);
    if (left < lowest) return shifted(at_begin, lowest);
    if (left > highest) return shifted(at_begin, highest);
    return result;
}

bool nearly_same(const Viewport& a, const Viewport& b) {
    const double px = std::min(a.nanos_per_px(), b.nanos_per_px()) / 4;
    const double left = static_cast<double>(a.start - b.start) + (a.fraction - b.fraction);
    return std::abs(left) < px && std::abs(left + a.span - b.span) < px;
}

}  // namespace lanescope

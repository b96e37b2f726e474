#include "core/pictures/roofline_picture.h"

#include <algorithm>
#include <cmath>

#include "core/base/format.h"

namespace lanescope {

namespace {

constexpr double kMaxRadius = 26;  // radius of a point with all of the time
constexpr double kMinRadius = 2.5;
constexpr double kRoom = 2;            // factor of space beyond the outermost point
constexpr double kRoomOfNames = 0.22;  // fraction of the remaining width, for names

void take_in(double& min, double& max, double value) {
    min = std::min(min, value);
    max = std::max(max, value);
}

}  // namespace

RooflineFrame fit_roofline(const RooflinePoints& points) {
    RooflineFrame frame{1e300, 0, 1e300, 0};
    for (const RooflinePoint& point : points.points) {
        take_in(frame.intensity_min, frame.intensity_max, point.intensity);
        take_in(frame.rate_min, frame.rate_max, point.flop_per_s);
    }
    for (const Roof& roof : points.roofs) {
        take_in(frame.rate_min, frame.rate_max, roof.flop_per_s);
        if (const double bytes = points.devices[roof.device].bytes_per_s; bytes > 0)
            take_in(frame.intensity_min, frame.intensity_max, roof.flop_per_s / bytes);
    }
    if (frame.intensity_max <= 0 || frame.rate_max <= 0) return {};
    frame.intensity_min /= kRoom * 2;
    // The roofs' names are at the right, where there are no points.
    frame.intensity_max *=
        std::max(kRoom * 4, std::pow(frame.intensity_max / frame.intensity_min, kRoomOfNames));
    frame.rate_min /= kRoom;
    frame.rate_max *= kRoom * 3;  // the highest roof has its name above it
    return frame;
}

double roofline_radius(Nanos time, Nanos of_all) {
    if (of_all <= 0) return kMinRadius;
    return std::max(kMinRadius, kMaxRadius * std::sqrt(static_cast<double>(time) /
                                                       static_cast<double>(of_all)));
}

Nanos time_of_points(const RooflinePoints& points) {
    Nanos sum = 0;
    for (const RooflinePoint& point : points.points) sum += point.time;
    return sum;
}

std::vector<RooflineCorner> roof_line(const RooflinePoints& points, const Roof& roof,
                                      const RooflineFrame& frame) {
    std::vector<RooflineCorner> line = {
        {frame.intensity_min, roof_at(points, roof, frame.intensity_min)}};
    const double bytes = points.devices[roof.device].bytes_per_s;
    const double ridge = bytes > 0 ? roof.flop_per_s / bytes : 0;
    if (ridge > frame.intensity_min && ridge < frame.intensity_max)
        line.push_back({ridge, roof.flop_per_s});
    line.push_back({frame.intensity_max, roof_at(points, roof, frame.intensity_max)});
    return line;
}

std::vector<double> label_tops(std::span<const double> lines, double top, double height) {
    constexpr double kGap = 2;
    std::vector<double> tops;
    for (const double line : lines) {
        double y = std::max(top, line - height - 1);
        // Moves past each line that the label would cross, once.
        for (const double crossed : lines)
            if (crossed > y - kGap && crossed < y + height) y = crossed + kGap;
        tops.push_back(y);
        top = y + height;
    }
    return tops;
}

EventClass class_of_bound(WorkBound bound) {
    switch (bound) {
        case WorkBound::latency:
            return EventClass::sync;
        case WorkBound::compute:
            return EventClass::kernel;
        case WorkBound::memory:
            return EventClass::memory;
        case WorkBound::unknown:
            break;
    }
    return EventClass::other;
}

std::string roof_label(const RooflinePoints& points, const Roof& roof) {
    std::string label(spec_name(roof.spec));
    std::ranges::replace(label, '_', ' ');
    label += " " + format_si(roof.flop_per_s, "FLOP/s") + (roof.uncertain ? "?" : "");
    if (points.devices.size() > 1 && !points.devices[roof.device].name.empty())
        label += " · " + points.devices[roof.device].name;
    return label;
}

std::string slope_label(const RooflineDevice& device) {
    return format_si(device.bytes_per_s, "B/s") + (device.uncertain ? "?" : "");
}

}  // namespace lanescope

#include "core/pictures/flame_difference.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "core/base/format.h"

namespace lanescope {

namespace {

constexpr double kTooSmall = 0.001;  // of a step of A

struct RatioBand {
    double below;
    std::string_view text;
};
constexpr std::array<RatioBand, kDeviations> kRatioBands = {
    {{0.5, "below 0.5"},
     {0.8, "0.5 to 0.8"},
     {0.95, "0.8 to 0.95"},
     {1.05, "0.95 to 1.05"},
     {1.25, "1.05 to 1.25"},
     {2.0, "1.25 to 2"},
     {std::numeric_limits<double>::infinity(), "2 and more"}}};

std::string signed_duration(double difference) {
    const auto ns = static_cast<Nanos>(std::llround(std::abs(difference)));
    return (difference < 0 ? "−" : "+") + format_duration(ns);
}

std::string both_times(double a, double b) {
    std::string text = fmt::format("{} → {}, {}", format_duration(a), format_duration(b),
                                   b == a ? "no difference" : signed_duration(b - a));
    if (a > 0 && b > 0 && a != b) text += fmt::format(", {:.3f} times", b / a);
    return text;
}

}  // namespace

std::string difference_label(const DifferenceFlames& flames, uint32_t node) {
    const DifferenceBox& box = flames.boxes[node];
    constexpr std::string_view kAutograd = "autograd::engine::evaluate_function: ";
    std::string label =
        box.name.starts_with(kAutograd) ? box.name.substr(kAutograd.size()) : box.name;
    if (std::abs(box.b - box.a) >= kTooSmall * flames.step && box.a != box.b)
        label += " · " + signed_duration(box.b - box.a);
    const bool alone = flames.tree.nodes[node].child_count == 0;
    if (alone && box.verdict != Verdict::none && box.verdict != Verdict::same)
        label += ", " + std::string(verdict_name(box.verdict));
    return label;
}

std::vector<std::string> difference_facts(const DifferenceFlames& flames, uint32_t node) {
    const DifferenceBox& box = flames.boxes[node];
    const bool alone = flames.tree.nodes[node].child_count == 0;
    std::vector<std::string> facts;
    facts.push_back((alone ? "A step: " : "A step, with what it calls: ") +
                    both_times(box.a, box.b));
    const bool has_own = box.self_a > 0 || box.self_b > 0;
    if (!alone && has_own) facts.push_back("Itself: " + both_times(box.self_a, box.self_b));
    if (has_own)
        facts.push_back(box.verdict == Verdict::none
                            ? "Not tested, as it takes too little time"
                            : fmt::format("Verdict on {}: {}", alone ? "it" : "itself",
                                          verdict_name(box.verdict)));
    return facts;
}

ClassColor difference_color(const DifferenceFlames& flames, uint32_t node) {
    const DifferenceBox& box = flames.boxes[node];
    std::size_t band = kDeviations / 2;
    if (std::abs(box.b - box.a) >= kTooSmall * flames.step && box.a != box.b) {
        const double ratio = box.a > 0 ? box.b / box.a : std::numeric_limits<double>::max();
        band = 0;
        while (ratio >= kRatioBands[band].below) ++band;
    }
    return {ColorScale::deviation, static_cast<uint8_t>(band)};
}

std::vector<DifferenceBand> difference_bands() {
    std::vector<DifferenceBand> bands;
    for (std::size_t i = 0; i < kRatioBands.size(); ++i)
        bands.push_back({{ColorScale::deviation, static_cast<uint8_t>(i)}, kRatioBands[i].text});
    return bands;
}

ClassColor verdict_color(Verdict verdict) {
    switch (verdict) {
        case Verdict::slower:
        case Verdict::added:
            return {ColorScale::deviation, kDeviations - 1};
        case Verdict::faster:
        case Verdict::gone:
            return {ColorScale::deviation, 0};
        default:
            return {};
    }
}

}  // namespace lanescope

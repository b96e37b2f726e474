#include "ui/timeline/lost_layer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/view/color.h"
#include "ui/look/quad_painter.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

namespace {

// Limits of lost time as a fraction of the devices' time: the larger, the redder.
constexpr std::array<float, kHeats - 1> kLostBands = {0.02f, 0.1f, 0.25f, 0.5f, 0.75f};

// Neighbours of equal colour form one quad.
void paint_lost(const std::vector<float>& columns, const Box& box, Theme theme, QuadBatch& batch) {
    const double per_px = static_cast<double>(columns.size()) / std::max(1.0f, box.width());
    const auto pixels = static_cast<int>(std::ceil(box.width()));
    int standing = 0;
    float from = box.x0;
    for (int pixel = 0; pixel <= pixels; ++pixel) {
        int band = 0;
        if (pixel < pixels) {
            const float lost = busiest(columns, pixel * per_px, (pixel + 1) * per_px);
            while (band < kHeats - 1 && lost >= kLostBands[static_cast<std::size_t>(band)]) ++band;
        }
        if (band == standing) continue;
        const float x = box.x0 + static_cast<float>(pixel);
        if (standing > 0) batch.quad(from, box.y0, x, box.y1, heat_fill(theme, standing).packed());
        standing = band;
        from = x;
    }
}

}  // namespace

// Columns of the overview that share a pixel are drawn with their maximum.
float busiest(const std::vector<float>& columns, double begin, double end) {
    const auto count = static_cast<double>(columns.size());
    const auto first = static_cast<std::size_t>(std::clamp(begin, 0.0, count - 1));
    const auto last =
        std::max(first + 1, static_cast<std::size_t>(std::clamp(std::ceil(end), 0.0, count)));
    return *std::max_element(columns.begin() + static_cast<std::ptrdiff_t>(first),
                             columns.begin() + static_cast<std::ptrdiff_t>(last));
}

void LostTimeLayer::paint_overview(const Timeline& timeline, const Look& look, QuadBatch& batch) {
    if (columns.empty()) return;
    const Box& box = timeline.areas.overview;
    paint_lost(columns,
               {timeline.areas.lanes.x0, box.y1 - look.px(1 + kLostHeight), box.x1, box.y1 - 1},
               look.theme, batch);
}

void LostTimeLayer::describe(const Timeline& /*timeline*/, nlohmann::json& state) const {
    using nlohmann::json;
    state["lost"] = columns.empty()
                        ? json()
                        : json(std::ranges::count_if(columns, [](float part) { return part > 0; }));
}

}  // namespace lanescope

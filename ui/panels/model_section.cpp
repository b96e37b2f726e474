#include "ui/panels/model_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/format.h"
#include "core/pictures/roofline_picture.h"

namespace lanescope {

namespace {

constexpr float kHeight = 96;  // height of the small roofline
constexpr float kDot = 4;
constexpr double kFar = 0.1;    // smaller fractions of the device's limit are highlighted
constexpr double kAround = 30;  // visible factor beyond the point and the ridge

std::string bound_text(const SliceModel& model, double waves) {
    std::string name(work_bound_name(model.bound));
    if (model.bound == WorkBound::unknown) return std::isnan(model.floor_ns) ? "no floor" : name;
    if (model.bound != WorkBound::latency) return name;
    if (!std::isnan(waves) && waves < 1)
        return fmt::format("{}: {} of a wave", name, format_number(waves, 2));
    return name + ": under 5 µs";
}

// "4.5 TFLOP/s of 989", with the ratio.
void rate_row(PanelColumn& c, double rate, double peak, std::string_view unit, bool uncertain) {
    if (peak <= 0) return row(c, format_si(rate, unit), std::string(kUnknown));
    const double part = rate / peak;
    const char* const mark = uncertain ? "?" : "";
    row(c, format_si(rate, unit) + " of " + format_si(peak, unit) + mark,
        format_percent(part) + mark, part < kFar ? c.look.colors.costs : 0);
}

void small_roofline(PanelColumn& c, const SliceModel& model) {
    if (!model.peak || model.memory_bytes_s <= 0 || model.intensity() <= 0 || model.time <= 0)
        return;
    const double intensity = model.intensity();
    const double rate = static_cast<double>(model.flop) / static_cast<double>(model.time) * 1e9;
    const double peak = model.peak->per_second;
    const double ridge = peak / model.memory_bytes_s;
    const double x_min = std::min(intensity, ridge) / kAround;
    const double x_max = std::max(intensity, ridge) * kAround;
    const double y_max = std::max(peak, rate) * 4;
    const double y_min = std::min(rate / 4, model.memory_bytes_s * x_min);
    ImGui::Dummy({0, c.look.px(4)});
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = c.look.px(kHeight);
    const auto x_of = [&](double v) {
        return c.x0 + c.width() * static_cast<float>(std::log(v / x_min) / std::log(x_max / x_min));
    };
    const auto y_of = [&](double v) {
        return at.y +
               height * (1 - static_cast<float>(std::log(v / y_min) / std::log(y_max / y_min)));
    };
    c.list.AddRectFilled({c.x0, at.y}, {c.x1, at.y + height}, c.look.colors.bg, c.look.px(3));
    c.list.PushClipRect({c.x0, at.y}, {c.x1, at.y + height}, true);
    const ImVec2 corner{x_of(ridge), y_of(peak)};
    c.list.AddLine({c.x0, y_of(model.memory_bytes_s * x_min)}, corner, c.look.colors.mid,
                   c.look.px(1.5f));
    c.list.AddLine(corner, {c.x1, corner.y}, c.look.colors.mid, c.look.px(1.5f));
    const ImVec2 dot{x_of(intensity), y_of(rate)};
    const float roof = y_of(std::min(peak, model.memory_bytes_s * intensity));
    c.list.AddLine(dot, {dot.x, roof}, with_alpha(c.look.colors.costs, 0.7f), c.look.px(1));
    c.list.AddCircleFilled(
        dot, c.look.px(kDot),
        c.look.colors.mark[static_cast<std::size_t>(class_of_bound(model.bound))]);
    std::string label(spec_name(model.peak->spec));
    std::ranges::replace(label, '_', ' ');
    if (model.peak->uncertain) label += "?";
    const float width = text_width(c.look, c.look.fonts.regular, type::kSecondary, label);
    draw_text(c.list, c.look, c.look.fonts.regular, type::kSecondary,
              {c.x1 - width - c.look.px(6), corner.y - c.look.px(16)}, c.look.colors.low, label);
    c.list.PopClipRect();
    ImGui::Dummy({c.width(), height});
}

void notes_on(PanelColumn& c, const SliceModel& model) {
    if (model.quality != Quality::exact)
        say(c, "Quality of the model: " + std::string(quality_name(model.quality)));
    if (!model.note.empty()) say(c, std::string(model.note));
    if (model.inherited)
        say(c, "From launches of the same kernel, grid and block that have an operator");
    if (model.below != BelowFloor::no)
        say(c, "Below its floor: " + std::string(below_floor_reason(model.below)));
    if (!model.in_sheet)
        say(c, "The device's peaks are unknown, so there is no floor. Add them to gpu_specs.json");
    if (model.uncertain || model.memory_uncertain || (model.peak && model.peak->uncertain))
        say(c, "?: no source confirmed this figure of the device");
    if (!model.remark.empty()) say(c, model.remark);
}

}  // namespace

void draw_model(PanelColumn& c, const SliceModel& model, double waves) {
    section(c, "MODEL");
    if (!model.has_work()) {
        say(c, "No model: " + std::string(model.why == NoModel::none
                                              ? std::string_view("its bytes are not recorded")
                                              : no_model_reason(model.why)));
        return;
    }
    const auto time = static_cast<double>(model.time);
    const auto flop = static_cast<double>(model.flop);
    const bool has_flop = model.flop > 0;
    row(c, (has_flop ? format_si(flop, "FLOP") + " · " : "") + format_bytes(model.bytes),
        has_flop && model.bytes > 0 ? format_number(model.intensity(), 3) + " FLOP a byte"
                                    : std::string(kUnknown));
    if (has_flop && time > 0)
        rate_row(c, flop / time * 1e9, model.peak ? model.peak->per_second : 0, "FLOP/s",
                 model.peak && model.peak->uncertain);
    if (time > 0)
        rate_row(c, static_cast<double>(model.bytes) / time * 1e9, model.memory_bytes_s, "B/s",
                 model.memory_uncertain);
    const char* const mark = model.uncertain ? "?" : "";
    if (!std::isnan(model.floor_ns))
        row(c, "Floor · lost",
            format_duration(model.floor_ns) + mark + " · " +
                format_duration(lost_ns(time, model.floor_ns)) + mark);
    row(c, "Bound by", bound_text(model, waves),
        model.bound == WorkBound::latency ? c.look.colors.waiting : 0);
    notes_on(c, model);
    small_roofline(c, model);
}

}  // namespace lanescope

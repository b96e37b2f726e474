#include "ui/panels/roofline_panel.h"

#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <ranges>
#include <utility>

#include "core/analysis/structure/time_range.h"
#include "core/base/format.h"
#include "core/export/pictures/roofline_svg.h"
#include "core/session/small_file.h"
#include "ui/commands/panel_names.h"
#include "ui/panels/panel_column.h"
#include "ui/panels/save_file.h"

namespace lanescope {

namespace {

constexpr float kClickSlop = 4;  // maximum movement of a click, in pixels
constexpr float kReach = 4;      // reach of the pointer around a point
constexpr int kNoButton = 4;     // a mouse button that hardly any mouse has
constexpr float kLineHeight = 15;
constexpr float kLowPlot = 160;
constexpr const char* kAxisName = "operations a byte";

int rate_label(double value, char* buffer, int size, void*) {
    return std::snprintf(buffer, static_cast<std::size_t>(size), "%s",
                         format_si(value, "FLOP/s").c_str());
}

int intensity_label(double value, char* buffer, int size, void*) {
    return std::snprintf(buffer, static_cast<std::size_t>(size), "%s",
                         format_number(value).c_str());
}

void apply_plot_style(const Look& look) {
    const auto color = [](ImU32 c) { return ImGui::ColorConvertU32ToFloat4(c); };
    ImPlotStyle& style = ImPlot::GetStyle();
    style.Colors[ImPlotCol_FrameBg] = {0, 0, 0, 0};
    style.Colors[ImPlotCol_PlotBg] = color(look.colors.bg);
    style.Colors[ImPlotCol_PlotBorder] = color(look.colors.line);
    style.Colors[ImPlotCol_AxisGrid] = color(look.colors.line);
    style.Colors[ImPlotCol_AxisTick] = color(look.colors.line2);
    style.Colors[ImPlotCol_AxisText] = color(look.colors.mid);
    style.Colors[ImPlotCol_AxisBg] = {0, 0, 0, 0};
    style.Colors[ImPlotCol_AxisBgHovered] = {0, 0, 0, 0};
    style.Colors[ImPlotCol_AxisBgActive] = {0, 0, 0, 0};
    style.Colors[ImPlotCol_Selection] = color(look.colors.accent);
    style.PlotPadding = {look.px(2), look.px(4)};
    style.MinorAlpha = 0.4f;
}

// Says what the panel would show, and how to get it.
std::string why_empty(const PanelInputs& inputs) {
    const Trace& trace = inputs.context->trace();
    if (inputs.range) return "No modelled work begins in the marked range. Esc clears the range.";
    if (trace.gpu_activities.slice.empty())
        return "The trace has no GPU activity, so there is no peak to compare with: with PyTorch's "
               "profiler, record it with ProfilerActivity.CUDA.";
    return "No operator has a model: with PyTorch's profiler, record shapes with "
           "record_shapes=True. The panel Models, by coverage, shows the reasons.";
}

}  // namespace

RooflinePanel::RooflinePanel() = default;

RooflinePanel::~RooflinePanel() {
    if (plot_) ImPlot::DestroyContext(plot_);
}

void RooflinePanel::forget() {
    making_.drop();
    wanted_ = {};
    made_ = {};
    points_.reset();
    dots_.clear();
}

void RooflinePanel::make(const PanelInputs& inputs) {
    wanted_ = {inputs.context, inputs.range, of_, inputs.snapshot()};
    if (making_.busy() || (made_ == wanted_ && points_)) return;
    making_.ask(
        *inputs.jobs,
        [wanted = wanted_] {
            return std::make_shared<const RooflinePoints>(roofline_points(
                *wanted.context, marked_query(*wanted.context, wanted.range), wanted.kind));
        },
        [this, wanted = wanted_](std::shared_ptr<const RooflinePoints> points) {
            // A new snapshot that replaces the last one keeps the view.
            fit_ = !points_ || !wanted.snapshot || made_.kind != wanted.kind;
            made_ = wanted;
            points_ = std::move(points);
        },
        JobQueue::analysis);
}

bool RooflinePanel::button(const char* label, bool chosen, const Look& look) {
    ImGui::PushStyleColor(ImGuiCol_Text, chosen ? look.colors.hi : look.colors.mid);
    if (chosen) ImGui::PushStyleColor(ImGuiCol_Button, with_alpha(look.colors.accent, 0.2f));
    const bool pressed = ImGui::Button(label);
    ImGui::PopStyleColor(chosen ? 2 : 1);
    const ImVec2 min = ImGui::GetItemRectMin();
    const ImVec2 max = ImGui::GetItemRectMax();
    buttons_.push_back({label, {(min.x + max.x) / 2, (min.y + max.y) / 2}});
    return pressed;
}

void RooflinePanel::save_svg(const PanelInputs& inputs, const Look& look, Requests& requests) {
    RooflineSvgOptions options;
    options.theme = look.theme;
    options.title = of_ == RooflineOf::operators ? "Roofline of operators" : "Roofline of kernels";
    const std::string path(inputs.context->trace().path);
    if (!path.empty()) options.title += ", " + std::filesystem::path(path).filename().string();
    requests.add(SaveRequest{"Picture", free_path("roofline", "svg"),
                             [context = inputs.context, points = points_, frame = frame_,
                              options](const std::string& file) {
                                 return write_small_file(
                                     file, roofline_svg(context->trace(), *points, frame, options));
                             }});
}

void RooflinePanel::draw_tools(const PanelInputs& inputs, const Look& look, Requests& requests) {
    buttons_.clear();
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(8), look.px(3)});
    ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.low);
    ImGui::TextUnformatted("by");
    ImGui::PopStyleColor();
    ImGui::SameLine(0, look.px(6));
    if (button("operator", of_ == RooflineOf::operators, look)) of_ = RooflineOf::operators;
    ImGui::SameLine(0, look.px(3));
    if (button("kernel", of_ == RooflineOf::kernels, look)) of_ = RooflineOf::kernels;
    ImGui::SameLine();
    ImGui::BeginDisabled(!points_ || points_->points.empty());
    if (button("Save PNG", false, look))
        requests.add(SaveRequest{"Picture", free_path("roofline", "png"), nullptr,
                                 PartPicture{static_cast<int>(plot_min_.x),
                                             static_cast<int>(plot_min_.y),
                                             static_cast<int>(plot_max_.x - plot_min_.x),
                                             static_cast<int>(plot_max_.y - plot_min_.y),
                                             {}}});
    ImGui::SameLine();
    if (button("Save SVG", false, look)) save_svg(inputs, look, requests);
    ImGui::SameLine();
    if (button("Fit", false, look)) fit_ = true;
    ImGui::SetItemTooltip("Show everything; so does a double click");
    ImGui::EndDisabled();
    ImGui::SameLine();
    std::string status = "Computing …";
    if (ready()) {
        const double part = points_->all_time > 0 ? static_cast<double>(time_of_points(*points_)) /
                                                        static_cast<double>(points_->all_time)
                                                  : 0;
        status = fmt::format(
            "{} {}, {} of the kernels' time", format_count(std::ssize(points_->points)),
            of_ == RooflineOf::operators ? "operators" : "kernels", format_percent(part));
    }
    ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
    ImGui::TextUnformatted(status.c_str());
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (const WorkBound bound :
         {WorkBound::compute, WorkBound::memory, WorkBound::latency, WorkBound::unknown}) {
        ImGui::SameLine(0, look.px(18));
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float y = std::round(at.y + ImGui::GetFrameHeight() / 2);
        list.AddCircleFilled({at.x + look.px(4), y}, look.px(4),
                             look.colors.mark[static_cast<std::size_t>(class_of_bound(bound))]);
        ImGui::Dummy({look.px(8), 1});
        ImGui::SameLine(0, look.px(5));
        ImGui::TextUnformatted(work_bound_name(bound).data());
    }
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    ImGui::PopFont();
}

void RooflinePanel::draw_roofs(const Look& look) {
    ImDrawList& list = *ImPlot::GetPlotDrawList();
    for (const Roof& roof : points_->roofs) {
        const auto corners = roof_line(*points_, roof, frame_);
        for (std::size_t i = 1; i < corners.size(); ++i)
            list.AddLine(ImPlot::PlotToPixels(corners[i - 1].intensity, corners[i - 1].rate),
                         ImPlot::PlotToPixels(corners[i].intensity, corners[i].rate),
                         look.colors.mid, look.px(1.5f));
    }
}

// Drawn above the points, for the case that a zoom brings labels and points together.
void RooflinePanel::draw_labels(const Look& look) {
    ImDrawList& list = *ImPlot::GetPlotDrawList();
    const ImVec2 min = ImPlot::GetPlotPos();
    const ImVec2 max{min.x + ImPlot::GetPlotSize().x, min.y + ImPlot::GetPlotSize().y};
    const auto label = [&](ImVec2 at, const std::string& text) {
        draw_text(list, look, look.fonts.regular, type::kSecondary, at, look.colors.mid, text);
    };
    std::vector<double> lines;
    roofs_.clear();
    for (const Roof& roof : points_->roofs) {
        const RooflineCorner end = roof_line(*points_, roof, frame_).back();
        lines.push_back(ImPlot::PlotToPixels(end.intensity, end.rate).y);
        roofs_.push_back(roof_label(*points_, roof));
    }
    const std::vector<double> tops = label_tops(lines, min.y, look.px(kLineHeight));
    for (std::size_t i = 0; i < roofs_.size(); ++i) {
        const float width = text_width(look, look.fonts.regular, type::kSecondary, roofs_[i]);
        label({max.x - width - look.px(6), static_cast<float>(tops[i])}, roofs_[i]);
    }
    for (const RooflineDevice& device : points_->devices) {
        if (device.bytes_per_s <= 0) continue;
        const ImVec2 at =
            ImPlot::PlotToPixels(frame_.intensity_min, device.bytes_per_s * frame_.intensity_min);
        label({min.x + look.px(6), std::max(at.y - look.px(kLineHeight + 14), min.y)},
              slope_label(device));
    }
}

void RooflinePanel::draw_points(const PanelInputs& inputs, const Look& look, Requests& requests) {
    ImDrawList& list = *ImPlot::GetPlotDrawList();
    const Trace& trace = made_.context->trace();
    const SliceRef selected_slice = made_.context == inputs.context ? inputs.selected : SliceRef{};
    const Nanos all = time_of_points(*points_);
    const ImVec2 mouse = ImGui::GetMousePos();
    const bool hovered = ImPlot::IsPlotHovered();
    const RooflinePoint* pointed = nullptr;
    dots_.clear();
    // Shorter points are drawn later, and are hit first.
    for (const RooflinePoint& point : points_->points) {
        const ImVec2 at = ImPlot::PlotToPixels(point.intensity, point.flop_per_s);
        const float radius = static_cast<float>(roofline_radius(point.time, all)) * look.scale;
        const ImU32 color = look.colors.mark[static_cast<std::size_t>(class_of_bound(point.bound))];
        list.AddCircleFilled(at, radius, with_alpha(color, 0.45f));
        list.AddCircle(at, radius, color);
        const bool selected = selected_slice && (point.longest == selected_slice ||
                                                 trace.name_id(selected_slice) == point.name);
        if (selected) list.AddCircle(at, radius + look.px(2), look.colors.hi, 0, look.px(2));
        dots_.push_back({std::string(trace.strings[point.name]), at, radius});
        const ImVec2 from(mouse.x - at.x, mouse.y - at.y);
        // std::hypot would need a newer C library than everything else.
        const float away = std::sqrt(from.x * from.x + from.y * from.y);
        if (hovered && away <= std::max(radius, look.px(kReach))) pointed = &point;
    }
    hovered_.clear();
    if (!pointed) return;
    const Dot& dot = dots_[static_cast<std::size_t>(pointed - points_->points.data())];
    list.AddCircle(dot.middle, dot.radius + look.px(1), look.colors.accent, 0, look.px(2));
    hovered_ = roofline_point_text(trace, *points_, *pointed);
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ImGui::SetNextWindowSize({look.px(420), 0});
    if (ImGui::BeginTooltip()) {
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(hovered_.c_str());
        ImGui::PushStyleColor(ImGuiCol_Text, look.colors.low);
        ImGui::TextUnformatted("Click: the longest of them on the timeline");
        ImGui::PopStyleColor();
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
    }
    const float slop = look.px(kClickSlop);
    if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
        ImGui::GetIO().MouseDragMaxDistanceSqr[0] < slop * slop) {
        requests.add(ZoomToSlice{pointed->longest, made_.snapshot});
    }
}

void RooflinePanel::draw_plot(const PanelInputs& inputs, const Look& look, Requests& requests) {
    const ImPlotFlags flags = ImPlotFlags_NoTitle | ImPlotFlags_NoLegend | ImPlotFlags_NoMenus |
                              ImPlotFlags_NoMouseText | ImPlotFlags_NoFrame;
    const ImPlotAxisFlags axis = ImPlotAxisFlags_NoMenus | ImPlotAxisFlags_NoSideSwitch |
                                 ImPlotAxisFlags_NoHighlight | ImPlotAxisFlags_NoInitialFit;
    const ImVec2 room = ImGui::GetContentRegionAvail();
    ImGui::PushFont(look.fonts.regular, type::kSecondary);
    if (ImPlot::BeginPlot("##roofline", {room.x, std::max(room.y, look.px(96))}, flags)) {
        // A low plot needs the space of a line: its axis is labelled in a corner.
        const bool low = room.y < look.px(kLowPlot);
        ImPlot::SetupAxis(ImAxis_X1, low ? nullptr : kAxisName, axis);
        ImPlot::SetupAxis(ImAxis_Y1, nullptr, axis);
        ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
        ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
        ImPlot::SetupAxisFormat(ImAxis_X1, intensity_label);
        ImPlot::SetupAxisFormat(ImAxis_Y1, rate_label);
        if (fit_) frame_ = fit_roofline(*points_);
        const ImPlotCond when = std::exchange(fit_, false) ? ImPlotCond_Always : ImPlotCond_Once;
        ImPlot::SetupAxisLimits(ImAxis_X1, frame_.intensity_min, frame_.intensity_max, when);
        ImPlot::SetupAxisLimits(ImAxis_Y1, frame_.rate_min, frame_.rate_max, when);
        ImPlot::SetupFinish();
        const ImPlotRect shown = ImPlot::GetPlotLimits();
        frame_ = {shown.X.Min, shown.X.Max, shown.Y.Min, shown.Y.Max};
        ImPlot::PushPlotClipRect();
        if (low) {
            const ImVec2 at = ImPlot::GetPlotPos();
            const ImVec2 size = ImPlot::GetPlotSize();
            const float width = text_width(look, look.fonts.regular, type::kSecondary, kAxisName);
            draw_text(
                *ImPlot::GetPlotDrawList(), look, look.fonts.regular, type::kSecondary,
                {at.x + size.x - width - look.px(6), at.y + size.y - look.px(kLineHeight + 2)},
                look.colors.low, kAxisName);
        }
        draw_roofs(look);
        draw_points(inputs, look, requests);
        draw_labels(look);
        ImPlot::PopPlotClipRect();
        if (ImPlot::IsPlotHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) &&
            hovered_.empty())
            fit_ = true;
        ImPlot::EndPlot();
        plot_min_ = ImGui::GetItemRectMin();
        plot_max_ = ImGui::GetItemRectMax();
    }
    ImGui::PopFont();
}

void RooflinePanel::draw_contents(const PanelInputs& inputs, const Look& look, Requests& requests) {
    dots_.clear();
    roofs_.clear();
    hovered_.clear();
    if (!inputs.context) return say(look, why_nothing_to_show(inputs));
    make(inputs);
    if (made_.context != wanted_.context && !inputs.live) points_.reset();
    draw_tools(inputs, look, requests);
    if (!points_) return;
    if (points_->points.empty()) {
        if (ready()) say(look, why_empty(inputs));
        return;
    }
    if (!std::ranges::any_of(points_->devices, &RooflineDevice::in_sheet))
        say(look,
            "The device's peaks are unknown, so there is no roof: add them to gpu_specs.json in "
            "the configuration folder.");
    if (!plot_) {
        plot_ = ImPlot::CreateContext();
        ImPlot::SetCurrentContext(plot_);
        // Disables ImPlot's fit by a click: it would not include the points, which are drawn
        // without ImPlot.
        ImPlot::GetInputMap().Fit = kNoButton;
    }
    ImPlot::SetCurrentContext(plot_);
    apply_plot_style(look);
    draw_plot(inputs, look, requests);
}

std::string_view RooflinePanel::name() const {
    return kRooflinePanel;
}

void RooflinePanel::draw(Frame& frame) {
    draw_contents(panel_inputs(frame), frame.look, frame.requests);
}

}  // namespace lanescope

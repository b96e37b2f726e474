// The colour mode, and the classes that the legend's filter shows.
#include <algorithm>
#include <array>
#include <utility>

#include "core/analysis/work/model_warnings.h"
#include "core/base/format.h"
#include "core/view/lost_time.h"
#include "core/view/why_no_color.h"
#include "ui/app/app.h"

namespace lanescope {

namespace {

constexpr float kFieldWidth = 168;
constexpr uint32_t kLostColumns = 4096;
constexpr float kLeastWindow = 1000;  // narrower windows have no space for the field

}  // namespace

void App::set_color_mode(ColorMode mode) {
    color_mode_ = mode;
    color_chosen_ = true;
    colored_unseen_ = true;
    pacing_.wake();
}

// Modes need the complete trace.
bool App::colors_ready() const {
    if (!context_ || !timeline_.index) return true;
    const SliceClasses& classes = *timeline_.index->classes;
    return classes.mode == color_mode_ && classes.counted;
}

// A mode for GPU work would leave a view of host lanes grey.
void App::follow_colored_lanes() {
    if (!colored_unseen_ || !context_ || !timeline_.index || !colors_ready() ||
        timeline_.areas.lanes.height() <= 0)
        return;
    colored_unseen_ = false;
    constexpr std::array kOfGpuWork = {ColorMode::occupancy, ColorMode::hotspot, ColorMode::bound};
    const bool of_gpu = std::ranges::find(kOfGpuWork, color_mode_) != kOfGpuWork.end();
    if (of_gpu && !timeline_.selected) reveal_gpu_work(timeline_);
}

void App::follow_colors() {
    follow_colored_lanes();
    if (indexing_ || colors_ready() || timeline_.index->trace != traces_.of) return;
    indexing_ = true;
    const std::optional<ColorMode> chosen =
        color_chosen_ ? std::optional(color_mode_) : std::nullopt;
    worker_.post([this, contexts = traces_.contexts, index = timeline_.index, chosen] {
        const ColorMode mode = chosen ? *chosen : fitting_color_mode(*index->trace);
        ViewIndexPtr colored = with_classes(*index, classify_joined(index->trace, contexts, mode));
        return [this, index, mode, colored = std::move(colored)] {
            indexing_ = false;
            pacing_.wake();
            if (timeline_.index != index) return;
            if (!color_chosen_) color_mode_ = mode;
            show_index(timeline_, colored);
            if (const std::string_view why = why_no_color(*colored->classes); !why.empty())
                notify("Colours by " + std::string(color_mode_word(mode)) + ". " + std::string(why),
                       now_);
        };
    });
}

void App::follow_classes() {
    const ClassFilter& filter = timeline_.classes;
    if (lighting_ || !timeline_.index || !filter.on() || filter.ready(timeline_.index)) return;
    lighting_ = true;
    worker_.post([this, index = timeline_.index, chosen = filter.chosen] {
        return [this, index, chosen, lit = find_classes(*index, chosen)] {
            lighting_ = false;
            pacing_.wake();
            if (timeline_.index != index) return;
            timeline_.classes.lit = lit;
            timeline_.classes.lit_of = chosen;
            timeline_.classes.index = index;
        };
    });
}

// After the visible panels are complete: the models take a while for a large trace.
void App::follow_lost_time() {
    if (!context_ || !timeline_.index || timeline_.index->trace != traces_.of) return;
    if (lost_of_ == traces_.of) return;
    lost_of_ = traces_.of;
    timeline_.lost.clear();
    model_warnings_.clear();
    analysis_worker_.post([this, contexts = traces_.contexts, trace = traces_.of] {
        std::vector<float> lost = lost_time(contexts, trace->content, kLostColumns);
        std::vector<Warning> warnings;
        for (const auto& context : contexts)
            for (Warning& warning : model_warnings(*context))
                warnings.push_back(std::move(warning));
        return [this, trace, lost = std::move(lost), warnings = std::move(warnings)]() mutable {
            if (lost_of_ != trace) return;
            timeline_.lost = std::move(lost);
            model_warnings_ = std::move(warnings);
            pacing_.wake();
        };
    });
}

bool App::act_on_colors(Action action) {
    const auto modes = color_modes();
    switch (action) {
        case Action::next_color: {
            const auto at = std::ranges::find(modes, color_mode_, &ColorModeName::mode);
            const auto place = static_cast<std::size_t>(at - modes.begin()) + 1;
            const ColorModeName& next = modes[place % modes.size()];
            set_color_mode(next.mode);
            notify("Colours by " + std::string(next.word) + ": " + std::string(next.about) + ".",
                   now_);
            return true;
        }
        case Action::choose_class:
            open_classes();
            return true;
        case Action::hide_classes:
            timeline_.classes.hides = !timeline_.classes.hides;
            return true;
        case Action::all_classes:
            timeline_.classes.chosen.reset();
            return true;
        default:
            return false;
    }
}

// Enter adds a class to those shown, or removes it.
void App::open_classes() {
    if (!timeline_.index) {
        notify("There are no colours until a trace is open.", now_);
        return;
    }
    std::vector<PaletteLine> lines;
    choices_.clear();
    const SliceClasses& classes = *timeline_.index->classes;
    for (std::size_t slot = 0; slot < classes.classes.size(); ++slot) {
        const SliceClass& one = classes.classes[slot];
        if (classes.counted && one.count == 0) continue;
        lines.push_back({one.name, timeline_.classes.chosen[slot] ? "shown" : "",
                         classes.counted ? format_count(static_cast<int64_t>(one.count)) : ""});
        choices_.emplace_back(ClassChoice{static_cast<Slot>(slot)});
    }
    palette_.open("Show in addition to what is shown", std::move(lines));
}

void App::draw_colors_menu() {
    if (!ImGui::BeginMenu("Colours by")) return;
    for (const ColorModeName& mode : color_modes()) {
        if (ImGui::MenuItem(mode.word.data(), nullptr, color_mode_ == mode.mode))
            set_color_mode(mode.mode);
        ImGui::SetItemTooltip("%s", mode.about.data());
    }
    ImGui::EndMenu();
}

// Draws the field in the top bar, left of `right`; returns its left edge.
float App::draw_color_field(float right) {
    color_place_ = {};
    if (!timeline_.index || ImGui::GetWindowWidth() < look_.px(kLeastWindow)) return right;
    const float width = look_.px(kFieldWidth);
    const float height = look_.px(26);
    const float y = look_.px(7);
    const std::string text = "Colour: " + std::string(color_mode_word(color_mode_));
    ImGui::SetCursorPos({right - width, y});
    ImGui::SetNextItemWidth(width);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                        {look_.px(10), (height - ImGui::GetFontSize()) / 2});
    ImGui::PushStyleColor(ImGuiCol_FrameBg, look_.colors.raised);
    const bool open = ImGui::BeginCombo("##color", text.c_str(), ImGuiComboFlags_HeightLargest);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    color_place_ = {right - width / 2, y + height / 2};
    if (!open) {
        ImGui::SetItemTooltip("What slices are coloured by  %s",
                              keys_of(keys_, Action::next_color).c_str());
        return right - width;
    }
    for (const ColorModeName& mode : color_modes()) {
        const bool now = color_mode_ == mode.mode;
        if (ImGui::Selectable(mode.word.data(), now)) set_color_mode(mode.mode);
        ImGui::SetItemTooltip("%s", mode.about.data());
        if (now) ImGui::SetItemDefaultFocus();
    }
    ImGui::EndCombo();
    return right - width;
}

}  // namespace lanescope

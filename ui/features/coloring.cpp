#include "ui/features/coloring.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/analysis/work/model_warnings.h"
#include "core/base/format.h"
#include "core/coloring/color_modes.h"
#include "core/coloring/why_no_color.h"
#include "core/overlays/lost_time.h"
#include "ui/panels/warnings_panel.h"
#include "ui/timeline/class_layer.h"
#include "ui/timeline/lost_layer.h"

namespace lanescope {

namespace {

constexpr float kFieldWidth = 168;
constexpr uint32_t kLostColumns = 4096;
constexpr float kMinWindowWidth = 1000;  // narrower windows have no space for the field

struct Colored {
    ColorMode mode = ColorMode::category;
    ViewIndexPtr index;
};

struct LostTime {
    bool asked = false;
};

struct FoundLost {
    std::vector<float> lost;
    std::vector<Warning> warnings;
};

}  // namespace

std::span<const Action> ColoringFeature::actions() const {
    static constexpr Action kActions[] = {Action::next_color, Action::choose_class,
                                          Action::hide_classes, Action::all_classes,
                                          Action::legend};
    return kActions;
}

void ColoringFeature::act(Action action, Frame& frame) {
    switch (action) {
        case Action::next_color:
            next_mode(frame);
            break;
        case Action::choose_class:
            offer_classes(frame);
            break;
        case Action::hide_classes:
            frame.timeline.layer<ClassLayer>().filter.hides ^= true;
            break;
        case Action::legend:
            frame.legend_shown = !frame.legend_shown;
            break;
        default:
            frame.timeline.layer<ClassLayer>().filter.chosen.reset();
            break;
    }
}

bool ColoringFeature::is_on(Action action, const Frame& frame) const {
    if (action == Action::legend) return frame.legend_shown;
    return action == Action::hide_classes && frame.timeline.layer<ClassLayer>().filter.hides;
}

bool ColoringFeature::dismiss(Layer layer, Frame& frame) {
    if (layer == Layer::sheet) return std::exchange(frame.legend_shown, false);
    if (layer != Layer::classes || !frame.timeline.layer<ClassLayer>().filter.on()) return false;
    frame.timeline.layer<ClassLayer>().filter.chosen.reset();
    return true;
}

void ColoringFeature::opened(OpenTrace& trace, Frame& /*frame*/) {
    if (trace.fresh && !chosen_) mode_ = ColorMode::category;
}

void ColoringFeature::set_mode(ColorMode mode, Frame& frame) {
    mode_ = mode;
    chosen_ = true;
    unseen_ = true;
    frame.pacing.wake();
}

void ColoringFeature::next_mode(Frame& frame) {
    const auto modes = color_modes();
    const auto at = std::ranges::find(modes, mode_, &ColorModeName::mode);
    const auto place = static_cast<std::size_t>(at - modes.begin()) + 1;
    const ColorModeName& next = modes[place % modes.size()];
    set_mode(next.mode, frame);
    frame.notify("Colours by " + std::string(next.word) + ": " + std::string(next.about) + ".");
}

// Modes need the complete trace.
bool ColoringFeature::ready(const Frame& frame) const {
    if (!frame.loaded() || !frame.timeline.index) return true;
    const SliceClasses& classes = *frame.timeline.index->classes;
    return classes.mode == mode_ && classes.counted;
}

bool ColoringFeature::settled(const Frame& frame) const {
    return ready(frame) && (!unseen_ || frame.timeline.areas.lanes.height() <= 0);
}

void ColoringFeature::follow(Frame& frame) {
    show_colored_lanes(frame);
    color(frame);
    find_chosen(frame);
    LoadedTrace* const loaded = frame.loaded();
    if (loaded && frame.timeline.index && frame.timeline.index->trace == loaded->whole &&
        !std::exchange(loaded->state.get<LostTime>().asked, true))
        find_lost_time(*loaded, frame);
}

// A mode for GPU work would leave a view of host lanes grey.
void ColoringFeature::show_colored_lanes(Frame& frame) {
    if (!unseen_ || !frame.loaded() || !frame.timeline.index || !ready(frame) ||
        (frame.timeline.areas.lanes.height() <= 0 && frame.timeline.pinned.lanes.height() <= 0))
        return;
    unseen_ = false;
    constexpr std::array kOfGpuWork = {ColorMode::occupancy, ColorMode::hotspot, ColorMode::bound,
                                       ColorMode::family};
    const bool of_gpu = std::ranges::find(kOfGpuWork, mode_) != kOfGpuWork.end();
    if (of_gpu && !frame.timeline.selected) reveal_gpu_work(frame.timeline);
}

void ColoringFeature::color(Frame& frame) {
    const LoadedTrace* const loaded = frame.loaded();
    if (ready(frame) || frame.timeline.index->trace != loaded->whole) return;
    const JobKey key = frame.trace->key("index");
    if (frame.jobs.busy(key)) return;
    const std::optional<ColorMode> chosen = chosen_ ? std::optional(mode_) : std::nullopt;
    frame.jobs.ask(
        key,
        [contexts = loaded->contexts, index = frame.timeline.index, chosen] {
            const ColorMode mode = chosen ? *chosen : fitting_color_mode(*index->trace);
            return Colored{mode,
                           with_classes(*index, classify_joined(index->trace, contexts, mode))};
        },
        [this, &frame, index = frame.timeline.index](const Colored& colored) {
            frame.pacing.wake();
            if (frame.timeline.index != index) return;
            if (!chosen_) mode_ = colored.mode;
            show_index(frame.timeline, colored.index);
            if (const std::string_view why = why_no_color(*colored.index->classes); !why.empty())
                frame.notify("Colours by " + std::string(color_mode_word(colored.mode)) + ". " +
                             std::string(why));
        });
}

// The slices of the chosen classes.
void ColoringFeature::find_chosen(Frame& frame) {
    const ClassFilter& filter = frame.timeline.layer<ClassLayer>().filter;
    const ViewIndexPtr index = frame.timeline.index;
    if (!frame.trace || !index || !filter.on() || filter.ready(index)) return;
    const JobKey key = frame.trace->key("classes");
    if (frame.jobs.busy(key)) return;
    frame.jobs.ask(
        key, [index, chosen = filter.chosen] { return find_classes(*index, chosen); },
        [&frame, index, chosen = filter.chosen](auto lit) {
            frame.pacing.wake();
            if (frame.timeline.index != index) return;
            ClassFilter& classes = frame.timeline.layer<ClassLayer>().filter;
            classes.lit = std::move(lit);
            classes.lit_of = chosen;
            classes.index = index;
        });
}

// After the visible panels are complete: the models take a while for a large trace.
void ColoringFeature::find_lost_time(LoadedTrace& loaded, Frame& frame) {
    frame.timeline.layer<LostTimeLayer>().columns.clear();
    frame.jobs.ask(
        loaded.key("lost time"),
        [contexts = loaded.contexts, content = frame.timeline.index->bulk] {
            FoundLost found{lost_time(contexts, content, kLostColumns), {}};
            for (const auto& context : contexts)
                for (Warning& warning : model_warnings(*context))
                    found.warnings.push_back(std::move(warning));
            return found;
        },
        [&frame](FoundLost found) {
            frame.timeline.layer<LostTimeLayer>().columns = std::move(found.lost);
            frame.loaded()->state.get<ModelWarnings>().list = std::move(found.warnings);
            frame.pacing.wake();
        },
        JobQueue::analysis);
}

// Enter adds a class to those shown, or removes it.
void ColoringFeature::offer_classes(Frame& frame) {
    if (!frame.timeline.index) {
        frame.notify("There are no colours until a trace is open.");
        return;
    }
    std::vector<Choice> choices;
    const SliceClasses& classes = *frame.timeline.index->classes;
    for (std::size_t slot = 0; slot < classes.classes.size(); ++slot) {
        const SliceClass& one = classes.classes[slot];
        if (classes.counted && one.count == 0) continue;
        choices.push_back(
            {{one.name, frame.timeline.layer<ClassLayer>().filter.chosen[slot] ? "shown" : "",
              classes.counted ? format_count(static_cast<int64_t>(one.count)) : ""},
             [&frame, slot] {
                 choose_class(frame.timeline.layer<ClassLayer>().filter.chosen,
                              static_cast<Slot>(slot), true);
             }});
    }
    frame.chooser.open("Show in addition to what is shown", std::move(choices));
}

void ColoringFeature::offer(std::vector<Choice>& choices, Frame& frame) {
    for (const ColorModeName& mode : color_modes())
        choices.push_back({{"Colours by " + std::string(mode.word), std::string(mode.about), ""},
                           [this, &frame, mode = mode.mode] { set_mode(mode, frame); }});
}

void ColoringFeature::draw_over(Frame& frame) {
    legend_.draw(frame.timeline, frame.look, frame.legend_shown);
}

void ColoringFeature::draw_menu(std::string_view group, Frame& frame) {
    if (!group.empty() || !ImGui::BeginMenu("Colours by")) return;
    for (const ColorModeName& mode : color_modes()) {
        if (ImGui::MenuItem(mode.word.data(), nullptr, mode_ == mode.mode))
            set_mode(mode.mode, frame);
        ImGui::SetItemTooltip("%s", mode.about.data());
    }
    ImGui::EndMenu();
}

float ColoringFeature::draw_field(float right, Frame& frame) {
    field_ = {};
    const Look& look = frame.look;
    if (!frame.timeline.index || ImGui::GetWindowWidth() < look.px(kMinWindowWidth)) return right;
    const float width = look.px(kFieldWidth);
    const float height = look.px(26);
    const float y = look.px(7);
    const std::string text = "Colour: " + std::string(color_mode_word(mode_));
    ImGui::SetCursorPos({right - width, y});
    ImGui::SetNextItemWidth(width);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                        {look.px(10), (height - ImGui::GetFontSize()) / 2});
    ImGui::PushStyleColor(ImGuiCol_FrameBg, look.colors.raised);
    const bool open = ImGui::BeginCombo("##color", text.c_str(), ImGuiComboFlags_HeightLargest);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    field_ = {right - width / 2, y + height / 2};
    if (!open) {
        ImGui::SetItemTooltip("What slices are coloured by  %s",
                              keys_of(frame.keys, Action::next_color).c_str());
        return right - width;
    }
    for (const ColorModeName& mode : color_modes()) {
        const bool now = mode_ == mode.mode;
        if (ImGui::Selectable(mode.word.data(), now)) set_mode(mode.mode, frame);
        ImGui::SetItemTooltip("%s", mode.about.data());
        if (now) ImGui::SetItemDefaultFocus();
    }
    ImGui::EndCombo();
    return right - width;
}

void ColoringFeature::describe(const Frame& frame, nlohmann::json& state) const {
    using nlohmann::json;
    state["legend_shown"] = frame.legend_shown;
    const Timeline& timeline = frame.timeline;
    if (!timeline.index) return;
    const SliceClasses& classes = *timeline.index->classes;
    const ClassFilter& filter = timeline.layer<ClassLayer>().filter;
    json chosen = json::array();
    json all = json::object();
    for (std::size_t slot = 0; slot < classes.classes.size(); ++slot) {
        const SliceClass& one = classes.classes[slot];
        if (filter.chosen[slot]) chosen.push_back(one.name);
        if (one.count > 0) all[one.name] = all.value(one.name, uint64_t{0}) + one.count;
    }
    json lines = json::object();
    for (const Legend::Line& line : legend_.lines())
        lines[line.name] = {line.middle.x, line.middle.y};
    const ImVec2 hidden = legend_.mode_place();
    state["colors"] = {{"mode", color_mode_word(classes.mode)},
                       {"counted", classes.counted},
                       {"classes", all},
                       {"chosen", chosen},
                       {"hides", filter.hides},
                       {"lit", nullptr},
                       {"legend", lines},
                       {"hidden_place", {hidden.x, hidden.y}},
                       {"field", {field_.x, field_.y}}};
    if (filter.on() && filter.ready(timeline.index))
        state["colors"]["lit"] = filter.lit->matches.count;
}

}  // namespace lanescope

#include "ui/features/command_list.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace lanescope {

namespace {

constexpr std::size_t kRecentCommands = 8;

void remember(const Command& command, Settings& settings) {
    auto& recent = settings.recent_commands;
    const std::string id = command.id;
    std::erase(recent, id);
    recent.insert(recent.begin(), id);
    if (recent.size() > kRecentCommands) recent.resize(kRecentCommands);
}

PaletteLine line_of(const Command& command, const Frame& frame) {
    return {command.title, command.group, keys_of(frame.keys, command.action)};
}

}  // namespace

std::span<const Action> CommandListFeature::actions() const {
    static constexpr Action kActions[] = {Action::help, Action::change_key, Action::menu,
                                          Action::palette, Action::dismiss};
    return kActions;
}

void CommandListFeature::act(Action action, Frame& frame) {
    switch (action) {
        case Action::help:
            help_.show(!help_.shown());
            break;
        case Action::change_key:
            choose_command_for_key(frame);
            break;
        case Action::menu:
            menu_wanted_ = true;
            break;
        case Action::palette:
            open_palette(frame);
            break;
        default:
            features_->dismiss(frame);
            break;
    }
}

bool CommandListFeature::is_on(Action action, const Frame& /*frame*/) const {
    return action == Action::help && help_.shown();
}

bool CommandListFeature::take_key(ImGuiKeyChord pressed, Frame& /*frame*/) {
    return help_.scrolls(pressed);
}

void CommandListFeature::take_new_key(std::span<const PressedKey> pressed,
                                      std::span<const ImWchar> typed, Frame& frame) {
    if (!help_.take(pressed, typed, frame.settings.keys)) return;
    frame.keys = make_key_map(frame.settings.keys);
    frame.save_settings = true;
}

bool CommandListFeature::dismiss(Layer layer, Frame& frame) {
    if (layer == Layer::error && frame.files->error()) {
        frame.files->dismiss_error();
        return true;
    }
    if (layer != Layer::sheet || !help_.shown()) return false;
    help_.show(false);
    return true;
}

// Recently used commands, then all commands, then what features offer.
void CommandListFeature::open_palette(Frame& frame) {
    std::vector<Choice> choices;
    const auto offer = [&](const Command& command) {
        choices.push_back({line_of(command, frame), [&frame, &command] {
                               remember(command, frame.settings);
                               frame.requests.act(command.action);
                           }});
    };
    const auto& recent = frame.settings.recent_commands;
    for (const std::string& id : recent)
        if (const Command* command = find_command(id)) offer(*command);
    for (const Command& command : commands())
        if (command.action != Action::palette &&
            std::ranges::find(recent, command.id) == recent.end())
            offer(command);
    for (Feature* const feature : *features_) feature->offer(choices, frame);
    frame.chooser.open("Run a command", std::move(choices));
}

void CommandListFeature::choose_command_for_key(Frame& frame) {
    std::vector<Choice> choices;
    for (const Command& command : commands())
        choices.push_back(
            {line_of(command, frame), [this, action = command.action] { help_.change(action); }});
    frame.chooser.open("Change the key of a command", std::move(choices));
}

void CommandListFeature::draw_over(Frame& frame) {
    help_.draw(frame.keys, frame.settings.keys, frame.look);
    frame.chooser.draw(frame.look);
}

void CommandListFeature::draw_group(std::string_view group, Frame& frame) {
    if (!ImGui::BeginMenu(group.data())) return;
    for (const Command& command : commands()) {
        if (command.group != group) continue;
        const std::string keys = keys_of(frame.keys, command.action);
        const bool on = features_->is_on(command.action, frame);
        if (ImGui::MenuItem(command.title, keys.c_str(), on)) frame.requests.act(command.action);
    }
    for (Feature* const feature : *features_) feature->draw_menu(group, frame);
    ImGui::EndMenu();
}

void CommandListFeature::draw_main_menu(Frame& frame) {
    const Look& look = frame.look;
    const ImVec2 below = {ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + look.px(4)};
    const float width = ImGui::GetMainViewport()->Size.x;
    if (std::exchange(menu_wanted_, false)) ImGui::OpenPopup("menu");
    // The right edge stays inside a narrow window.
    ImGui::SetNextWindowPos({std::min(below.x, width - look.px(172)), below.y});
    ImGui::SetNextWindowSizeConstraints({look.px(160), 0}, {look.px(400), 1e6f});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(8), look.px(8)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(10)});
    frame.menu_shown = ImGui::BeginPopup("menu");
    if (frame.menu_shown) {
        for (const std::string_view group : command_groups()) draw_group(group, frame);
        for (Feature* const feature : *features_) feature->draw_menu({}, frame);
        ImGui::EndPopup();
    }
    ImGui::PopStyleVar(2);
}

void CommandListFeature::describe(const Frame& frame, nlohmann::json& state) const {
    using nlohmann::json;
    state["help_shown"] = help_.shown();
    state["help"] = nullptr;
    state["palette"] = nullptr;
    state["menu_shown"] = frame.menu_shown;
    state["menu"] = frame.menu_shown ? json(command_groups()) : json();
    if (const CommandPalette& palette = frame.chooser.palette(); palette.shown())
        state["palette"] = {
            {"text", palette.typed()}, {"lines", palette.offered()}, {"chosen", palette.chosen()}};
    if (!help_.shown()) return;
    json places = json::object();
    for (const Command& command : commands())
        if (const auto place = help_.place_of(command.id))
            places[command.id] = {
                {"x", place->x}, {"y", place->y}, {"keys", keys_of(frame.keys, command.action)}};
    state["help"] = {{"commands", places},
                     {"problems", frame.keys.problems},
                     {"scroll", help_.scroll().first},
                     {"scroll_most", help_.scroll().second}};
}

}  // namespace lanescope

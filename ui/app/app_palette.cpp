// The lines of the palettes, and what choosing one does.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "ui/app/app.h"
#include "ui/commands/panel_names.h"

namespace lanescope {

namespace {

constexpr std::size_t kRecentCommands = 8;

bool is_empty(const Lane& lane) {
    return lane.slice_count == 0 && !lane.instants && !lane.counter;
}

std::string process_line(const Trace& trace, const Lane& lane) {
    const Process& process = trace.processes[lane.process];
    std::string text(trace.strings[process.name]);
    if (const std::string_view pid = trace.strings[process.pid]; !pid.empty() && pid != text)
        text += text.empty() ? std::string(pid) : " · " + std::string(pid);
    return text;
}

}  // namespace

// Recently used commands, then all commands, then panels, colours and files.
void App::open_commands() {
    std::vector<PaletteLine> lines;
    choices_.clear();
    const auto offer = [&](const Command& command) {
        lines.push_back({command.title, command.group, keys_of(keys_, command.action)});
        choices_.emplace_back(command.action);
    };
    const auto& recent = settings_.recent_commands;
    for (const std::string& id : recent)
        if (const Command* command = find_command(id)) offer(*command);
    for (const Command& command : commands())
        if (command.action != Action::palette &&
            std::ranges::find(recent, command.id) == recent.end())
            offer(command);
    for (const std::string_view name : panel_names()) {
        lines.push_back({"Panel: " + std::string(name), "", ""});
        choices_.emplace_back(std::string(name));
    }
    for (const ColorModeName& mode : color_modes()) {
        lines.push_back({"Colours by " + std::string(mode.word), std::string(mode.about), ""});
        choices_.emplace_back(mode.mode);
    }
    for (const std::string& path : settings_.recent_files) {
        lines.push_back({"Open " + std::filesystem::path(path).filename().string(), path, ""});
        choices_.emplace_back(std::filesystem::path(path));
    }
    palette_.open("Run a command", std::move(lines));
}

void App::open_key_choice() {
    std::vector<PaletteLine> lines;
    choices_.clear();
    for (const Command& command : commands()) {
        lines.push_back({command.title, command.group, keys_of(keys_, command.action)});
        choices_.emplace_back(KeyChoice{command.action});
    }
    palette_.open("Whose key shall be another?", std::move(lines));
}

void App::open_lanes() {
    if (!timeline_.index) {
        notify("There are no lanes until a trace is open.", now_);
        return;
    }
    const Trace& trace = timeline_.trace();
    std::vector<PaletteLine> lines;
    choices_.clear();
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        const Lane& lane = trace.lanes[id];
        if (is_empty(lane)) continue;
        lines.push_back({std::string(trace.strings[lane.name]), process_line(trace, lane), ""});
        choices_.emplace_back(id);
    }
    palette_.open("Go to a lane", std::move(lines));
}

void App::draw_palette() {
    const std::optional<std::size_t> chosen = palette_.draw(look_);
    if (!chosen) return;
    const PaletteChoice& choice = choices_[*chosen];
    if (const auto* action = std::get_if<Action>(&choice)) {
        auto& recent = settings_.recent_commands;
        const std::string id = command_of(*action).id;
        std::erase(recent, id);
        recent.insert(recent.begin(), id);
        if (recent.size() > kRecentCommands) recent.resize(kRecentCommands);
        requests_.act(*action);
    } else if (const auto* key = std::get_if<KeyChoice>(&choice)) {
        help_.change(key->action);
    } else if (const auto* panel = std::get_if<std::string>(&choice)) {
        show_panel(*panel);
    } else if (const auto* path = std::get_if<std::filesystem::path>(&choice)) {
        requests_.open = path->string();
    } else if (const auto* lane = std::get_if<LaneId>(&choice)) {
        lane_wanted_ = *lane;
    } else if (const auto* mode = std::get_if<ColorMode>(&choice)) {
        set_color_mode(*mode);
    } else if (const auto* one = std::get_if<ClassChoice>(&choice)) {
        choose_class(timeline_.classes.chosen, one->slot, true);
    }
}

// Unfolding takes effect in the next frame's layout, so the request stays until the lane is there.
void App::follow_lane_wanted() {
    if (!lane_wanted_ || !timeline_.index || *lane_wanted_ >= timeline_.trace().lanes.size()) {
        lane_wanted_.reset();
        return;
    }
    reveal_lane(timeline_, *lane_wanted_);
    const bool there = std::ranges::find(timeline_.layout.lanes, *lane_wanted_, &LaneBox::id) !=
                       timeline_.layout.lanes.end();
    if (there) timeline_.named_lane = std::exchange(lane_wanted_, std::nullopt);
    pacing_.wake();
}

}  // namespace lanescope

// Executes the actions of keys, buttons and menus.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <vector>

#include "ui/app/app.h"
#include "ui/commands/panel_names.h"

namespace lanescope {

namespace {

constexpr double kScaleStep = 0.1;

}  // namespace

void App::take_keys() {
    const ImGuiIO& io = ImGui::GetIO();
    const std::vector<PressedKey> pressed = pressed_keys_.take();
    const std::span<const ImWchar> typed(io.InputQueueCharacters.Data,
                                         static_cast<std::size_t>(io.InputQueueCharacters.Size));
    if (help_.waits_for_key()) {
        if (help_.take(pressed, typed, settings_.keys)) {
            keys_ = make_key_map(settings_.keys);
            save_settings_now();
        }
        return;
    }
    if (dialog_shown() || menu_shown_) return;
    for (const PressedKey& key : pressed) {
        if (border_keys_.take(key.chord) || panel_mover_.take(key.chord)) continue;
        if (panel_mover_.on() && key.chord == ImGuiKey_Tab) {
            choose_panel_to_move();
            continue;
        }
        if (panel_keys_.on() && PanelKeys::takes(key.chord)) continue;
        if (help_.scrolls(key.chord)) continue;
        if (search_.box.focused() && take_search_key(key.chord)) continue;
        if (io.WantTextInput && !passes_text_fields(key.chord)) continue;
        const Action action = action_of(keys_, key.chord);
        if (action == Action::none) continue;
        const Holding holding = command_of(action).holding;
        if (holding == Holding::once ? !key.again : holding == Holding::repeats)
            requests_.act(action);
    }
    if (io.WantTextInput) return;
    for (const ImWchar character : typed) {
        const Action action = action_of_character(keys_, character);
        if (action != Action::none) requests_.act(action);
    }
}

HeldKeys App::held_keys() const {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.WantTextInput || dialog_shown() || menu_shown_ || help_.waits_for_key()) return {};
    HeldKeys keys;
    keys.pan = held(keys_, Action::pan_right) - held(keys_, Action::pan_left);
    keys.zoom = held(keys_, Action::zoom_in) - held(keys_, Action::zoom_out);
    keys.fast = io.KeyShift;
    return keys;
}

void App::carry_out(const Requests& requests) {
    if (requests.choose_note) timeline_.chosen_note = requests.choose_note;
    for (const Action action : requests.actions) carry_out(action);
    if (requests.dismiss_error) {
        error_.reset();
        path_.clear();
    }
    if (requests.show_warnings) {
        show_panel(kWarningsPanel);
    }
    if (timeline_.index) {
        if (requests.select) select_slice(timeline_, *requests.select);
        if (requests.zoom_to) zoom_to_slice(timeline_, *requests.zoom_to);
        if (requests.frame_range) {
            timeline_.camera.remember();
            timeline_.camera.frame(*requests.frame_range);
            timeline_.camera.remember();
        }
        if (requests.show_note) show_note(*requests.show_note);
        if (requests.show_lane) reveal_lane(timeline_, *requests.show_lane);
    }
    if (requests.what_if) ask_what_if(*requests.what_if);
    tell(requests.tell);
    if (requests.show_lanes_panel) show_panel(kLanesPanel);
    if (requests.notify) notify(*requests.notify, now_);
    if (requests.picture)
        picture_wanted_ = PictureRequest{.path = requests.picture->path, .part = requests.picture};
    if (requests.open && std::exchange(adding_, false))
        add_trace(*requests.open);
    else if (requests.open)
        open(*requests.open);
}

void App::carry_out(Action action) {
    pacing_.wake();
    if (action == Action::range_of_view || action == Action::range_of_selection) tell(Tell::range);
    if (act_on_search(action) || act_on_colors(action) || act_on_traces(action) ||
        act_on_recording(action) || act_on_columns(action))
        return;
    const SliceRef selected = timeline_.selected;
    const bool done = act(timeline_, action);
    if (timeline_.selected && timeline_.selected != selected) tell(Tell::selection);
    if (done || act_on_notes(action)) return;
    const auto rescale = [this](double by) {
        settings_.scale = std::clamp(std::round((settings_.scale + by) * 10) / 10, 1.0, 3.0);
        look_changed_ = true;
    };
    switch (action) {
        case Action::open:
            adding_ = false;
            file_dialog_.show(
                path_.empty() ? "" : std::filesystem::absolute(path_).parent_path().string());
            break;
        case Action::attach:
            show_attach();
            break;
        case Action::reload:
            reload();
            break;
        case Action::cancel_load:
            if (document_) document_->cancel();
            break;
        case Action::slice_menu:
            ask_for_slice_menu();
            break;
        case Action::copy_name:
            copy_name();
            break;
        case Action::lane_menu:
            ask_for_head_menu();
            break;
        case Action::legend:
            legend_.shown = !legend_.shown;
            break;
        case Action::help:
            help_.show(!help_.shown());
            break;
        case Action::change_key:
            open_key_choice();
            break;
        case Action::menu:
            menu_wanted_ = true;
            break;
        case Action::reset_layout:
            reset_layout();
            break;
        case Action::tables:
            settings_.tables_shown = !settings_.tables_shown;
            break;
        case Action::all_alike:
            find_all_alike();
            break;
        case Action::idle:
            timeline_.idle_shown = !timeline_.idle_shown;
            break;
        case Action::flows:
            timeline_.flows_shown = !timeline_.flows_shown;
            break;
        case Action::critical_path:
            timeline_.path_shown = !timeline_.path_shown;
            paths_of_.reset();
            break;
        case Action::what_if:
            ask_what_if(timeline_.selected);
            break;
        case Action::forward_backward:
            go_to_other_pass();
            break;
        case Action::next_gap:
            walk_gaps(1);
            break;
        case Action::previous_gap:
            walk_gaps(-1);
            break;
        case Action::panel_keys:
            panel_keys_.next(panels_in_front());
            break;
        case Action::wheel_zoom:
            settings_.wheel_zoom_reversed = !settings_.wheel_zoom_reversed;
            take_wheel_habits();
            break;
        case Action::wheel_pan:
            settings_.wheel_pan_reversed = !settings_.wheel_pan_reversed;
            take_wheel_habits();
            break;
        case Action::resize_panels:
            panel_mover_.leave();
            border_keys_.next();
            break;
        case Action::move_panel:
            choose_panel_to_move();
            break;
        case Action::statistics:
            show_panel(kStatisticsPanel);
            break;
        case Action::theme:
            set_theme(look_.theme == Theme::dark ? ThemeChoice::light : ThemeChoice::dark);
            break;
        case Action::desktop_theme:
            set_theme(ThemeChoice::desktop);
            break;
        case Action::larger:
            rescale(kScaleStep);
            break;
        case Action::smaller:
            rescale(-kScaleStep);
            break;
        case Action::screenshot:
            picture_dialog_.show(static_cast<int>(ImGui::GetIO().DisplaySize.x),
                                 static_cast<int>(ImGui::GetIO().DisplaySize.y), look_.scale);
            break;
        case Action::picture_at_once:
            picture_wanted_ = PictureRequest{.path = picture_name()};
            break;
        case Action::copy_picture:
            picture_wanted_ = PictureRequest{};
            break;
        case Action::dismiss:
            dismiss();
            break;
        default:
            break;
    }
}

void App::take_wheel_habits() {
    timeline_.wheel = {settings_.wheel_zoom_reversed, settings_.wheel_pan_reversed};
}

void App::dismiss() {
    if (column_keys_.on()) {
        column_keys_.leave();
    } else if (panel_keys_.on()) {
        panel_keys_.escape();
    } else if (help_.shown() || legend_.shown) {
        help_.show(false);
        legend_.shown = false;
    } else if (error_) {
        error_.reset();
        path_.clear();
    } else if (stop_reading()) {
        notify("The search in arguments was stopped.", now_);
    } else if (timeline_.classes.on()) {
        timeline_.classes.chosen.reset();
    } else if (timeline_.alike) {
        timeline_.alike.reset();
    } else if (!search_.box.text().empty()) {
        search_.box.clear();
    } else if (timeline_.chosen_note) {
        timeline_.chosen_note.reset();
    } else if (timeline_.marked) {
        timeline_.marked.reset();
        tell(Tell::selection);
    } else if (timeline_.selected) {
        timeline_.selected = {};
    } else {
        gap_walk_.at.reset();
        timeline_.gap.reset();
    }
}

}  // namespace lanescope

#include "ui/app/key_input.h"

#include <imgui_internal.h>

#include <span>

#include "ui/commands/panel_names.h"

namespace lanescope {

void take_keys(const std::vector<PressedKey>& pressed, Features& features, Frame& frame) {
    const ImGuiIO& io = ImGui::GetIO();
    const std::span<const ImWchar> typed(io.InputQueueCharacters.Data,
                                         static_cast<std::size_t>(io.InputQueueCharacters.Size));
    if (features.command_list.waits_for_key()) {
        features.command_list.take_new_key(pressed, typed, frame);
        return;
    }
    if (frame.dialog_shown || frame.menu_shown) return;
    for (const PressedKey& key : pressed) {
        if (features.all.take_key(key.chord, frame)) continue;
        if (io.WantTextInput && !passes_text_fields(key.chord)) continue;
        const Action action = action_of(frame.keys, key.chord);
        if (action == Action::none) continue;
        const Holding holding = command_of(action).holding;
        if (holding == Holding::once ? !key.again : holding == Holding::repeats)
            frame.requests.act(action);
    }
    if (io.WantTextInput) return;
    for (const ImWchar character : typed) {
        const Action action = action_of_character(frame.keys, character);
        if (action != Action::none) frame.requests.act(action);
    }
}

HeldKeys held_keys(const Features& features, const Frame& frame) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.WantTextInput || frame.dialog_shown || frame.menu_shown ||
        features.command_list.waits_for_key())
        return {};
    HeldKeys keys;
    keys.pan = held(frame.keys, Action::pan_right) - held(frame.keys, Action::pan_left);
    keys.zoom = held(frame.keys, Action::zoom_in) - held(frame.keys, Action::zoom_out);
    keys.fast = io.KeyShift;
    return keys;
}

void share_arrow_keys(const Features& features, const Frame& frame) {
    ImGuiIO& io = ImGui::GetIO();
    io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
    if (frame.menu_shown || features.workspace.has_keys() || features.traces.dialog_shown() ||
        features.picture.dialog_shown() || frame.has_screen())
        io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
}

void keep_keys_on_screen(std::optional<bool>& screen_has_keys, const Frame& frame) {
    const bool here = frame.has_screen() && !frame.options.still && !frame.dialog_shown &&
                      !frame.menu_shown && !frame.chooser.shown();
    const std::optional<bool> screen =
        here ? std::optional(frame.files->error().has_value()) : std::nullopt;
    const ImGuiContext& context = *ImGui::GetCurrentContext();
    ImGuiWindow* const window = ImGui::FindWindowByName(kTimelinePanel.data());
    if (screen == screen_has_keys && (!screen || context.NavWindow == window)) return;
    if (!screen) {
        ImGui::SetNavCursorVisible(false);
        screen_has_keys.reset();
    } else if (window && context.ActiveId == 0) {
        PanelKeys::give_to(*window);
        screen_has_keys = screen;
    }
}

void leave_what_is_gone() {
    const ImGuiWindow* const at = ImGui::GetCurrentContext()->NavWindow;
    if (at && !at->RootWindow->Active) ImGui::SetWindowFocus(nullptr);
}

}  // namespace lanescope

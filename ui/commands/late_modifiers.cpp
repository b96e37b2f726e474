#include "ui/commands/late_modifiers.h"

namespace lanescope {

namespace {

bool is_modifier(const ImGuiInputEvent& event) {
    return event.Type == ImGuiInputEventType_Key &&
           ((event.Key.Key & ImGuiMod_Mask_) != 0 || ImGui::IsLRModKey(event.Key.Key));
}

bool wants_modifiers(const ImGuiInputEvent& event) {
    return event.Type == ImGuiInputEventType_MouseWheel ||
           (event.Type == ImGuiInputEventType_Key && event.Key.Down && !is_modifier(event));
}

}  // namespace

void LateModifiers::hold_back() {
    ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
    bool wanted = false;
    for (int i = 0; i < queue.Size; ++i) {
        wanted = wanted || wants_modifiers(queue[i]);
        if (!wanted || !is_modifier(queue[i])) continue;
        aside_.assign(queue.begin() + i, queue.end());
        queue.resize(i);
        return;
    }
}

void LateModifiers::release() {
    ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
    for (const ImGuiInputEvent& event : aside_) queue.push_back(event);
    aside_.clear();
}

}  // namespace lanescope

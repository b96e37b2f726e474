#include "ui/app/state_writer.h"

#include <imgui_internal.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

namespace lanescope {

using nlohmann::json;

namespace {

json pointer() {
    const ImVec2 at = ImGui::GetIO().MousePos;
    return ImGui::IsMousePosValid(&at) ? json{std::lround(at.x), std::lround(at.y)} : json();
}

json state_of(const Frame& frame, const WindowFiles& files, const FrameCost& cost) {
    json state = {
        {"file", files.path()},
        // A trace may have arrived since this frame checked.
        {"loading", files.behind()},
        {"copying", frame.trace && frame.trace->document().progress().copying},
        {"moving", frame.timeline_view.moving()},
        {"pointer", pointer()},             // null: outside of the window
        {"inputs", frame.pacing.inputs()},  // keys, buttons and wheel turns so far
        // Inputs, including typed characters, that wait for later frames.
        {"waiting_inputs", ImGui::GetCurrentContext()->InputEventsQueue.Size},
        // Nothing is left to draw or compute: only new inputs change the state.
        {"at_rest",
         frame.pacing.plan(frame.now).sleep != FramePacing::Sleep::none && frame.jobs.idle()},
        {"message", frame.notices.at(frame.now)},
        {"longest_frame", {{"cpu_ms", cost.longest_cpu_ms()}, {"wall_ms", cost.longest_wall_ms()}}},
        {"error", nullptr}};
    if (const std::optional<Error>& error = files.error()) {
        state["error"] = {{"text", error->text}, {"byte_offset", nullptr}};
        if (error->byte_offset != Error::no_offset)
            state["error"]["byte_offset"] = error->byte_offset;
    }
    return state;
}

// Writes a temporary file and renames it.
bool write_file(const std::string& path, const std::string& text) {
    const std::string temporary = path + ".new";
    {
        std::ofstream file(temporary, std::ios::trunc);
        file << text;
        if (!file) return false;
    }
    return std::rename(temporary.c_str(), path.c_str()) == 0;
}

}  // namespace

void StateWriter::write(const Frame& frame, const FeatureList& features, const WindowFiles& files,
                        const FrameCost& cost) {
    if (path_.empty()) return;
    json state = state_of(frame, files, cost);
    state["dialog_shown"] = features.dialog_shown();
    for (const Feature* const feature : features) feature->describe(frame, state);
    std::string text = state.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
    if (text == written_) return;
    if (write_file(path_, text)) written_ = std::move(text);
}

}  // namespace lanescope

#include "ui/app/state_record.h"

#include <nlohmann/json.hpp>

#include "core/session/document.h"
#include "ui/app/state_file.h"

namespace lanescope {

using nlohmann::json;

namespace {

json places_of(const std::vector<std::pair<std::string, ImVec2>>& list) {
    json places = json::object();
    for (const auto& [name, place] : list) places[name] = {place.x, place.y};
    return places;
}

}  // namespace

void add_recording(json& state, const StateFacts& facts) {
    state["record"] = nullptr;
    if (const RecordDialog* dialog = facts.record_dialog)
        state["record"] = {{"command", dialog->command()},
                           {"file", dialog->file()},
                           {"ring", dialog->ring()},
                           {"samples", dialog->samples()},
                           {"field", dialog->field()},
                           {"problem", dialog->problem()},
                           {"places", places_of(dialog->places())}};
    state["following"] = nullptr;
    if (const FollowStatus* status = facts.following.status)
        state["following"] = {{"follows", facts.following.follows},
                              {"tables", facts.following.has_tables},
                              {"paused", status->control == kSpoolPaused},
                              {"stopped", status->control == kSpoolStopped},
                              {"dropped", status->dropped},
                              {"file_bytes", status->file_bytes},
                              {"memory_bytes", status->memory_bytes},
                              {"memory_cap", status->memory_cap},
                              {"ring_ns", status->ring},
                              {"shown_ns", status->shown},
                              {"places", places_of(*facts.following.places)}};
}

}  // namespace lanescope

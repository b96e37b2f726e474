// The panel SQL in the state file.
#include <nlohmann/json.hpp>

#include "core/base/text_place.h"
#include "ui/panels/sql_panel.h"

namespace lanescope {

using nlohmann::json;

void SqlPanel::describe(const Frame& frame, json& state) const {
    json places = json::object();
    for (const auto& [name, middle] : places_) places[name] = {middle.x, middle.y};
    const TextPlace caret = place_in_text(editor_.text(), editor_.caret());
    const SqlAnswer* const answer = runner_.answer();
    state["sql"] = {{"text", editor_.text()},
                    {"focused", editor_.focused()},
                    {"caret", {caret.line, caret.column}},
                    {"editor", {editor_.middle().x, editor_.middle().y}},
                    {"words", editor_.words()},
                    {"tables", runner_.names().tables.size()},
                    {"running", runner_.running()},
                    {"answers", runner_.answers()},
                    {"row_count", answer && answer->table ? json(answer->row_count) : json()},
                    {"note", note_},
                    {"history", frame.settings.sql_history.size()},
                    {"places", places}};
}

json SqlPanel::describe_table() const {
    if (!ready() || !has_rows()) return {{"ready", false}};
    return result_.describe_table();
}

}  // namespace lanescope

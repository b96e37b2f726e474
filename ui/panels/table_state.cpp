// The displayed table as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "core/export/tables/table_writer.h"
#include "ui/panels/table_panel.h"

namespace lanescope {

using nlohmann::json;

json TablePanel::describe_table() const {
    if (!ready()) return {{"ready", false}};
    constexpr std::size_t listed = 20;
    json rows = json::array();
    for (std::size_t r = 0; r < std::min(listed, rows_->size()); ++r) {
        json& row = rows.emplace_back(json::object());
        for (std::size_t c = 0; c < table_->column_count(); ++c) {
            const ColumnSpec& column = table_->spec().columns[c];
            row[std::string(column.key)] = format_cell(*table_, (*rows_)[r], c);
        }
    }
    json forms = json::object();
    for (const auto& [name, middle] : form_places()) forms[name] = {middle.x, middle.y};
    json tools = json::object();
    for (const auto& [name, middle] : tool_places()) tools[name] = {middle.x, middle.y};
    json columns = json::object();
    for (const auto& [name, left, right] : column_places()) columns[name] = {left, right};
    const DrawnRows drawn = drawn_rows();
    return {{"ready", true},
            {"forms", forms},
            {"tools", tools},
            {"columns", columns},
            {"group_by", order_.by},
            {"row_count", rows_->size()},
            {"rows_in_view", drawn.in_view},
            {"rows", rows},
            {"drawn", {drawn.last + 1 - std::min(drawn.count, drawn.last + 1), drawn.last}},
            {"first_row_y", first_row_y()}};
}

}  // namespace lanescope

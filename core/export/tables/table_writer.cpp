#include "core/export/tables/table_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "core/base/format.h"
#include "core/export/tables/arrow_file.h"
#include "core/export/tables/shown_name.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

template <typename... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::string joined(std::span<const int64_t> values, std::string_view between) {
    return fmt::format("{}", fmt::join(values, between));
}

bool is_number(const ColumnSpec& column) {
    return column.type == ValueType::integer || column.type == ValueType::real;
}

// RFC 4180: quotes only where needed.
std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + "\"";
}

std::string csv_value(const Cell& cell) {
    return std::visit(Overloaded{
                          [](std::monostate) { return std::string(); },
                          [](int64_t n) { return fmt::format("{}", n); },
                          [](double x) { return fmt::format("{}", x); },
                          [](std::string_view text) { return csv_field(text); },
                          [](std::span<const int64_t> values) { return joined(values, " "); },
                      },
                      cell);
}

std::string write_csv(const Table& table) {
    std::string out;
    for (std::size_t c = 0; c < table.column_count(); ++c)
        out += (c > 0 ? "," : "") + std::string(table.spec().columns[c].key);
    out += "\n";
    for (std::size_t r = 0; r < table.row_count(); ++r) {
        for (std::size_t c = 0; c < table.column_count(); ++c)
            out += (c > 0 ? "," : "") + csv_value(table.cell(r, c));
        out += "\n";
    }
    return out;
}

std::string write_json(const Table& table) {
    std::string out = "[";
    for (std::size_t r = 0; r < table.row_count(); ++r) {
        nlohmann::ordered_json object;
        for (std::size_t c = 0; c < table.column_count(); ++c) {
            nlohmann::ordered_json& value = object[std::string(table.spec().columns[c].key)];
            std::visit(Overloaded{[&](std::monostate) { value = nullptr; },
                                  [&](const auto& v) { value = v; }},
                       table.cell(r, c));
        }
        out += r > 0 ? ",\n " : "\n ";
        out += object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    return out + "\n]\n";
}

// In Markdown "|" ends a cell, even inside code, and "<float>" is a tag, which readers do not show.
std::string markdown_cell(std::string_view text) {
    std::string cell;
    for (const char c : text) {
        if (c == '|' || c == '<' || c == '\\') cell += '\\';
        cell += c;
    }
    return cell;
}

std::string head_of(const ColumnSpec& column, const TextStyle& style) {
    return style.plain ? printable(column.key) : head_for_people(column);
}

std::string write_markdown(const Table& table, const TextStyle& style) {
    std::string head = "|";
    std::string rule = "|";
    for (const ColumnSpec& column : table.spec().columns) {
        if (!style.plain && is_doubt(table.spec().columns, column.key)) continue;
        head += " " + markdown_cell(head_of(column, style)) + " |";
        rule += is_number(column) ? " ---: |" : " --- |";
    }
    std::string out = head + "\n" + rule + "\n";
    for (std::size_t r = 0; r < table.row_count(); ++r) {
        out += "|";
        for (std::size_t c = 0; c < table.column_count(); ++c)
            if (style.plain || !is_doubt(table.spec().columns, table.spec().columns[c].key))
                out += " " + markdown_cell(format_cell(table, r, c)) + " |";
        out += "\n";
    }
    return out;
}

std::string indentation(const Table& table, std::size_t row) {
    if (!table.spec().tree) return {};
    const Cell depth = table.cell(row, *find_column(table.spec(), "depth"));
    return std::string(2 * static_cast<std::size_t>(std::get<int64_t>(depth)), ' ');
}

// The columns that text shows, the most useful first.
std::vector<std::size_t> shown_columns(const Table& table, const TextStyle& style,
                                       std::optional<std::size_t> sorted) {
    std::vector<std::size_t> shown;
    if (style.plain) {
        shown.resize(table.column_count());
        std::iota(shown.begin(), shown.end(), std::size_t{0});
        return shown;
    }
    for (const std::size_t c : by_usefulness(table.spec().columns)) {
        if (is_shown_elsewhere(table.spec(), c)) continue;
        const bool stays = c == 0 || c == sorted || table.row_count() == 0;
        if (stays || table.is_informative(c)) shown.push_back(c);
    }
    return shown;
}

// The first text of a row is its name, and keeps room; other columns are left out if necessary.
std::vector<GridColumn> grid_columns(const TableSpec& spec, std::span<const std::size_t> shown,
                                     const TextStyle& style) {
    constexpr int kMinNameWidth = 60;  // for kernel labels
    constexpr int kMinTextWidth = 18;
    constexpr int kMinWrapped = 36;
    std::vector<GridColumn> columns;
    bool is_name = true;
    for (const std::size_t c : shown) {
        const ColumnSpec& column = spec.columns[c];
        const bool number = is_number(column);
        columns.push_back({head_of(column, style), number, !number, kMinTextWidth, true});
        if (!style.plain && (column.key == "definition" || column.key == "text")) {
            columns.back().wraps = true;
            columns.back().min_width = kMinWrapped;
        }
        if (number || !std::exchange(is_name, false)) continue;
        columns.back().min_width = std::min(kMinNameWidth, style.width / 2);
    }
    return columns;
}

std::string write_text(const Table& table, const TextStyle& style,
                       std::optional<std::size_t> sorted) {
    const std::vector<std::size_t> shown = shown_columns(table, style, sorted);
    const auto unit = sorted ? common_unit(table, *sorted) : std::nullopt;
    std::vector<std::vector<std::string>> rows;
    for (std::size_t r = 0; r < table.row_count(); ++r) {
        auto& cells = rows.emplace_back();
        for (const std::size_t c : shown) {
            std::string text =
                unit && c == sorted ? format_cell(table, r, c, *unit) : format_cell(table, r, c);
            if (!style.full_names && !style.plain) text = shown_name(table, r, c, text);
            cells.push_back(c == 0 ? indentation(table, r) + text : text);
        }
    }
    return write_grid(grid_columns(table.spec(), shown, style), rows, style) +
           (rows.empty() ? dim("no rows", style) + "\n" : "");
}

std::string integer_for_people(int64_t n, Unit unit) {
    switch (unit) {
        case Unit::nanoseconds:
            return format_duration(n);
        case Unit::bytes:
            return format_bytes(n);
        case Unit::flop:
            return format_si(static_cast<double>(n), "FLOP");
        case Unit::count:
            return format_count(n);
        case Unit::ratio:
            return format_percent(static_cast<double>(n));
        case Unit::none:
            return fmt::format("{}", n);
    }
    return "";
}

constexpr double kMinShown = 1e-4;

std::string real_for_people(double x, Unit unit) {
    switch (unit) {
        case Unit::nanoseconds:
            return format_duration(x);
        case Unit::flop:
            return format_si(x, "FLOP");
        case Unit::ratio:
            return format_percent(x);
        default:
            // Smaller values would need more digits than are useful, and wide columns.
            if (x != 0 && std::abs(x) < kMinShown) return x > 0 ? "< 0.0001" : "> -0.0001";
            return format_number(std::abs(x) < 1 ? std::round(x / kMinShown) * kMinShown : x);
    }
}

}  // namespace

std::optional<TableFormat> parse_table_format(std::string_view word) {
    if (word == "text") return TableFormat::text;
    if (word == "csv") return TableFormat::csv;
    if (word == "json") return TableFormat::json;
    if (word == "md") return TableFormat::markdown;
    if (word == "arrow") return TableFormat::arrow;
    return std::nullopt;
}

std::string head_for_people(const ColumnSpec& column) {
    std::string_view name = column.key;
    for (const std::string_view suffix : {"_ns", "_bytes"})
        if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
    std::string head(name);
    std::replace(head.begin(), head.end(), '_', ' ');
    return head;
}

std::string format_cell(const Cell& cell, Unit unit) {
    return std::visit(Overloaded{
                          [](std::monostate) { return std::string(kUnknown); },
                          [&](int64_t n) { return integer_for_people(n, unit); },
                          [&](double x) { return real_for_people(x, unit); },
                          [](std::string_view text) { return printable(text); },
                          [](std::span<const int64_t> values) { return joined(values, " × "); },
                      },
                      cell);
}

bool is_shown_elsewhere(const TableSpec& spec, std::size_t column) {
    const std::string_view key = spec.columns[column].key;
    return is_doubt(spec.columns, key) || key == kShortNameKey ||
           (spec.tree && (key == "depth" || key == "path"));
}

namespace {

// The text of a cell, followed by "?" if its value is uncertain.
std::string with_doubt(const Table& table, std::size_t row, std::size_t column, std::string text) {
    const ColumnSpec& spec = table.spec().columns[column];
    if (std::holds_alternative<std::monostate>(table.cell(row, column))) return text;
    for (const std::string_view doubt : spec.doubts) {
        const auto mark_column = find_column(table.spec(), doubt);
        if (!mark_column) continue;
        const Cell mark = table.cell(row, *mark_column);
        const auto* const number = std::get_if<int64_t>(&mark);
        if (number && *number != 0) return text + "?";
    }
    return text;
}

}  // namespace

std::string format_cell(const Table& table, std::size_t row, std::size_t column) {
    return with_doubt(table, row, column,
                      format_cell(table.cell(row, column), table.spec().columns[column].unit));
}

std::string format_cell(const Table& table, std::size_t row, std::size_t column,
                        const ColumnUnit& unit) {
    return with_doubt(table, row, column, format_in(unit, table.cell(row, column)));
}

std::string write_table(const Table& table, TableFormat format, const TextStyle& style,
                        std::optional<std::size_t> sorted) {
    switch (format) {
        case TableFormat::text:
            return write_text(table, style, sorted);
        case TableFormat::csv:
            return write_csv(table);
        case TableFormat::json:
            return write_json(table);
        case TableFormat::markdown:
            return write_markdown(table, style);
        case TableFormat::arrow:
            return write_arrow(table);
    }
    return "";
}

}  // namespace lanescope

#include "core/export/text_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace lanescope {

namespace {

constexpr std::size_t kGap = 2;  // blanks between columns

std::string escape(std::string_view text, const char* code, const TextStyle& style) {
    return style.color && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text)
                                        : std::string(text);
}

std::vector<std::size_t> natural_widths(const std::vector<GridColumn>& columns,
                                        const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths(columns.size());
    for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = terminal_width(columns[c].head);
    for (const auto& row : rows)
        for (std::size_t c = 0; c < widths.size(); ++c)
            widths[c] = std::max(widths[c], terminal_width(row[c]));
    return widths;
}

std::size_t total_width(const std::vector<std::size_t>& widths) {
    return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
           kGap * (std::max<std::size_t>(widths.size(), 1) - 1);
}

// Cuts and omits columns until the grid is at most `width` wide; returns the number of omitted
// columns.
std::size_t fit(std::vector<GridColumn>& columns, std::vector<std::size_t>& widths,
                std::size_t width) {
    while (total_width(widths) > width) {
        std::size_t widest = columns.size();
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const std::size_t min_width = std::max(static_cast<std::size_t>(columns[c].min_width),
                                                   terminal_width(columns[c].head));
            if (columns[c].shrinks && widths[c] > min_width &&
                (widest == columns.size() || widths[c] > widths[widest]))
                widest = c;
        }
        if (widest == columns.size()) break;
        --widths[widest];
    }
    std::size_t left_out = 0;
    for (; total_width(widths) > width && columns.size() > 1; ++left_out) {
        columns.pop_back();
        widths.pop_back();
    }
    return left_out;
}

std::string line(const std::vector<GridColumn>& columns, const std::vector<std::size_t>& widths,
                 const std::vector<std::string>& cells, std::size_t indent) {
    std::string out(indent, ' ');
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (c > 0) out.append(kGap, ' ');
        const std::string cell = cut_to_width(cells[c], widths[c]);
        out += columns[c].right ? pad_left(cell, widths[c]) : pad_right(cell, widths[c]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
}

}  // namespace

std::string bold(std::string_view text, const TextStyle& style) {
    return escape(text, "1", style);
}
std::string dim(std::string_view text, const TextStyle& style) {
    return escape(text, "2", style);
}

std::string write_grid(std::vector<GridColumn> columns,
                       const std::vector<std::vector<std::string>>& rows, const TextStyle& style,
                       std::size_t indent) {
    std::vector<std::size_t> widths = natural_widths(columns, rows);
    std::size_t left_out = 0;
    if (style.width > 0) {
        const auto width = static_cast<std::size_t>(style.width);
        left_out = fit(columns, widths, width > indent ? width - indent : 1);
    }
    std::vector<std::string> heads(columns.size());
    for (std::size_t c = 0; c < heads.size(); ++c) heads[c] = columns[c].head;
    std::string out;
    if (std::any_of(heads.begin(), heads.end(), [](const std::string& h) { return !h.empty(); }))
        out += bold(line(columns, widths, heads, indent), style) + "\n";
    for (const auto& row : rows) out += line(columns, widths, row, indent) + "\n";
    if (left_out > 0) {
        const std::string note = fmt::format("{} more {}: widen the terminal, or use --format csv",
                                             left_out, left_out == 1 ? "column" : "columns");
        out += dim(cut_to_width(note, static_cast<std::size_t>(style.width)), style) + "\n";
    }
    return out;
}

std::string labelled_lines(const std::vector<std::vector<std::string>>& rows,
                           const TextStyle& style) {
    constexpr std::size_t indent = 2;
    constexpr std::size_t gap = 2;
    std::size_t label_width = 0;
    for (const auto& row : rows) label_width = std::max(label_width, terminal_width(row[0]));
    const std::size_t text_at = indent + label_width + gap;
    const auto width = static_cast<std::size_t>(style.width);
    const std::size_t room =
        style.width == 0 ? std::string::npos : std::max<std::size_t>(width, text_at + 20) - text_at;
    std::string out;
    for (const auto& row : rows) {
        std::string label = std::string(indent, ' ') + dim(pad_right(row[0], label_width), style);
        for (const std::string& line : wrap_to_width(printable(row[1]), room)) {
            out += fmt::format("{}{:{}}{}\n", label, "", gap, line);
            label = std::string(indent + label_width, ' ');
        }
    }
    return out;
}

}  // namespace lanescope

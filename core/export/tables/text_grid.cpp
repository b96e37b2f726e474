#include "core/export/tables/text_grid.h"

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

// Cuts and omits columns until the grid is at most `width` wide; returns the heads of omitted
// columns.
std::vector<std::string> fit(std::vector<GridColumn>& columns, std::vector<std::size_t>& widths,
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
    std::vector<std::string> left_out;
    while (total_width(widths) > width && columns.size() > 1) {
        left_out.insert(left_out.begin(), columns.back().head);
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
        const auto cut = columns[c].cut_middle ? cut_middle_to_width : cut_to_width;
        const std::string cell = cut(cells[c], widths[c]);
        out += columns[c].right ? pad_left(cell, widths[c]) : pad_right(cell, widths[c]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
}

// One line, or several if a cell wraps.
std::string lines(const std::vector<GridColumn>& columns, const std::vector<std::size_t>& widths,
                  const std::vector<std::string>& cells, std::size_t indent) {
    std::vector<std::vector<std::string>> parts = {cells};
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (!columns[c].wraps || terminal_width(cells[c]) <= widths[c]) continue;
        const std::vector<std::string> wrapped = wrap_to_width(cells[c], widths[c]);
        for (std::size_t i = 0; i < wrapped.size(); ++i) {
            if (i == parts.size()) parts.emplace_back(cells.size());
            parts[i][c] = wrapped[i];
        }
    }
    std::string out;
    for (const auto& part : parts) out += line(columns, widths, part, indent) + "\n";
    return out;
}

// "3 more columns: p90, p99, max; use --format csv": as many names as fit.
std::string note_on(const std::vector<std::string>& left_out, const TextStyle& style) {
    const auto width = static_cast<std::size_t>(style.width);
    const std::string count =
        fmt::format("{} more {}", left_out.size(), left_out.size() == 1 ? "column" : "columns");
    std::string names;
    for (std::size_t i = 0; i < left_out.size(); ++i) {
        const std::string longer = names + (i == 0 ? ": " : ", ") + left_out[i];
        const std::size_t more = i + 1 == left_out.size() ? 0 : terminal_width(", …");
        if (terminal_width(count + longer) + more + terminal_width(style.remedy) + 2 > width) {
            if (i > 0) names += ", …";
            break;
        }
        names = longer;
    }
    const std::string_view between = names.empty() ? ": " : "; ";
    return cut_to_width(fmt::format("{}{}{}{}", count, names, between, style.remedy), width);
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
    std::vector<std::string> left_out;
    if (style.width > 0) {
        const auto width = static_cast<std::size_t>(style.width);
        left_out = fit(columns, widths, width > indent ? width - indent : 1);
    }
    std::vector<std::string> heads(columns.size());
    for (std::size_t c = 0; c < heads.size(); ++c) heads[c] = columns[c].head;
    std::string out;
    if (std::any_of(heads.begin(), heads.end(), [](const std::string& h) { return !h.empty(); }))
        out += bold(line(columns, widths, heads, indent), style) + "\n";
    for (const auto& row : rows) out += lines(columns, widths, row, indent);
    if (!left_out.empty()) out += dim(note_on(left_out, style), style) + "\n";
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

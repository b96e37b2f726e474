#include "core/export/tables/torch_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace lanescope {

namespace {

constexpr std::size_t kNameWidth = 55;
constexpr std::size_t kShapesWidth = 80;
constexpr std::size_t kColumnWidth = 12;

std::string format_time(double microseconds) {
    if (microseconds >= 1e6) return fmt::format("{:.3f}s", microseconds / 1e6);
    if (microseconds >= 1e3) return fmt::format("{:.3f}ms", microseconds / 1e3);
    return fmt::format("{:.3f}us", microseconds);
}

std::string format_memory(int64_t bytes) {
    constexpr std::array<std::string_view, 3> units = {"GB", "MB", "KB"};
    double unit = 1 << 30;
    for (const std::string_view name : units) {
        if (std::abs(static_cast<double>(bytes)) >= unit)
            return fmt::format("{:.2f} {}", static_cast<double>(bytes) / unit, name);
        unit /= 1024;
    }
    return fmt::format("{} B", bytes);
}

std::string format_share(int64_t part, int64_t whole) {
    if (whole == 0) return "NaN";
    return fmt::format("{:.2f}%",
                       static_cast<double>(part) / 1e3 * 100 / (static_cast<double>(whole) / 1e3));
}

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Counts characters, as Python does, instead of bytes.
std::size_t letters(std::string_view text) {
    return text.size() -
           static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_continuation));
}

std::string_view first_letters(std::string_view text, std::size_t count) {
    std::size_t end = 0;
    while (end < text.size() && (count > 0 || is_continuation(text[end]))) {
        if (!is_continuation(text[end])) --count;
        ++end;
        while (end < text.size() && is_continuation(text[end])) ++end;
    }
    return text.substr(0, end);
}

std::string short_name(std::string_view name) {
    if (letters(name) < kNameWidth - 3) return std::string(name);
    return std::string(first_letters(name, kNameWidth - 3)) + "...";
}

bool has_metadata(const Trace& trace, std::string_view key) {
    return std::any_of(trace.metadata.begin(), trace.metadata.end(), [&](const auto& entry) {
        return entry.first == key && entry.second == "1";
    });
}

// The values of an operators table by column name; 0 if unknown.
class Values {
  public:
    explicit Values(const Table& table) : table_(&table) {}

    int64_t operator()(std::size_t row, std::string_view column) const {
        const auto at = find_column(table_->spec(), column);
        if (!at) return 0;
        const Cell cell = table_->cell(row, *at);
        const int64_t* const value = std::get_if<int64_t>(&cell);
        return value ? *value : 0;
    }
    std::string_view text(std::size_t row, std::string_view column) const {
        const auto at = find_column(table_->spec(), column);
        if (!at) return {};
        const Cell cell = table_->cell(row, *at);
        const auto* const value = std::get_if<std::string_view>(&cell);
        return value ? *value : std::string_view();
    }
    bool any(std::string_view column) const {
        for (std::size_t row = 0; row < table_->row_count(); ++row)
            if ((*this)(row, column) > 0) return true;
        return false;
    }

  private:
    const Table* table_;
};

// The visible columns, and the totals for shares.
struct Layout {
    bool device_time = false;
    bool memory = false;
    bool device_memory = false;
    bool shapes = false;
    std::string flops_head;  // empty: no column
    double flops_scale = 1;
    int64_t self_cpu = 0;
    int64_t self_device = 0;
    std::size_t shapes_width = 0;
    std::vector<std::size_t> widths;
};

void scale_flops(const Table& table, const Values& value, Layout& layout) {
    constexpr std::array<std::string_view, 6> heads = {"FLOPs",  "KFLOPs", "MFLOPs",
                                                       "GFLOPs", "TFLOPs", "PFLOPs"};
    int64_t smallest = 0;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        const int64_t flop = value(row, "flop");
        if (flop > 0 && (smallest == 0 || flop < smallest)) smallest = flop;
    }
    if (smallest == 0) return;
    const double thousands = std::clamp(std::log10(static_cast<double>(smallest)) / 3, 0.0, 5.0);
    layout.flops_head = fmt::format("Total {}", heads[static_cast<std::size_t>(thousands)]);
    layout.flops_scale = std::pow(10, std::floor(thousands) * -3.0);
}

Layout lay_out(const Table& table, const Trace& trace) {
    const Values value(table);
    Layout layout;
    layout.device_time = value.any("device_self_ns");
    layout.memory = has_metadata(trace, "profile_memory") || !trace.memory_events.time.empty();
    layout.device_memory = layout.memory && value.any("device_self_memory_bytes");
    layout.shapes = table.spec().by == "shape";
    if (has_metadata(trace, "with_flops")) scale_flops(table, value, layout);
    std::size_t name_width = 0;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        name_width = std::max(name_width, letters(value.text(row, "name")) + 4);
        layout.shapes_width =
            std::max(layout.shapes_width, value.text(row, "input_shapes").size() + 4);
        layout.self_cpu += value(row, "cpu_self_ns");
        if (value.text(row, "kind") == "device") layout.self_device += value(row, "device_self_ns");
    }
    layout.widths.push_back(std::min(name_width, kNameWidth));
    const std::size_t plain = 6 + (layout.device_time ? 4U : 0U) + (layout.memory ? 2U : 0U) +
                              (layout.device_memory ? 2U : 0U);
    layout.widths.insert(layout.widths.end(), plain, kColumnWidth);
    layout.shapes_width = std::min(layout.shapes_width, kShapesWidth);
    if (layout.shapes) layout.widths.push_back(layout.shapes_width);
    if (!layout.flops_head.empty()) layout.widths.push_back(kColumnWidth);
    return layout;
}

std::vector<std::string> heads_of(const Layout& layout) {
    std::vector<std::string> heads = {"Name",        "Self CPU %", "Self CPU",
                                      "CPU total %", "CPU total",  "CPU time avg"};
    if (layout.device_time)
        heads.insert(heads.end(), {"Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg"});
    if (layout.memory) heads.insert(heads.end(), {"CPU Mem", "Self CPU Mem"});
    if (layout.device_memory) heads.insert(heads.end(), {"CUDA Mem", "Self CUDA Mem"});
    heads.emplace_back("# of Calls");
    if (layout.shapes) heads.emplace_back("Input Shapes");
    if (!layout.flops_head.empty()) heads.push_back(layout.flops_head);
    return heads;
}

std::vector<std::string> cells_of(const Values& value, std::size_t row, const Layout& layout) {
    const auto microseconds = [&](std::string_view column) {
        return static_cast<double>(value(row, column)) / 1e3;
    };
    const int64_t calls = value(row, "calls");
    const auto average = [&](std::string_view column) {
        return calls == 0 ? 0.0 : microseconds(column) / static_cast<double>(calls);
    };
    std::vector<std::string> cells = {short_name(value.text(row, "name")),
                                      format_share(value(row, "cpu_self_ns"), layout.self_cpu),
                                      format_time(microseconds("cpu_self_ns")),
                                      format_share(value(row, "cpu_total_ns"), layout.self_cpu),
                                      format_time(microseconds("cpu_total_ns")),
                                      format_time(average("cpu_total_ns"))};
    if (layout.device_time)
        cells.insert(cells.end(), {format_time(microseconds("device_self_ns")),
                                   format_share(value(row, "device_self_ns"), layout.self_device),
                                   format_time(microseconds("device_total_ns")),
                                   format_time(average("device_total_ns"))});
    if (layout.memory)
        cells.insert(cells.end(), {format_memory(value(row, "cpu_memory_bytes")),
                                   format_memory(value(row, "cpu_self_memory_bytes"))});
    if (layout.device_memory)
        cells.insert(cells.end(), {format_memory(value(row, "device_memory_bytes")),
                                   format_memory(value(row, "device_self_memory_bytes"))});
    cells.push_back(fmt::format("{}", calls));
    if (layout.shapes)
        cells.emplace_back(value.text(row, "input_shapes").substr(0, layout.shapes_width));
    if (!layout.flops_head.empty()) {
        const auto flop = static_cast<double>(value(row, "flop"));
        cells.push_back(flop > 0 ? fmt::format("{:8.3f}", flop * layout.flops_scale) : "--");
    }
    return cells;
}

std::string line_of(const std::vector<std::string>& cells, const Layout& layout) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
        const std::size_t length = letters(cells[c]);
        if (length < layout.widths[c]) line.append(layout.widths[c] - length, ' ');
        line += cells[c] + "  ";
    }
    return line + "\n";
}

}  // namespace

std::string write_torch_table(const Table& table, const Trace& trace, std::size_t row_limit) {
    if (table.row_count() == 0) return "";
    const Layout layout = lay_out(table, trace);
    const Values value(table);
    std::string rule;
    for (const std::size_t width : layout.widths) rule += std::string(width, '-') + "  ";
    rule += "\n";
    std::string out = rule + line_of(heads_of(layout), layout) + rule;
    for (std::size_t row = 0; row < std::min(row_limit, table.row_count()); ++row)
        out += line_of(cells_of(value, row, layout), layout);
    out += rule;
    out += fmt::format("Self CPU time total: {}\n",
                       format_time(static_cast<double>(layout.self_cpu) / 1e3));
    if (layout.device_time)
        out += fmt::format("Self CUDA time total: {}\n",
                           format_time(static_cast<double>(layout.self_device) / 1e3));
    return out;
}

}  // namespace lanescope

// Titles, cells and widths of a table panel's columns.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "core/export/tables/shown_name.h"
#include "core/export/tables/table_writer.h"
#include "ui/panels/table_cells.h"
#include "ui/panels/table_panel.h"

namespace lanescope {

namespace {

constexpr float kMaxNameWidth = 460;
constexpr float kMaxWideNameWidth = 640;  // in a panel with width to spare
constexpr float kNamePart = 0.25f;        // of the table's width, which names have at least
constexpr float kMaxTextWidth = 200;
constexpr float kMinTextWidth = 88;
constexpr float kBar = 76;  // minimum width of a column with bars
constexpr float kMaxSpread = 28;
constexpr std::size_t kMeasuredRows = 48;

// The unit at the end of a formatted time, in nanoseconds; 0: the text is not a time.
double nanos_of_unit(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
        {{" ns", 1}, {" µs", 1e3}, {" ms", 1e6}, {" s", 1e9}}};
    for (const auto& [unit, nanos] : kUnits)
        if (text.ends_with(unit)) return nanos;
    return 0;
}

// "5.81 ± 0.06 µs", or "5.81 µs ± 3 ns" if the error is too small for the unit of the mean.
std::string with_error(const std::string& mean, const Cell& error, Unit unit) {
    const auto* const half = std::get_if<double>(&error);
    if (!half || std::isnan(*half)) return mean;
    const double scale = nanos_of_unit(mean);
    const std::size_t space = mean.rfind(' ');
    const std::size_t point = mean.find('.');
    const std::size_t digits = point == std::string::npos ? 0 : space - point - 1;
    if (scale > 0) {
        const std::string text = fmt::format("{:.{}f}", *half / scale, digits);
        if (text.find_first_of("123456789") != std::string::npos)
            return mean.substr(0, space) + " ± " + text + mean.substr(space);
    }
    return mean + " ± " + format_cell(error, unit);
}

// Capitalises a title: "GPU busy", "Exposed communication".
std::string capitalised(std::string text) {
    for (const std::string_view word : {"cpu", "gpu"}) {
        for (std::size_t at = text.find(word); at != std::string::npos;
             at = text.find(word, at + word.size())) {
            const bool begins = at == 0 || text[at - 1] == ' ';
            const std::size_t end = at + word.size();
            if (begins && (end == text.size() || text[end] == ' '))
                text.replace(at, word.size(), word == "cpu" ? "CPU" : "GPU");
        }
    }
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

}  // namespace

std::string TablePanel::text_of_cell(uint32_t row, std::size_t column) const {
    const ColumnSpec& spec = table_->spec().columns[column];
    std::string text = unit_ && sorted_ == column ? format_cell(*table_, row, column, *unit_)
                                                  : format_cell(*table_, row, column);
    if (error_ && look_->mean == spec.key)
        text = with_error(text, table_->cell(row, *error_), spec.unit);
    return text;
}

// Dear ImGui keeps order, widths and sorting by this id.
std::string TablePanel::id_of_table() const {
    const TableSpec& spec = table_->spec();
    std::string id = fmt::format("{}/{}", spec.name, spec.by);
    if (is_grouped()) id += fmt::format(" {}", spec.columns.front().key);
    if (exact_)
        for (const ColumnSpec& column : spec.columns) id += fmt::format("/{}", column.key);
    return id;
}

std::string TablePanel::head_of(const ColumnSpec& column) const {
    if (exact_) return std::string(column.key);
    std::string head(column.title);
    if (head.empty()) head = capitalised(head_for_people(column));
    if (column.key == look_->mean && error_) head += " ± 95 %";
    return head;
}

void TablePanel::set_up_columns(const Look& look) const {
    for (const std::size_t c : view_) {
        const ColumnSpec& column = table_->spec().columns[c];
        ImGuiTableColumnFlags flags = ImGuiTableColumnFlags_WidthFixed;
        if (is_number_column(column)) flags |= ImGuiTableColumnFlags_PreferSortDescending;
        if (costs_ == c) flags |= ImGuiTableColumnFlags_DefaultSort;
        if (column.priority == Priority::detail && c != 0)
            flags |= ImGuiTableColumnFlags_DefaultHide;
        // Unlike a hidden column, a disabled one is not remembered as the user's choice.
        if (c != 0 && !exact_ && !informative_[c]) flags |= ImGuiTableColumnFlags_Disabled;
        // A temporary width until share_width() knows the columns.
        ImGui::TableSetupColumn(head_of(column).c_str(), flags, look.px(64));
    }
}

// Measures some rows only: a table may have a million.
std::vector<ColumnRoom> TablePanel::rooms_of_columns(const Look& look) const {
    const auto width = [&](std::string_view text) {
        return text_width(look, look.fonts.regular, type::kTable, text);
    };
    const std::size_t every = std::max<std::size_t>(1, table_->row_count() / kMeasuredRows);
    std::vector<ColumnRoom> rooms;
    for (const std::size_t c : view_) {
        const ColumnSpec& column = table_->spec().columns[c];
        const float head = width(head_of(column)) + look.px(kSortArrow);
        float cells = 0;
        for (std::size_t i = 0; i < table_->row_count(); i += i < kMeasuredRows ? 1 : every) {
            const std::string text = text_of_cell(static_cast<uint32_t>(i), c);
            const float before = c == 0 ? tree_part_width(static_cast<uint32_t>(i), look) : 0;
            cells = std::max(cells, before + width(exact_ || is_number_column(column)
                                                       ? text
                                                       : shown_name(*table_, i, c, text)));
        }
        if (column.key == cell_painter_.key) cells += look.px(cell_painter_.extra);
        if (is_number_column(column)) {
            if (bar_ == c) cells = std::max(cells, look.px(kBar));
            // The space for the arrow may be taken from the title: only the sorted column needs it.
            const float bare = head - look.px(kSortArrow);
            const float whole = std::ceil(std::max(head, cells));
            rooms.push_back({whole, std::ceil(std::max(bare, cells)), whole});
            continue;
        }
        const float wanted =
            std::max(head, std::min(cells, look.px(c == 0 ? kMaxNameWidth : kMaxTextWidth)));
        const float min_width =
            std::max(head, look.px(c == 0 ? look_->min_name_width : kMinTextWidth));
        rooms.push_back({std::ceil(wanted), std::ceil(std::min(wanted, min_width)),
                         std::ceil(std::max(head, cells))});
    }
    return rooms;
}

// Widths are recomputed when the table, its width or the set of visible columns changes; widths set
// by the user stay.
void TablePanel::share_width(float room, const Look& look) {
    ImGuiTable& drawn = *ImGui::GetCurrentTable();
    if (drawn.IsInitializing) return;  // it has no columns before its first frame
    std::vector<int> shown;
    bool by_hand = false;
    for (int c = 0; c < drawn.ColumnsCount; ++c) {
        const ImGuiTableColumn& column = drawn.Columns[c];
        if (!column.IsUserEnabledNextFrame) continue;
        if ((column.Flags & ImGuiTableColumnFlags_Disabled) != 0) continue;
        const auto place = static_cast<std::size_t>(c);
        by_hand |= place < shared_.widths.size() && shared_.widths[place] > 0 &&
                   std::abs(column.WidthRequest - shared_.widths[place]) > 1;
        shown.push_back(c);
    }
    const bool same_scale = shared_.scale == look.scale;
    const bool same_rows = same_scale && shared_.table_of_rows.lock() == table_;
    const bool same_texts = same_rows && shared_.unit == unit_ && !shared_.rooms.empty();
    if (!same_texts) shared_.rooms = rooms_of_columns(look);
    shared_.unit = unit_;
    shared_.table_of_rows = table_;
    shared_.scale = look.scale;
    const bool same_table = shared_.table == drawn.ID;
    if (by_hand && same_table && same_scale) return;
    if (same_table && same_texts && shared_.room == room && shared_.shown == shown) return;
    shared_.table = drawn.ID;
    shared_.room = room;
    shared_.shown = shown;
    std::vector<ColumnRoom> rooms;
    rooms.reserve(shown.size());
    for (const int c : shown) rooms.push_back(shared_.rooms[static_cast<std::size_t>(c)]);
    if (!rooms.empty()) {
        // Names get more width in a wide panel, even if the table scrolls.
        rooms[0].min_width =
            std::min(rooms[0].wanted, std::max(rooms[0].min_width, std::floor(room * kNamePart)));
        // A very wide column of names would move the numbers too far from short names.
        rooms[0].whole =
            std::max(rooms[0].wanted, std::min(rooms[0].whole, look.px(kMaxWideNameWidth)));
    }
    // All columns up to the one with bars, and one more, are in view; columns further right are no
    // reason to cut names.
    const float padding = 2 * ImGui::GetStyle().CellPadding.x;
    const auto has_bar = [&](int place) { return bar_ == view_[static_cast<std::size_t>(place)]; };
    const auto bar = std::ranges::find_if(shown, has_bar);
    const auto ranking =
        static_cast<std::size_t>(std::min(bar - shown.begin() + 2, std::ssize(shown)));
    std::vector<float> widths =
        shared_widths(std::span(rooms).first(ranking), room - padding * static_cast<float>(ranking),
                      look.px(kMaxSpread));
    for (std::size_t i = ranking; i < rooms.size(); ++i) widths.push_back(rooms[i].wanted);
    const float used = std::accumulate(widths.begin(), widths.end(), 0.0f);
    give_rest(rooms, room - used - padding * static_cast<float>(rooms.size()), widths);
    fill_room(rooms, padding, room + padding / 2,
              widths);  // the first column has no padding at its left
    shared_.widths.assign(static_cast<std::size_t>(drawn.ColumnsCount), 0);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        shared_.widths[static_cast<std::size_t>(shown[i])] = widths[i];
        drawn.Columns[shown[i]].WidthRequest = widths[i];
    }
}

// Records the visible columns, their positions, and the width of each with nothing cut. Dear
// ImGui's own fit would not change anything: it uses the drawn cells, where numbers are
// right-aligned and names are cut to the column's width.
void TablePanel::note_columns() {
    ImGuiTable& drawn = *ImGui::GetCurrentTable();
    column_places_.clear();
    for (int c = 0; c < drawn.ColumnsCount; ++c) {
        ImGuiTableColumn& column = drawn.Columns[c];
        if (const auto place = static_cast<std::size_t>(c); place < shared_.rooms.size())
            column.WidthAuto = shared_.rooms[place].whole;
        if (!column.IsVisibleX) continue;
        const ColumnSpec& spec = table_->spec().columns[view_[static_cast<std::size_t>(c)]];
        column_places_.push_back({std::string(spec.key), column.MinX, column.MaxX});
    }
}

}  // namespace lanescope

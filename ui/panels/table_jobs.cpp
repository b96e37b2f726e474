// Computes, sorts, searches and writes a table in the background.
#include <algorithm>
#include <cctype>
#include <utility>

#include "core/export/table_writer.h"
#include "core/session/small_file.h"
#include "ui/panels/save_file.h"
#include "ui/panels/table_cells.h"
#include "ui/panels/table_panel.h"
#include "ui/panels/table_tree.h"

namespace lanescope {

namespace {

bool contains(std::string_view text, std::string_view lower_part) {
    const auto same = [](char a, char b) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(a))) == b;
    };
    return std::search(text.begin(), text.end(), lower_part.begin(), lower_part.end(), same) !=
           text.end();
}

std::vector<uint32_t> filtered(const Table& table, std::vector<uint32_t> rows, std::string part) {
    if (part.empty()) return rows;
    for (char& c : part) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::erase_if(rows, [&](uint32_t row) {
        for (std::size_t c = 0; c < table.column_count(); ++c) {
            const Cell cell = table.cell(row, c);
            const auto* const text = std::get_if<std::string_view>(&cell);
            if (text && contains(*text, part)) return false;
        }
        return true;
    });
    return rows;
}

std::vector<uint32_t> all_rows(const Table& table) {
    std::vector<uint32_t> rows(table.row_count());
    for (uint32_t row = 0; row < rows.size(); ++row) rows[row] = row;
    return rows;
}

// Operators are in order of first use; people look for the most expensive one.
std::optional<std::size_t> column_of_costs(const Table& table) {
    const auto device = find_column(table.spec(), "device_self_ns");
    if (!device || table.spec().tree) return std::nullopt;  // a tree stays in its own order
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        const Cell cell = table.cell(row, *device);
        if (const auto* value = std::get_if<int64_t>(&cell); value && *value > 0) return device;
    }
    return find_column(table.spec(), "cpu_self_ns");
}

std::string csv_of(const Table& table, std::span<const uint32_t> rows) {
    return write_table(table.picked(rows), TableFormat::csv);
}

}  // namespace

std::vector<uint32_t> TablePanel::rows_in_order(const Table& table, const Order& wanted) {
    std::vector<uint32_t> rows =
        wanted.column ? table.sorted_rows(*wanted.column, wanted.reversed) : all_rows(table);
    rows = filtered(table, std::move(rows), wanted.filter);
    if (!wanted.column && wanted.filter.empty()) unfolded(table, rows, wanted.folded);
    return rows;
}

TablePanel::Ordered TablePanel::in_order(const Table& table, const Order& wanted) {
    return {std::make_shared<const std::vector<uint32_t>>(rows_in_order(table, wanted)),
            wanted.column ? common_unit(table, *wanted.column) : std::nullopt};
}

void TablePanel::make(const PanelInputs& inputs) {
    const Made wanted{inputs.context, source_number_, form_, inputs.range, inputs.snapshot()};
    if (making_.busy() || made_ == wanted || (forms_.empty() && !source_)) return;
    const Source source = forms_.empty() ? source_ : Source(forms_[form_]->make);
    // A new snapshot that replaces the last one arrives together with its rows.
    std::optional<Order> order;
    if (inputs.live && made_ && made_->form == form_) order = order_;
    making_.ask(
        *inputs.jobs,
        [wanted, source, order] {
            auto table = std::make_shared<const Table>(source(*wanted.context, {wanted.range}));
            Ordered ordered = order ? in_order(*table, *order) : Ordered{no_rows(), {}};
            const auto costs = column_of_costs(*table);
            std::vector<bool> has_values(table->column_count());
            for (std::size_t c = 0; c < has_values.size(); ++c)
                has_values[c] = table->has_values(c);
            return Result{std::move(table), std::move(ordered), costs, std::move(has_values)};
        },
        [this, wanted, order](Result result) { take(wanted, order, std::move(result)); },
        JobQueue::analysis);
}

void TablePanel::take(const Made& made, const std::optional<Order>& order, Result result) {
    costs_ = result.costs;
    has_values_ = std::move(result.has_values);
    take_look(*result.table);
    if (!made_ || made_->form != made.form) order_.column.reset();
    order_.folded.clear();
    made_ = made;
    table_ = std::move(result.table);
    rows_ = std::move(result.ordered.rows);
    unit_ = result.ordered.unit;
    ordered_ = order;
}

void TablePanel::forget() {
    making_.drop();
    ordering_.drop();
    finding_.drop();
    made_.reset();
    table_.reset();
    rows_ = no_rows();
    ordered_.reset();
}

// Applies the table's display settings.
void TablePanel::take_look(const Table& table) {
    look_ = &table_look(table.spec().by.empty() ? table.spec().name : std::string_view());
    error_ = find_column(table.spec(), look_->error);
    bar_ = find_column(table.spec(), look_->bar);
    depth_ = table.spec().tree ? find_column(table.spec(), "depth") : std::nullopt;
    view_.clear();
    for (const std::size_t c : by_usefulness(table.spec().columns))
        if (!is_shown_elsewhere(table.spec(), c)) view_.push_back(c);
    largest_ = 0;
    if (!bar_) return;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        const Cell cell = table.cell(row, *bar_);
        if (const auto* n = std::get_if<int64_t>(&cell)) largest_ = std::max(largest_, *n);
    }
}

void TablePanel::put_in_order(const PanelInputs& inputs) {
    if (busy() || !table_ || ordered_ == order_) return;
    ordering_.ask(
        *inputs.jobs, [table = table_, wanted = order_] { return in_order(*table, wanted); },
        [this, table = table_, wanted = order_](Ordered result) {
            if (table != table_) return;
            rows_ = std::move(result.rows);
            unit_ = result.unit;
            ordered_ = wanted;
        },
        JobQueue::analysis);
}

// A table may have a million rows: writing must not block a frame.
void TablePanel::copy_rows(const PanelInputs& inputs) {
    inputs.jobs->run([table = table_, rows = rows_] { return csv_of(*table, *rows); },
                     [this](const std::string& text) {
                         ImGui::SetClipboardText(text.c_str());
                         message_ = "Copied as CSV";
                     },
                     JobQueue::analysis);
}

SaveRequest TablePanel::request_to_save() const {
    return {"Table", free_path(table_->spec().name, "csv"),
            [table = table_, rows = rows_](const std::string& path) {
                return write_small_file(path, csv_of(*table, *rows));
            }};
}

// Runs in the background, since a table can have a million rows.
void TablePanel::find_selection(const PanelInputs& inputs) {
    if (inputs.selected == shown_selection_ || busy()) return;
    shown_selection_ = inputs.selected;
    if (!inputs.selected) return;
    finding_.ask(
        *inputs.jobs,
        [table = table_, rows = rows_, trace = inputs.shown, selected = inputs.selected] {
            const auto found = std::ranges::find_if(*rows, [&](uint32_t row) {
                return is_of_selection(*trace, table->target(row), selected);
            });
            return static_cast<std::size_t>(found - rows->begin());
        },
        [this, rows = rows_](std::size_t place) {
            if (rows == rows_ && place < rows->size()) scroll_to_ = place;
        },
        JobQueue::analysis);
}

}  // namespace lanescope

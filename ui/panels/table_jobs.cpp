// Computes, sorts, searches and writes a table in the background.
#include <algorithm>
#include <cctype>
#include <utility>

#include "core/analysis/structure/time_range.h"
#include "core/export/tables/table_writer.h"
#include "core/session/small_file.h"
#include "core/table/grouped.h"
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

// The columns with these keys; leaves out keys that this variant of the table does not have.
std::vector<std::size_t> columns_of_keys(const TableSpec& spec, std::span<const std::string> keys) {
    std::vector<std::size_t> columns;
    for (const std::string& key : keys)
        if (const auto column = find_column(spec, key)) columns.push_back(*column);
    return columns;
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
    const auto column = find_column(table.spec(), wanted.sort);
    std::vector<uint32_t> rows =
        column ? table.sorted_rows(*column, wanted.reversed) : all_rows(table);
    rows = filtered(table, std::move(rows), wanted.filter);
    if (!column && wanted.filter.empty()) unfolded(table, rows, wanted.folded);
    return rows;
}

TablePanel::Ordered TablePanel::in_order(const std::shared_ptr<const Table>& table,
                                         const Order& wanted,
                                         const std::shared_ptr<const Table>& shown) {
    Ordered result;
    const Grouping grouping{columns_of_keys(table->spec(), wanted.by), wanted.sort,
                            wanted.reversed};
    if (grouping.by.empty()) {
        result.table = table;
        result.rows = std::make_shared<const std::vector<uint32_t>>(rows_in_order(*table, wanted));
    } else {
        result.table = shown;
        if (!shown)
            result.table = std::make_shared<const Table>(
                grouped(table, filtered(*table, all_rows(*table), wanted.filter), grouping,
                        GroupRows::all, format_cell));
        OpenRows open = open_rows(*result.table, wanted.open);
        result.rows = std::make_shared<const std::vector<uint32_t>>(std::move(open.shown));
        result.opened = std::move(open.opened);
    }
    result.sorted = find_column(result.table->spec(), wanted.sort);
    if (result.sorted) result.unit = common_unit(*result.table, *result.sorted);
    if (result.table == shown) return result;
    for (std::size_t c = 0; c < result.table->column_count(); ++c)
        result.informative.push_back(result.table->is_informative(c));
    return result;
}

void TablePanel::make(const PanelInputs& inputs) {
    const Made wanted{inputs.context, source_number_, form_, inputs.range, inputs.snapshot()};
    if (making_.busy() || made_ == wanted || (forms_.empty() && !source_)) return;
    const Source source = forms_.empty() ? source_ : Source(forms_[form_]->make);
    // A new snapshot that replaces the last one arrives together with its rows, and a grouped table
    // with its groups.
    const bool is_next = inputs.live && made_ && made_->form == form_;
    std::optional<Order> order;
    if (is_next || !order_.by.empty()) order = order_;
    if (order && !is_next) order->folded.clear();
    making_.ask(
        *inputs.jobs,
        [wanted, source, order] {
            auto table = std::make_shared<const Table>(
                source(*wanted.context, marked_query(*wanted.context, wanted.range)));
            Ordered ordered = in_order(table, order.value_or(Order()), nullptr);
            if (!order) ordered.rows = no_rows();  // they follow, in the wanted order
            const auto costs = column_of_costs(*table);
            return Result{std::move(table), std::move(ordered), costs};
        },
        [this, wanted, order](Result result) { take(wanted, order, std::move(result)); },
        JobQueue::analysis);
}

void TablePanel::take(const Made& made, const std::optional<Order>& order, Result result) {
    costs_ = result.costs;
    if (!made_ || made_->form != made.form) order_.sort.clear();
    order_.folded.clear();
    made_ = made;
    base_ = std::move(result.table);
    show(std::move(result.ordered));
    ordered_ = order;
}

void TablePanel::show(Ordered ordered) {
    table_ = std::move(ordered.table);
    rows_ = std::move(ordered.rows);
    sorted_ = ordered.sorted;
    unit_ = ordered.unit;
    opened_ = std::move(ordered.opened);
    if (ordered.informative.empty()) return;  // the same table as before
    informative_ = std::move(ordered.informative);
    take_look(*table_);
}

void TablePanel::forget() {
    making_.drop();
    ordering_.drop();
    finding_.drop();
    made_.reset();
    base_.reset();
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
        if (exact_ || !is_shown_elsewhere(table.spec(), c)) view_.push_back(c);
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
        *inputs.jobs,
        [table = base_, wanted = order_, shown = is_same_table(order_) ? table_ : nullptr] {
            return in_order(table, wanted, shown);
        },
        [this, table = base_, wanted = order_](Ordered result) {
            if (table != base_) return;
            show(std::move(result));
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

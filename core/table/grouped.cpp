#include "core/table/grouped.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "core/table/aggregates.h"

namespace lanescope {

namespace {

constexpr std::string_view kDepthKey = "depth";
constexpr std::string_view kNoValue = "no row of the group has a value, or they have no common one";

// Columns of the result that are not columns of the table.
constexpr std::size_t kName = ~std::size_t{0};
constexpr std::size_t kCount = kName - 1;
constexpr std::size_t kDepth = kName - 2;

// A group of rows with one value in a column of Grouping::by.
struct Group {
    uint32_t depth = 0;
    Cell value;
    std::vector<uint32_t> rows;
    std::vector<uint32_t> inside;  // groups
    std::vector<Cell> cells;       // by column of the result
};

// The bytes that tell values apart.
std::string bytes_of(const Cell& cell) {
    std::string bytes(1, static_cast<char>(cell.index()));
    const auto add = [&](const void* data, std::size_t size) {
        bytes.append(static_cast<const char*>(data), size);
    };
    if (const auto* const n = std::get_if<int64_t>(&cell)) add(n, sizeof *n);
    if (const auto* const x = std::get_if<double>(&cell)) add(x, sizeof *x);
    if (const auto* const text = std::get_if<std::string_view>(&cell)) bytes += *text;
    if (const auto* const list = std::get_if<std::span<const int64_t>>(&cell))
        add(list->data(), list->size_bytes());
    return bytes;
}

// Whether `a` comes before `b`, as in Table::sort_by().
bool before(const Cell& a, const Cell& b, bool reversed) {
    const bool known_a = !std::holds_alternative<std::monostate>(a);
    const bool known_b = !std::holds_alternative<std::monostate>(b);
    if (!known_a || !known_b) return known_a && !known_b;
    if (a.index() != b.index()) return false;
    return std::visit(
        [&]<typename Value>(const Value& x) {
            const Value& y = std::get<Value>(b);
            if constexpr (std::is_same_v<Value, std::span<const int64_t>>)
                return reversed ? std::ranges::lexicographical_compare(x, y)
                                : std::ranges::lexicographical_compare(y, x);
            else if constexpr (std::is_same_v<Value, std::monostate>)
                return false;
            else if constexpr (std::is_same_v<Value, std::string_view>)
                return reversed ? y < x : x < y;
            else
                return reversed ? x < y : y < x;
        },
        a);
}

ColumnSpec number_of_rows() {
    return {{kRowsKey, Unit::count, kSum, "a row of the table", "Number of rows of the group.",
             Priority::first},
            ValueType::integer};
}

// The column in which the rows of a table have their names.
std::optional<std::size_t> column_of_names(const TableSpec& spec) {
    if (const auto name = find_column(spec, "name")) return name;
    for (std::size_t c = 0; c < spec.columns.size(); ++c)
        if (spec.columns[c].type == ValueType::text) return c;
    return std::nullopt;
}

// A grouped table's rows: groups first, then the rows of the table.
class GroupedRows final : public RowSource {
  public:
    GroupedRows(std::shared_ptr<const Table> table, const Grouping& grouping, GroupRows form,
                NameOfValue name_of)
        : table_(std::move(table)), grouping_(grouping), form_(form), name_of_(name_of) {
        declare();
    }

    const TableSpec& spec() const { return spec_; }

    // Makes the groups; returns the items of the result in order.
    std::vector<uint32_t> group(std::span<const uint32_t> rows) {
        std::vector<uint32_t> outer = split(rows, 0);
        if (grouping_.by.size() > 1)
            for (const uint32_t group : outer)
                groups_[group].inside = split(std::vector(groups_[group].rows), 1);
        for (Group& group : groups_) fill(group);
        sort(outer, 0);
        if (grouping_.top > 0 && outer.size() > grouping_.top) outer.resize(grouping_.top);
        std::vector<uint32_t> items;
        for (const uint32_t group : outer) list(group, items);
        return items;
    }

    Cell cell(uint32_t item, std::size_t column) const override {
        if (item < groups_.size()) return groups_[item].cells[column];
        const auto row = static_cast<std::size_t>(item - groups_.size());
        const std::size_t shows = shows_[column];
        if (shows == kCount) return {};
        if (shows == kDepth) return static_cast<int64_t>(grouping_.by.size());
        if (shows == kName) return names_ ? table_->cell(row, *names_) : Cell();
        const Cell cell = table_->cell(row, shows);
        const auto* const whole = std::get_if<int64_t>(&cell);
        return whole && columns_[column].type == ValueType::real ? Cell(static_cast<double>(*whole))
                                                                 : cell;
    }
    RowTarget place(uint32_t item) const override {
        return item < groups_.size() ? RowTarget() : table_->target(item - groups_.size());
    }

  private:
    bool is_tree() const { return form_ != GroupRows::flat; }

    void declare() {
        const TableSpec& whole = table_->spec();
        std::vector<ColumnSpec> flat = grouped_columns(whole, grouping_.by);
        names_ = form_ == GroupRows::all ? column_of_names(whole) : std::nullopt;
        std::size_t first = 0;
        if (is_tree()) {
            std::string title;
            for (const std::size_t by : grouping_.by)
                title += (title.empty() ? "" : " / ") + std::string(whole.columns[by].key);
            if (names_ && std::ranges::find(grouping_.by, *names_) == grouping_.by.end())
                title += " / " + std::string(whole.columns[*names_].key);
            first = grouping_.by.size();
            columns_.push_back({{texts_.emplace_back(std::move(title)), Unit::none, kNoAggregate,
                                 kNoValue, "The value that the rows of the group have."},
                                ValueType::text});
            shows_.push_back(kName);
        }
        for (std::size_t c = first; c < flat.size(); ++c) {
            const auto from = find_column(whole, flat[c].key);
            const bool is_count = flat[c].key == kRowsKey;
            // The first column has the name, and the depth is that of the new tree.
            if (is_tree() && !is_count && (from == names_ || flat[c].key == kDepthKey)) continue;
            columns_.push_back(flat[c]);
            shows_.push_back(is_count ? kCount : *from);
        }
        if (is_tree()) {
            columns_.push_back({{kDepthKey, Unit::count, kMax, "", "Number of enclosing groups.",
                                 Priority::detail},
                                ValueType::integer});
            shows_.push_back(kDepth);
        }
        spec_ = {{whole.name, whole.about, whole.by, is_tree()}, columns_};
    }

    std::vector<uint32_t> split(std::span<const uint32_t> rows, uint32_t depth) {
        std::unordered_map<std::string, uint32_t> known;
        std::vector<uint32_t> made;
        for (const uint32_t row : rows) {
            const Cell value = table_->cell(row, grouping_.by[depth]);
            const auto [place, added] =
                known.try_emplace(bytes_of(value), static_cast<uint32_t>(groups_.size()));
            if (added) {
                made.push_back(place->second);
                groups_.push_back({depth, value, {}, {}, {}});
            }
            groups_[place->second].rows.push_back(row);
        }
        return made;
    }

    void fill(Group& group) {
        group.cells.reserve(columns_.size());
        for (const std::size_t shows : shows_) group.cells.push_back(cell_of_group(group, shows));
    }

    Cell cell_of_group(const Group& group, std::size_t shows) {
        if (shows == kCount) return static_cast<int64_t>(group.rows.size());
        if (shows == kDepth) return static_cast<int64_t>(group.depth);
        if (shows == kName) return name_cell(group);
        // In a column that the table is grouped by, all rows have the value of the group.
        const auto by = std::ranges::find(grouping_.by, shows);
        if (by != grouping_.by.end()) return table_->cell(group.rows.front(), shows);
        return aggregate_of(*table_, group.rows, shows, texts_);
    }

    Cell name_cell(const Group& group) {
        if (std::holds_alternative<std::monostate>(group.value)) return std::string_view("unknown");
        if (std::holds_alternative<std::string_view>(group.value)) return group.value;
        const Unit unit = table_->spec().columns[grouping_.by[group.depth]].unit;
        return std::string_view(texts_.emplace_back(name_of_(group.value, unit)));
    }

    // Whether the sort column groups another depth, so that groups of this depth have no value in
    // it.
    bool sorts_others(uint32_t depth) const {
        for (std::size_t i = 0; i < grouping_.by.size(); ++i)
            if (table_->spec().columns[grouping_.by[i]].key == grouping_.sort) return i != depth;
        return false;
    }

    Cell sort_value(const Group& group) const {
        const std::string_view by = table_->spec().columns[grouping_.by[group.depth]].key;
        if (grouping_.sort == kGroupKey || grouping_.sort == by) return group.value;
        const auto column =
            sorts_others(group.depth) ? std::nullopt : find_column(spec_, grouping_.sort);
        if (column) return group.cells[*column];
        for (std::size_t c = 0; c < columns_.size(); ++c)
            if (columns_[c].aggregate == kSum && columns_[c].unit == Unit::nanoseconds)
                return group.cells[c];
        return static_cast<int64_t>(group.rows.size());
    }

    void sort(std::vector<uint32_t>& groups, uint32_t depth) const {
        const bool reversed = grouping_.reversed && !sorts_others(depth);
        std::ranges::stable_sort(groups, [&](uint32_t a, uint32_t b) {
            return before(sort_value(groups_[a]), sort_value(groups_[b]), reversed);
        });
    }

    // Appends the items of a group in order.
    void list(uint32_t index, std::vector<uint32_t>& items) {
        Group& group = groups_[index];
        const bool innermost = group.depth + 1 == grouping_.by.size();
        if (is_tree() || innermost) items.push_back(index);
        if (!innermost) {
            sort(group.inside, group.depth + 1);
            for (const uint32_t inside : group.inside) list(inside, items);
        } else if (form_ == GroupRows::all) {
            for (const uint32_t row : sorted_rows(group.rows))
                items.push_back(static_cast<uint32_t>(groups_.size()) + row);
        }
    }

    std::vector<uint32_t> sorted_rows(std::vector<uint32_t> rows) const {
        const auto column =
            grouping_.sort == kGroupKey ? names_ : find_column(table_->spec(), grouping_.sort);
        if (!column) return rows;
        std::vector<std::pair<Cell, uint32_t>> values;
        values.reserve(rows.size());
        for (const uint32_t row : rows) values.emplace_back(table_->cell(row, *column), row);
        std::ranges::stable_sort(values, [&](const auto& a, const auto& b) {
            return before(a.first, b.first, grouping_.reversed);
        });
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = values[i].second;
        return rows;
    }

    std::shared_ptr<const Table> table_;
    Grouping grouping_;
    GroupRows form_;
    NameOfValue name_of_;
    std::optional<std::size_t> names_;  // the column that names the innermost rows
    std::vector<ColumnSpec> columns_;
    std::vector<std::size_t> shows_;  // by column: a column of the table, or kName, …
    std::deque<std::string> texts_;
    TableSpec spec_;
    std::vector<Group> groups_;
};

}  // namespace

std::vector<ColumnSpec> grouped_columns(const TableSpec& spec, std::span<const std::size_t> by) {
    std::vector<ColumnSpec> columns;
    for (const std::size_t c : by) columns.push_back(spec.columns[c]);
    columns.push_back(number_of_rows());
    for (std::size_t c = 0; c < spec.columns.size(); ++c) {
        if (std::ranges::find(by, c) != by.end()) continue;
        ColumnSpec column = spec.columns[c];
        column.type = aggregated_type(column);
        column.null = kNoValue;
        columns.push_back(column);
    }
    return columns;
}

Table grouped(const std::shared_ptr<const Table>& table, std::span<const uint32_t> rows,
              const Grouping& grouping, GroupRows form, NameOfValue name_of) {
    const auto source = std::make_shared<GroupedRows>(table, grouping, form, name_of);
    std::vector<uint32_t> items = source->group(rows);
    return Table(source->spec(), std::move(items), source);
}

}  // namespace lanescope

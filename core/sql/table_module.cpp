// The virtual tables over tables of core/table.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "core/analysis/structure/time_range.h"
#include "core/registry/tables.h"
#include "core/sql/modules.h"
#include "core/sql/source.h"
#include "core/sql/sql_values.h"
#include "core/sql/tables.h"
#include "core/sql/vtab.h"

namespace lanescope {

namespace {

// Bits of sqlite3_index_info::idxNum; above them is the number of a column plus 1: the searched
// one, or that of the order.
constexpr int kFormGiven = 1;
constexpr int kRangeGiven = 2;
constexpr int kOrdered = 4;
constexpr int kColumnShift = 3;
constexpr std::size_t kMostRangedTables = 16;

struct TableModule {
    SqlSource& source;
    SqlTable table;
};

struct RowsTable : sqlite3_vtab {
    explicit RowsTable(const TableModule& module_) : sqlite3_vtab{}, module(module_) {}
    const TableModule& module;
};

struct RowsScan : sqlite3_vtab_cursor {
    RowsScan() : sqlite3_vtab_cursor{} {}
    std::shared_ptr<IndexedTable> table;
    bool is_ranged = false;  // the table may be gone before the texts of its cells
    bool listed = false;
    std::span<const uint32_t> rows;  // if listed
    std::size_t at = 0;
    std::size_t end = 0;

    std::size_t row() const { return listed ? rows[at] : at; }
};

std::string_view type_word(ValueType type) {
    switch (type) {
        case ValueType::integer:
            return "INTEGER";
        case ValueType::real:
            return "REAL";
        default:
            return "TEXT";
    }
}

std::string declaration(const SqlTable& table) {
    std::string text = "CREATE TABLE x(";
    for (const ColumnSpec& column : table.spec->columns)
        text += fmt::format("\"{}\" {}, ", column.key, type_word(column.type));
    if (table.has_arguments) return text + "_by TEXT HIDDEN, _range TEXT HIDDEN)";
    text.resize(text.size() - 2);
    return text + ")";
}

// Estimates from the name of a column how many rows share one of its values. SQLite uses the
// estimates to choose the order of joins.
double rows_of_one_value(std::string_view key, double rows) {
    constexpr double kRowsOfSlice = 4;  // that lead to the same slice, or share a number
    constexpr std::array<std::string_view, 9> few_values = {
        "track_id", "utid", "upid", "device", "stream", "category", "type", "kind", "step"};
    constexpr std::array<std::string_view, 3> many_values = {"ts", "correlation", "sequence"};
    if (key == "id") return 1;
    if (std::ranges::find(few_values, key) != few_values.end()) return std::max(1.0, rows / 10);
    if (key.ends_with("_id") || key.starts_with("slice_") ||
        std::ranges::find(many_values, key) != many_values.end())
        return std::clamp(rows / 100, 1.0, kRowsOfSlice);
    return std::max(1.0, rows / 100);
}

// Returns the index of the equality that leaves the fewest rows, or -1. Sets `rows` to the
// estimated number of rows.
int chosen_equality(const SqlTable& table, sqlite3_index_info& info, double& rows) {
    int chosen = -1;
    for (int i = 0; i < info.nConstraint; ++i) {
        const auto& constraint = info.aConstraint[i];
        if (!constraint.usable || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
        const auto column = static_cast<std::size_t>(constraint.iColumn);
        if (constraint.iColumn < 0 || column >= table.spec->columns.size()) continue;
        const ColumnSpec& spec = table.spec->columns[column];
        if (spec.type == ValueType::real || spec.type == ValueType::integers) continue;
        if (spec.type == ValueType::text && !compares_bytes(info, i)) continue;
        const double left = rows_of_one_value(spec.key, table.rows);
        if (chosen >= 0 && left >= rows) continue;
        chosen = i;
        rows = left;
    }
    return chosen;
}

// Returns the error for a form of a table. The parser of scripts replaces forms that are written as
// texts. An existing form that arrives here is therefore the value of a parameter or of a column.
Error no_such_form(const SqlTable& table, std::string_view by) {
    const std::vector<std::string_view> forms = forms_of_table(table.spec->name);
    std::string text;
    if (!table.spec->by.empty())
        text = fmt::format("{} has only the form '{}'", table.name, table.spec->by);
    else if (forms.empty())
        text = fmt::format("{0} has no forms: write {0}('', range)", table.name);
    else if (std::ranges::find(forms, by) != forms.end())
        text = fmt::format(
            "the form of a table must be a text in the query, as in {}('{}'); only the range can "
            "be a parameter or a column",
            table.name, by);
    else
        text = fmt::format("{} has no form '{}'; there are: {}", table.name, by,
                           fmt::join(forms, ", "));
    return {ErrorCode::usage, Error::no_offset, std::move(text)};
}

// The table for the arguments, made on first use.
Result<std::shared_ptr<IndexedTable>> table_for(SqlSource& source, const SqlTable& table,
                                                std::string_view by, std::string_view range) {
    const bool is_plain = table.spec->by.empty() && by == plain_form(table.spec->name);
    if (!by.empty() && by != table.spec->by && !is_plain) return no_such_form(table, by);
    TableQuery query;
    if (range.empty()) {
        auto& place = source.tables[table.name];
        if (!place) place = std::make_shared<IndexedTable>(table.make(source, query));
        return place;
    }
    const Result<ParsedQuery> parsed = parse_query(source.context, range);
    if (!parsed) return parsed.error();
    query = parsed->query;
    // A query may ask for a range for each of its rows, so only the tables that were used last are
    // kept. The table that was used last is at the end.
    auto& made = source.ranged_tables;
    const std::string name = fmt::format("{}\n{}", table.name, range);
    auto place = std::ranges::find(made, name, &RangedTable::name);
    if (place == made.end()) {
        if (made.size() == kMostRangedTables) made.erase(made.begin());
        made.push_back({name, std::make_shared<IndexedTable>(table.make(source, query))});
        place = made.end() - 1;
    }
    std::rotate(place, place + 1, made.end());
    return made.back().table;
}

struct RowsCallbacks {
    static int connect(sqlite3* db, void* data, int, const char* const*, sqlite3_vtab** table,
                       char**) {
        return guarded([&] {
            const auto& module = *static_cast<const TableModule*>(data);
            const std::string text = declaration(module.table);
            if (const int failed = declare_table(db, module.source.permissions, text.c_str()))
                return failed;
            sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
            *table = new RowsTable(module);
            return SQLITE_OK;
        });
    }
    static int best_index(sqlite3_vtab* vtab, sqlite3_index_info* info) {
        const SqlTable& table = static_cast<RowsTable*>(vtab)->module.table;
        const auto form_column = static_cast<int>(table.spec->columns.size());
        int argument = 0;
        for (const int bit : {kFormGiven, kRangeGiven})
            for (int i = 0; i < info->nConstraint; ++i) {
                const auto& constraint = info->aConstraint[i];
                if (constraint.iColumn != form_column + bit - 1 ||
                    constraint.op != SQLITE_INDEX_CONSTRAINT_EQ || (info->idxNum & bit))
                    continue;
                if (!constraint.usable) return SQLITE_CONSTRAINT;
                info->aConstraintUsage[i].argvIndex = ++argument;
                info->aConstraintUsage[i].omit = 1;
                info->idxNum |= bit;
            }
        info->estimatedRows = static_cast<sqlite3_int64>(table.rows);
        info->estimatedCost = table.rows;
        double found = 0;
        const int chosen = chosen_equality(table, *info, found);
        if (chosen < 0) {
            choose_order(table, *info);
            return SQLITE_OK;
        }
        const int column = info->aConstraint[chosen].iColumn;
        info->aConstraintUsage[chosen].argvIndex = ++argument;
        info->idxNum |= (column + 1) << kColumnShift;
        info->estimatedRows = static_cast<sqlite3_int64>(found);
        info->estimatedCost = 4 + found;
        return SQLITE_OK;
    }
    static void choose_order(const SqlTable& table, sqlite3_index_info& info) {
        if (info.nOrderBy != 1) return;
        const auto& term = info.aOrderBy[0];
        const int distinct = sqlite3_vtab_distinct(&info);
        const auto column = static_cast<std::size_t>(term.iColumn);
        if (term.iColumn < 0 || column >= table.spec->columns.size()) return;
        const ValueType type = table.spec->columns[column].type;
        if (type != ValueType::integer && type != ValueType::text) return;
        if (term.desc && distinct != 1 && distinct != 2) return;
        info.idxNum |= kOrdered | (term.iColumn + 1) << kColumnShift;
        info.orderByConsumed = 1;
        // SQLite adds no cost for sorting to a plan that begins with a virtual table in any order.
        // Fewer rows make it prefer this plan, which needs no sorting.
        info.estimatedRows = std::max<sqlite3_int64>(1, info.estimatedRows / 2);
    }
    static int open(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
        *cursor = new (std::nothrow) RowsScan();
        return *cursor ? SQLITE_OK : SQLITE_NOMEM;
    }
    static int filter(sqlite3_vtab_cursor* cursor, int number, const char*, int,
                      sqlite3_value** values) {
        return guarded([&] {
            auto& scan = *static_cast<RowsScan*>(cursor);
            const TableModule& module = static_cast<RowsTable*>(cursor->pVtab)->module;
            const std::string_view by = number & kFormGiven ? text_of(*values++) : "";
            const std::string_view range = number & kRangeGiven ? text_of(*values++) : "";
            const auto table = table_for(module.source, module.table, by, range);
            if (!table) {
                set_error(*cursor->pVtab, table.error().text);
                return SQLITE_ERROR;
            }
            scan.table = *table;
            scan.is_ranged = !range.empty();
            scan.listed = false;
            scan.at = 0;
            scan.end = scan.table->table().row_count();
            const int column = (number >> kColumnShift) - 1;
            if (number & kOrdered) {
                scan.listed = true;
                scan.rows = scan.table->ordered(static_cast<std::size_t>(column));
            } else if (column >= 0) {
                search(scan, column, *values);
            }
            return SQLITE_OK;
        });
    }
    static void search(RowsScan& scan, int column, sqlite3_value* value) {
        if (is_null(value)) {
            scan.end = 0;
            return;
        }
        Cell cell;
        if (const auto whole = whole_number(value)) cell = *whole;
        if (sqlite3_value_type(value) == SQLITE_TEXT &&
            scan.table->table().spec().columns[static_cast<std::size_t>(column)].type ==
                ValueType::text)
            cell = text_of(value);
        const auto rows = scan.table->find(static_cast<std::size_t>(column), cell);
        if (!rows) return;
        scan.listed = true;
        scan.rows = *rows;
        scan.end = rows->size();
    }
    static int next(sqlite3_vtab_cursor* cursor) {
        ++static_cast<RowsScan*>(cursor)->at;
        return SQLITE_OK;
    }
    static int eof(sqlite3_vtab_cursor* cursor) {
        const auto& scan = *static_cast<RowsScan*>(cursor);
        return scan.at >= scan.end;
    }
    static int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
        const auto& scan = *static_cast<RowsScan*>(cursor);
        const Table& table = scan.table->table();
        const auto number = static_cast<std::size_t>(column);
        if (number < table.column_count())
            give_cell(context, table.cell(scan.row(), number), scan.is_ranged);
        return SQLITE_OK;
    }
    static int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
        *id = static_cast<sqlite3_int64>(static_cast<RowsScan*>(cursor)->row());
        return SQLITE_OK;
    }
    static int disconnect(sqlite3_vtab* table) {
        delete static_cast<RowsTable*>(table);
        return SQLITE_OK;
    }
    static int close(sqlite3_vtab_cursor* cursor) {
        delete static_cast<RowsScan*>(cursor);
        return SQLITE_OK;
    }
};

constexpr sqlite3_module kRowsModule = read_only_module<RowsCallbacks>();

}  // namespace

int add_table_modules(sqlite3* db, SqlSource& source) {
    for (SqlTable& table : sql_tables(source)) {
        auto* const module = new TableModule{source, std::move(table)};
        const int failed =
            sqlite3_create_module_v2(db, module->table.name.c_str(), &kRowsModule, module,
                                     [](void* data) { delete static_cast<TableModule*>(data); });
        if (failed) return failed;
    }
    return SQLITE_OK;
}

}  // namespace lanescope

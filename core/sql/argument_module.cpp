// The virtual table `args`: read from the file, one slice or all of them in the file's order.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ingest/argument_scan.h"
#include "core/sql/modules.h"
#include "core/sql/source.h"
#include "core/sql/sql_values.h"
#include "core/sql/vtab.h"

namespace lanescope {

namespace {

enum ArgumentColumn : int {
    kArgsId,
    kArgsSet,
    kArgsFlatKey,
    kArgsKey,
    kArgsInt,
    kArgsText,
    kArgsReal,
    kArgsType,
    kArgsShown
};

constexpr const char* kArgumentColumns =
    "CREATE TABLE args(id INTEGER, arg_set_id INTEGER, flat_key TEXT, key TEXT, int_value INTEGER, "
    "string_value TEXT, real_value REAL, value_type TEXT, display_value TEXT)";
// Bits of sqlite3_index_info::idxNum.
constexpr int kSetGiven = 1;
constexpr int kKeyGiven = 2;
// Reading one event costs more than a row of a table, and less than a pass over the file.
constexpr double kCostOfOne = 500;
constexpr double kArgumentsOfOne = 6;

struct ArgumentTable : sqlite3_vtab {
    explicit ArgumentTable(SqlSource& source_) : sqlite3_vtab{}, source(source_) {}
    SqlSource& source;
};

struct ArgumentCursor : sqlite3_vtab_cursor {
    ArgumentCursor() : sqlite3_vtab_cursor{} {}

    std::vector<FlatArgument> flat;  // of the slice `id`
    std::size_t at = 0;              // in flat
    uint32_t id = 0;
    int64_t row = 0;

    // A scan of all.
    std::unique_ptr<ArgumentScan> scan;
    std::vector<EventPlace> places;
    std::size_t next_place = 0;
    std::optional<StopCheck> check;

    bool at_end() const { return at >= flat.size(); }

    // Goes on to a slice with arguments if this one has no more.
    Result<void> settle() {
        while (at_end() && next_place < places.size()) {
            if (const Result<void> going_on = check->count(); !going_on) return going_on.error();
            const auto [source, slice] = places[next_place++];
            const auto raw = scan->read(source);
            if (!raw) return raw.error();
            flat.clear();
            at = 0;
            id = slice;
            for (const Argument& argument : resolved(*raw)) flatten(argument, flat);
        }
        return {};
    }
};

std::string_view type_of(const FlatArgument& argument) {
    constexpr std::string_view names[] = {"null", "int", "real", "string"};
    return argument.is_bool ? "bool" : names[argument.value.index()];
}

std::string shown(const FlatArgument& argument) {
    if (const auto* const text = std::get_if<std::string>(&argument.value)) return *text;
    if (const auto* const whole = std::get_if<int64_t>(&argument.value))
        return argument.is_bool ? (*whole ? "true" : "false") : fmt::format("{}", *whole);
    const auto* const real = std::get_if<double>(&argument.value);
    return real ? fmt::format("{}", *real) : "null";
}

struct ArgumentCallbacks {
    static int connect(sqlite3* db, void* data, int, const char* const*, sqlite3_vtab** table,
                       char**) {
        auto& source = *static_cast<SqlSource*>(data);
        if (const int failed = declare_table(db, source.permissions, kArgumentColumns))
            return failed;
        sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
        *table = new (std::nothrow) ArgumentTable(source);
        return *table ? SQLITE_OK : SQLITE_NOMEM;
    }
    static int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
        const double rows = static_cast<ArgumentTable*>(table)->source.slices.count();
        info->estimatedCost = 20 * rows + kCostOfOne;
        info->estimatedRows = static_cast<sqlite3_int64>(kArgumentsOfOne * rows) + 1;
        const int set = equality(*info, kArgsSet);
        if (set < 0) return SQLITE_OK;
        info->aConstraintUsage[set].argvIndex = 1;
        info->aConstraintUsage[set].omit = 1;
        info->idxNum = kSetGiven;
        info->estimatedCost = kCostOfOne;
        info->estimatedRows = static_cast<sqlite3_int64>(kArgumentsOfOne);
        const int key = equality(*info, kArgsKey);
        if (key < 0 || !compares_bytes(*info, key)) return SQLITE_OK;
        // SQLite compares the keys itself. The constraint only selects the arguments to keep.
        info->aConstraintUsage[key].argvIndex = 2;
        info->idxNum |= kKeyGiven;
        info->estimatedRows = 1;
        return SQLITE_OK;
    }
    // Returns the index of a usable equality on a column, or -1.
    static int equality(const sqlite3_index_info& info, ArgumentColumn column) {
        for (int i = 0; i < info.nConstraint; ++i) {
            const auto& constraint = info.aConstraint[i];
            if (constraint.usable && constraint.op == SQLITE_INDEX_CONSTRAINT_EQ &&
                constraint.iColumn == column)
                return i;
        }
        return -1;
    }
    static int open(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
        *cursor = new (std::nothrow) ArgumentCursor();
        return *cursor ? SQLITE_OK : SQLITE_NOMEM;
    }
    static int failed(sqlite3_vtab_cursor& cursor, const Error& error) {
        set_error(*cursor.pVtab, error.text);
        return error.code == ErrorCode::cancelled ? SQLITE_INTERRUPT : SQLITE_ERROR;
    }
    static int read_one(SqlSource& source, ArgumentCursor& cursor, sqlite3_value* value,
                        std::string_view key) {
        const auto id = whole_number(value);
        if (!id || *id < 0 || *id >= source.slices.count()) return SQLITE_OK;
        cursor.id = static_cast<uint32_t>(*id);
        auto flat = source.arguments.arguments(cursor.id, key);
        if (!flat) return failed(cursor, flat.error());
        cursor.flat = std::move(*flat);
        return SQLITE_OK;
    }
    static int filter(sqlite3_vtab_cursor* base, int number, const char*, int,
                      sqlite3_value** values) {
        return guarded([&] {
            auto& cursor = *static_cast<ArgumentCursor*>(base);
            SqlSource& source = static_cast<ArgumentTable*>(base->pVtab)->source;
            cursor.flat.clear();
            cursor.places.clear();
            cursor.at = cursor.next_place = 0;
            cursor.row = 0;
            if (number & kSetGiven)
                return read_one(source, cursor, values[0],
                                number & kKeyGiven ? text_of(values[1]) : std::string_view());
            cursor.scan = open_argument_scan(source.owner);
            if (!cursor.scan)
                return failed(cursor, {ErrorCode::unsupported, Error::no_offset,
                                       "arguments cannot be read back from this file"});
            cursor.places = event_places(source.slices);
            cursor.check.emplace(source.arguments.is_stopped());
            const Result<void> settled = cursor.settle();
            return settled ? SQLITE_OK : failed(cursor, settled.error());
        });
    }
    static int next(sqlite3_vtab_cursor* base) {
        return guarded([&] {
            auto& cursor = *static_cast<ArgumentCursor*>(base);
            ++cursor.at;
            ++cursor.row;
            const Result<void> settled = cursor.settle();
            return settled ? SQLITE_OK : failed(cursor, settled.error());
        });
    }
    static int eof(sqlite3_vtab_cursor* cursor) {
        return static_cast<ArgumentCursor*>(cursor)->at_end();
    }
    static int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
        return guarded([&] {
            const auto& cursor = *static_cast<ArgumentCursor*>(base);
            const FlatArgument& argument = cursor.flat[cursor.at];
            const auto* const whole = std::get_if<int64_t>(&argument.value);
            const auto* const real = std::get_if<double>(&argument.value);
            const auto* const text = std::get_if<std::string>(&argument.value);
            if (column == kArgsId) sqlite3_result_int64(context, cursor.row);
            if (column == kArgsSet) sqlite3_result_int64(context, cursor.id);
            if (column == kArgsFlatKey) give_copy(context, argument.flat_key);
            if (column == kArgsKey) give_copy(context, argument.key);
            if (column == kArgsInt && whole) sqlite3_result_int64(context, *whole);
            if (column == kArgsReal && real) sqlite3_result_double(context, *real);
            if (column == kArgsText && text) give_copy(context, *text);
            if (column == kArgsType) give_copy(context, type_of(argument));
            if (column == kArgsShown) give_copy(context, shown(argument));
            return SQLITE_OK;
        });
    }
    static int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
        *id = static_cast<ArgumentCursor*>(cursor)->row;
        return SQLITE_OK;
    }
    static int disconnect(sqlite3_vtab* table) {
        delete static_cast<ArgumentTable*>(table);
        return SQLITE_OK;
    }
    static int close(sqlite3_vtab_cursor* cursor) {
        delete static_cast<ArgumentCursor*>(cursor);
        return SQLITE_OK;
    }
};

constexpr sqlite3_module kArgumentModule = read_only_module<ArgumentCallbacks>();

}  // namespace

int add_argument_module(sqlite3* db, SqlSource& source) {
    return sqlite3_create_module_v2(db, "args", &kArgumentModule, &source, nullptr);
}

}  // namespace lanescope

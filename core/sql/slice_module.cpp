// The virtual table `slice` and the functions with its columns.
#include <new>

#include "core/sql/modules.h"
#include "core/sql/slice_cursor.h"
#include "core/sql/source.h"
#include "core/sql/vtab.h"

namespace lanescope {

namespace {

constexpr const char* kSliceColumns =
    "CREATE TABLE slice(id INTEGER, ts INTEGER, dur INTEGER, track_id INTEGER, category TEXT, "
    "name TEXT, depth INTEGER, parent_id INTEGER, arg_set_id INTEGER, start_id INTEGER HIDDEN, "
    "cat TEXT HIDDEN, slice_id INTEGER HIDDEN, thread_ts INTEGER HIDDEN, thread_dur INTEGER "
    "HIDDEN)";
// After this number of searches by name, sorting all slices by name saves time.
constexpr int kManyNameSearches = 4;

struct SliceModule {
    SqlSource& source;
    SliceFunction function = SliceFunction::none;
};

struct SliceTable : sqlite3_vtab {
    explicit SliceTable(const SliceModule& module_) : sqlite3_vtab{}, module(module_) {}
    SliceModule module;
    int name_searches = 0;
};

struct SliceScan : sqlite3_vtab_cursor {
    SliceScan(const SliceRows& rows, SliceFunction function)
        : sqlite3_vtab_cursor{}, cursor(rows, function) {}
    SliceCursor cursor;
};

struct SliceCallbacks {
    static int connect(sqlite3* db, void* data, int, const char* const*, sqlite3_vtab** table,
                       char**) {
        const auto& module = *static_cast<const SliceModule*>(data);
        SqlPermissions& permissions = module.source.permissions;
        if (const int failed = declare_table(db, permissions, kSliceColumns)) return failed;
        sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
        *table = new (std::nothrow) SliceTable(module);
        return *table ? SQLITE_OK : SQLITE_NOMEM;
    }
    static int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
        const SliceModule& module = static_cast<SliceTable*>(table)->module;
        const bool is_function = module.function != SliceFunction::none;
        const int result = choose_slice_plan(module.source.slices, is_function, *info);
        if (result == SQLITE_ERROR) set_error(*table, "this function takes the id of a slice");
        return result;
    }
    static int open(sqlite3_vtab* table, sqlite3_vtab_cursor** cursor) {
        const SliceModule& module = static_cast<SliceTable*>(table)->module;
        *cursor = new (std::nothrow) SliceScan(module.source.slices, module.function);
        return *cursor ? SQLITE_OK : SQLITE_NOMEM;
    }
    static int filter(sqlite3_vtab_cursor* cursor, int number, const char*, int count,
                      sqlite3_value** values) {
        return guarded([&] {
            auto& table = *static_cast<SliceTable*>(cursor->pVtab);
            const SlicePlan plan = SlicePlan::decode(number);
            if (plan.uses & kUseName) ++table.name_searches;
            static_cast<SliceScan*>(cursor)->cursor.start(plan,
                                                          {values, static_cast<std::size_t>(count)},
                                                          table.name_searches >= kManyNameSearches);
            return SQLITE_OK;
        });
    }
    static int next(sqlite3_vtab_cursor* cursor) {
        static_cast<SliceScan*>(cursor)->cursor.next();
        return SQLITE_OK;
    }
    static int eof(sqlite3_vtab_cursor* cursor) {
        return static_cast<SliceScan*>(cursor)->cursor.at_end();
    }
    static int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
        static_cast<SliceScan*>(cursor)->cursor.give(context, column);
        return SQLITE_OK;
    }
    static int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
        *id = static_cast<SliceScan*>(cursor)->cursor.id();
        return SQLITE_OK;
    }
    static int disconnect(sqlite3_vtab* table) {
        delete static_cast<SliceTable*>(table);
        return SQLITE_OK;
    }
    static int close(sqlite3_vtab_cursor* cursor) {
        delete static_cast<SliceScan*>(cursor);
        return SQLITE_OK;
    }
};

constexpr sqlite3_module kSliceModule = read_only_module<SliceCallbacks>();

}  // namespace

int add_slice_modules(sqlite3* db, SqlSource& source) {
    constexpr std::pair<const char*, SliceFunction> kNames[] = {
        {"slice", SliceFunction::none},
        {"ancestor_slice", SliceFunction::ancestors},
        {"descendant_slice", SliceFunction::descendants},
    };
    for (const auto& [name, function] : kNames) {
        const int failed = sqlite3_create_module_v2(
            db, name, &kSliceModule, new SliceModule{source, function},
            [](void* module) { delete static_cast<SliceModule*>(module); });
        if (failed) return failed;
    }
    return SQLITE_OK;
}

}  // namespace lanescope

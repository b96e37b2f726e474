// SPAN_JOIN, SPAN_LEFT_JOIN and SPAN_OUTER_JOIN: virtual tables over two tables with ts and dur.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/sql/modules.h"
#include "core/sql/source.h"
#include "core/sql/span_join.h"
#include "core/sql/sql_values.h"
#include "core/sql/statement.h"
#include "core/sql/tokens.h"
#include "core/sql/vtab.h"

namespace lanescope {

namespace {

constexpr std::size_t kMostSpans = 10'000'000;

struct SpanModule {
    SqlSource& source;
    SpanJoinKind kind;
};

// One of the joined tables: "name" or "name PARTITIONED column".
struct SpanSide {
    std::string table, partition;
    std::vector<std::string> columns;  // all of the table
    std::vector<int> shown;            // those that the join shows: without ts, dur and partition
    int ts = -1, dur = -1, partition_column = -1;
};

struct SpanVtab : sqlite3_vtab {
    explicit SpanVtab(sqlite3* db_) : sqlite3_vtab{}, db(db_) {}
    sqlite3* db;
    SpanJoinKind kind = SpanJoinKind::inner;
    SpanSide left, right;
    bool partitioned = false;
};

struct FreeValue {
    void operator()(sqlite3_value* value) const { sqlite3_value_free(value); }
};
using OwnedValue = std::unique_ptr<sqlite3_value, FreeValue>;

// The rows of one side: its spans, and the values of the shown columns.
struct SpanRows {
    SpanTable table;
    std::vector<OwnedValue> values;
};

struct SpanScan : sqlite3_vtab_cursor {
    SpanScan() : sqlite3_vtab_cursor{} {}
    SpanRows left, right;
    std::vector<JoinedSpan> joined;
    std::size_t at = 0;
};

Result<SpanSide> parse_side(sqlite3* db, std::string_view text) {
    SpanSide side;
    const auto tokens = sql_tokens(text);
    const auto word = [&](std::size_t i) {
        return std::string(text.substr((*tokens)[i].begin, (*tokens)[i].end - (*tokens)[i].begin));
    };
    const bool plain = tokens && tokens->size() == 1;
    const bool parts = tokens && tokens->size() == 3 && same_word(word(1), "PARTITIONED");
    if (!plain && !parts)
        return Error{ErrorCode::usage, Error::no_offset,
                     "each table of a span join is NAME or NAME PARTITIONED COLUMN"};
    side.table = word(0);
    if (parts) side.partition = word(2);
    const Result<Statement> all =
        Statement::prepare(db, fmt::format("SELECT * FROM {} LIMIT 0", side.table));
    if (!all) return all.error();
    for (int i = 0; i < sqlite3_column_count(all->get()); ++i) {
        const std::string name = sqlite3_column_name(all->get(), i);
        side.columns.push_back(name);
        if (same_word(name, "ts"))
            side.ts = i;
        else if (same_word(name, "dur"))
            side.dur = i;
        else if (parts && same_word(name, side.partition))
            side.partition_column = i;
        else
            side.shown.push_back(i);
    }
    if (side.ts < 0 || side.dur < 0 || (parts && side.partition_column < 0))
        return Error{ErrorCode::usage, Error::no_offset,
                     fmt::format("{} needs the columns ts, dur{}{}", side.table,
                                 parts ? " and " : "", side.partition)};
    return side;
}

// Returns the name of a column that both tables have, or an empty text. Queries over the join could
// not tell the two columns apart.
std::string name_of_both(const SpanSide& left, const SpanSide& right) {
    const auto name = [](const SpanSide& side, int column) -> const std::string& {
        return side.columns[static_cast<std::size_t>(column)];
    };
    for (const int i : left.shown)
        for (const int k : right.shown)
            if (same_word(name(left, i), name(right, k))) return name(left, i);
    return {};
}

std::string quoted_name(std::string_view name) {
    std::string quoted = "\"";
    for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string join_declaration(const SpanVtab& vtab) {
    std::string text = "CREATE TABLE x(ts INTEGER, dur INTEGER";
    if (vtab.partitioned)
        text += fmt::format(
            ", {} INTEGER",
            quoted_name(vtab.left.partition.empty() ? vtab.right.partition : vtab.left.partition));
    for (const SpanSide* const side : {&vtab.left, &vtab.right})
        for (const int column : side->shown)
            text += ", " + quoted_name(side->columns[static_cast<std::size_t>(column)]);
    return text + ")";
}

Result<void> read_side(sqlite3* db, const SpanSide& side, SpanRows& rows) {
    const Result<Statement> all =
        Statement::prepare(db, fmt::format("SELECT * FROM {}", side.table));
    if (!all) return all.error();
    rows.table.partitioned = side.partition_column >= 0;
    sqlite3_stmt* const statement = all->get();
    int result = SQLITE_ROW;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        const auto number = [&](int column) -> std::optional<int64_t> {
            if (column < 0) return 0;
            if (sqlite3_column_type(statement, column) != SQLITE_INTEGER) return std::nullopt;
            return sqlite3_column_int64(statement, column);
        };
        const auto ts = number(side.ts);
        const auto dur = number(side.dur);
        const auto partition = number(side.partition_column);
        int64_t end = 0;
        if (!ts || !dur || !partition || *dur <= 0 || __builtin_add_overflow(*ts, *dur, &end))
            continue;
        rows.table.spans.push_back({{*ts, end}, *partition});
        for (const int column : side.shown) {
            rows.values.emplace_back(sqlite3_value_dup(sqlite3_column_value(statement, column)));
            if (!rows.values.back())
                return Error{ErrorCode::usage, Error::no_offset, "out of memory"};
        }
    }
    if (result != SQLITE_DONE) return Error{ErrorCode::usage, Error::no_offset, sqlite3_errmsg(db)};
    return {};
}

struct SpanCallbacks {
    static int connect(sqlite3* db, void* data, int count, const char* const* words,
                       sqlite3_vtab** table, char** error) {
        return guarded([&] {
            const auto& module = *static_cast<const SpanModule*>(data);
            auto made = std::make_unique<SpanVtab>(db);
            const auto fail = [&](const std::string& text) {
                *error = sqlite3_mprintf("%s", text.c_str());
                return SQLITE_ERROR;
            };
            if (count != 5) return fail("a span join takes two tables");
            const auto left = parse_side(db, words[3]);
            if (!left) return fail(left.error().text);
            const auto right = parse_side(db, words[4]);
            if (!right) return fail(right.error().text);
            const bool both = !left->partition.empty() && !right->partition.empty();
            if (both && !same_word(left->partition, right->partition))
                return fail("both tables of a span join must have the same partition");
            if (const std::string twice = name_of_both(*left, *right); !twice.empty())
                return fail(
                    fmt::format("both tables of a span join have the column {}: give it "
                                "another name in one of them",
                                twice));
            made->kind = module.kind;
            made->left = *left;
            made->right = *right;
            made->partitioned = !left->partition.empty() || !right->partition.empty();
            const std::string text = join_declaration(*made);
            if (const int failed = declare_table(db, module.source.permissions, text.c_str()))
                return failed;
            *table = made.release();
            return SQLITE_OK;
        });
    }
    // Two functions, since a module with one for both would be a table without CREATE.
    static int create(sqlite3* db, void* data, int count, const char* const* words,
                      sqlite3_vtab** table, char** error) {
        return connect(db, data, count, words, table, error);
    }
    static int best_index(sqlite3_vtab*, sqlite3_index_info* info) {
        info->estimatedCost = 1e6;
        info->estimatedRows = 100'000;
        return SQLITE_OK;
    }
    static int open(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
        *cursor = new (std::nothrow) SpanScan();
        return *cursor ? SQLITE_OK : SQLITE_NOMEM;
    }
    static int filter(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value**) {
        return guarded([&] {
            auto& scan = *static_cast<SpanScan*>(cursor);
            const auto& vtab = *static_cast<SpanVtab*>(cursor->pVtab);
            scan.at = 0;
            scan.joined.clear();
            scan.left = {};
            scan.right = {};
            for (const auto& [side, rows] :
                 {std::pair(&vtab.left, &scan.left), std::pair(&vtab.right, &scan.right)})
                if (const Result<void> read = read_side(vtab.db, *side, *rows); !read) {
                    set_error(*cursor->pVtab, read.error().text);
                    return SQLITE_ERROR;
                }
            auto joined = join_spans(scan.left.table, scan.right.table, vtab.kind, kMostSpans);
            if (!joined) {
                set_error(*cursor->pVtab,
                          fmt::format("the span join has more than {} rows", kMostSpans));
                return SQLITE_ERROR;
            }
            scan.joined = std::move(*joined);
            return SQLITE_OK;
        });
    }
    static int next(sqlite3_vtab_cursor* cursor) {
        ++static_cast<SpanScan*>(cursor)->at;
        return SQLITE_OK;
    }
    static int eof(sqlite3_vtab_cursor* cursor) {
        const auto& scan = *static_cast<SpanScan*>(cursor);
        return scan.at >= scan.joined.size();
    }
    static int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
        const auto& scan = *static_cast<SpanScan*>(cursor);
        const auto& vtab = *static_cast<SpanVtab*>(cursor->pVtab);
        const JoinedSpan& span = scan.joined[scan.at];
        if (column == 0) sqlite3_result_int64(context, span.range.begin);
        if (column == 1) sqlite3_result_int64(context, span.range.length());
        if (column == 2 && vtab.partitioned) sqlite3_result_int64(context, span.partition);
        auto number = static_cast<std::size_t>(column);
        const std::size_t first = vtab.partitioned ? 3 : 2;
        if (number < first) return SQLITE_OK;
        number -= first;
        const std::size_t lefts = vtab.left.shown.size();
        const bool of_left = number < lefts;
        const uint32_t row = of_left ? span.left : span.right;
        if (row == JoinedSpan::none) return SQLITE_OK;
        const std::size_t width = of_left ? lefts : vtab.right.shown.size();
        const SpanRows& rows = of_left ? scan.left : scan.right;
        sqlite3_result_value(context,
                             rows.values[row * width + (of_left ? number : number - lefts)].get());
        return SQLITE_OK;
    }
    static int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
        *id = static_cast<sqlite3_int64>(static_cast<SpanScan*>(cursor)->at);
        return SQLITE_OK;
    }
    static int disconnect(sqlite3_vtab* table) {
        delete static_cast<SpanVtab*>(table);
        return SQLITE_OK;
    }
    static int close(sqlite3_vtab_cursor* cursor) {
        delete static_cast<SpanScan*>(cursor);
        return SQLITE_OK;
    }
};

constexpr sqlite3_module created_module() {
    sqlite3_module module = read_only_module<SpanCallbacks>();
    module.xCreate = SpanCallbacks::create;
    return module;
}
constexpr sqlite3_module kSpanModule = created_module();

}  // namespace

int add_span_join_modules(sqlite3* db, SqlSource& source) {
    constexpr std::pair<const char*, SpanJoinKind> kNames[] = {
        {"span_join", SpanJoinKind::inner},
        {"span_left_join", SpanJoinKind::left},
        {"span_outer_join", SpanJoinKind::outer},
    };
    for (const auto& [name, kind] : kNames) {
        const int failed =
            sqlite3_create_module_v2(db, name, &kSpanModule, new SpanModule{source, kind},
                                     [](void* module) { delete static_cast<SpanModule*>(module); });
        if (failed) return failed;
    }
    return SQLITE_OK;
}

}  // namespace lanescope

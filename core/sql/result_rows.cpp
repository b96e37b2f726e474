#include "core/sql/result_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <span>

namespace lanescope {

namespace {

std::string bytes_as_text(const void* bytes, int size) {
    std::string text = "x'";
    for (const unsigned char byte :
         std::span(static_cast<const unsigned char*>(bytes), static_cast<std::size_t>(size)))
        text += fmt::format("{:02x}", byte);
    return text + "'";
}

}  // namespace

// The columns of a result, as a table reads them.
class SqlRows::Source final : public RowSource {
  public:
    Source(std::deque<Column> columns, StringPool texts)
        : columns_(std::move(columns)), texts_(std::move(texts)) {
        for (Column& column : columns_) {
            const auto has = [&](uint8_t kind) {
                return std::ranges::find(column.kinds, kind) != column.kinds.end();
            };
            ValueType type = ValueType::integer;
            if (has(SQLITE_FLOAT)) type = ValueType::real;
            if (has(SQLITE_TEXT)) {
                type = ValueType::text;
                make_text(column);
            }
            specs_.push_back({{column.name, Unit::none, kNoAggregate, "null in the query",
                               "A column of the query."},
                              type});
        }
        spec_ = {{"query", "The result of an SQL query."}, specs_};
    }

    const TableSpec& spec() const { return spec_; }

    Cell cell(uint32_t item, std::size_t column) const override {
        const Column& values = columns_[column];
        const int64_t number = values.numbers[item];
        switch (values.kinds[item]) {
            case SQLITE_INTEGER:
                return specs_[column].type == ValueType::real ? Cell(static_cast<double>(number))
                                                              : Cell(number);
            case SQLITE_FLOAT:
                return cell_of(std::bit_cast<double>(number));
            case SQLITE_TEXT:
                return texts_[static_cast<StringId>(number)];
            default:
                return {};
        }
    }
    RowTarget place(uint32_t) const override { return {}; }

  private:
    // Writes the column's numbers as texts.
    void make_text(Column& column) {
        for (std::size_t row = 0; row < column.kinds.size(); ++row) {
            int64_t& number = column.numbers[row];
            if (column.kinds[row] == SQLITE_INTEGER)
                number = texts_.intern(fmt::format("{}", number));
            else if (column.kinds[row] == SQLITE_FLOAT)
                number = texts_.intern(fmt::format("{}", std::bit_cast<double>(number)));
            else
                continue;
            column.kinds[row] = SQLITE_TEXT;
        }
    }

    std::deque<Column> columns_;
    StringPool texts_;
    std::vector<ColumnSpec> specs_;
    TableSpec spec_{};
};

void SqlRows::begin(sqlite3_stmt* statement) {
    std::vector<std::string> names;
    if (has_trace_) names.emplace_back("trace");
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const char* const name = sqlite3_column_name(statement, i);
        std::string unique = name ? name : "";
        for (int copy = 1; std::ranges::find(names, unique) != names.end(); ++copy)
            unique = fmt::format("{}:{}", name ? name : "", copy);
        names.push_back(std::move(unique));
    }
    if (kept_ > 0 && std::ranges::equal(names, columns_, {}, {}, &Column::name)) {
        for (Column& column : columns_) {
            column.kinds.resize(kept_);
            column.numbers.resize(kept_);
        }
        rows_ = kept_;
        return;
    }
    columns_.clear();
    texts_ = StringPool();
    rows_ = kept_ = 0;
    for (std::string& name : names) columns_.emplace_back().name = std::move(name);
}

void SqlRows::of_trace(std::string_view name) {
    has_trace_ = true;
    trace_ = name;
    kept_ = rows_;
}

void SqlRows::append(Column& column, uint8_t kind, int64_t number) {
    column.kinds.push_back(kind);
    column.numbers.push_back(number);
}

void SqlRows::append(Column& column, sqlite3_stmt* statement, int index) {
    switch (sqlite3_column_type(statement, index)) {
        case SQLITE_INTEGER:
            return append(column, SQLITE_INTEGER, sqlite3_column_int64(statement, index));
        case SQLITE_FLOAT:
            return append(column, SQLITE_FLOAT,
                          std::bit_cast<int64_t>(sqlite3_column_double(statement, index)));
        case SQLITE_TEXT: {
            const auto* const text =
                reinterpret_cast<const char*>(sqlite3_column_text(statement, index));
            const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, index));
            return append(column, SQLITE_TEXT, texts_.intern({text ? text : "", size}));
        }
        case SQLITE_BLOB:
            return append(column, SQLITE_TEXT,
                          texts_.intern(bytes_as_text(sqlite3_column_blob(statement, index),
                                                      sqlite3_column_bytes(statement, index))));
        default:
            return append(column, SQLITE_NULL, 0);
    }
}

Result<void> SqlRows::add(sqlite3_stmt* statement) {
    const std::size_t first = has_trace_ ? 1 : 0;
    if (has_trace_) append(columns_[0], SQLITE_TEXT, texts_.intern(trace_));
    for (std::size_t i = first; i < columns_.size(); ++i)
        append(columns_[i], statement, static_cast<int>(i - first));
    ++rows_;
    const uint64_t cells = uint64_t{rows_} * columns_.size();
    if (cells * (sizeof(int64_t) + 1) + texts_.bytes() > limit_)
        return Error{ErrorCode::usage, Error::no_offset,
                     fmt::format("the result has more than {} MiB: add LIMIT, or group its rows",
                                 limit_ >> 20U)};
    return {};
}

Table SqlRows::take() {
    auto source = std::make_shared<const Source>(std::move(columns_), std::move(texts_));
    std::vector<uint32_t> items(rows_);
    std::iota(items.begin(), items.end(), 0U);
    const TableSpec& spec = source->spec();
    return Table(spec, std::move(items), std::move(source));
}

}  // namespace lanescope

// Declarations of tables and their columns. Each column is declared once, with the function that
// computes its value from a row; the command line, JSON, CSV, panels, docs and tests follow from
// the declaration.
//
//     struct StepRow {
//         const Trace& trace;
//         const Step& step;
//     };
//     constexpr auto kColumns = columns<StepRow>({
//         {{"name", Unit::none, kDistinct, "", "Name of the step."},
//          [](const StepRow& row) { return row.trace.strings[row.step.name]; }},
//     });
//     const TableOf<StepRow> kStepsTable = {
//         {"steps", "The steps."}, kColumns,
//         [](const StepRow& row) { return RowTarget{row.step.slice, {}}; }};
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/table/cell.h"

namespace lanescope {

// The unit of a number. Panels and text output scale by it; data formats print plain numbers.
enum class Unit : uint8_t { none, count, nanoseconds, bytes, flop, ratio };

// How the values of several rows become one value. Every column states it.
struct Aggregate {
    enum class How : uint8_t {
        none,  // cannot be combined: the sum or mean of medians, for example, is no median
        sum,
        weighted_mean,
        min,
        max,
        distinct,  // the value if all rows agree, else the number of different values
    };

    constexpr explicit Aggregate(How how_, std::string_view weight_ = {})
        : how(how_), weight(weight_) {}
    friend bool operator==(const Aggregate&, const Aggregate&) = default;

    How how;
    std::string_view weight;  // of weighted_mean: the key of the column with the weights
};
inline constexpr Aggregate kNoAggregate{Aggregate::How::none};
inline constexpr Aggregate kSum{Aggregate::How::sum};
inline constexpr Aggregate kMin{Aggregate::How::min};
inline constexpr Aggregate kMax{Aggregate::How::max};
inline constexpr Aggregate kDistinct{Aggregate::How::distinct};
constexpr Aggregate mean_by(std::string_view weight) {
    return Aggregate(Aggregate::How::weighted_mean, weight);
}

// The order of columns in panels and in text, which have too little space for all of a wide table.
// Columns of one priority keep the order in which they are declared, and the first column stays
// first. Data formats ignore it.
enum class Priority : uint8_t {
    differing,  // hidden if all rows have the same value; else it tells rows of one name apart
    first,
    normal,
    detail,  // panels hide it until it is enabled
};

// Columns whose nonzero value says that no source confirmed the basis of a value.
using Doubts = std::array<std::string_view, 2>;

// The texts and properties of a column, without its value.
struct ColumnText {
    std::string_view key;  // in JSON and CSV: "busy_ns"
    Unit unit;
    Aggregate aggregate;
    std::string_view null;  // meaning of a missing value; empty: never missing
    std::string_view definition;
    Priority priority = Priority::normal;
    // The display shows a "?" after the value if one of them says so, and hides those columns.
    Doubts doubts = {};
    std::string_view title = {};  // for display; empty: made from the key
    bool is_prose = false;        // sentences or code: never shortened like names
};

// In a list of columns: {shown_first({"calls", …}), …}.
constexpr ColumnText shown_first(ColumnText text) {
    text.priority = Priority::first;
    return text;
}
constexpr ColumnText where_rows_differ(ColumnText text) {
    text.priority = Priority::differing;
    return text;
}
constexpr ColumnText prose(ColumnText text) {
    text.is_prose = true;
    return text;
}
constexpr ColumnText on_request(ColumnText text) {
    text.priority = Priority::detail;
    return text;
}

struct ColumnSpec : ColumnText {
    ValueType type;
};

// The indices of columns in the order of their usefulness.
std::vector<std::size_t> by_usefulness(std::span<const ColumnSpec> columns);

// Whether a column only marks other columns as uncertain.
bool is_doubt(std::span<const ColumnSpec> columns, std::string_view key);

// A column that several tables share: its value is a function of any row that has what it needs.
template <typename Value>
struct SharedColumn {
    ColumnText text;
    Value value;
};
template <typename Value>
SharedColumn(ColumnText, Value) -> SharedColumn<Value>;

// A column of a table whose rows are of type Row. `value` is a lambda without captures. Its result
// determines the column's type: an integer, a double (unknown if it is not finite), a
// std::string_view, a std::span<const int64_t>, or a std::optional of these for values that may be
// missing.
template <typename Row>
struct ColumnOf {
    template <typename Value>
    constexpr ColumnOf(const ColumnText& text, Value)
        : spec{text, Traits<Value>::type},
          cell([](const Row& row) -> Cell { return cell_of(Value{}(row)); }) {
        check(text, Traits<Value>::optional, Traits<Value>::type == ValueType::real);
    }
    template <typename Value>
    constexpr ColumnOf(const SharedColumn<Value>& shared) : ColumnOf(shared.text, shared.value) {}

    ColumnSpec spec;
    Cell (*cell)(const Row& row);

  private:
    template <typename Value>
    using Traits = ValueTraits<std::remove_cvref_t<std::invoke_result_t<Value, const Row&>>>;

    static void a_definition_ends_with_a_full_stop() {}
    static void an_optional_value_says_what_null_means_and_no_other_does() {}
    // Lists of columns are constants: calling one of these functions is an error of the compiler.
    static constexpr void check(const ColumnText& text, bool optional, bool real) {
        if (!text.definition.ends_with('.')) a_definition_ends_with_a_full_stop();
        if (!real && optional == text.null.empty())
            an_optional_value_says_what_null_means_and_no_other_does();
    }
};

// The list of a table's columns, which must outlive the table: a constant.
template <typename Row, std::size_t N>
struct Columns {
    std::array<ColumnSpec, N> specs;
    std::array<Cell (*)(const Row& row), N> cells;
};
template <typename Row, std::size_t N>
constexpr Columns<Row, N> columns(const ColumnOf<Row> (&list)[N]) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return Columns<Row, N>{{list[I].spec...}, {list[I].cell...}};
    }
    (std::make_index_sequence<N>());
}

// The columns of several lists in sequence, for tables that share a part of their columns.
template <typename Row, std::size_t... N>
constexpr Columns<Row, (N + ...)> joined(const Columns<Row, N>&... lists) {
    const auto all = [](const auto&... each) { return std::array{each...}; };
    return {std::apply(all, std::tuple_cat(lists.specs...)),
            std::apply(all, std::tuple_cat(lists.cells...))};
}

struct TableText {
    std::string_view name;  // as typed in `lanescope table NAME`
    std::string_view about;
    std::string_view by = {};  // the variant of the table, as in --by; empty: the plain one
    // Rows form a tree in preorder; the column "depth" gives their depth. The column "path" has the
    // names of all ancestors, for readers of single rows.
    bool tree = false;
};

struct TableSpec : TableText {
    std::span<const ColumnSpec> columns;
};

// A table whose rows are of type Row, and where on the timeline each row is.
template <typename Row>
struct TableOf : TableSpec {
    template <std::size_t N>
    constexpr TableOf(const TableText& text, const Columns<Row, N>& columns_,
                      RowTarget (*place_)(const Row& row) = nullptr)
        : TableSpec{text, columns_.specs}, cells(columns_.cells), place(place_) {}
    // A temporary list would be gone before the table.
    template <std::size_t N>
    TableOf(const TableText& text, Columns<Row, N>&&,
            RowTarget (*place_)(const Row& row) = nullptr) = delete;

    std::span<Cell (*const)(const Row& row)> cells;  // by column
    RowTarget (*place)(const Row& row);              // null: rows are not on the timeline
};

std::string_view value_type_name(
    ValueType type);                    // "text", "integer", "number", "list of integers"
std::string_view unit_name(Unit unit);  // "ns", "bytes", …; empty for texts
std::string aggregate_name(const Aggregate& aggregate);  // "sum", "mean by calls"; empty: none

}  // namespace lanescope

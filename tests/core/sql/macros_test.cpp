// CREATE PERFETTO MACRO and its uses.
#include "core/sql/macros.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "core/sql/script.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/sql/sql_text.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

using namespace testing;

namespace {

TracePtr two_slices() {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{1000, 100, "aten::mm", "cpu_op"}, {1010, 20, "gemm", "kernel"}}});
    return maker.finish();
}

}  // namespace

TEST_CASE("macros: an argument is any part of a statement") {
    const auto connection = connect(two_slices());
    sql(*connection,
        "CREATE PERFETTO MACRO longest(source TableOrSubquery, column ColumnName) RETURNS Expr AS "
        "(select max($column) from $source)");
    CHECK(sql(*connection, "select longest!(slice, dur)") == "100\n");
    CHECK(sql(*connection, "select LONGEST!((select dur - 1 as d from slice), d)") == "99\n");
    CHECK(sql(*connection, "select longest!(slice, dur) + 1") == "101\n");
    CHECK(sql(*connection, "select longest ! ( slice , slice.dur )") == "100\n");
    // A macro in a macro, in an argument, and in another statement of the script.
    CHECK(sql(*connection,
              "CREATE PERFETTO MACRO twice(x Expr) RETURNS Expr AS ($x + $x); "
              "CREATE PERFETTO MACRO four(x Expr) RETURNS Expr AS twice!(twice!($x)); "
              "select four!(longest!(slice, dur)), twice!(four!(1)), 3 != (twice!(1)), x'41' || "
              "''") == "400,8,1,A\n");
    CHECK(sql(*connection,
              "CREATE PERFETTO MACRO nothing() RETURNS Expr AS 'no $x; here'; "
              "CREATE PERFETTO VIEW v AS select nothing!() as n; select n from v") ==
          "no $x; here\n");
    CHECK(sql(*connection,
              "CREATE OR REPLACE PERFETTO MACRO nothing() RETURNS Expr AS 1 <= 2; "
              "select nothing!()") == "1\n");
    CHECK(sql(*connection,
              "CREATE PERFETTO FUNCTION f(x INT) RETURNS INT AS select twice!($x); "
              "select f(21)") == "42\n");
}

TEST_CASE("macros: errors name the place of the use") {
    const auto connection = connect(two_slices());
    const auto place = [&](std::string_view script) {
        const auto text = try_sql(*connection, script);
        REQUIRE_FALSE(text);
        return text.error().byte_offset;
    };
    CHECK(sql_error(*connection, "select 1, none!(2)") == "there is no macro none");
    CHECK(place("select 1, none!(2)") == 10);
    sql(*connection, "CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS ($x + wrong)");
    CHECK(sql_error(*connection, "select m!(1, 2)") == "the macro m takes 1 arguments");
    CHECK(sql_error(*connection, "select m!((1, 2)") == "the arguments of the macro have no end");
    CHECK(sql_error(*connection, "select   m!(1)") == "no such column: wrong");
    CHECK(place("select   m!(1)") == 9);
    // An error in the user's own text names the place in that text: inside the arguments of a
    // macro, and behind them.
    sql(*connection, "CREATE PERFETTO MACRO plus(x Expr) RETURNS Expr AS ($x + 1000000)");
    CHECK(place("select plus!(1 + lost) from slice") == 17);
    CHECK(place("select plus!(1), lost from slice") == 17);
    CHECK(place("select plus!(plus!(lost)) from slice") == 19);
    CHECK(sql_error(*connection, "CREATE PERFETTO MACRO m(x Expr) RETURNS Expr AS 2") ==
          "there is a macro m: write CREATE OR REPLACE");
    sql(*connection, "CREATE PERFETTO MACRO loop(x Expr) RETURNS Expr AS loop!($x)");
    CHECK(sql_error(*connection, "select loop!(1)").find("inside itself") != std::string::npos);
    sql(*connection, "CREATE PERFETTO MACRO grow(x Expr) RETURNS Expr AS grow!($x + $x + $x)");
    CHECK(sql_error(*connection, "select grow!(1)").find("too long") != std::string::npos);
    sql(*connection, "CREATE PERFETTO MACRO other(x Expr) RETURNS Expr AS $y");
    CHECK(sql_error(*connection, "select other!(1)") == "the macro other has no argument $y");
    CHECK(sql_error(*connection, "CREATE PERFETTO MACRO p RETURNS Expr AS 1") ==
          "the macro's arguments are missing");
}

TEST_CASE("macros: calls count even where they expand to nothing") {
    const auto connection = connect(two_slices());
    sql(*connection, "CREATE PERFETTO MACRO m0(x Expr, y Expr) RETURNS Expr AS $x $y");
    for (int i = 1; i < 31; ++i)
        sql(*connection, fmt::format("CREATE PERFETTO MACRO m{0}(x Expr, y Expr) RETURNS Expr AS "
                                     "m{1}!($x, $y) m{1}!($x, $y)",
                                     i, i - 1));
    CHECK(sql(*connection, "select 1 m5!(,)") == "1\n");
    CHECK(sql_error(*connection, "select 1 m30!(,)") == "macros make this statement too long");
}

}  // namespace lanescope

#include "core/sql/parameters.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "tests/core/sql/sql_text.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

using namespace testing;

namespace {

TracePtr trace_with_names() {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{1000, 100, "it's; a"}, {1200, 50, "b"}, {1300, 20, "it's; a"}}});
    return maker.finish();
}

SqlParameter sql_text_value(std::string value) {
    return SqlParameter(std::move(value));
}

SqlParameter sql_whole_value(int64_t value) {
    return SqlParameter(value);
}

// Returns the byte offset of the error; no_offset if the error has none.
uint64_t place_of_error(SqlConnection& connection, std::string_view script,
                        const SqlParameters& parameters) {
    const Result<std::string> done = try_sql(connection, script, parameters);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == ErrorCode::usage);
    return done.error().byte_offset;
}

}  // namespace

TEST_CASE("sql parameters: every kind of name and value") {
    const auto connection = connect(trace_with_names());
    const SqlParameters named = {{"a", sql_whole_value(std::numeric_limits<int64_t>::min())},
                                 {"b", SqlParameter(0.5)},
                                 {"c", sql_text_value("é")},
                                 {"d", SqlParameter()}};
    CHECK(sql(*connection, "select :a, @b, $c, :d is null, :a = $a", named) ==
          "-9223372036854775808,0.5,é,1,1\n");
    CHECK(sql(*connection, "select ?, ?, ?1",
              {{"1", sql_whole_value(3)}, {"2", sql_text_value("x")}}) == "3,x,3\n");
    CHECK(sql(*connection, "select ?2, ?1",
              {{"1", sql_whole_value(3)}, {"2", sql_text_value("x")}}) == "x,3\n");
    CHECK(sql(*connection, "select typeof(?)", {{"1", sql_text_value("7")}}) == "text\n");
    // SQLite numbers all parameters, so that ":a" is number 1 and "?" number 2.
    CHECK(sql(*connection, "select :a, ?",
              {{"a", sql_whole_value(1)}, {"2", sql_whole_value(2)}}) == "1,2\n");
}

TEST_CASE("sql parameters: a text never becomes SQL") {
    const auto connection = connect(trace_with_names());
    CHECK(sql(*connection, "select count(*) from slice where name = :name",
              {{"name", sql_text_value("it's; a")}}) == "2\n");
    for (const std::string& hostile :
         {std::string("'; create table mine(x); --"), std::string("x' or '1' = '1"),
          std::string("\"); select 1; /*"), std::string("a\0b", 3), std::string()}) {
        CAPTURE(hostile);
        CHECK(sql(*connection, "select count(*) from slice where name = ?",
                  {{"1", sql_text_value(hostile)}}) == "0\n");
        CHECK(sql(*connection, "select length(cast(? as blob))",
                  {{"1", sql_text_value(hostile)}}) == std::to_string(hostile.size()) + "\n");
    }
    CHECK(sql(*connection, "select count(*) from sqlite_temp_master where name = 'mine'") == "0\n");
}

TEST_CASE("sql parameters: each statement of a script takes its own") {
    const auto connection = connect(trace_with_names());
    CHECK(sql(*connection,
              "create table t as select ? as x; insert into t values (?1 + ?2); "
              "create perfetto table u as select x from t where x > :least; select x + ? from u",
              {{"1", sql_whole_value(10)},
               {"2", sql_whole_value(5)},
               {"least", sql_whole_value(12)}}) == "25\n");
    // Inside a function, $n is the function's argument and not a parameter.
    CHECK(sql(*connection,
              "create perfetto function twice(n long) returns long as select $n * 2; "
              "select twice(:n) + $n",
              {{"n", sql_whole_value(4)}}) == "12\n");
    CHECK(sql_error(*connection,
                    "create perfetto function wrong(n long) returns long as select $n * $m",
                    {{"m", sql_whole_value(4)}}) == "the query has no parameter :m");
    CHECK(sql_error(*connection,
                    "create perfetto function wrong(n long) returns long as select $n * $m") ==
          "the function wrong has no argument $m");
    CHECK(sql_error(*connection,
                    "create perfetto function wrong(n long) returns long as select :n") ==
          "the function wrong has no argument :n");
    CHECK(
        sql_error(*connection, "create perfetto function wrong(n long) returns long as select ?") ==
        "the function wrong has no argument ?");
    CHECK(sql(*connection,
              "create perfetto macro shifted(x Expr) returns Expr as $x + :by; "
              "select shifted!(1)",
              {{"by", sql_whole_value(4)}}) == "5\n");
}

TEST_CASE("sql parameters: those without a value, and values without a parameter") {
    const auto connection = connect(trace_with_names());
    CHECK(sql_error(*connection, "select :step") == "the parameter :step has no value");
    CHECK(sql_error(*connection, "select ?") == "the parameter ?1 has no value");
    CHECK(sql_error(*connection, "select ?3", {{"3", sql_whole_value(1)}}) ==
          "the parameter ?1 has no value");
    CHECK(sql_error(*connection, "select ?",
                    {{"1", sql_whole_value(1)}, {"2", sql_whole_value(2)}}) ==
          "the query has no parameter ?2");
    CHECK(sql_error(*connection, "select 1", {{"step", sql_whole_value(1)}}) ==
          "the query has no parameter :step");
    CHECK(sql_error(*connection, "-- nothing", {{"step", sql_whole_value(1)}}) ==
          "the query has no parameter :step");
    CHECK(sql_error(*connection, "include perfetto module slices.slices",
                    {{"a", sql_whole_value(1)}}) == "the query has no parameter :a");
    // The error comes before the endless statement runs.
    CHECK(sql_error(*connection,
                    "with recursive n(x) as (select 1 union all select x + 1 from n) "
                    "select count(*) from n",
                    {{"step", sql_whole_value(1)}}) == "the query has no parameter :step");
    CHECK(sql_error(*connection, "create view v as select :a", {{"a", sql_whole_value(1)}})
              .find("view") != std::string::npos);
    const std::string_view script = "select 1; select ':a', 1 /* :a */ + :a, ?17";
    CHECK(place_of_error(*connection, script, {}) == script.rfind(":a"));
    const std::string_view numbered = "select 1 + ?2, ?1";
    CHECK(place_of_error(*connection, numbered, {{"1", sql_whole_value(1)}}) ==
          numbered.find("?2"));
    CHECK(place_of_error(*connection, "select ?", {}) == Error::no_offset);
}

TEST_CASE("sql parameters: values as people type them") {
    const auto typed = [](const char* value) {
        const Result<SqlParameter> made = sql_parameter_in_text(value);
        REQUIRE(made);
        return *made;
    };
    CHECK(typed("7") == sql_whole_value(7));
    CHECK(typed("-9223372036854775808") == sql_whole_value(std::numeric_limits<int64_t>::min()));
    CHECK(typed("0") == sql_whole_value(0));
    CHECK(typed("1.5") == SqlParameter(1.5));
    CHECK(typed("-2e3") == SqlParameter(-2000.0));
    CHECK(typed("1E+2") == SqlParameter(100.0));
    for (const char* const value : {"", "-", "+1", "007", "1.", ".5", "1e", "1e+", "0x1", "inf",
                                    "nan", "1 ", " 1", "step:3", "1,5", "--1", "1.5.2"}) {
        CAPTURE(value);
        CHECK(typed(value) == sql_text_value(value));
    }
    for (const char* const value : {"9223372036854775808", "-9223372036854775809", "1e400"}) {
        CAPTURE(value);
        const Result<SqlParameter> made = sql_parameter_in_text(value);
        REQUIRE_FALSE(made);
        CHECK(made.error().text == "the number " + std::string(value) + " is out of range");
    }
}

}  // namespace lanescope

#include "core/sql/script.h"

#include <doctest/doctest.h>

#include <random>

namespace lanescope {

namespace {

std::vector<SqlStatement> parsed(std::string_view script) {
    const auto statements = parse_script(script);
    if (!statements) FAIL(script << ": " << statements.error().text);
    return *statements;
}

std::string text_of(std::string_view script) {
    const auto statements = parsed(script);
    REQUIRE(statements.size() == 1);
    return statements.front().text;
}

}  // namespace

TEST_CASE("a script is split at semicolons outside of texts and comments") {
    const auto statements = parsed("select ';'; -- a;b\n/* ; */ select \"x;y\";;select [;]");
    REQUIRE(statements.size() == 3);
    CHECK(statements[0].text == "select ';'");
    CHECK(statements[1].text == "select \"x;y\"");
    CHECK(statements[2].text == "select [;]");
    CHECK(parsed("").empty());
    CHECK(parsed(" ;; -- nothing").empty());
}

TEST_CASE("Perfetto's statements become SQLite's") {
    CHECK(text_of("CREATE TABLE a AS select 1") == "CREATE TEMP TABLE a AS select 1");
    CHECK(text_of("create  view v as select 1") == "CREATE TEMP view v as select 1");
    CHECK(text_of("CREATE TEMP TABLE a(x)") == "CREATE TEMP TABLE a(x)");
    CHECK(text_of("CREATE PERFETTO TABLE a(x INT, y JOINID(slice.id)) AS select 1, 2") ==
          "CREATE TEMP TABLE a AS select 1, 2");
    CHECK(text_of("CREATE PERFETTO VIEW a(x INT, y JOINID(slice.id)) AS select 1, 2") ==
          "CREATE TEMP VIEW a(x, y) AS select 1, 2");
    CHECK(text_of("CREATE PERFETTO TABLE IF NOT EXISTS a AS select 1") ==
          "CREATE TEMP TABLE IF NOT EXISTS a AS select 1");
    CHECK(text_of("create perfetto view if not exists a(x INT) as select 1") ==
          "CREATE TEMP VIEW IF NOT EXISTS a(x) as select 1");
    CHECK(text_of("CREATE PERFETTO INDEX i ON t(x)") == "CREATE INDEX i ON t(x)");
    CHECK(text_of("CREATE VIRTUAL TABLE s USING SPAN_JOIN(a, b PARTITIONED c)") ==
          "CREATE VIRTUAL TABLE temp.s USING SPAN_JOIN(a, b PARTITIONED c)");
    CHECK(text_of("create virtual table if not exists s using span_join(a, b)") ==
          "CREATE VIRTUAL TABLE IF NOT EXISTS temp.s using span_join(a, b)");
    const auto replaced = parsed("CREATE OR REPLACE PERFETTO TABLE t AS select 1");
    CHECK(replaced.front().drops == "DROP TABLE IF EXISTS temp.t");
    const auto function = parsed(
                              "CREATE PERFETTO FUNCTION f(a INT, b STRING) RETURNS TABLE(x INT, y "
                              "INT) AS select $a, 2")
                              .front();
    CHECK(function.action == SqlAction::function);
    CHECK(function.name == "f");
    CHECK(function.arguments == std::vector<std::string>{"a", "b"});
    CHECK(function.columns == std::vector<std::string>{"x", "y"});
    CHECK(function.text == "select $a, 2");
    const auto included = parsed("INCLUDE PERFETTO MODULE slices.with_context").front();
    CHECK(included.action == SqlAction::include);
    CHECK(included.name == "slices.with_context");
}

TEST_CASE("a form of a table in a function's first argument chooses the table of the form") {
    CHECK(text_of("select * from kernels('config', 'step:3') k") ==
          "select * from kernels_by_config('config', 'step:3') k");
    CHECK(text_of("select * from Critical_Path ( 'name')") ==
          "select * from critical_path_by_name ( 'name')");
    CHECK(text_of("select * from kernels('other')") == "select * from kernels('other')");
    CHECK(text_of("select lower('config')") == "select lower('config')");
}

TEST_CASE("a place in a rewritten statement leads to its place in the script") {
    const std::string_view script = "select 1; CREATE PERFETTO VIEW v(a INT) AS select here";
    const auto statement = parsed(script).back();
    const std::size_t here = statement.text.find("here");
    CHECK(statement.place_of(here) == script.find("here"));
    const std::string_view other = "select * from kernels('config') where there";
    const auto chosen = parsed(other).front();
    CHECK(chosen.place_of(chosen.text.find("there")) == other.find("there"));
}

TEST_CASE("wrong statements are refused with their place") {
    for (const std::string_view script :
         {"select 'x", "select \"x", "select /* x", "INCLUDE x", "INCLUDE PERFETTO x",
          "CREATE PERFETTO", "CREATE PERFETTO MACRO m RETURNS Expr AS 1", "CREATE PERFETTO TABLE",
          "CREATE PERFETTO TABLE t(x INT", "CREATE PERFETTO FUNCTION", "CREATE PERFETTO FUNCTION f",
          "CREATE PERFETTO FUNCTION f()", "CREATE PERFETTO FUNCTION f() RETURNS",
          "CREATE PERFETTO FUNCTION f() RETURNS INT AS",
          "CREATE PERFETTO FUNCTION f() RETURNS TABLE AS select 1", "CREATE VIRTUAL"}) {
        CAPTURE(script);
        const auto statements = parse_script(script);
        REQUIRE_FALSE(statements);
        CHECK(statements.error().byte_offset <= script.size());
    }
}

TEST_CASE("random scripts are split or refused, and their places lie inside") {
    constexpr std::string_view parts[] = {"CREATE ",
                                          "OR REPLACE ",
                                          "PERFETTO ",
                                          "TABLE ",
                                          "VIEW ",
                                          "FUNCTION ",
                                          "x",
                                          "(a INT)",
                                          " AS ",
                                          "select 1",
                                          ";",
                                          "'",
                                          "\"",
                                          "--\n",
                                          "/*",
                                          "*/",
                                          "RETURNS ",
                                          "INCLUDE ",
                                          "MODULE ",
                                          "VIRTUAL ",
                                          "kernels('config')",
                                          "IF NOT EXISTS ",
                                          "(",
                                          ")",
                                          ",",
                                          "INDEX ",
                                          "$a",
                                          "\xc3\xa9"};
    std::mt19937_64 random(3);
    for (int round = 0; round < 20'000; ++round) {
        std::string script;
        for (std::size_t i = 0; i < 1 + random() % 10; ++i)
            script += parts[random() % std::size(parts)];
        const auto statements = parse_script(script);
        if (!statements) {
            REQUIRE(statements.error().byte_offset <= script.size());
            continue;
        }
        for (const SqlStatement& statement : *statements)
            for (std::size_t i = 0; i <= statement.text.size(); ++i)
                REQUIRE(statement.place_of(i) <= script.size() + statement.text.size());
    }
}

}  // namespace lanescope

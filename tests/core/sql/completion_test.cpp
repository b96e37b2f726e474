#include "core/sql/completion.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace lanescope {

namespace {

const std::vector<SqlTableName> kTables = {{"slice", {"id", "ts", "dur", "name"}},
                                           {"thread", {"utid", "name", "tid"}},
                                           {"kernels_by_config", {"name", "total_ns"}}};
const std::vector<std::string> kFunctions = {"extract_arg", "sum"};

std::vector<std::string> words(std::string_view text) {
    return complete_sql(text, text.size(), kTables, kFunctions).words;
}

bool has(const std::vector<std::string>& found, std::string_view word) {
    return std::ranges::find(found, word) != found.end();
}

}  // namespace

TEST_CASE("completion of SQL: keywords, functions, tables and columns") {
    CHECK(words("sel") == std::vector<std::string>{"select"});
    CHECK(words("SEL") == std::vector<std::string>{"SELECT"});
    CHECK(words("select extr") == std::vector<std::string>{"extract_arg("});
    CHECK(words("select * from kern") == std::vector<std::string>{"kernels_by_config"});
    CHECK(words("select * from slice where du") == std::vector<std::string>{"dur"});
    CHECK(has(words("select uti"), "utid"));
    // Only columns of the tables that the text names.
    CHECK(!has(words("select * from slice where ut"), "utid"));
    CHECK(words("select thread.") == std::vector<std::string>{"name", "tid", "utid"});
    CHECK(words("select thread.u") == std::vector<std::string>{"utid"});
    CHECK(complete_sql("select s.du from slice s", 11, kTables, kFunctions).words ==
          std::vector<std::string>{"dur"});
    CHECK(words("select nothing_like_it").empty());
    CHECK(words("select Ü").empty());
}

TEST_CASE("completion of SQL: the place of the word, and the common beginning") {
    const std::string_view text = "select ti from thread where u";
    const SqlCompletion inner = complete_sql(text, 9, kTables, kFunctions);
    CHECK(inner.begin == 7);
    CHECK(has(inner.words, "tid"));
    const SqlCompletion last = complete_sql("select T", 99, kTables, kFunctions);
    CHECK(last.begin == 7);
    CHECK(last.common.size() == 1);
    CHECK(complete_sql("thread.ut", 9, kTables, kFunctions).common == "utid");
    CHECK(complete_sql("", 0, {}, {}).begin == 0);
}

TEST_CASE("a script of SQL ends with a semicolon outside of texts and comments") {
    CHECK(is_complete_sql("select 1;"));
    CHECK(is_complete_sql("select 1; -- done"));
    CHECK(!is_complete_sql("select 1"));
    CHECK(!is_complete_sql("select ';"));
    CHECK(!is_complete_sql("select 1 /* ; "));
    CHECK(!is_complete_sql("select 1 -- ;"));
    CHECK(!is_complete_sql(""));
}

TEST_CASE("completion of SQL: what Tab inserts") {
    const auto inserted = [](std::string_view text) {
        const SqlCompletion found = complete_sql(text, text.size(), kTables, kFunctions);
        return insertion_of(found, text.size() - found.begin);
    };
    CHECK(inserted("sel") == "ect ");
    CHECK(inserted("select extr") == "act_arg(");
    CHECK(inserted("select * from kern") == "els_by_config ");
    CHECK(inserted("select thread.") == "");
    CHECK(inserted("select nothing_like_it").empty());
}

}  // namespace lanescope

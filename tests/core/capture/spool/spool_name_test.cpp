#include "core/capture/spool/spool_name.h"

#include <doctest/doctest.h>

#include <cstdlib>

namespace lanescope {

namespace {

SpoolNameFacts facts() {
    SpoolNameFacts facts;
    facts.host = "node7";
    facts.start = 86'400 * 365;  // noon of no importance: the time zone is the machine's
    facts.variable = [](const std::string& name) -> std::optional<std::string> {
        if (name == "RANK") return "3";
        if (name == "EMPTY") return "";
        return std::nullopt;
    };
    return facts;
}

}  // namespace

TEST_CASE("placeholders in the name of a recording are replaced") {
    const auto name = SpoolName::parse("r%q{RANK}-%h-%p%%%q{EMPTY}.%n.spool", facts());
    REQUIRE(name);
    CHECK(name->is_numbered());
    CHECK(name->path(42, 1) == "r3-node7-42%.1.spool");
    CHECK(name->path(42, 12) == "r3-node7-42%.12.spool");
    const auto plain = SpoolName::parse("run.spool", facts());
    REQUIRE(plain);
    CHECK_FALSE(plain->is_numbered());
    CHECK(plain->path(42, 7) == "run.spool");
    const auto timed = SpoolName::parse("%t", facts());
    REQUIRE(timed);
    const std::string text = timed->path(1, 1);
    REQUIRE(text.size() == 15);
    CHECK(text[8] == '-');
    CHECK((text.starts_with("1970") || text.starts_with("1971")));
}

TEST_CASE("unknown placeholders and variables that are not set are errors") {
    for (const char* pattern : {"%x", "a%", "%q", "%q{}", "%q{RANK", "%q{MISSING}", "", "% "})
        CHECK_FALSE(SpoolName::parse(pattern, facts()));
    CHECK(SpoolName::parse("%q{MISSING}", facts()).error().text.find("MISSING") !=
          std::string::npos);
    CHECK(SpoolName::parse("%q{MISSING}", facts()).error().code == ErrorCode::usage);
}

TEST_CASE("recordings without a name are numbered from the second on") {
    const SpoolName name = SpoolName::of_program("py%n");
    CHECK(name.is_numbered());
    CHECK(name.path(9, 1) == "py%n.spool");
    CHECK(name.path(9, 2) == "py%n.2.spool");
}

}  // namespace lanescope

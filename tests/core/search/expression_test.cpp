#include "core/search/expression.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/core/search/parsed.h"

using namespace lanescope;
using lanescope::testing::parsed;

namespace {

SearchTerm one(std::string_view text) {
    const SearchExpression expression = parsed(text);
    REQUIRE(expression.terms.size() == 1);
    return expression.terms[0];
}

// "position: text" of an error.
std::string wrong(std::string_view text) {
    const auto parsed = parse_search(text);
    return parsed ? "nothing"
                  : std::to_string(parsed.error().byte_offset) + ": " + parsed.error().text;
}

}  // namespace

TEST_CASE("Words match regardless of case, quoted ones with their spaces") {
    CHECK(parsed("").empty());
    CHECK(parsed("  \t ").empty());
    const SearchExpression two = parsed(" GEMM  \"Two Words\" ");
    REQUIRE(two.terms.size() == 2);
    CHECK(two.terms[0].kind == TermKind::text);
    CHECK(two.terms[0].text == "gemm");
    CHECK(two.terms[1].text == "two words");
    CHECK(one("a\"b c\"d").text == "ab cd");
    CHECK(one("aten::mm").text == "aten::mm");
    CHECK(one("name=x").text == "name=x");
    CHECK(one("args:Stream=7").kind == TermKind::arguments);
    CHECK(one("args:Stream=7").text == "stream=7");
    CHECK(one("args=x").kind == TermKind::text);
    CHECK(one("http://x").text == "http://x");
    CHECK(one("Café").text == "café");
}

TEST_CASE("A minus negates a word; alone it is a text") {
    CHECK(one("-mm").negated);
    CHECK(one("-\"a b\"").negated);
    CHECK(one("-dur>1ms").negated);
    CHECK(one("-").text == "-");
    CHECK(!one("\"-x\"").negated);
    CHECK(one("a-b").text == "a-b");
}

TEST_CASE("Keys restrict a word to one property of a slice") {
    CHECK(one("cat:Kernel").kind == TermKind::category);
    CHECK(one("cat:\"user annotation\"").text == "user annotation");
    CHECK(one("name:mm").kind == TermKind::name);
    CHECK(one("lane:stream").kind == TermKind::lane);
    CHECK(one("tid:7").kind == TermKind::thread);
    CHECK(one("pid:12").kind == TermKind::process);
    CHECK(one("STREAM:7").kind == TermKind::stream);
    CHECK(one("other:x").kind == TermKind::text);
    CHECK(one("cat::x").kind == TermKind::text);
    CHECK(one("\"cat:x\"").kind == TermKind::text);
}

TEST_CASE("Kinds of work are recognised, quoted ones are text") {
    CHECK(one("kernel").event_class == EventClass::kernel);
    CHECK(one("kernel").kind == TermKind::event_class);
    CHECK(one("\"kernel\"").kind == TermKind::text);
    CHECK(one("kernels").kind == TermKind::text);
    CHECK(one("kind:Operator").event_class == EventClass::op);
    CHECK(wrong("x kind:gpu").starts_with("7: Kinds are python"));
}

TEST_CASE("Durations include both ends as written") {
    const auto is = [](std::string_view text, Nanos min, Nanos max) {
        const SearchTerm term = one(text);
        return term.kind == TermKind::duration && term.min == min && term.max == max;
    };
    const Nanos no_end = std::numeric_limits<Nanos>::max();
    CHECK(is("dur>1ms", 1'000'001, no_end));
    CHECK(is("dur>=1ms", 1'000'000, no_end));
    CHECK(is("dur<1.5us", 0, 1'499));
    CHECK(is("dur<=1.5us", 0, 1'500));
    CHECK(is("dur=17ns", 17, 17));
    CHECK(is("dur=1us..2us", 1'000, 2'000));
    CHECK(is("dur=..2us", 0, 2'000));
    CHECK(is("dur=1us..", 1'000, no_end));
    CHECK(is("dur<0ns", 0, -1));
    CHECK(wrong("a dur>fast").starts_with("6: Expected a duration"));
    CHECK(wrong("dur=1ms..x").starts_with("9: Expected a duration"));
    CHECK(wrong("dur=2ms..1ms").starts_with("4: The range ends before"));
    CHECK(wrong("dur=..").starts_with("4: The range needs at least one end"));
    CHECK(wrong("dur>").starts_with("4: There is no value after “dur>”"));
}

TEST_CASE("Regular expressions are parsed, and their errors have positions") {
    CHECK(one("re:^aten::.*mm$").kind == TermKind::pattern);
    CHECK(one("re:\"a b\"").pattern != nullptr);
    CHECK(wrong("x re:a(b").starts_with("5: Not a regular expression: missing"));
    CHECK(wrong("re:a**").starts_with("4: Not a regular expression"));
    CHECK(wrong("re:").starts_with("3: There is no value after “re:”"));
}

TEST_CASE("Unterminated and empty quotes are errors") {
    CHECK(wrong("ab \"cd").starts_with("3: The quotation mark has no end"));
    CHECK(wrong("ab \"\"").starts_with("3: The text is empty"));
    CHECK(wrong("cat:\"\"").starts_with("4: There is no value"));
}

TEST_CASE("Texts match regardless of case") {
    CHECK(holds_text("aten::MM", "mm"));
    CHECK(holds_text("x", ""));
    CHECK(!holds_text("", "x"));
    CHECK(!holds_text("mmm", "mmmm"));
    CHECK(holds_text("aab", "ab"));
    CHECK(!holds_text("İ", "i̇"));
}

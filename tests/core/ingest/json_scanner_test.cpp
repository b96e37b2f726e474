// Events read by learned shapes equal events read key by key.
#include "core/ingest/json/json_scanner.h"

#include <doctest/doctest.h>

#include "core/source/text_source.h"
#include "tests/core/ingest/batch_description.h"
#include "tests/core/ingest/random_events.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

// Checks that both ways agree; returns the description by shape.
std::string scan_both(std::string list) {
    const std::size_t size = list.size();
    list.append(kTextPadding, '\0');
    const std::string_view text = std::string_view(list).substr(0, size);
    std::string by_shape = describe_scan(text, true);
    CHECK(by_shape == describe_scan_key_by_key(text, true));
    return by_shape;
}

std::size_t count(const std::string& text, std::string_view part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++n;
    return n;
}

}  // namespace

TEST_CASE("random events give the same result by shape and key by key") {
    for (uint64_t seed = 0; seed < 30; ++seed) {
        Random random(seed);
        std::string list;
        for (const std::string& event : random_events(random, 150)) list += event + ",\n";
        CAPTURE(seed);
        CHECK(count(scan_both(list), "event @") > 100);
        // Changing random letters breaks events; both ways must give the same result.
        for (int change = 0; change < 40; ++change)
            list[random() % list.size()] = "{}[]\",:0 9ae\\\t."[random() % 16];
        scan_both(list);
    }
}

TEST_CASE("a shape also reads values of another kind than it learned") {
    const std::string token = R"({"ph":"X","ts":1.5,"dur":2,"args":{"x":1}},)";
    for (const char* value :
         {R"("a}}")", R"({"b":1})", R"("1")", R"([1])", R"("\"}}")", R"(null)"}) {
        CAPTURE(value);
        const std::string other = std::string(R"({"ph":"X","ts":1.5,"dur":2,"args":{"x":)") + value;
        CHECK(count(scan_both(token + token + other + "}}," + token), "event @") == 4);
    }
    const std::string number = R"({"ph":"X","cat":"kernel","ts":1,"dur":2,"args":{"stream":7}},)";
    const std::string text = R"({"ph":"X","cat":"kernel","ts":1,"dur":2,"args":{"stream":"7"}},)";
    CHECK(count(scan_both(number + number + text), "gpu 2 -1 7 ") == 1);
}

TEST_CASE("arguments in a list do not hide those of later events") {
    const std::string list = R"({"ph":"X","cat":"kernel","ts":1,"dur":2,"args":[1]},)";
    const std::string object = R"({"ph":"X","cat":"kernel","ts":1,"dur":2,"args":{"stream":7}},)";
    CHECK(count(scan_both(list + list + object), "gpu 2 -1 7 ") == 1);
}

TEST_CASE("times at their limits are read alike by shape and key by key") {
    const std::string before = R"({"ph":"X","ts":1,"dur":2,"name":"a"},)";
    for (const char* time :
         {"4000000000000000", "4000000000000000.001", "1e15", "1234567890123456789", "0.0005", "-1",
          "00000000000000000001.5", "1.", "1.5x"}) {
        CAPTURE(time);
        scan_both(before + R"({"ph":"X","ts":)" + time + R"(,"dur":1,"name":"b"},)" + before);
        scan_both(before + R"({"ph":"X","ts":1,"dur":)" + time + R"(,"name":"b"},)" + before);
    }
}

TEST_CASE("text between events is reported once") {
    const std::string event = R"({"ph":"X","ts":1,"dur":2})";
    const auto warnings = [&](const std::string& list) {
        const std::string text = scan_both(list);
        return count(text, "warning stray_comma ") * 100 +
               count(text, "warning missing_comma ") * 10 + count(text, "warning bad_event ");
    };
    CHECK(warnings(event + "," + event + "]") == 0);
    CHECK(warnings(event + ",," + event + "]") == 100);
    CHECK(warnings(event + "," + event + ",]") == 100);
    CHECK(warnings("," + event + "]") == 100);
    CHECK(warnings(event + event + "]") == 10);
    CHECK(warnings("]") == 0);
    CHECK(warnings(R"({"ph":"X",:},)" + event + "]") == 1);
}

TEST_CASE("find_event stops at the end of the event") {
    const std::string_view text = R"({"a":{"x":1}, "y":2} , {"ph":"X"},{"q":1},{"name":""}])";
    const std::size_t first = text.find("} , {") + 1;
    CHECK(find_event(text.data(), 0, text.size()) == first);
    const std::size_t second = text.find("},{\"name") + 1;
    CHECK(find_event(text.data(), first, text.size()) == second);
    CHECK(find_event(text.data(), second, text.size()) == text.size());
    CHECK(find_event(text.data(), 0, first + 4) == first + 4);
}

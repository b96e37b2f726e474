// Events read by learned shapes equal events read key by key.
#include "core/ingest/json/json_scanner.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

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

// The row of a kernel, the third event, whose only argument is stream 7.
const std::string kStream7OfEvent2 = fmt::format("row 0 of 2 {0} {0} -1 7 ", kNoValue);

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
    CHECK(count(scan_both(number + number + text), kStream7OfEvent2) == 1);
}

TEST_CASE("in a file with many lanes, pid and tid are values of a shape") {
    std::string list;
    for (int i = 0; i < 400; ++i) {
        const std::string pid = i % 3 == 0 ? "\"rank " + std::to_string(i % 5) + "\"" : "7";
        const std::string tid = i % 7 == 0 ? "\"a\\\"b\"" : std::to_string(i * 7 % 90);
        list += R"({"ph":"X","cat":"cpu_op","name":"n","pid":)" + pid + R"(,"tid":)" + tid +
                R"(,"ts":)" + std::to_string(i) + R"(,"dur":2},)" + "\n";
        if (i % 5 == 0)
            list += R"({"tid":)" + tid + R"(,"ph":"i","ts":4,"s":"t","pid":)" + pid + "},\n";
        if (i % 11 == 0) list += R"({"ph":"i","ts":4,"tid":)" + tid + "},\n";
        if (i % 13 == 0) list += R"({"ph":"i","ts":4,"pid":1,"tid":{"a":1}},)";
        if (i % 17 == 0) list += R"({"ph":"i","ts":4,"pid":1,"tid":1,"tid":)" + tid + "},\n";
    }
    const std::string described = scan_both(list);
    CHECK(count(described, "event @") == 400 + 80 + 37 + 31 + 24);
    CHECK(count(described, "lane pid '7' tid '89'") > 0);
    CHECK(count(described, "lane pid 'rank 4' tid 'a\"b'") > 0);
}

TEST_CASE("ids as numbers and as texts, by shape") {
    std::string list;
    for (const char* id : {"7", "\"7\"", "\"0x7\"", "\"0x8\"", "\"0X7\"", "\"seven\"", "\"\"",
                           "\"12345678901234567\"", "1.5", "\"a\\nb\"", "{\"a\":1}", "-3"})
        for (int i = 0; i < 3; ++i)
            list += std::string(R"({"ph":"s","cat":"f","name":"n","pid":1,"tid":2,"id":)") + id +
                    R"(,"ts":1},)";
    const std::string described = scan_both(list);
    CHECK(count(described, "id 7 flags") == 6);
    CHECK(count(described, "id 0x7 flags") == 3);
    CHECK(count(described, "id 0X7 flags") == 3);
    CHECK(count(described, "id seven flags") == 3);
    CHECK(count(described, "id 12345678901234567 flags") == 3);
}

TEST_CASE("arguments in a list do not hide those of later events") {
    const std::string list = R"({"ph":"X","cat":"kernel","ts":1,"dur":2,"args":[1]},)";
    const std::string object = R"({"ph":"X","cat":"kernel","ts":1,"dur":2,"args":{"stream":7}},)";
    CHECK(count(scan_both(list + list + object), kStream7OfEvent2) == 1);
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

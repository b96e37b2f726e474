// Traces as broken programs write them: the reader reports the position and keeps everything
// readable.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/trace/query.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/ingest/random_events.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

const std::string kEvent = R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2})";

Error error_of(std::string_view bytes) {
    const Result<TracePtr> trace = load_bytes(bytes);
    REQUIRE_FALSE(trace);
    return trace.error();
}

const Chunk& only_chunk(const Trace& trace) {
    REQUIRE(trace.lanes.size() == 1);
    REQUIRE(trace.lanes[0].chunks.size() == 1);
    return *trace.lanes[0].chunks[0];
}

}  // namespace

TEST_CASE("texts without events are errors that say so") {
    CHECK(error_of("").code == ErrorCode::empty);
    CHECK(error_of(" \n\t  ").code == ErrorCode::unsupported);
    CHECK(error_of("[]").code == ErrorCode::empty);
    CHECK(error_of("[").code == ErrorCode::empty);
    CHECK(error_of("{").code == ErrorCode::unsupported);
    CHECK(error_of(R"({"traceEvents": []})").code == ErrorCode::empty);
    CHECK(error_of(R"({"traceEvents": 5})").code == ErrorCode::unsupported);
    CHECK(error_of(R"({"nodes": [], "edges": []})").text.find("\"nodes\"") != std::string::npos);
    CHECK(error_of("hello").text.find("text file that is not JSON") != std::string::npos);
    CHECK(error_of(std::string(100, '\0')).code == ErrorCode::unsupported);
    CHECK(error_of(gzip("")).code == ErrorCode::empty);
    CHECK(error_of(gzip(gzip(kEvent))).text.find("compressed twice") != std::string::npos);
    CHECK(error_of("\x1f\x8b").code == ErrorCode::empty);
}

TEST_CASE("garbage between events loses no event and is reported with its position") {
    const std::string text = "[" + kEvent + ", garbage here, " + kEvent +
                             R"(, {"ph": X "ts" 5}, )" + kEvent + ", 17, null, [1], \"x\", " +
                             kEvent + "]";
    const TracePtr trace = loaded(text);
    CHECK(only_chunk(*trace).size() == 4);
    CHECK(warned_at(*trace, "not_an_object") == text.find("garbage"));
    CHECK(warned_at(*trace, "bad_event") == text.find("{\"ph\": X"));
    CHECK(trace->facts.phases.at("not an object") + warned(*trace, "bad_event") >= 6);
}

TEST_CASE("stray and missing commas and brackets lose no event, and are reported") {
    CHECK(only_chunk(*loaded("[" + kEvent + "," + kEvent + ",")).size() == 2);
    CHECK(warned(*loaded("[" + kEvent + "," + kEvent), "truncated") == 1);
    CHECK(warned(*loaded("[" + kEvent + "," + kEvent + ",]"), "stray_comma") == 1);
    const TracePtr missing = loaded("[" + kEvent + "\n" + kEvent + "]");
    CHECK(only_chunk(*missing).size() == 2);
    CHECK(warned_at(*missing, "missing_comma") == kEvent.size() + 2);
    const TracePtr argument =
        loaded(R"([{"ph":"X","ts":1,"dur":2,"args":{"a":1,},},)" + kEvent + "]");
    CHECK(argument->facts.events == 2);
    CHECK(warned(*argument, "stray_comma") == 2);
}

TEST_CASE("two traces in one file: the first is read, the position of the second is reported") {
    const std::string one = R"({"traceEvents":[)" + kEvent + "]}";
    const TracePtr trace = loaded(one + "\n" + one);
    CHECK(only_chunk(*trace).size() == 1);
    CHECK(warned_at(*trace, "text_after_end") == one.size() + 1);
    CHECK(warned(*loaded(one + std::string(50'000, '}'), 64), "text_after_end") == 1);
}

TEST_CASE("garbage between members is reported once for each stretch") {
    const TracePtr trace =
        loaded(R"({"a": 1, !!!!!! ????, "b": 2, ~~~~~ "traceEvents":[)" + kEvent + "]}");
    CHECK(trace->facts.events == 1);
    CHECK(warned(*trace, "bad_member") == 2);
    CHECK(trace->metadata.size() == 2);
}

TEST_CASE("of duplicate keys the last counts") {
    const TracePtr trace = loaded(
        R"([{"ph":"i","ph":"X","name":"a","name":"b","pid":1,"tid":1,"ts":1,"ts":5,"dur":9,"dur":2}])");
    const Chunk& chunk = only_chunk(*trace);
    CHECK(chunk.start[0] == 5000);
    CHECK(chunk.duration[0] == 2000);
    CHECK(trace->strings[chunk.name[0]] == "b");
}

TEST_CASE("events whose times are not numbers are left out and reported") {
    for (const char* time : {"NaN", "inf", "-Infinity", "\"N/A\"", "1e400", "99999999999999999999",
                             "true", "[1]", "{}"}) {
        CAPTURE(time);
        const std::string event =
            std::string(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":)") + time;
        const TracePtr trace = loaded("[" + kEvent + "," + event + ",\"dur\":1}]");
        CHECK(only_chunk(*trace).size() == 1);
        CHECK(warned_at(*trace, "unreadable_time") == kEvent.size() + 2);
        CHECK(trace->end == 3000);
        const TracePtr other =
            loaded("[" + kEvent + R"(,{"ph":"i","pid":1,"tid":1,"ts":)" + time + "}]");
        CHECK(warned(*other, "no_time") == 1);
    }
    const TracePtr negative = loaded(R"([{"ph":"X","pid":1,"tid":1,"ts":-5.5,"dur":-3}])");
    CHECK(only_chunk(*negative).start[0] == -5500);
    CHECK(only_chunk(*negative).duration[0] == 0);
    CHECK(warned(*negative, "negative_duration") == 1);
}

TEST_CASE("raw control characters are kept, bytes that are not UTF-8 are replaced") {
    const TracePtr trace = loaded(
        "[{\"ph\":\"X\",\"name\":\"a\tb\x01\xff\xc3(\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2,"
        "\"args\":{\"k\xfe\":\"v\n\x80\"}}]");
    const Chunk& chunk = only_chunk(*trace);
    CHECK(trace->strings[chunk.name[0]] == "a\tb\x01\xEF\xBF\xBD\xEF\xBF\xBD(");
    const TracePtr phase = loaded("[{\"ph\":\"\xe9\",\"ts\":1},{\"ph\":\"\xe9\xe9\",\"ts\":1}]");
    CHECK(phase->facts.phases.at("\xEF\xBF\xBD") == 1);
    CHECK(phase->facts.phases.at("\xEF\xBF\xBD\xEF\xBF\xBD") == 1);
}

TEST_CASE("a million nested brackets are skipped") {
    for (const std::size_t depth : {std::size_t{10'000}, std::size_t{1'000'000}}) {
        const std::string open(depth, '[');
        const std::string close(depth, ']');
        const std::string deep =
            R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"args":{"x":)" + open + close + "}}";
        const std::string objects = [&] {
            std::string text;
            for (std::size_t i = 0; i < depth; ++i) text += "{\"a\":";
            return text + "1" + std::string(depth, '}');
        }();
        const TracePtr trace =
            loaded(R"({"deviceProperties":)" + open + close + R"(,"deep":)" + objects +
                       R"(,"traceEvents":[)" + deep + "," + kEvent + "]}",
                   65536);
        CHECK(trace->facts.events == 2);
        CHECK(trace->warnings.empty());
        // Never closed: everything before it is kept.
        const TracePtr cut = loaded("[" + kEvent + "," + open, 65536);
        CHECK(cut->facts.events == 1);
        CHECK(warned_at(*cut, "truncated") == kEvent.size() + 2);
    }
}

TEST_CASE(
    "calls nested ten thousand deep have that depth, as complete or as begin and end events") {
    constexpr int depth = 10'000;
    std::string whole;
    std::string begins;
    std::string ends;
    for (int i = 0; i < depth; ++i) {
        whole += fmt::format(R"({{"ph":"X","name":"f","pid":1,"tid":1,"ts":{},"dur":{}}},)", i,
                             2 * (depth - i));
        begins += fmt::format(R"({{"ph":"B","name":"f","pid":1,"tid":1,"ts":{}}},)", i);
        ends += fmt::format(R"({{"ph":"E","pid":1,"tid":1,"ts":{}}},)", depth + i);
    }
    for (const std::string& events : {whole, begins + ends, begins}) {
        const TracePtr trace = loaded("[" + events + R"({"ph":"i","pid":9,"ts":30000}])", 65536);
        CHECK(trace->slice_count() == depth);
        CHECK(trace->lanes[0].depth_count == depth);
    }
    CHECK(loaded("[" + whole + "]")->facts.max_stack == depth);
}

TEST_CASE("strings of a hundred megabytes are read") {
    // The length is the point. NOLINTNEXTLINE(bugprone-string-constructor)
    const std::string big(100'000'000, 'x');
    const std::string head =
        R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2,"args":{"before":1,"big":")";
    for (const std::size_t block : {std::size_t{32} << 10, std::size_t{1} << 20}) {
        const TracePtr trace =
            loaded("[" + kEvent + "," + head + big + R"(","after":2}},)" + kEvent + "]", block);
        CHECK(only_chunk(*trace).size() == 3);
        CHECK(trace->warnings.empty());
    }
    const TracePtr name =
        loaded(R"([{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":")" + big + R"("}])", 1 << 20);
    CHECK(name->strings[only_chunk(*name).name[0]].size() == big.size());
    const TracePtr member =
        loaded(R"({"note":")" + big + R"(","traceEvents":[)" + kEvent + "]}", 1 << 20);
    CHECK(member->metadata.at(0).second.size() == big.size() + 2);
    const TracePtr number =
        loaded(R"([{"ph":"X","pid":1,"tid":1,"dur":1,"ts":1.)" + std::string(5'000'000, '3') + "}]",
               1 << 16);
    CHECK(only_chunk(*number).start[0] == 1333);
}

TEST_CASE("an extra bracket or quote loses one event, not all that follow") {
    const auto file_with = [](const char* arguments) {
        return std::string(R"({"ph":"X","name":"bad","pid":1,"tid":1,"ts":1,"dur":2,"args":)") +
               arguments + "}";
    };
    for (const char* arguments : {R"({"x":[[[[[[1]})", R"({"x":["a"b"]})", R"({"x":"a\"})"}) {
        const std::string bad = file_with(arguments);
        const std::string text =
            "[" + kEvent + "," + bad + ",\n" + kEvent + "," + kEvent + "," + kEvent + "]";
        for (const std::size_t block : {std::size_t{64}, std::size_t{4096}}) {
            const TracePtr trace = loaded(text, block);
            CAPTURE(arguments);
            CHECK(only_chunk(*trace).size() == 4);
            CHECK(warned(*trace, "bad_event") == 1);
            CHECK(warned_at(*trace, "bad_event") == kEvent.size() + 2);
            CHECK(warned(*trace, "truncated") == 0);
        }
    }
}

TEST_CASE("quotes that are not escaped stay in the name, wherever the text is cut") {
    const std::string head = R"({"ph":"X","cat":"python_function",)";
    const std::string rest = R"("pid":1,"tid":1,"ts":1,"dur":2,"args":{"a":1})";
    for (const std::string name :
         {R"({"device": "cpu", "dtype": "float32"}(12): run)", R"([{"device": "cpu"}](12): run)",
          R"([{"device": "cpu"}, {"device": "gpu"}](12): run)", R"({"x": [{"a": "b"}]}(12): run)",
          R"([{"name": "cpu", "id": 3}](12): run)", R"({"ph": "X", "ts": 1, "dur": 2}(1): f)"}) {
        for (const std::string& odd : {head + "\"name\":\"" + name + "\"," + rest + "}",
                                       head + rest + ",\"name\":\"" + name + "\"}"}) {
            std::string text = "[" + kEvent + "," + odd + " ," + kEvent + "," + odd;
            for (int i = 0; i < 20; ++i) text += "," + kEvent;
            text += "]";
            for (const std::size_t block : {std::size_t{64}, std::size_t{100}, std::size_t{4096}}) {
                CAPTURE(odd);
                CAPTURE(block);
                const TracePtr trace = loaded(text, block);
                CHECK(only_chunk(*trace).size() == 24);
                CHECK(trace->facts.events == 24);
                CHECK(warned(*trace, "unescaped_quotes") == 2);
                CHECK(warned_at(*trace, "unescaped_quotes") == kEvent.size() + 2);
                CHECK(trace->warnings.size() == 1);
                CHECK(trace->strings.find(name) != StringPool::none);
            }
        }
    }
}

TEST_CASE("a name without its closing quote takes no event with it but its own") {
    const std::string lost = R"({"name":"op10,"pid":1,"tid":1,"ts":1,"dur":2,"ph":"X"})";
    const std::string flow = R"({"ph":"X","name":"b","pid":1,"tid":1,"ts":4,"dur":1})";
    const TracePtr trace =
        loaded("[" + kEvent + ",\n" + lost + ",\n" + flow + ",\n" + kEvent + "]");
    CHECK(only_chunk(*trace).size() == 3);
    CHECK(warned(*trace, "unescaped_quotes") == 0);
    CHECK(warned(*trace, "bad_event") == 1);
}

TEST_CASE("lists of objects inside a broken event are not read as events") {
    const std::string bad =
        R"({"ph":"X","ts":1,"dur":2,"args":{"l":[{"name":1},{"name":2},{"name":3}],,"x":1}})";
    const TracePtr trace = loaded("[" + bad + "," + kEvent + "," + kEvent + "]");
    CHECK(trace->facts.events == 2);
    CHECK(warned(*trace, "bad_event") == 1);
}

TEST_CASE("a hundred thousand broken events take no longer than valid ones") {
    // Each is skipped separately, without searching all text after it.
    std::string text = "[";
    for (int i = 0; i < 100'000; ++i) text += R"({"ph":"X","ts":1,"dur":2,"args":{"x":[[1]}},)";
    const TracePtr unclosed = loaded(text + kEvent + "]", 1 << 16);
    CHECK_FALSE(unclosed->warnings.empty());
    std::string quotes = "[";
    for (int i = 0; i < 100'000; ++i) quotes += R"({"ph":"X,"ts":1,"dur":2},)";
    const TracePtr odd_quotes = loaded(quotes + kEvent + "," + kEvent + "]", 1 << 16);
    CHECK_FALSE(odd_quotes->warnings.empty());
}

TEST_CASE("ids beyond a double's precision stay distinct") {
    const auto flow = [](char phase, const char* id, int tid, int ts) {
        return fmt::format(
            R"({{"ph":"{}","cat":"f","name":"f","id":{},"pid":1,"tid":{},"ts":{},"bp":"e"}})",
            phase, id, tid, ts);
    };
    const auto slice = [](int tid) {
        return fmt::format(R"({{"ph":"X","name":"s","pid":1,"tid":{},"ts":0,"dur":100}})", tid);
    };
    const TracePtr trace = loaded(
        "[" + slice(1) + "," + slice(2) + "," + slice(3) + "," +
        flow('s', "9007199254740992", 1, 1) + "," + flow('s', "9007199254740993", 2, 2) + "," +
        flow('f', "9007199254740993", 3, 5) + "," + flow('s', "\"18446744073709551615\"", 1, 7) +
        "," + flow('f', "18446744073709551615", 3, 8) + "]");
    REQUIRE(trace->links.size() == 2);
    CHECK(trace->strings[trace->lanes[trace->links[0].from.lane].tid] == "1");
    CHECK(trace->strings[trace->lanes[trace->links[1].from.lane].tid] == "2");
}

TEST_CASE("pids and tids may be any numbers and texts") {
    const TracePtr trace = loaded(
        R"([{"ph":"X","ts":1,"dur":1,"pid":-1,"tid":-9223372036854775809},{"ph":"X","ts":1,"dur":1,"pid":"a b","tid":""},)"
        R"({"ph":"X","ts":1,"dur":1,"pid":1.5,"tid":null},{"ph":"X","ts":1,"dur":1},{"ph":"X","ts":1,"dur":1,"pid":"-1","tid":"-9223372036854775809"}])");
    CHECK(trace->lanes.size() == 4);
    CHECK(trace->slice_count() == 5);
    CHECK(trace->warnings.empty());
}

TEST_CASE("more categories than an id can count are reported, and lose no event") {
    std::string text = "[";
    for (int i = 0; i < 70'000; ++i)
        text +=
            fmt::format(R"({{"ph":"X","cat":"c{}","name":"n","pid":{},"tid":{},"ts":{},"dur":1}},)",
                        i, i % 7, i % 5000, i);
    const TracePtr trace = loaded(text + kEvent + "]", 1 << 16);
    CHECK(trace->slice_count() == 70'001);
    CHECK(trace->categories.size() <= 65'536);
    CHECK(warned(*trace, "too_many_categories") > 4000);
    uint64_t counted = 0;
    for (const auto& [name, n] : trace->facts.complete_by_category) counted += n;
    CHECK(counted == 70'001);
}

TEST_CASE("begins without ends and ends without begins are reported") {
    const TracePtr trace = loaded(
        R"([{"ph":"E","pid":1,"tid":1,"ts":1},{"ph":"B","name":"open","pid":1,"tid":1,"ts":2},{"ph":"X","name":"x","pid":2,"tid":1,"ts":0,"dur":50},)"
        R"({"ph":"b","cat":"c","id":1,"name":"n","pid":3,"tid":1,"ts":3},{"ph":"e","cat":"c","id":2,"name":"n","pid":3,"tid":1,"ts":4}])");
    CHECK(warned_at(*trace, "unopened_end") == 1);
    CHECK(warned(*trace, "unclosed_begin") == 1);
    CHECK(warned(*trace, "unclosed_async") == 1);
    CHECK(warned(*trace, "unopened_async_end") == 1);
    CHECK(trace->slice_count() == 3);
    for (const Lane& lane : trace->lanes)
        for (const auto& chunk : lane.chunks) CHECK(chunk->end(0) == 50'000);
}

TEST_CASE("memory events without an address are counted in a warning") {
    const TracePtr trace = loaded(R"({"traceEvents":[
        {"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":1,
         "args":{"Device Type":0,"Device Id":-1,"Bytes":4}},
        {"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":2,
         "args":{"Device Type":0,"Device Id":-1,"Bytes":8,"Addr":16}},
        {"ph":"i","s":"t","name":"note","pid":1,"tid":1,"ts":3,"args":{"Bytes":4}}]})");
    REQUIRE(trace);
    CHECK(warned(*trace, "memory_without_address") == 1);
    CHECK(trace->memory_events.time.size() == 1);
}

TEST_CASE("flows without a slice and counters without a number are reported") {
    const TracePtr trace = loaded(
        "[" + kEvent +
        R"(,{"ph":"s","cat":"f","id":1,"pid":1,"tid":1,"ts":9},{"ph":"f","cat":"f","id":1,"pid":8,"tid":1,"ts":9},)"
        R"({"ph":"C","name":"c","pid":1,"ts":1,"args":{"v":"N/A"}},{"ph":"C","name":"c","pid":1,"ts":2},{"ph":"C","name":"c","pid":1,"ts":2,"args":{"v":1e999,"w":3}}])");
    CHECK(warned(*trace, "unbound_flow") == 2);
    CHECK(warned(*trace, "no_counter_value") == 2);
    CHECK(trace->links.empty());
}

TEST_CASE("launches are linked by sparse correlation ids, and by one id shared by all calls") {
    const auto call = [](int64_t correlation, int ts) {
        return fmt::format(
            R"({{"ph":"X","cat":"cuda_runtime","name":"l","pid":1,"tid":1,"ts":{},"dur":1,"args":{{"correlation":{}}}}},)",
            ts, correlation);
    };
    const auto kernel = [](int64_t correlation, int ts) {
        return fmt::format(
            R"({{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":1,"args":{{"correlation":{}}}}},)",
            ts, correlation);
    };
    const TracePtr far =
        loaded("[" + call(-9'000'000'000'000'000'000, 1) + kernel(9'000'000'000'000'000'000, 2) +
               kernel(-9'000'000'000'000'000'000, 4) + kEvent + "]");
    CHECK(far->links.size() == 1);

    std::string text = "[";
    for (int i = 0; i < 60'000; ++i) text += call(0, 10 * i) + kernel(0, 10 * i + 5);
    const TracePtr shared = loaded(text + kEvent + "]", 1 << 18);
    REQUIRE(shared->links.size() == 60'000);
    for (const Link& link : shared->links)
        REQUIRE(shared->start(link.to) - shared->start(link.from) == 5000);
}

#include "core/compile/torch_log.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/compile/record_arguments.h"

using namespace lanescope;

namespace {

const std::string kHead = "V1121 07:36:34.963000 17809 torch/a.py:2473] ";

struct SplitLog {
    std::vector<std::string> heads, payloads;
    std::vector<uint64_t> offsets;
    std::vector<int64_t> pids;
    uint64_t foreign_lines = 0;
    uint64_t first_foreign = 0;
};

SplitLog split(const std::string& text, std::size_t block) {
    SplitLog log;
    TorchLogSplitter splitter([&](const TorchRecord& record) {
        log.heads.emplace_back(record.head);
        log.payloads.emplace_back(record.payload);
        log.offsets.push_back(record.offset);
        log.pids.push_back(record.pid);
    });
    for (std::size_t at = 0; at < text.size(); at += block)
        splitter.add(std::string_view(text).substr(at, block));
    splitter.finish();
    log.foreign_lines = splitter.foreign_lines();
    log.first_foreign = splitter.first_foreign();
    return log;
}

}  // namespace

TEST_CASE("records are split alike whatever the blocks are") {
    const std::string first = kHead + "{\"a\": {}, \"has_payload\": \"x\"}\n\tone\n\t\n\tthree\n";
    const std::string text = first + kHead + "{\"b\": {}}\r\n" + kHead + "{\"c\": {}}";
    for (const std::size_t block : {1, 2, 7, 64, 10'000}) {
        CAPTURE(block);
        const SplitLog log = split(text, block);
        CHECK(log.heads == std::vector<std::string>{"{\"a\": {}, \"has_payload\": \"x\"}",
                                                    "{\"b\": {}}", "{\"c\": {}}"});
        CHECK(log.payloads == std::vector<std::string>{"one\n\nthree", "", ""});
        CHECK(log.offsets[1] == first.size());
        CHECK(log.pids == std::vector<int64_t>{17809, 17809, 17809});
        CHECK(log.foreign_lines == 0);
    }
}

TEST_CASE("lines outside records are counted and keep no record from being read") {
    const std::string text = "cut\tpayload\n\tcut payload\n" + kHead +
                             "{\"a\": {}}\nnoise\n\tmore\n" + kHead + "{\"b\": {}}\n";
    const SplitLog log = split(text, 5);
    CHECK(log.heads == std::vector<std::string>{"{\"a\": {}}", "{\"b\": {}}"});
    CHECK(log.payloads == std::vector<std::string>{"more", ""});
    CHECK(log.foreign_lines == 3);
    CHECK(log.first_foreign == 0);
}

TEST_CASE("a record begins with a level, a time and a JSON object") {
    CHECK(begins_torch_record(kHead + "{\"str\": 1}"));
    CHECK_FALSE(begins_torch_record(kHead + "text"));
    CHECK_FALSE(begins_torch_record("{\"traceEvents\": []}"));
    CHECK_FALSE(begins_torch_record("X1121 07:36:34.963000 1 a.py:1] {\"str\": 1}"));
    CHECK_FALSE(begins_torch_record("V1121 07:36:34 1 a.py:1] {\"str\": 1}"));
    CHECK_FALSE(begins_torch_record(""));
}

TEST_CASE("a record's arguments are those of its head and payload") {
    const std::string text = kHead +
                             "{\"chromium_event\": {}, \"frame_id\": 0, \"has_payload\": \"x\"}\n"
                             "\t{\"name\": \"dynamo\", \"args\": {\"compile_id\": \"0/0\"}}\n" +
                             kHead + "{\"next\": {}}\n";
    const auto list = record_arguments(text);
    REQUIRE(list.size() == 3);
    CHECK(list[0].key == "frame_id");
    CHECK(list[0].value == "0");
    CHECK_FALSE(list[0].is_text);
    CHECK(list[1].key == "name");
    CHECK(list[1].is_text);
    CHECK(list[2].key == "compile_id");
    CHECK(list[2].value == "0/0");
    CHECK(record_arguments(kHead + "{\"a\": {}}\n\tno JSON\n")[0].value == "no JSON");
    CHECK(record_arguments("no record").empty());
}

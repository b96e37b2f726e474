#include "core/capture/sampling/code_map.h"

#include <doctest/doctest.h>

#include <random>

using namespace lanescope;

namespace {

PerfRecord mapping(uint32_t pid, uint64_t address, uint64_t bytes, uint64_t offset,
                   const char* path) {
    PerfRecord record;
    record.kind = PerfKind::mapping;
    record.pid = record.tid = pid;
    record.address = address;
    record.bytes = bytes;
    record.offset = offset;
    record.text = path;
    return record;
}

PerfRecord change(PerfKind kind, uint32_t pid, uint32_t tid, uint32_t parent = 0) {
    PerfRecord record;
    record.kind = kind;
    record.pid = pid;
    record.tid = tid;
    record.parent = parent;
    return record;
}

std::string place_of(const CodeMaps& maps, uint32_t pid, uint64_t address) {
    const auto place = maps.find(pid, address);
    if (!place) return "nowhere";
    return maps.images()[place->image].path + "+" + std::to_string(place->offset);
}

}  // namespace

TEST_CASE("code belongs to the last mapping at its address") {
    CodeMaps maps;
    maps.take(mapping(1, 1000, 1000, 50, "a"));
    CHECK(place_of(maps, 1, 999) == "nowhere");
    CHECK(place_of(maps, 1, 1000) == "a+50");
    CHECK(place_of(maps, 1, 1999) == "a+1049");
    CHECK(place_of(maps, 1, 2000) == "nowhere");
    CHECK(place_of(maps, 2, 1000) == "nowhere");
    maps.take(mapping(1, 1200, 100, 0, "b"));  // within
    CHECK(place_of(maps, 1, 1199) == "a+249");
    CHECK(place_of(maps, 1, 1200) == "b+0");
    CHECK(place_of(maps, 1, 1299) == "b+99");
    CHECK(place_of(maps, 1, 1300) == "a+350");
    // Covers the end of one mapping and the begin of another.
    maps.take(mapping(1, 1250, 500, 7, "c"));
    CHECK(place_of(maps, 1, 1249) == "b+49");
    CHECK(place_of(maps, 1, 1250) == "c+7");
    CHECK(place_of(maps, 1, 1750) == "a+800");
    maps.take(mapping(1, 0, 5000, 0, "d"));
    CHECK(place_of(maps, 1, 1750) == "d+1750");
    CHECK(maps.images().size() == 4);
}

TEST_CASE("a child process has its parent's mappings, then its own") {
    CodeMaps maps;
    maps.take(mapping(1, 1000, 1000, 0, "a"));
    maps.take(change(PerfKind::fork, 1, 5, 1));  // a thread
    maps.take(change(PerfKind::fork, 2, 2, 1));
    CHECK(place_of(maps, 2, 1500) == "a+500");
    maps.take(mapping(2, 1000, 1000, 0, "b"));
    CHECK(place_of(maps, 1, 1500) == "a+500");
    CHECK(place_of(maps, 2, 1500) == "b+500");
    PerfRecord named = change(PerfKind::name, 1, 1);
    maps.take(named);
    CHECK(place_of(maps, 1, 1500) == "a+500");
    named.by_exec = true;
    maps.take(named);
    CHECK(place_of(maps, 1, 1500) == "nowhere");
    maps.take(change(PerfKind::exit, 2, 9));
    CHECK(place_of(maps, 2, 1500) == "b+500");
    maps.take(change(PerfKind::exit, 2, 2));
    CHECK(place_of(maps, 2, 1500) == "nowhere");
}

TEST_CASE("any sequence of mappings resolves to the last one over an address") {
    std::mt19937 random(3);
    constexpr uint64_t span = 400;
    CodeMaps maps;
    std::vector<std::string> expected(span, "nowhere");
    for (int i = 0; i < 2000; ++i) {
        const uint64_t begin = random() % span;
        const uint64_t bytes = 1 + random() % (span - begin);
        const std::string name = std::to_string(i % 50);
        maps.take(mapping(1, begin, bytes, begin, name.c_str()));
        for (uint64_t at = begin; at < begin + bytes; ++at)
            expected[at] = name + "+" + std::to_string(at);
        const uint64_t address = random() % span;
        REQUIRE(place_of(maps, 1, address) == expected[address]);
    }
    for (uint64_t at = 0; at < span; ++at) CHECK(place_of(maps, 1, at) == expected[at]);
}

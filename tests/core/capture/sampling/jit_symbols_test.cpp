#include "core/capture/sampling/jit_symbols.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>

#include "core/capture/sampling/sample_writer.h"
#include "core/ingest/load.h"
#include "tests/core/spool_maker.h"

using namespace lanescope;
using lanescope::testing::SpoolMaker;

namespace {

constexpr Nanos kLater = 1'000'000'000;

// The file of a process that does not exist (its pid is too large), removed at the end.
class MapFile {
  public:
    explicit MapFile(uint32_t more = 0)
        : pid(0x40000000u + static_cast<uint32_t>(getpid()) * 16 + more),
          path(fmt::format("/tmp/perf-{}.map", pid)) {
        std::filesystem::remove(path);
    }
    ~MapFile() { std::filesystem::remove(path); }
    MapFile(const MapFile&) = delete;
    MapFile& operator=(const MapFile&) = delete;

    void add(std::string_view text) const {
        std::ofstream(path, std::ios::app | std::ios::binary) << text;
    }

    const uint32_t pid;
    const std::string path;
};

// Looks up names at times at which the file is read again.
struct Lookup {
    JitSymbols symbols{std::time(nullptr) - 10};
    Nanos time = 0;

    std::string name(uint32_t pid, uint64_t address) {
        const int64_t found = symbols.find(pid, address, time += kLater);
        return found < 0 ? "none" : symbols[found].name;
    }
};

PerfRecord process_change(PerfKind kind, uint32_t pid, uint32_t parent, bool by_exec = false) {
    PerfRecord record;
    record.kind = kind;
    record.pid = record.tid = pid;
    record.parent = parent;
    record.by_exec = by_exec;
    return record;
}

}  // namespace

TEST_CASE("generated code is named as its map file says, as the file grows") {
    const MapFile file;
    Lookup lookup;
    CHECK(lookup.name(file.pid, 0x1000) == "none");
    file.add("1000 20 py::first:/a b.py\n0x1020 0x10 LazyCompile:~second x.js:1\n1030 8 cut");
    CHECK(lookup.name(file.pid, 0xfff) == "none");
    CHECK(lookup.name(file.pid, 0x1000) == "py::first:/a b.py");
    CHECK(lookup.name(file.pid, 0x101f) == "py::first:/a b.py");
    CHECK(lookup.name(file.pid, 0x1020) == "LazyCompile:~second x.js:1");
    CHECK(lookup.name(file.pid, 0x1030) == "none");  // its line is still incomplete
    file.add(" in two\n");
    CHECK(lookup.name(file.pid, 0x1037) == "cut in two");
    CHECK(lookup.name(file.pid, 0x1038) == "none");
    CHECK(lookup.name(file.pid + 1, 0x1000) == "none");
    CHECK(lookup.symbols.bad_lines() == 0);
    const int64_t number = lookup.symbols.find(file.pid, 0x1025, lookup.time);
    REQUIRE(number >= 0);
    CHECK(lookup.symbols[number].address == 0x1020);
}

TEST_CASE("code generated over other code replaces it; earlier samples keep their name") {
    const MapFile file;
    Lookup lookup;
    file.add("1000 40 old\n1040 40 beside\n");
    const int64_t old = lookup.symbols.find(file.pid, 0x1010, lookup.time += kLater);
    REQUIRE(old >= 0);
    file.add("1020 40 new\n");
    CHECK(lookup.name(file.pid, 0x1030) == "new");
    CHECK(lookup.name(file.pid, 0x1050) == "new");
    CHECK(lookup.name(file.pid, 0x1010) == "none");
    CHECK(lookup.name(file.pid, 0x1070) == "none");
    CHECK(lookup.symbols[old].name == "old");
    std::filesystem::resize_file(file.path, 0);  // the file was rewritten
    file.add("1000 8 x\n");
    CHECK(lookup.name(file.pid, 0x1030) == "none");
    CHECK(lookup.name(file.pid, 0x1000) == "x");
}

TEST_CASE("a child has its parent's code, then its own; exec discards it") {
    const MapFile parent;
    const MapFile child(1);
    Lookup lookup;
    parent.add("1000 10 both\n2000 10 changed\n");
    CHECK(lookup.name(parent.pid, 0x1000) == "both");
    lookup.symbols.take(process_change(PerfKind::fork, child.pid, parent.pid));
    CHECK(lookup.name(child.pid, 0x1000) == "both");
    child.add("2000 10 own\n");
    CHECK(lookup.name(child.pid, 0x2000) == "own");
    CHECK(lookup.name(parent.pid, 0x2000) == "changed");
    parent.add("3000 10 later\n");
    CHECK(lookup.name(parent.pid, 0x3000) == "later");
    CHECK(lookup.name(child.pid, 0x3000) == "none");
    std::filesystem::remove(child.path);
    lookup.symbols.take(process_change(PerfKind::name, child.pid, 0, true));
    CHECK(lookup.name(child.pid, 0x1000) == "none");
}

TEST_CASE("the map file is read at limited intervals") {
    const MapFile file;
    JitSymbols symbols(0);
    file.add("1000 10 known\n");
    CHECK(symbols.find(file.pid, 0x1000, 0) >= 0);
    file.add("2000 10 other\n");
    CHECK(symbols.find(file.pid, 0x2000, 1'000'000) < 0);
    CHECK(symbols.find(file.pid, 0x2000, 3'000'000) >= 0);
}

TEST_CASE("lines that describe no function are skipped and counted") {
    const MapFile file;
    Lookup lookup;
    file.add(
        "\nno number\n1000\n1000 \n1000 10\n1000 10 \n1000 0 empty\n-5 10 x\n"
        "ffffffffffffffff 10 over\n11111111111111111 1 much\n1000  10 spaces\n2000 10 good\n");
    CHECK(lookup.name(file.pid, 0x1000) == "none");
    CHECK(lookup.name(file.pid, 0x2000) == "good");
    CHECK(lookup.symbols.bad_lines() == 10);
    file.add("3000 10 " + std::string(5000, 'x') + "\n");  // long, and cut
    CHECK(lookup.name(file.pid, 0x3000) == std::string(1000, 'x'));
    file.add("4000 10 " + std::string(999, 'x') + "\xc3\xa4 and more\n");
    CHECK(lookup.name(file.pid, 0x4000) == std::string(999, 'x'));
    file.add(std::string(200'000, 'y') + "\n5000 10 after\n");
    CHECK(lookup.name(file.pid, 0x5000) == "after");
}

TEST_CASE("map files that other users may have written are not read") {
    Lookup lookup;
    const MapFile target(1);
    target.add("1000 10 trap\n");
    {
        const MapFile link;
        std::filesystem::create_symlink(target.path, link.path);
        CHECK(lookup.name(link.pid, 0x1000) == "none");
    }
    {
        const MapFile link(2);
        std::filesystem::create_hard_link(target.path, link.path);
        CHECK(lookup.name(link.pid, 0x1000) == "none");
    }
    {
        const MapFile pipe(3);  // nobody ever writes to it
        REQUIRE(mkfifo(pipe.path.c_str(), 0600) == 0);
        CHECK(lookup.name(pipe.pid, 0x1000) == "none");
    }
    {
        const MapFile old(4);
        old.add("1000 10 of a process of the same number\n");
        JitSymbols later(std::time(nullptr) + 100);
        CHECK(later.find(old.pid, 0x1000, 0) < 0);
    }
    if (geteuid() != 0) return;
    const MapFile foreign(5);
    foreign.add("1000 10 trap\n");
    REQUIRE(chown(foreign.path.c_str(), 12345, 12345) == 0);
    CHECK(lookup.name(foreign.pid, 0x1000) == "none");
}

TEST_CASE("map files with arbitrary bytes do no harm") {
    const MapFile file;
    Lookup lookup;
    std::mt19937 random(5);
    for (int round = 0; round < 100; ++round) {
        std::string text;
        for (int i = 0; i < 200; ++i)
            text += fmt::format("{:x} {:x} f{}\n", 0x1000 + random() % 5000, random() % 300, i);
        for (int i = 0; i < 40; ++i) text[random() % text.size()] = static_cast<char>(random());
        file.add(text);
        for (int i = 0; i < 50; ++i) {
            const uint64_t address = 0x1000 + random() % 5000;
            const int64_t found = lookup.symbols.find(file.pid, address, lookup.time += kLater);
            if (found >= 0) CHECK(!lookup.symbols[found].name.empty());
        }
    }
}

TEST_CASE("samples in generated code have its name, even if the name arrives at the end") {
    const MapFile file;
    SpoolMaker maker;
    {
        SampleWriter writer(maker.file(), 1'000'000);
        writer.tie_clock();
        PerfRecord mapping = process_change(PerfKind::mapping, file.pid, 0);
        mapping.address = 0x10000;
        mapping.bytes = 0x10000;
        mapping.text = "//anon";
        writer.take(mapping);
        file.add("10000 100 early\n");
        for (Nanos ms = 1; ms <= 4; ++ms) {
            PerfRecord sample = process_change(PerfKind::sample, file.pid, 0);
            sample.time = ms * 1'000'000;
            sample.frames = {ms <= 2 ? 0x10010u : 0x10210u};
            writer.take(sample);
        }
        file.add("10200 100 late\n");
        writer.tie_clock();
        writer.name_rest();
    }
    maker.recording->finish();
    const auto trace = load_trace(maker.path());
    REQUIRE(trace);
    std::vector<std::string> names;
    for (uint32_t i = 0; i < (*trace)->lanes[0].slice_count; ++i)
        names.emplace_back((*trace)->name({0, i}));
    CHECK(names == std::vector<std::string>{"early", "late"});
    for (const StringId module : (*trace)->sampled_calls.module)
        CHECK((*trace)->strings[module] == "[JIT]");
}

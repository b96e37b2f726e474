#include "core/capture/python/python_stack.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/capture/python/python_code.h"
#include "tests/core/capture/python/fake_memory.h"

using namespace lanescope;
using lanescope::testing::FakeMemory;

namespace {

constexpr uint64_t kBase = 0x10000;
constexpr uint64_t kRuntime = kBase;
constexpr uint64_t kInterpreter = kBase + 0x1000;
constexpr uint64_t kThread = kBase + 0x2000;
constexpr uint64_t kCFrame = kBase + 0x2400;
constexpr uint64_t kChunk = kBase + 0x3000;
constexpr uint64_t kHeap = kBase + 0x5000;
constexpr uint64_t kFrameBytes = 128;

// A Python 3.11 with one thread.
class FakePython {
  public:
    FakePython() : layout(*python_layout(0x030B02F0, {})), memory(kBase, 0x10000) {
        memory.put(kRuntime + layout.interpreters_head, kInterpreter);
        memory.put(kInterpreter + layout.interpreter_threads, kThread);
        memory.put(kThread + layout.thread_interpreter, kInterpreter);
        memory.put(kThread + layout.thread_native_id, uint64_t{77});
        memory.put(kThread + layout.thread_frame, kCFrame);
        memory.put(kThread + layout.thread_chunk, kChunk);
        memory.put(kChunk, PythonChunkHead{0, 0x1000, 0});
        show({});
    }

    static uint64_t frame(std::size_t depth) {
        return kChunk + sizeof(PythonChunkHead) + depth * kFrameBytes;
    }
    void put_frame(uint64_t at, uint64_t code, uint64_t previous, uint8_t owner = 0) {
        memory.put(at + layout.frame_code, code);
        memory.put(at + layout.frame_previous, previous);
        memory.put(at + layout.frame_instruction, code + 1000);
        memory.put(at + layout.frame_owner, owner);
    }
    // The stack becomes these code objects, outermost first. Older frames keep their contents.
    void show(const std::vector<uint64_t>& codes) {
        for (std::size_t i = 0; i < codes.size(); ++i)
            put_frame(frame(i), codes[i], i == 0 ? 0 : frame(i - 1));
        memory.put(kCFrame + layout.c_frame_frame, codes.empty() ? 0 : frame(codes.size() - 1));
        memory.put(kThread + layout.thread_chunk + 8, frame(codes.size()));
    }
    std::vector<uint64_t> codes_read(PythonRead expected) {
        PythonStacks stacks(memory, layout, kRuntime);
        std::vector<PythonFrame> frames;
        CHECK(stacks.read(kThread, frames) == expected);
        std::vector<uint64_t> codes;
        for (const PythonFrame& frame : frames) codes.push_back(frame.code);
        return codes;
    }

    PythonLayout layout;
    FakeMemory memory;
};

using Codes = std::vector<uint64_t>;

}  // namespace

TEST_CASE("threads and the holder of the GIL") {
    FakePython python;
    PythonStacks stacks(python.memory, python.layout, kRuntime);
    const auto threads = stacks.threads();
    REQUIRE(threads.size() == 1);
    CHECK(threads[0].tid == 77);
    CHECK(stacks.holds_gil(threads[0]) == false);
    const uint64_t gil = kRuntime + python.layout.gil;
    python.memory.put(gil + python.layout.gil_holder, kThread);
    CHECK(stacks.holds_gil(threads[0]) == false);  // it was the last one
    python.memory.put(gil + python.layout.gil_locked, int32_t{1});
    CHECK(stacks.holds_gil(threads[0]) == true);
    // A list that has become part of another interpreter, or a cycle.
    python.memory.put(kThread + python.layout.thread_next, kThread);
    CHECK(stacks.threads().size() <= 4096);
    python.memory.put(kThread + python.layout.thread_interpreter, uint64_t{1});
    CHECK(stacks.threads().empty());
}

TEST_CASE("a stack that does not change") {
    FakePython python;
    CHECK(python.codes_read(PythonRead::complete).empty());
    python.show({8, 16, 24});
    CHECK(python.codes_read(PythonRead::complete) == Codes{8, 16, 24});
    python.memory.put(kThread + python.layout.thread_frame, uint64_t{0});
    CHECK(python.codes_read(PythonRead::complete).empty());
}

TEST_CASE("generators are outside of the data stack, and entries are not functions") {
    FakePython python;
    python.show({8, 16, 24});
    python.put_frame(kHeap, 32, FakePython::frame(0), 1);
    python.put_frame(FakePython::frame(1), 16, kHeap);
    CHECK(python.codes_read(PythonRead::complete) == Codes{8, 32, 16, 24});
    python.put_frame(kHeap, 32, FakePython::frame(0), kPythonEntryFrame);
    CHECK(python.codes_read(PythonRead::complete) == Codes{8, 16, 24});
    // A generator without a caller is being left.
    python.put_frame(kHeap, 32, 0, 1);
    CHECK(python.codes_read(PythonRead::failed).empty());
}

TEST_CASE("older chunks of the data stack") {
    FakePython python;
    python.show({8, 16, 24});
    const uint64_t older = kHeap;
    python.memory.put(kChunk, PythonChunkHead{older, 0x1000, 0});
    python.memory.put(older, PythonChunkHead{0, 0x1000, 100});
    python.put_frame(older + 24, 40, 0);
    python.put_frame(FakePython::frame(0), 8, older + 24);
    CHECK(python.codes_read(PythonRead::complete) == Codes{40, 8, 16, 24});
}

TEST_CASE("damaged stacks: cycles, and addresses that cannot be read") {
    FakePython python;
    python.show({8, 16, 24});
    python.put_frame(FakePython::frame(0), 8, FakePython::frame(2));
    CHECK(python.codes_read(PythonRead::failed).empty());
    python.put_frame(FakePython::frame(0), 8, 0xFFFF'FFFF'FFFF'FFF0);
    CHECK(python.codes_read(PythonRead::failed).empty());
    python.show({8, 16, 24});
    python.memory.put(kThread + python.layout.thread_chunk, uint64_t{0xDEAD'0000'0000});
    python.memory.put(kThread + python.layout.thread_chunk + 8, uint64_t{0xDEAD'0000'1000});
    CHECK(python.codes_read(PythonRead::failed).empty());
    python.memory.put(kThread + python.layout.thread_chunk, uint64_t{0});
    CHECK(python.codes_read(PythonRead::complete) == Codes{8, 16, 24});  // one frame at a time
}

TEST_CASE("of a stack that changes all the time, the outer calls remain") {
    FakePython python;
    uint64_t changes = 0;
    python.memory.before_read = [&] { python.show({8, 16, 24 + 8 * (++changes % 5)}); };
    CHECK(python.codes_read(PythonRead::partial) == Codes{8, 16});
    // It changes twice, then no more.
    changes = 0;
    python.memory.before_read = [&] { python.show({8, 16, ++changes < 4 ? 8 * changes : 80}); };
    CHECK(python.codes_read(PythonRead::complete) == Codes{8, 16, 80});
}

TEST_CASE("a running program shows no stack that it never has") {
    // Function a calls b and d; b calls c, d calls e. Each read sees another moment.
    const std::vector<Codes> states = {{8}, {8, 16}, {8, 16, 24}, {8, 16},
                                       {8}, {8, 32}, {8, 32, 40}, {8, 32}};
    std::mt19937 random(5);
    FakePython python;
    std::size_t state = 0;
    python.memory.before_read = [&] {
        state = (state + random() % 12) % states.size();
        python.show(states[state]);
    };
    int impossible = 0;
    int read_completely = 0;
    for (int i = 0; i < 20'000; ++i) {
        PythonStacks stacks(python.memory, python.layout, kRuntime);
        std::vector<PythonFrame> frames;
        const PythonRead read = stacks.read(kThread, frames);
        Codes codes;
        for (const PythonFrame& frame : frames) codes.push_back(frame.code);
        read_completely += read == PythonRead::complete;
        impossible +=
            !codes.empty() && std::find(states.begin(), states.end(), codes) == states.end();
    }
    CHECK(read_completely > 100);
    CHECK(impossible < 20'000 / 100);  // states follow each other at random, without any duration
}

TEST_CASE("memory of random bytes: nothing is believed for ever, and nothing crashes") {
    std::mt19937_64 random(3);
    for (int round = 0; round < 300; ++round) {
        FakePython python;
        python.show({8, 16, 24});
        // Words that are addresses of this memory, or anything.
        const std::size_t changed = 1 + random() % 400;
        for (std::size_t i = 0; i < changed; ++i) {
            const uint64_t at = kBase + random() % 0x10000 / 8 * 8;
            python.memory.put(at, random() % 2 ? kBase + random() % 0x10000 / 8 * 8 : random());
        }
        PythonStacks stacks(python.memory, python.layout, kRuntime);
        PythonCodes codes(python.memory, python.layout, {random() % 64, random() % 64, 0});
        std::vector<PythonFrame> frames;
        stacks.read(kThread, frames);
        std::vector<uint64_t> addresses = {kBase, kHeap, random()};
        for (const PythonFrame& frame : frames) addresses.push_back(frame.code);
        for (int again = 0; again < 2; ++again)
            for (const PythonCodes::Found& found : codes.find(addresses))
                if (found.code) (void)found.code->line_of(random());
        for (const PythonThreadState& thread : stacks.threads()) (void)stacks.holds_gil(thread);
    }
}

// Stacks of this process, of stacks written by hand, and of random ones.
#include "core/capture/sampling/stack_unwinder.h"

#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>

#include "core/capture/sampling/process_code.h"
#include "tests/skip.h"

using namespace lanescope;

namespace {

#if defined(__x86_64__)
constexpr bool kCapturesRegisters = true;
std::vector<uint64_t> registers_of(const ucontext_t& context) {
    constexpr int kGeneral[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    std::vector<uint64_t> registers;
    for (const int number : kGeneral)
        registers.push_back(static_cast<uint64_t>(context.uc_mcontext.gregs[number]));
    return registers;
}
#elif defined(__aarch64__)
constexpr bool kCapturesRegisters = true;
std::vector<uint64_t> registers_of(const ucontext_t& context) {
    std::vector<uint64_t> registers(std::begin(context.uc_mcontext.regs),
                                    std::end(context.uc_mcontext.regs));
    registers.push_back(context.uc_mcontext.sp);
    registers.push_back(context.uc_mcontext.pc);
    return registers;
}
#else
constexpr bool kCapturesRegisters = false;
std::vector<uint64_t> registers_of(const ucontext_t& /*context*/) {
    return {};
}
#endif

bool can_unwind() {
    const bool can = UnwindRules::available() && kCapturesRegisters;
    if (!can) lanescope::testing::skip_test("built without elfutils, or for another processor");
    return can;
}

// The registers and the whole stack of the calling function, as the kernel would copy them.
__attribute__((noinline)) PerfRecord sample_here(std::size_t most) {
    ucontext_t context = {};
    getcontext(&context);
    PerfRecord sample;
    sample.pid = sample.tid = static_cast<uint32_t>(getpid());
    sample.registers = registers_of(context);
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    void* low = nullptr;
    std::size_t size = 0;
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    const uint64_t sp = sample.registers[kStackPointer];
    const uint64_t end = reinterpret_cast<uint64_t>(low) + size;
    sample.stack.resize(std::min<std::size_t>(end - sp, most));
    // The kernel copies: a sanitizer would object to other functions' variables.
    const iovec to = {sample.stack.data(), sample.stack.size()};
    const iovec from = {reinterpret_cast<void*>(sp), sample.stack.size()};  // NOLINT
    REQUIRE(process_vm_readv(getpid(), &to, 1, &from, 1, 0) ==
            static_cast<ssize_t>(sample.stack.size()));
    sample.frames = {sample.registers[kProgramCounter]};
    return sample;
}

volatile uint64_t work = 0;

__attribute__((noinline)) PerfRecord chain(int depth, std::size_t most) {
    PerfRecord sample = depth == 0 ? sample_here(most) : chain(depth - 1, most);
    work = work + sample.pid;  // not a tail call
    return sample;
}

CodeMaps own_maps() {
    CodeMaps maps;
    for (const PerfRecord& record : code_of_process(static_cast<uint32_t>(getpid())))
        maps.take(record);
    return maps;
}

// How often the most frequent return address occurs: that of the recursive call.
std::size_t recursion_in(const UnwoundStack& stack) {
    std::size_t most = 0;
    for (const uint64_t address : stack.frames)
        most = std::max<std::size_t>(most, std::ranges::count(stack.frames, address));
    return most;
}

PerfRecord code_at(uint32_t pid, uint64_t address, uint64_t bytes) {
    PerfRecord record;
    record.kind = PerfKind::mapping;
    record.pid = record.tid = pid;
    record.address = address;
    record.bytes = bytes;
    record.text = "//anon";
    return record;
}

}  // namespace

TEST_CASE("a walk along frame pointers ends at the first address that is not code") {
    constexpr uint64_t code = 0x10000;
    constexpr uint64_t heap = 0x90000;
    CodeMaps maps;
    maps.take(code_at(1, code, 0x1000));
    maps.take(code_at(1, 0x20000, 0x1000));  // generated code: any executable mapping is code
    CHECK(sound_depth(maps, 1, {}) == 0);
    CHECK(sound_depth(maps, 1, {code + 8, code + 16, 0x20008, heap, code + 8}) == 3);
    CHECK(sound_depth(maps, 1, {heap, code + 16}) == 2);  // the running function is kept
    CHECK(sound_depth(maps, 1, {code + 8, 0, code + 16}) == 1);
    // A call may be the last instruction of a mapping; the first address of one is no caller.
    CHECK(sound_depth(maps, 1, {code + 8, code + 0x1000}) == 2);
    CHECK(sound_depth(maps, 1, {code + 8, code}) == 1);
    CHECK(sound_depth(maps, 1, std::vector<uint64_t>(1000, code + 8)) == StackUnwinder::kMaxDepth);
    // If no mapping of the process is known, only cycles end the walk.
    CHECK(sound_depth(maps, 2, {heap, code, heap + 8}) == 3);
    CHECK(sound_depth(maps, 2, {heap, code, code, code}) == 1);
}

TEST_CASE("a copied stack is unwound to the thread's first function") {
    if (!can_unwind()) return;
    const CodeMaps maps = own_maps();
    StackUnwinder unwinder(maps);
    for (const bool in_thread : {false, true}) {
        CAPTURE(in_thread);
        std::size_t depths[2] = {};
        for (const int depth : {20, 50}) {
            PerfRecord sample;
            const auto take = [&] { sample = chain(depth, std::size_t{1} << 20); };
            if (in_thread)
                std::thread(take).join();
            else
                take();
            const UnwoundStack stack = unwinder.unwind(sample);
            CHECK(stack.is_complete);
            CHECK(recursion_in(stack) == static_cast<std::size_t>(depth));
            CHECK(unwinder.stack_of(sample) == stack.frames);
            depths[depth == 50] = stack.frames.size();
        }
        CHECK(depths[1] - depths[0] == 30);
    }
    CHECK(unwinder.skipped() == 0);
}

TEST_CASE("a truncated stack gives the inner functions") {
    if (!can_unwind()) return;
    const CodeMaps maps = own_maps();
    StackUnwinder unwinder(maps);
    const PerfRecord whole = chain(30, std::size_t{1} << 20);
    const std::vector<uint64_t> frames = unwinder.unwind(whole).frames;
    std::size_t longest = 0;
    for (std::size_t size = 0; size < whole.stack.size(); size = size * 5 / 4 + 13) {
        PerfRecord sample = whole;
        sample.stack.resize(size);
        const UnwoundStack stack = unwinder.unwind(sample);
        REQUIRE(!stack.frames.empty());
        REQUIRE(stack.frames.size() >= longest);
        REQUIRE(std::equal(stack.frames.begin(), stack.frames.end(), frames.begin()));
        longest = stack.frames.size();
    }
    CHECK(longest > 10);
}

TEST_CASE("a deeper walk along frame pointers is preferred to an incomplete stack") {
    if (!can_unwind()) return;
    const CodeMaps maps = own_maps();
    StackUnwinder unwinder(maps);
    PerfRecord sample = chain(3, std::size_t{1} << 20);
    const std::vector<uint64_t> frames = unwinder.unwind(sample).frames;
    sample.stack.resize(64);
    sample.frames = frames;
    CHECK(unwinder.stack_of(sample) == frames);
    // Without registers nothing is unwound.
    sample.registers.clear();
    CHECK(unwinder.stack_of(sample) == frames);
    CHECK(unwinder.unwind(sample).frames.empty());
}

TEST_CASE("unwinding stops when its time is spent, and the samples are counted") {
    if (!can_unwind()) return;
    const CodeMaps maps = own_maps();
    StackUnwinder unwinder(maps, 0);
    const PerfRecord sample = chain(3, std::size_t{1} << 20);
    CHECK(unwinder.stack_of(sample) == sample.frames);
    CHECK(unwinder.skipped() == 1);
    PerfRecord dropped = sample;
    dropped.registers.clear();
    dropped.stack.clear();
    dropped.is_stack_dropped = true;
    CHECK(unwinder.stack_of(dropped) == sample.frames);
    CHECK(unwinder.skipped() == 2);
}

TEST_CASE("random registers and stacks are unwound to code, and never without end") {
    if (!can_unwind()) return;
    const CodeMaps maps = own_maps();
    StackUnwinder unwinder(maps);
    const PerfRecord real = chain(8, std::size_t{1} << 14);
    const std::vector<uint64_t> code = unwinder.unwind(real).frames;
    const std::vector<PerfRecord> mappings = code_of_process(real.pid);
    std::mt19937_64 random(11);
    const auto word = [&]() -> uint64_t {
        const uint64_t sp = real.registers[kStackPointer];
        switch (random() % 6) {
            case 0:
                return random();
            case 1:
                return random() % 2 ? 0 : UINT64_MAX - random() % 16;
            case 2:
                return sp + random() % (real.stack.size() + 64);
            case 3:
                return sp - random() % 64;
            case 4:
                return code[random() % code.size()];
            default: {
                const PerfRecord& one = mappings[random() % mappings.size()];
                return one.address + random() % one.bytes;
            }
        }
    };
    std::size_t deepest = 0;
    for (int round = 0; round < 20'000; ++round) {
        PerfRecord sample = real;
        for (uint64_t& value : sample.registers)
            if (random() % 3 == 0) value = word();
        const std::size_t changes = random() % 40;
        for (std::size_t i = 0; i < changes; ++i) {
            const uint64_t value = word();
            const std::size_t at = random() % (sample.stack.size() / 8) * 8;
            std::memcpy(sample.stack.data() + at, &value, sizeof value);
        }
        if (random() % 4 == 0) sample.stack.resize(random() % sample.stack.size());
        const UnwoundStack stack = unwinder.unwind(sample);
        REQUIRE(!stack.frames.empty());
        REQUIRE(stack.frames.size() <= StackUnwinder::kMaxDepth);
        for (std::size_t i = 1; i < stack.frames.size(); ++i)
            REQUIRE((maps.find(sample.pid, stack.frames[i]) ||
                     maps.find(sample.pid, stack.frames[i] - 1)));
        deepest = std::max(deepest, stack.frames.size());
    }
    CHECK(deepest > 5);
}

#include "core/capture/sampling/unwind_expression.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace lanescope;

namespace {

constexpr uint8_t kDeref = 0x06, kConst8u = 0x0e, kDup = 0x12, kDrop = 0x13, kSwap = 0x16;
constexpr uint8_t kAnd = 0x1a, kMinus = 0x1c, kPlus = 0x22, kPlusUconst = 0x23, kShl = 0x24;
constexpr uint8_t kGe = 0x2a, kLit0 = 0x30, kBreg0 = 0x70, kBregx = 0x92, kCfa = 0x9c;

UnwindState state_of(const std::string& stack) {
    UnwindState state;
    for (std::size_t i = 0; i < state.registers.size(); ++i) state.registers[i] = 1000 + i;
    state.stack_begin = 4096;
    state.stack = stack;
    return state;
}

}  // namespace

TEST_CASE("expressions of unwind rules have DWARF's meaning") {
    if (kRegisterCount == 0) return;
    std::string stack(32, '\0');
    stack[8] = 42;
    const UnwindState state = state_of(stack);
    using Code = std::vector<UnwindOperation>;
    const auto value = [&](const Code& code, std::optional<uint64_t> cfa = std::nullopt) {
        return state.evaluate(code, cfa);
    };
    CHECK(value({{kBreg0 + 7, 8, 0}}) == 1015);
    CHECK(value({{kBregx, 3, 5}}) == 1008);
    CHECK(value({{kBregx, 3, uint64_t(-5)}}) == 998);
    CHECK(value({{kConst8u, 4104, 0}, {kDeref, 0, 0}}) == 42);
    CHECK(value({{kCfa, 0, 0}, {kPlusUconst, 8, 0}}, 100) == 108);
    CHECK(value({{kLit0 + 5, 0, 0}, {kLit0 + 3, 0, 0}, {kMinus, 0, 0}}) == 2);
    CHECK(value({{kLit0 + 5, 0, 0}, {kLit0 + 3, 0, 0}, {kSwap, 0, 0}, {kMinus, 0, 0}}) ==
          uint64_t(-2));
    // The rule of a procedure linkage table: rsp + 8 + ((rip & 15) >= 11) * 8.
    for (const auto& [rip, expected] : {std::pair{10u, 1015u}, std::pair{11u, 1023u}}) {
        UnwindState plt = state;
        plt.registers[kRegisterCount - 1] = 0x500 + rip;
        CHECK(plt.evaluate(Code{{kBreg0 + 7, 8, 0},
                                {kBreg0 + uint8_t(kRegisterCount - 1), 0, 0},
                                {kLit0 + 15, 0, 0},
                                {kAnd, 0, 0},
                                {kLit0 + 11, 0, 0},
                                {kGe, 0, 0},
                                {kLit0 + 3, 0, 0},
                                {kShl, 0, 0},
                                {kPlus, 0, 0}},
                           std::nullopt) == expected);
    }
}

TEST_CASE("damaged expressions have no value") {
    const std::string stack(32, '\0');
    const UnwindState state = state_of(stack);
    using Code = std::vector<UnwindOperation>;
    for (const Code& code :
         {Code{}, Code{{kPlus, 0, 0}}, Code{{kLit0, 0, 0}, {kPlus, 0, 0}}, Code{{kCfa, 0, 0}},
          Code{{kBregx, 1u << 20, 0}}, Code{{kConst8u, 1, 0}, {kDeref, 0, 0}},
          Code{{kConst8u, UINT64_MAX, 0}, {kDeref, 0, 0}}, Code{{kLit0, 0, 0}, {kDrop, 0, 0}},
          Code{{0xff, 0, 0}}, Code(100, {kLit0, 0, 0})})
        CHECK(!state.evaluate(code, std::nullopt));
    CHECK(!state.word_at(4095));
    CHECK(state.word_at(4096 + 24));
    CHECK(!state.word_at(4096 + 25));
    CHECK(!state.word_at(UINT64_MAX - 3));
    std::mt19937_64 random(5);
    for (int round = 0; round < 20'000; ++round) {
        Code code(random() % 12);
        for (UnwindOperation& operation : code)
            operation = {static_cast<uint8_t>(random()), random() % 3 ? random() % 64 : random(),
                         random()};
        if (random() % 2) code.insert(code.begin(), {{kLit0 + 9, 0, 0}, {kDup, 0, 0}});
        state.evaluate(code, random());
    }
}

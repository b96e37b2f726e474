// The registers and the copied stack of a thread, and what rules and DWARF expressions give there.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/capture/sampling/unwind_rules.h"

namespace lanescope {

// The state of a thread in one of its functions.
struct UnwindState {
    std::array<uint64_t, kRegisterCount> registers = {};
    uint64_t stack_begin = 0;  // address of the copied part
    std::string_view stack;

    // Eight bytes; empty outside of the copied stack.
    std::optional<uint64_t> word_at(uint64_t address) const;
    // Empty if it cannot be computed.
    std::optional<uint64_t> cfa_of(const UnwindRow& row) const;
    // The caller's value of register `number`, or of the return address; empty if it is not known.
    std::optional<uint64_t> value_of(const UnwindRow& row, const UnwindRule& rule,
                                     std::size_t number, uint64_t cfa) const;
    // Empty for damaged expressions, and for operations that no compiler uses in rules.
    std::optional<uint64_t> evaluate(std::span<const UnwindOperation> operations,
                                     std::optional<uint64_t> cfa) const;
};

}  // namespace lanescope

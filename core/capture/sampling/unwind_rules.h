// How to find the caller at each instruction of an image: the rules of its call frame information
// (.eh_frame), read by elfutils and kept by address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/capture/sampling/code_map.h"
#include "core/capture/sampling/machine_registers.h"

namespace lanescope {

// An operation of a DWARF expression, with at most two operands.
struct UnwindOperation {
    uint8_t code;
    uint64_t first, second;
};

// Where a value of the caller is. `number` is an offset, a register, or the index of an expression.
struct UnwindRule {
    enum class Kind : uint8_t {
        undefined,         // not preserved; for the return address: there is no caller
        same,              // in the same register
        saved,             // in memory at CFA + number
        offset,            // CFA + number
        in_register,       // in register `number`
        saved_expression,  // in memory at the value of expression `number`
        expression,        // the value of expression `number`
        unsupported,
    };
    Kind kind = Kind::undefined;
    int32_t number = 0;
};

// The rules at one address. The canonical frame address (CFA) is the caller's stack pointer, and is
// `base` + `base_offset`, or the value of the expression `cfa_expression`.
struct UnwindRow {
    struct Register {
        uint8_t number;  // in DWARF
        UnwindRule rule;
    };
    std::vector<Register> changed;  // registers that are not the same in the caller
    UnwindRule return_address;
    uint32_t base = 0;
    int32_t base_offset = 0;
    int32_t cfa_expression = -1;  // -1: none
    bool is_signal_frame = false;
    std::vector<std::vector<UnwindOperation>> expressions;
};

class UnwindRules {
  public:
    UnwindRules();
    ~UnwindRules();
    UnwindRules(const UnwindRules&) = delete;
    UnwindRules& operator=(const UnwindRules&) = delete;

    // Null if the image has no rule for this address, or cannot be read; a file with another build
    // id is ignored. Valid until the next call. `place` is in `image`, which must always have the
    // same number.
    const UnwindRow* find(const CodeImage& image, CodePlace place);

    // Whether this program was built with elfutils, for a processor with known registers.
    static bool available();

  private:
    struct Source;
    struct PlaceHash {
        std::size_t operator()(const std::pair<uint32_t, uint64_t>& place) const {
            return (place.second ^ uint64_t{place.first} << 40) * 0x9E3779B97F4A7C15ULL >> 16;
        }
    };
    Source* source_of(const CodeImage& image, uint32_t number);

    std::map<uint32_t, std::unique_ptr<Source>> sources_;  // null: cannot be read
    // By image and offset; null: no rule.
    std::unordered_map<std::pair<uint32_t, uint64_t>, std::unique_ptr<UnwindRow>, PlaceHash> rows_;
};

}  // namespace lanescope

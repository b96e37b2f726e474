// Finds the callers in a sampled stack. The kernel follows frame pointers, which many libraries do
// not have. Where the sample has a copy of registers and stack, the rules of the code's call frame
// information give the callers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/nanos.h"
#include "core/capture/sampling/code_map.h"
#include "core/capture/sampling/machine_registers.h"
#include "core/capture/sampling/perf_records.h"
#include "core/capture/sampling/unwind_rules.h"

namespace lanescope {

// The part of a walk along frame pointers that is in code: it ends before the first caller outside
// executable mappings. The running function is always kept. If no mapping of the process is known,
// the walk ends only at a cycle through the same unknown address. `frames`: innermost first.
std::size_t sound_depth(const CodeMaps& maps, uint32_t pid, const std::vector<uint64_t>& frames);

// Calls that were found in a copied stack.
struct UnwoundStack {
    std::vector<uint64_t> frames;  // innermost first: the running address, then return addresses
    bool is_complete = false;      // reaches the function with which the thread began
};

class StackUnwinder {
  public:
    static constexpr std::size_t kMaxDepth = 512;

    // `maps` must outlive the unwinder. `spend`: the CPU time that the calling thread may spend in
    // each second of wall-clock time on unwinding; beyond it, walks along frame pointers are kept.
    explicit StackUnwinder(const CodeMaps& maps, Nanos spend = 250'000'000)
        : maps_(maps), spend_(spend) {}

    // The stack of a sample, innermost function first: the unwound stack if it is complete, or
    // deeper than the sound part of the walk along frame pointers; else that part.
    std::vector<uint64_t> stack_of(const PerfRecord& sample);
    // Only what the copied registers and stack give; empty if the sample has none.
    UnwoundStack unwind(const PerfRecord& sample);

    // The number of samples whose stacks were not unwound, to limit the time spent.
    uint64_t skipped() const { return skipped_; }

  private:
    bool may_spend();

    const CodeMaps& maps_;
    UnwindRules rules_;
    Nanos spend_;
    Nanos second_begin_ = 0;  // on the wall clock
    Nanos spent_ = 0;         // in this second
    uint64_t skipped_ = 0;
};

}  // namespace lanescope

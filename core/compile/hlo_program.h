// Reads XLA programs: the optimised HLO modules that profilers store beside their events.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/compile/compiled_code.h"

namespace lanescope {

// The memory that all programs of a file may need together while they are read and kept. A program
// can name the same texts again and again, so that its own size is no bound.
class HloBudget {
  public:
    explicit HloBudget(uint64_t bytes) : left_(bytes) {}

    // False: it is spent, now and later.
    bool take(uint64_t bytes) {
        is_spent_ = is_spent_ || bytes > left_;
        if (!is_spent_) left_ -= bytes;
        return !is_spent_;
    }
    bool is_spent() const { return is_spent_; }

  private:
    uint64_t left_;
    bool is_spent_ = false;
};

enum class HloAdded : uint8_t { added, damaged, too_much };

// Collects modules as graphs whose call sites are the instructions that run.
class HloPrograms {
  public:
    static constexpr uint64_t kMostBytes = uint64_t{1} << 30;

    explicit HloPrograms(uint64_t most_bytes = kMostBytes) : budget_(most_bytes) {}

    // `proto`: an HloProto. `too_much`: with the programs before it, it needs too much memory, or
    // there are too many.
    HloAdded add(std::string_view proto);

    bool empty() const { return code_.graphs.empty(); }
    // Records that the event at position `source` of the file runs an instruction. Ignored if the
    // program or instruction is unknown.
    void link(uint64_t source, int64_t program_id, std::string_view instruction);
    // Returns all graphs and links. Call it once.
    CompiledCode finish();

  private:
    // Index of the call site by name of the instruction.
    using Sites = std::unordered_map<std::string, uint32_t>;

    HloBudget budget_;
    CompiledCode code_;
    std::vector<Sites> sites_;                // parallel to CompiledCode::graphs
    std::map<int64_t, uint32_t> by_program_;  // index of the graph by ID of the program
};

}  // namespace lanescope

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

// Collects HLO modules as graphs. Each instruction that runs is a call site.
class HloPrograms {
  public:
    // `proto`: a serialised HloProto. False: it cannot be read, or there are too many programs.
    bool add(std::string_view proto);

    bool empty() const { return code_.graphs.empty(); }
    // Records that the event at position `source` of the file runs an instruction. Ignored if the
    // program or instruction is unknown.
    void link(uint64_t source, int64_t program_id, std::string_view instruction);
    // Returns all graphs and links. Call it once.
    CompiledCode finish();

  private:
    // Index of the call site by name of the instruction.
    using Sites = std::unordered_map<std::string, uint32_t>;

    CompiledCode code_;
    std::vector<Sites> sites_;                // parallel to CompiledCode::graphs
    std::map<int64_t, uint32_t> by_program_;  // index of the graph by ID of the program
};

}  // namespace lanescope

// Reads programs of XLA: the optimised HLO modules that profilers keep beside their events.
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

// Collects modules as graphs whose call sites are the instructions that run.
class HloPrograms {
  public:
    // `proto`: an HloProto. False: it cannot be read, or there are too many.
    bool add(std::string_view proto);

    bool empty() const { return code_.graphs.empty(); }
    // Notes that the event at `source` in the file runs an instruction of the program with this
    // id; nothing happens if it is not known.
    void link(uint64_t source, int64_t program_id, std::string_view instruction);
    // Everything; to be called once.
    CompiledCode finish();

  private:
    using Sites = std::unordered_map<std::string, uint32_t>;  // by name of the instruction

    CompiledCode code_;
    std::vector<Sites> sites_;                // by graph
    std::map<int64_t, uint32_t> by_program_;  // graphs
};

}  // namespace lanescope

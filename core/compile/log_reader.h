// Builds CompiledCode from the records of a TORCH_TRACE log.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/compile/compiled_code.h"
#include "core/compile/torch_log.h"

namespace lanescope {

// One event of a compiler's phases, as recorded in the log.
struct PhaseEvent {
    std::string name;
    char phase = 0;  // 'B', 'E' or 'i'
    Nanos time = 0;  // Unix time
    CompileId id;
    bool is_backward = false;
};

class CompileLogReader {
  public:
    CompileLogReader();
    ~CompileLogReader();

    // Null: the record is not a phase event. Valid until the next call.
    const PhaseEvent* take(const TorchRecord& record);
    // Everything read so far, without graphs.
    const CompiledCode& so_far() const;
    uint64_t breaks() const;         // graph breaks so far
    uint64_t failed_guards() const;  // failed guards so far
    // Returns everything read. Call it once.
    CompiledCode finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace lanescope

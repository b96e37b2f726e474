// The threads and stacks of one Python process, read while it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/capture/python/python_layout.h"
#include "core/capture/python/python_memory.h"

namespace lanescope {

struct PythonThreadState {
    uint64_t address = 0;  // of its PyThreadState
    uint64_t gil = 0;      // of its interpreter's GIL; 0: this Python has none
    uint32_t tid = 0;      // as the system numbers it
};

// One call on a thread's stack.
struct PythonFrame {
    uint64_t address = 0;
    uint64_t code = 0;         // address of the code object
    uint64_t instruction = 0;  // that runs, or ran last

    bool is_same_call(const PythonFrame& other) const {
        return address == other.address && code == other.code;
    }
};

enum class PythonRead : uint8_t {
    complete,  // the whole stack existed at one time; empty: no Python function runs
    partial,   // the stack changed during each read; the outermost calls, which did not change
    failed,    // it could not be read
};

class PythonStacks {
  public:
    // `memory` must outlive this object. `runtime`: address of _PyRuntime.
    PythonStacks(TargetMemory& memory, const PythonLayout& layout, uint64_t runtime);
    // The threads of all interpreters. Empty before Python begins, and if nothing can be read.
    std::vector<PythonThreadState> threads();

    // Reads the calls of a thread, outermost first. A read of a running thread may see parts of
    // different times. Therefore a stack counts only as far as several reads agree.
    PythonRead read(uint64_t thread, std::vector<PythonFrame>& frames);
    // Reads once. False if the stack is damaged or has changed.
    bool read_once(uint64_t thread, std::vector<PythonFrame>& frames);

    // Whether the thread holds the GIL at this moment. Empty: there is none, or it cannot be read.
    std::optional<bool> holds_gil(const PythonThreadState& thread);

  private:
    // A copy of a part of the data stack.
    struct Chunk {
        uint64_t begin = 0;
        std::string bytes;
    };

    void add_threads(uint64_t interpreter, uint64_t gil, uint64_t first,
                     std::vector<PythonThreadState>& found);
    // Reads where the stack begins, and the newest chunk.
    std::optional<uint64_t> begin_read(uint64_t thread);
    bool read_older_chunk();
    const char* in_chunks(uint64_t address) const;
    const char* frame_at(uint64_t address);

    TargetMemory& memory_;
    PythonLayout layout_;
    uint64_t runtime_;
    std::size_t frame_bytes_;  // the part of a frame with all members
    // The following members belong to the read that is in progress.
    std::vector<Chunk> chunks_;  // newest first
    uint64_t older_chunk_ = 0;   // the one before the last of `chunks_`; 0: none
    std::string heap_frame_;     // a frame outside of the data stack: a generator's
    uint32_t heap_frames_ = 0;
    uint64_t copied_ = 0;  // bytes
};

// The outermost calls that two reads of a stack have in common.
std::size_t common_calls(const std::vector<PythonFrame>& a, const std::vector<PythonFrame>& b);

}  // namespace lanescope

// The code objects of one Python process: names, files and lines of functions. Python reuses the
// memory of code objects, so each use compares what was read before with the process's memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/capture/python/python_layout.h"
#include "core/capture/python/python_memory.h"
#include "core/capture/python/python_objects.h"

namespace lanescope {

// One function, class body or module.
struct PythonCode {
    std::string function;    // co_qualname; empty: it cannot be read
    std::string file;        // co_filename
    int64_t first_line = 0;  // co_firstlineno
    uint32_t number = 0;     // for the user of the cache; 0 at first

    // The source line of an instruction at this address.
    int64_t line_of(uint64_t instruction) const;

    // Contents of the object, as they were read.
    uint64_t instructions = 0;  // address of the first one
    std::string head;
    PythonContent function_text, file_text, line_table;
};

class PythonCodes {
  public:
    // `memory` must outlive this object.
    PythonCodes(TargetMemory& memory, const PythonLayout& layout, const PythonTypes& types);

    struct Found {
        PythonCode* code = nullptr;  // null: there is no code object at the address
        bool is_new = false;         // it was not known before this call
    };
    // The code objects at these addresses, in the same order, as they are now. Valid until the next
    // call.
    std::span<const Found> find(std::span<const uint64_t> addresses);

  private:
    struct Check;

    bool is_same(const PythonCode& code, const Check& check) const;
    bool is_same_head(std::string_view before, std::string_view now) const;
    void check_known(std::span<const uint64_t> addresses);
    PythonCode* read(uint64_t address);
    uint64_t word(std::string_view head, uint32_t offset) const;

    TargetMemory& memory_;
    PythonLayout layout_;
    PythonTypes types_;
    uint32_t head_begin_ = 0, head_bytes_ = 0;  // the part of the object with all members
    std::unordered_map<uint64_t, PythonCode> known_;
    std::vector<Found> found_;
};

}  // namespace lanescope

// Objects of CPython in another process: texts, bytes, and tables of lines. The process may change
// them at any time, and every value may be invalid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/capture/python/python_layout.h"
#include "core/capture/python/python_memory.h"

namespace lanescope {

// The types that objects must have; see PyObject's ob_type.
struct PythonTypes {
    uint64_t code = 0, unicode = 0, bytes = 0;
};

// The contents of a str or bytes object as they were read, so that a later read can tell whether
// they are still the same.
struct PythonContent {
    uint64_t address = 0;     // of the object's length, a 64-bit word
    std::string bytes;        // from there on
    std::size_t data_at = 0;  // position of the contents; what lies between may change

    std::span<const uint8_t> data() const {
        return {reinterpret_cast<const uint8_t*>(bytes.data()) + data_at, bytes.size() - data_at};
    }
    // `others` were read at the same address, and are at most as many.
    bool equals(std::string_view others) const;
};

// The characters of a str object.
struct PythonText {
    std::string utf8;  // characters beyond the limit are cut
    PythonContent content;
};

// Reads a str of any kind that CPython 3.11 and later create ("compact"). `limit`: in characters.
std::optional<PythonText> read_python_text(TargetMemory& memory, const PythonLayout& layout,
                                           const PythonTypes& types, uint64_t address,
                                           std::size_t limit);

// Reads a bytes object of at most `limit` bytes.
std::optional<PythonContent> read_python_bytes(TargetMemory& memory, const PythonLayout& layout,
                                               const PythonTypes& types, uint64_t address,
                                               std::size_t limit);

// The source line of the instruction at `offset` bytes, from a code object's co_linetable. The
// format is that of CPython 3.11 and later: Objects/locations.md (in 3.11 Objects/locations.md, in
// 3.14 InternalDocs/code_objects.md). Instructions without a line have that of the previous one.
// `offset` may be negative or too large: then it is the first line, or the last one.
int64_t python_line_at(std::span<const uint8_t> table, int64_t first_line, int64_t offset);

// UTF-8 of characters of 1, 2 or 4 bytes each. What is not a character, such as half of a surrogate
// pair, becomes U+FFFD.
std::string utf8_of_python(std::span<const uint8_t> characters, std::size_t width);

}  // namespace lanescope

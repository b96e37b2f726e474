// Where CPython keeps what a sampler reads: offsets in its structs, by version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace lanescope {

// Offsets in bytes. The structs are those of a 64-bit little-endian Linux.
struct PythonLayout {
    uint32_t interpreters_head = 0;  // in _PyRuntimeState: the first interpreter
    // In PyInterpreterState
    uint32_t interpreter_next = 0;
    uint32_t interpreter_threads = 0;  // the first thread state
    // The GIL: in _PyRuntimeState until 3.11, else a pointer in PyInterpreterState.
    bool has_gil = true;
    bool gil_in_runtime = false;
    uint32_t gil = 0;
    uint32_t gil_holder = 0, gil_locked = 0;  // in _gil_runtime_state
    // In PyThreadState
    uint32_t thread_next = 0, thread_interpreter = 0;
    uint32_t thread_native_id = 0;
    uint32_t thread_chunk = 0;  // the newest part of the data stack
    uint32_t thread_frame = 0;  // the running frame, or until 3.12 a _PyCFrame …
    bool has_c_frame = false;
    uint32_t c_frame_frame = 0;  // … which has the frame here
    // In _PyInterpreterFrame
    uint32_t frame_code = 0, frame_previous = 0, frame_instruction = 0, frame_owner = 0;
    // In PyCodeObject
    uint32_t code_first_line = 0, code_filename = 0, code_name = 0, code_qualname = 0;
    uint32_t code_line_table = 0, code_instructions = 0;
    // In PyObject, PyBytesObject and PyASCIIObject
    uint32_t object_type = 0;
    uint32_t bytes_size = 0, bytes_data = 0;
    uint32_t unicode_length = 0, unicode_state = 0;
    uint32_t unicode_kind_shift = 2;  // position of the width of characters in the state's bits
    uint32_t unicode_ascii_data = 0, unicode_data = 0;  // characters of an ASCII text; of another
};

// Frames with this owner or a larger one are entries of the interpreter, not functions: since 3.12
// FRAME_OWNED_BY_CSTACK, since 3.14 FRAME_OWNED_BY_INTERPRETER.
inline constexpr uint8_t kPythonEntryFrame = 3;
inline constexpr uint8_t kPythonGeneratorFrame = 1;  // FRAME_OWNED_BY_GENERATOR

// In a _PyStackChunk of all versions: the previous chunk, the chunk's size in bytes, the words in
// use once there is a newer chunk, and the first word.
struct PythonChunkHead {
    uint64_t previous;
    uint64_t size;
    uint64_t top;
};

// The number of bytes that python_layout() needs from the begin of _PyRuntime.
inline constexpr std::size_t kPythonDebugOffsetsBytes = 1024;

// `version` is the value of Py_Version, such as 0x030B02F0 for 3.11.2. `runtime` is the begin of
// _PyRuntime, which describes the layout itself from 3.13 on. Empty if the version is not known, or
// the description is damaged.
std::optional<PythonLayout> python_layout(uint64_t version, std::span<const std::byte> runtime);

// "3.11.2"
std::string python_version_text(uint64_t version);

}  // namespace lanescope

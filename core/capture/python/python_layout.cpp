#include "core/capture/python/python_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace lanescope {

namespace {

// No struct is as large as this, except for the interpreter's and the runtime's.
constexpr uint64_t kMaxOffset = 4096;
constexpr uint64_t kMaxLargeOffset = 1 << 24;

// CPython 3.11: Include/internal/pycore_runtime.h, pycore_interp.h, pycore_gil.h, pycore_frame.h,
// Include/cpython/pystate.h, code.h, unicodeobject.h.
constexpr PythonLayout kPython311 = {
    .interpreters_head = 40,
    .interpreter_next = 0,
    .interpreter_threads = 16,
    .has_gil = true,
    .gil_in_runtime = true,
    .gil = 360,
    .gil_holder = 8,
    .gil_locked = 16,
    .thread_next = 8,
    .thread_interpreter = 16,
    .thread_native_id = 160,
    .thread_chunk = 296,
    .thread_frame = 56,
    .has_c_frame = true,
    .c_frame_frame = 8,
    .frame_code = 32,
    .frame_previous = 48,
    .frame_instruction = 56,
    .frame_owner = 69,
    .code_first_line = 72,
    .code_filename = 112,
    .code_name = 120,
    .code_qualname = 128,
    .code_line_table = 136,
    .code_instructions = 184,
    .object_type = 8,
    .bytes_size = 16,
    .bytes_data = 32,
    .unicode_length = 16,
    .unicode_state = 32,
    .unicode_ascii_data = 48,
    .unicode_data = 72,
};

// CPython 3.12: the same headers.
constexpr PythonLayout kPython312 = {
    .interpreters_head = 40,
    .interpreter_next = 0,
    .interpreter_threads = 72,
    .has_gil = true,
    .gil_in_runtime = false,
    .gil = 384,
    .gil_holder = 8,
    .gil_locked = 16,
    .thread_next = 8,
    .thread_interpreter = 16,
    .thread_native_id = 144,
    .thread_chunk = 232,
    .thread_frame = 56,
    .has_c_frame = true,
    .c_frame_frame = 0,
    .frame_code = 0,
    .frame_previous = 8,
    .frame_instruction = 56,
    .frame_owner = 70,
    .code_first_line = 68,
    .code_filename = 112,
    .code_name = 120,
    .code_qualname = 128,
    .code_line_table = 136,
    .code_instructions = 192,
    .object_type = 8,
    .bytes_size = 16,
    .bytes_data = 32,
    .unicode_length = 16,
    .unicode_state = 32,
    .unicode_ascii_data = 40,
    .unicode_data = 56,
};

// Positions of words in _Py_DebugOffsets. CPython 3.13: Include/internal/pycore_runtime.h; 3.14:
// Include/internal/pycore_debug_offsets.h.
struct DescriptionOf {
    uint32_t interpreters_head, interpreter_next, interpreter_threads, gil, gil_state, gil_locked,
        gil_holder, thread_next, thread_interpreter, thread_frame, thread_native_id, thread_chunk,
        frame_previous, frame_code, frame_instruction, frame_owner, code_filename, code_name,
        code_qualname, code_line_table, code_first_line, code_instructions, object_type, bytes_size,
        bytes_data, unicode_size, unicode_state, unicode_length, unicode_ascii_data;
    bool has_interned_byte;
};
constexpr DescriptionOf kDescription313 = {5,  8,  9,  14, 15, 17, 18, 21, 22, 23,
                                           25, 26, 29, 30, 31, 33, 35, 36, 37, 38,
                                           39, 43, 45, 65, 66, 67, 68, 69, 70, false};
constexpr DescriptionOf kDescription314 = {5,  8,  9,  15, 16, 18, 19, 24, 25, 26,
                                           28, 29, 32, 33, 34, 36, 40, 41, 42, 43,
                                           44, 48, 51, 75, 76, 77, 78, 79, 80, true};

constexpr uint64_t kFreeThreadedWord = 2;

class Description {
  public:
    explicit Description(std::span<const std::byte> runtime) {
        if (!runtime.empty())
            std::memcpy(words_.data(), runtime.data(), std::min(runtime.size(), sizeof words_));
    }
    uint32_t at(uint32_t word, uint64_t limit = kMaxOffset) {
        const uint64_t value = words_[word];
        sound_ &= value < limit;
        return static_cast<uint32_t>(value < limit ? value : 0);
    }
    uint32_t at_large(uint32_t word) { return at(word, kMaxLargeOffset); }
    bool is_for(uint64_t version) const {
        return std::memcmp(words_.data(), "xdebugpy", 8) == 0 && words_[1] == version;
    }
    bool is_free_threaded() const { return words_[kFreeThreadedWord] != 0; }
    bool is_sound() const { return sound_; }

  private:
    std::array<uint64_t, kPythonDebugOffsetsBytes / 8> words_ = {};
    bool sound_ = true;
};

std::optional<PythonLayout> described_layout(const DescriptionOf& where, Description from) {
    PythonLayout layout;
    layout.interpreters_head = from.at_large(where.interpreters_head);
    layout.interpreter_next = from.at_large(where.interpreter_next);
    layout.interpreter_threads = from.at_large(where.interpreter_threads);
    layout.has_gil = !from.is_free_threaded();
    layout.gil = from.at_large(where.gil);
    // These two are described relative to the interpreter, which contains its own GIL.
    const uint32_t state = from.at_large(where.gil_state);
    layout.gil_locked = from.at_large(where.gil_locked) - state;
    layout.gil_holder = from.at_large(where.gil_holder) - state;
    layout.thread_next = from.at(where.thread_next);
    layout.thread_interpreter = from.at(where.thread_interpreter);
    layout.thread_frame = from.at(where.thread_frame);
    layout.thread_native_id = from.at(where.thread_native_id);
    layout.thread_chunk = from.at(where.thread_chunk);
    layout.frame_previous = from.at(where.frame_previous);
    layout.frame_code = from.at(where.frame_code);
    layout.frame_instruction = from.at(where.frame_instruction);
    layout.frame_owner = from.at(where.frame_owner);
    layout.code_filename = from.at(where.code_filename);
    layout.code_name = from.at(where.code_name);
    layout.code_qualname = from.at(where.code_qualname);
    layout.code_line_table = from.at(where.code_line_table);
    layout.code_first_line = from.at(where.code_first_line);
    layout.code_instructions = from.at(where.code_instructions);
    layout.object_type = from.at(where.object_type);
    layout.bytes_size = from.at(where.bytes_size);
    layout.bytes_data = from.at(where.bytes_data);
    layout.unicode_state = from.at(where.unicode_state);
    layout.unicode_length = from.at(where.unicode_length);
    layout.unicode_ascii_data = from.at(where.unicode_ascii_data);
    // PyUnicodeObject is a PyCompactUnicodeObject, which the characters follow, and a pointer.
    const uint32_t size = from.at(where.unicode_size);
    layout.unicode_data = size - sizeof(uint64_t);
    // PyASCIIObject::state of a free-threaded 3.14 begins with a whole byte.
    if (from.is_free_threaded() && where.has_interned_byte) layout.unicode_kind_shift = 8;
    const bool sound = from.is_sound() && size > sizeof(uint64_t) &&
                       layout.gil_locked < kMaxOffset && layout.gil_holder < kMaxOffset;
    return sound ? std::optional(layout) : std::nullopt;
}

}  // namespace

std::optional<PythonLayout> python_layout(uint64_t version, std::span<const std::byte> runtime) {
    const Description description(runtime);
    switch (version >> 16) {
        case 0x030B:
            return kPython311;
        case 0x030C:
            return kPython312;
        case 0x030D:
            if (description.is_for(version)) return described_layout(kDescription313, description);
            return std::nullopt;
        case 0x030E:
            if (description.is_for(version)) return described_layout(kDescription314, description);
            return std::nullopt;
        default:
            return std::nullopt;
    }
}

std::string python_version_text(uint64_t version) {
    return fmt::format("{}.{}.{}", version >> 24 & 0xFF, version >> 16 & 0xFF, version >> 8 & 0xFF);
}

}  // namespace lanescope

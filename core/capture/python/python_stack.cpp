#include "core/capture/python/python_stack.h"

#include <algorithm>
#include <cstring>

namespace lanescope {

namespace {

constexpr std::size_t kMaxInterpreters = 64;
constexpr std::size_t kMaxThreadStates = 4096;
constexpr std::size_t kMaxWalk = 1 << 14;      // calls of one stack
constexpr std::size_t kMaxHeapFrames = 512;    // of one stack, each of which needs a system call
constexpr uint64_t kMaxChunkBytes = 1 << 20;   // usual are 16 KiB
constexpr uint64_t kMaxCopiedBytes = 8 << 20;  // of one stack
// A stack counts if so many reads in a row agree. With two, a program that does nothing but call
// short functions had an impossible stack in one of a thousand samples.
constexpr int kAgreeingReads = 3;
constexpr int kMaxReads = 7;

template <typename Value>
Value value_at(const char* from, uint32_t offset) {
    Value value = {};
    std::memcpy(&value, from + offset, sizeof value);
    return value;
}

}  // namespace

PythonStacks::PythonStacks(TargetMemory& memory, const PythonLayout& layout, uint64_t runtime)
    : memory_(memory),
      layout_(layout),
      runtime_(runtime),
      frame_bytes_(std::max(
          {layout.frame_code + sizeof(uint64_t), layout.frame_previous + sizeof(uint64_t),
           layout.frame_instruction + sizeof(uint64_t), layout.frame_owner + sizeof(uint8_t)})) {}

std::vector<PythonThreadState> PythonStacks::threads() {
    std::vector<PythonThreadState> found;
    uint64_t interpreter = 0;
    if (!memory_.read_value(runtime_ + layout_.interpreters_head, interpreter)) return found;
    for (std::size_t i = 0; interpreter != 0 && i < kMaxInterpreters; ++i) {
        uint64_t next = 0;
        uint64_t first = 0;
        uint64_t gil = 0;
        const MemoryPiece pieces[] = {
            {interpreter + layout_.interpreter_next, &next, sizeof next},
            {interpreter + layout_.interpreter_threads, &first, sizeof first},
            {layout_.gil_in_runtime ? runtime_ : interpreter + layout_.gil, &gil, sizeof gil}};
        if (!memory_.read(pieces)) break;
        if (layout_.gil_in_runtime) gil = runtime_ + layout_.gil;
        add_threads(interpreter, layout_.has_gil ? gil : 0, first, found);
        interpreter = next;
    }
    return found;
}

void PythonStacks::add_threads(uint64_t interpreter, uint64_t gil, uint64_t first,
                               std::vector<PythonThreadState>& found) {
    for (uint64_t thread = first; thread != 0 && found.size() < kMaxThreadStates;) {
        uint64_t next = 0;
        uint64_t owner = 0;
        uint64_t native_id = 0;
        const MemoryPiece pieces[] = {
            {thread + layout_.thread_next, &next, sizeof next},
            {thread + layout_.thread_interpreter, &owner, sizeof owner},
            {thread + layout_.thread_native_id, &native_id, sizeof native_id}};
        // A thread that ends meanwhile is no longer a thread of the interpreter.
        if (!memory_.read(pieces) || owner != interpreter) return;
        if (native_id != 0 && native_id <= UINT32_MAX)
            found.push_back({thread, gil, static_cast<uint32_t>(native_id)});
        thread = next;
    }
}

std::optional<bool> PythonStacks::holds_gil(const PythonThreadState& thread) {
    if (thread.gil == 0) return std::nullopt;
    uint64_t holder = 0;
    int32_t locked = 0;
    const MemoryPiece pieces[] = {{thread.gil + layout_.gil_holder, &holder, sizeof holder},
                                  {thread.gil + layout_.gil_locked, &locked, sizeof locked}};
    if (!memory_.read(pieces)) return std::nullopt;
    return locked == 1 && holder == thread.address;
}

std::optional<uint64_t> PythonStacks::begin_read(uint64_t thread) {
    chunks_.clear();
    older_chunk_ = 0;
    heap_frames_ = 0;
    copied_ = 0;
    uint64_t frame = 0;
    struct {
        uint64_t chunk, top;
    } stack = {};  // PyThreadState::datastack_chunk and datastack_top, which follows
    const MemoryPiece head[] = {{thread + layout_.thread_frame, &frame, sizeof frame},
                                {thread + layout_.thread_chunk, &stack, sizeof stack}};
    if (!memory_.read(head)) return std::nullopt;
    std::vector<MemoryPiece> pieces;
    const uint64_t c_frame = frame;
    if (layout_.has_c_frame) {
        if (c_frame == 0) return 0;
        pieces.push_back({c_frame + layout_.c_frame_frame, &frame, sizeof frame});
    }
    const bool sound = stack.chunk != 0 && stack.top >= stack.chunk + sizeof(PythonChunkHead) &&
                       stack.top - stack.chunk <= kMaxChunkBytes;
    if (sound) {
        Chunk& chunk = chunks_.emplace_back();
        chunk.begin = stack.chunk;
        chunk.bytes.resize(static_cast<std::size_t>(stack.top - stack.chunk));
        copied_ += chunk.bytes.size();
        pieces.push_back({chunk.begin, chunk.bytes.data(), chunk.bytes.size()});
    }
    if (!memory_.read(pieces)) return std::nullopt;
    if (sound) older_chunk_ = value_at<PythonChunkHead>(chunks_.front().bytes.data(), 0).previous;
    return frame;
}

bool PythonStacks::read_older_chunk() {
    PythonChunkHead head = {};
    const uint64_t begin = older_chunk_;
    older_chunk_ = 0;
    if (begin == 0 || !memory_.read_value(begin, head)) return false;
    constexpr uint64_t word = 8;
    if (head.top > kMaxChunkBytes / word) return false;
    const uint64_t used = sizeof head + head.top * word;
    copied_ += used;
    if (copied_ > kMaxCopiedBytes) return false;
    Chunk& chunk = chunks_.emplace_back();
    chunk.begin = begin;
    chunk.bytes.resize(static_cast<std::size_t>(used));
    if (!memory_.read(begin, chunk.bytes.data(), chunk.bytes.size())) return false;
    older_chunk_ = head.previous;
    return true;
}

const char* PythonStacks::in_chunks(uint64_t address) const {
    for (const Chunk& chunk : chunks_) {
        const uint64_t offset = address - chunk.begin;
        if (address >= chunk.begin && offset <= chunk.bytes.size() &&
            chunk.bytes.size() - offset >= frame_bytes_)
            return chunk.bytes.data() + offset;
    }
    return nullptr;
}

// The frame's bytes; null if it cannot be read. Valid until the next call.
const char* PythonStacks::frame_at(uint64_t address) {
    const char* found = in_chunks(address);
    while (!found && read_older_chunk()) found = in_chunks(address);
    if (found) return found;
    if (++heap_frames_ > kMaxHeapFrames) return nullptr;
    heap_frame_.resize(frame_bytes_);
    return memory_.read(address, heap_frame_.data(), frame_bytes_) ? heap_frame_.data() : nullptr;
}

bool PythonStacks::read_once(uint64_t thread, std::vector<PythonFrame>& frames) {
    frames.clear();
    const std::optional<uint64_t> innermost = begin_read(thread);
    if (!innermost) return false;
    constexpr uint64_t tag_bits = 7;  // since 3.14 a reference has tags; objects are aligned
    std::size_t walked = 0;
    bool ends_in_generator = false;
    for (uint64_t address = *innermost; address != 0;) {
        const char* const frame = frame_at(address);
        if (!frame || ++walked > kMaxWalk) return false;
        const auto owner = value_at<uint8_t>(frame, layout_.frame_owner);
        if (owner < kPythonEntryFrame) ends_in_generator = owner == kPythonGeneratorFrame;
        if (owner < kPythonEntryFrame)
            frames.push_back({address, value_at<uint64_t>(frame, layout_.frame_code) & ~tag_bits,
                              value_at<uint64_t>(frame, layout_.frame_instruction)});
        address = value_at<uint64_t>(frame, layout_.frame_previous);
    }
    std::ranges::reverse(frames);
    // A generator that was just left has lost its caller, but may still be the running frame.
    return !ends_in_generator;
}

std::size_t common_calls(const std::vector<PythonFrame>& a, const std::vector<PythonFrame>& b) {
    const std::size_t most = std::min(a.size(), b.size());
    std::size_t same = 0;
    while (same < most && a[same].is_same_call(b[same])) ++same;
    return same;
}

PythonRead PythonStacks::read(uint64_t thread, std::vector<PythonFrame>& frames) {
    std::vector<PythonFrame> before;
    std::size_t common = 0;         // calls that this read and the one before have in common …
    std::size_t common_before = 0;  // … and those of the two reads before
    int agreeing = 0;
    for (int reads = 0; reads < kMaxReads; ++reads) {
        std::swap(before, frames);
        const bool is_read = read_once(thread, frames);
        if (!is_read) frames.clear();
        common_before = common;
        common = reads == 0 ? 0 : common_calls(before, frames);
        const bool agrees =
            reads > 0 && is_read && common == before.size() && common == frames.size();
        agreeing = !is_read ? 0 : agrees ? agreeing + 1 : 1;
        if (agreeing == kAgreeingReads) return PythonRead::complete;
    }
    frames.resize(std::min({common, common_before, frames.size()}));
    return frames.empty() ? PythonRead::failed : PythonRead::partial;
}

}  // namespace lanescope

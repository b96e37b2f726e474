// Fuzzes PyTorch memory snapshots: the input as a pickle, and a valid snapshot with replaced bytes.
// Two loads must give the same trace.
#include <cstdint>

#include "tests/fuzz/changed_bytes.h"
#include "tests/fuzz/same_trace.h"

namespace {

using namespace std::string_literals;

std::string word(std::string_view text) {
    return "\x8c"s + static_cast<char>(text.size()) + std::string(text);
}

// A pickle of protocol 4: one segment with a block, and a few events with a stack.
std::string sound_snapshot() {
    const std::string frames = word("frames") + "](}(" + word("name") + word("f") +
                               word("filename") + word("a.py") + word("line") + "K\x07ue";
    const auto event = [&](std::string_view action, char address, char size, char at) {
        return "}("s + word("action") + word(action) + word("addr") + "K" + address + word("size") +
               "K" + size + word("stream") + "K" + '\0' + word("time_us") + "K" + at + frames + "u";
    };
    const std::string block = "}("s + word("address") + "K\x01" + word("size") + "K\x40" +
                              word("state") + word("active_allocated") + frames + "u";
    const std::string segment = "}("s + word("address") + "K\x01" + word("total_size") + "K\x50" +
                                word("active_size") + "K\x40" + word("blocks") + "](" + block +
                                "eu";
    return "\x80\x04}("s + word("segments") + "](" + segment + "e" + word("device_traces") +
           "](](" + event("segment_alloc", 1, 80, 1) + event("alloc", 1, 64, 2) +
           event("alloc", 90, 9, 3) + event("free_completed", 90, 9, 4) + event("oom", 0, 99, 5) +
           "eeu.";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using namespace lanescope::testing;
    static const std::string sound = sound_snapshot();
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    if (input.starts_with("\x80")) check_same_trace(input);
    check_same_trace(with_replaced_bytes(sound, input));
    return 0;
}

// Fuzzes loading of XSpaces: of the input alone, of the input as the last plane behind sound ones,
// and of sound planes in which bytes are replaced. Two loads must give the same trace, and the
// arguments of events must be readable.
#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>

#include "tests/fuzz/changed_bytes.h"
#include "tests/fuzz/same_trace.h"

namespace {

using protozero::pbf_writer;

constexpr const char* kStatNames[] = {
    "correlation_id", "kernel_details", "memcpy_details", "_p", "_c",
    "hlo_category",   "step_num",       "bytes_allocated"};

void put_stat(pbf_writer& to, protozero::pbf_tag_type field, int64_t id, int64_t value) {
    pbf_writer stat(to, field);
    stat.add_int64(1, id);
    stat.add_int64(4, value);
}

void put_stat(pbf_writer& to, protozero::pbf_tag_type field, int64_t id, const char* value) {
    pbf_writer stat(to, field);
    stat.add_int64(1, id);
    stat.add_string(5, value);
}

// A line with four events: nested ones, one with stats, and one without length.
void put_line(pbf_writer& plane, int64_t id, const char* name) {
    pbf_writer line(plane, 3);
    line.add_int64(1, id);
    line.add_string(2, name);
    line.add_int64(3, 1000);
    for (int64_t i = 1; i <= 4; ++i) {
        pbf_writer event(line, 4);
        event.add_int64(1, i);
        event.add_int64(2, i * 1000);
        event.add_int64(3, (4 - i) * 5000);
        put_stat(event, 4, 1, i);
        put_stat(event, 4, 4, i);
        put_stat(event, 4, 5, i - 1);
        if (i == 2) put_stat(event, 4, 2, "regs:32 shm:0 grid:4,1,1 block:64,1,1");
        if (i == 3) put_stat(event, 4, 3, "kind_src:pinned size:64");
        if (i == 4) put_stat(event, 4, 7, 3);
    }
}

void put_plane(pbf_writer& space, const char* name, std::initializer_list<const char*> lines) {
    pbf_writer plane(space, 1);
    plane.add_string(2, name);
    int64_t number = 6;
    for (const char* const line : lines) put_line(plane, number++, line);
    const char* const names[] = {"cuLaunchKernel", "MemoryAllocation", "copy-done", "$a.py:1 f"};
    for (int64_t i = 1; i <= 4; ++i) {
        pbf_writer entry(plane, 4);
        entry.add_int64(1, i);
        pbf_writer metadata(entry, 2);
        metadata.add_int64(1, i);
        metadata.add_string(2, names[i - 1]);
        put_stat(metadata, 5, 6, i == 1 ? "while" : "loop fusion");
    }
    int64_t id = 0;
    for (const char* const stat : kStatNames) {
        pbf_writer entry(plane, 5);
        entry.add_int64(1, ++id);
        pbf_writer metadata(entry, 2);
        metadata.add_int64(1, id);
        metadata.add_string(2, stat);
    }
    put_stat(plane, 6, 8, 1 << 20);
}

std::string sound_space() {
    std::string bytes;
    pbf_writer space(bytes);
    put_plane(space, "/host:CPU", {"main/6"});
    put_plane(space, "/device:GPU:0", {"Stream #6(Kernel)", "Steps", "XLA Modules"});
    put_plane(space, "/device:TPU:1", {"XLA Ops", "Async XLA Ops", "XLA TraceMe"});
    space.add_string(4, "host");
    return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using namespace lanescope::testing;
    static const std::string sound = sound_space();
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    check_same_trace(input);
    std::string with_plane = sound;
    pbf_writer(with_plane).add_message(1, input.data(), input.size());
    check_same_trace(with_plane);
    check_same_trace(with_replaced_bytes(sound, input));
    return 0;
}

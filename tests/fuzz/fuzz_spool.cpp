// Fuzzes loading of spool files. Two loads must give the same trace or both fail, and every event's
// arguments must be readable.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/ingest/load.h"
#include "core/spool/spool_records.h"
#include "tests/core/memory_file.h"
#include "tests/core/trace_description.h"
#include "tests/fuzz/require.h"

namespace {

using namespace lanescope;

template <typename Struct>
void append(std::string& bytes, const Struct& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string first_page() {
    SpoolHeader header = {};
    std::memcpy(header.magic, kSpoolMagic, sizeof kSpoolMagic);
    header.version = kSpoolVersion;
    header.byte_order = kSpoolByteOrder;
    header.header_bytes = kSpoolPage;
    header.tick_kind = kSpoolTsc;
    header.tick_ns = uint64_t{1} << 31;
    header.unix_ns = 1'700'000'000'000'000'000;
    header.complete = 1;
    std::string page;
    append(page, header);
    page.resize(kSpoolPage);
    return page;
}

// Builds a spool file. Five bytes describe a block; its records follow. Bits of the first byte:
// facts, sealed, damaged, preceded by a gap.
std::string build_spool(const uint8_t* data, std::size_t size) {
    std::string file = first_page();
    while (size >= 5) {
        const std::size_t length = std::min<std::size_t>(data[3] | data[4] << 8, size - 5);
        if (data[0] & 8) file.append(kSpoolPage, data[0] & 16 ? '\x5a' : '\0');
        SpoolBlock head = {};
        head.magic = kSpoolBlockMagic;
        head.kind = data[0] & 1 ? kSpoolFacts : kSpoolEvents;
        head.head_bytes = sizeof head;
        head.used = static_cast<uint32_t>(length);
        head.bytes = static_cast<uint32_t>((length + sizeof head + kSpoolPage - 1) / kSpoolPage *
                                           kSpoolPage);
        head.state = data[0] & 2 ? kSpoolSealed : kSpoolOpen;
        head.process = data[1];
        head.pid = 100u + data[1];
        head.tid = 100u + data[2];
        if (data[0] & 2) head.checksum = spool_checksum(head, data + 5, head.used);
        if (data[0] & 4) ++head.checksum;
        const std::size_t begin = file.size();
        append(file, head);
        file.append(reinterpret_cast<const char*>(data + 5), length);
        file.resize(begin + head.bytes);
        data += 5 + length;
        size -= 5 + length;
    }
    // The remaining input truncates the file.
    file.resize(file.size() - std::min<std::size_t>(file.size() - kSpoolPage, size * 600));
    return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    const bool raw = size > 0 && data[0] == 0xFF;
    const std::string bytes = raw ? std::string(reinterpret_cast<const char*>(data + 1), size - 1)
                                  : build_spool(data, size);
    const lanescope::testing::MemoryFile file(bytes);
    const auto first = load_trace(file.path());
    const auto second = load_trace(file.path());
    require(static_cast<bool>(first) == static_cast<bool>(second), "only one of two loads failed");
    if (!first) {
        require(!first.error().text.empty(), "an error has no text");
        return 0;
    }
    require(lanescope::testing::describe(**first) == lanescope::testing::describe(**second),
            "two loads gave different traces");
    const auto arguments = open_arguments(*first);
    for (const Lane& lane : (*first)->lanes)
        for (const auto& chunk : lane.chunks)
            for (uint32_t i = 0; i < std::min(chunk->size(), 50u); ++i) {
                require(chunk->duration[i] >= 0, "a slice ends before it begins");
                const auto read = arguments->read(chunk->source[i]);
                require(read || !raw, "the arguments of a loaded event cannot be read");
            }
    return 0;
}

// Loads bytes with different numbers of workers and block sizes, which must give the same trace.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/ingest/load.h"
#include "tests/core/memory_file.h"
#include "tests/core/trace_description.h"

namespace lanescope::testing {

// The trace as text, or the error.
inline std::string load_and_describe(const MemoryFile& file, unsigned workers,
                                     std::size_t block_bytes) {
    LoadOptions options;
    options.workers = workers;
    options.block_bytes = block_bytes;
    const Result<TracePtr> trace = load_trace(file.path(), options);
    if (!trace) return "error: " + trace.error().text;
    std::string text = describe(**trace);
    // Positions of events can be wrong in a damaged file, so the arguments of some events are read
    // too.
    const auto reader = open_arguments(*trace);
    int left = 8;
    for (const Lane& lane : (*trace)->lanes)
        for (const auto& chunk : lane.chunks)
            for (uint32_t i = 0; i < chunk->size() && left > 0; ++i, --left) {
                const auto arguments = reader->read(chunk->source[i]);
                if (!arguments) return "no arguments: " + arguments.error().text;
                for (const Argument& a : *arguments) text += a.name + '=' + a.value + '\n';
            }
    return text;
}

// Aborts if the number of workers or the size of blocks makes a difference.
inline void check_same_trace(std::string_view bytes) {
    const MemoryFile file(bytes);
    const std::string whole = load_and_describe(file, 1, std::size_t{1} << 20);
    const std::string pieces = load_and_describe(file, 2, 64);
    if (whole.starts_with("no arguments")) {
        std::fprintf(stderr, "%s\n", whole.c_str());
        std::abort();
    }
    if (whole == pieces) return;
    std::fprintf(stderr, "differ: %s\n", first_difference(whole, pieces).c_str());
    std::abort();
}

}  // namespace lanescope::testing

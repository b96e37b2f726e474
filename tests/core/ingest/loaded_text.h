// Short helpers to load a text and inspect the trace.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "core/ingest/load.h"
#include "tests/core/memory_file.h"

namespace lanescope::testing {

inline Result<TracePtr> load_bytes(std::string_view bytes, unsigned workers = 2,
                                   std::size_t block_bytes = 4096) {
    LoadOptions options;
    options.workers = workers;
    options.block_bytes = block_bytes;
    return load_trace(MemoryFile(bytes).path(), options);
}

// Fails the test if the text does not load.
inline TracePtr loaded(std::string_view bytes, std::size_t block_bytes = 4096) {
    const Result<TracePtr> trace = load_bytes(bytes, 2, block_bytes);
    if (!trace) FAIL(trace.error().text);
    return *trace;
}

inline const Warning* find_warning(const Trace& trace, std::string_view code) {
    for (const Warning& warning : trace.warnings)
        if (warning.code == code) return &warning;
    return nullptr;
}

inline uint64_t warned(const Trace& trace, std::string_view code) {
    const Warning* warning = find_warning(trace, code);
    return warning ? warning->count : 0;
}

// The byte offset of a warning; no_offset if there is none.
inline uint64_t warned_at(const Trace& trace, std::string_view code) {
    const Warning* warning = find_warning(trace, code);
    return warning ? warning->byte_offset : Error::no_offset;
}

}  // namespace lanescope::testing

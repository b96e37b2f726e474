#include "core/ingest/memory_limit.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/format.h"
#include "core/ingest/build/builder_state.h"

namespace lanescope {

namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;
// Up to three blocks of text with their events for each worker, and other memory of a load.
constexpr uint64_t kBytesOfWorker = 8 * kMebibyte;
constexpr uint64_t kFixedBytes = 16 * kMebibyte;
// Objects and allocations of a lane besides its columns.
constexpr uint64_t kBytesOfLane = 1024;

std::string text_of_bytes(uint64_t bytes) {
    return format_bytes(static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX)));
}

}  // namespace

MemoryNeed memory_need(const TraceBuilder& builder, unsigned workers) {
    const BuilderState& state = builder.state();
    const uint64_t collected = state.bytes();
    const uint64_t lanes = state.lanes.size() * kBytesOfLane;
    // Each worker caches the texts that it has met: in the worst case, all texts.
    const uint64_t own_texts = uint64_t{workers} * state.strings.bytes();
    // While a table is sorted, both copies of its columns and the order of its rows are in memory.
    return {
        collected + collected / 2 + lanes,
        kFixedBytes + workers * kBytesOfWorker + 2 * collected + collected / 2 + lanes + own_texts};
}

Result<void> MemoryLimit::check(const std::string& path, const TraceBuilder& builder, uint64_t done,
                                uint64_t total) const {
    if (limit_ == 0) return {};
    const uint64_t need = held_ + memory_need(builder, workers_).peak;
    if (need <= limit_) return {};
    std::string text = fmt::format("{}: loading it needs more than the memory limit of {}", path,
                                   text_of_bytes(limit_));
    if (total > 0 && done > 0 && done < total) {
        const double share = static_cast<double>(done) / static_cast<double>(total);
        const double base = static_cast<double>(held_ + kFixedBytes + workers_ * kBytesOfWorker);
        const double whole = base + (static_cast<double>(need) - base) / share;
        text += fmt::format("; {} were needed after {} of the file, so all of it needs about {}",
                            text_of_bytes(need), format_percent(share),
                            text_of_bytes(static_cast<uint64_t>(whole)));
    } else {
        text += fmt::format("; at least {} are needed", text_of_bytes(need));
    }
    return Error{ErrorCode::no_memory, Error::no_offset, std::move(text)};
}

}  // namespace lanescope

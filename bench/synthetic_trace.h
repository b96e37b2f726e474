// A large random trace with the shape of a real one: CPU threads with calls nested twelve deep, and
// GPU streams with kernels in bursts. Writes columns directly, so fifty million slices take
// seconds.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope::bench {

// xorshift64*: fast, and the same numbers everywhere.
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 1) {}
    uint64_t next() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545F4914F6CDD1DULL;
    }
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    // About `mean` on average, occasionally far more.
    double heavy(double mean) { return mean * 0.5 / std::sqrt(1 - 0.9999 * unit()); }

  private:
    uint64_t state_;
};

inline constexpr uint32_t kThreads = 4;
inline constexpr uint32_t kDepths = 12;
inline constexpr uint32_t kStreams = 12;
inline constexpr uint32_t kRows = kThreads * kDepths + kStreams;
inline constexpr StringId kNames = 2000;  // ids 1 to kNames

struct Span {
    Nanos start;
    Nanos duration;
};

// About `wanted` calls inside `parents`. As in real traces, some parents have none and some have
// many.
inline std::vector<Span> calls_inside(const std::vector<Span>& parents, double wanted,
                                      Random& random) {
    std::vector<Span> calls;
    calls.reserve(static_cast<std::size_t>(wanted * 1.1));
    const double each = wanted / static_cast<double>(parents.size());
    for (const Span& parent : parents) {
        if (random.unit() < 0.15) continue;
        const auto count = static_cast<Nanos>(random.heavy(each / 0.85) + random.unit());
        if (count == 0 || parent.duration < 2 * count) continue;
        // Each call has its own part of the parent, and begins and ends within it.
        const double part = static_cast<double>(parent.duration) / static_cast<double>(count);
        for (Nanos i = 0; i < count; ++i) {
            const double from = (static_cast<double>(i) + 0.1 * random.unit()) * part;
            const double to = (static_cast<double>(i) + 1 - 0.2 * random.unit()) * part;
            const auto begin = static_cast<Nanos>(from);
            calls.push_back({parent.start + begin, static_cast<Nanos>(to) - begin});
        }
    }
    return calls;
}

// `count` slices in bursts over [0, end).
inline std::vector<Span> bursts(uint32_t count, Nanos end, Random& random) {
    std::vector<Span> slices;
    slices.reserve(count);
    const double mean = static_cast<double>(end) / count;
    double at = 0;
    while (slices.size() < count) {
        const double gap = random.unit() < 0.005 ? random.heavy(60 * mean) : random.heavy(mean / 4);
        const double length = std::min(random.heavy(mean * 0.4), 40 * mean);
        at += gap;
        slices.push_back({static_cast<Nanos>(at), static_cast<Nanos>(length)});
        at += length + 1;
    }
    return slices;
}

inline std::shared_ptr<Chunk> chunk_of(const std::vector<std::vector<Span>>& rows,
                                       const std::vector<CategoryId>& categories, Random& random) {
    std::size_t size = 0;
    for (const auto& row : rows) size += row.size();
    auto chunk = std::make_shared<Chunk>();
    chunk->start = Column<Nanos>(size);
    chunk->duration = Column<Nanos>(size);
    chunk->name = Column<StringId>(size);
    chunk->category = Column<CategoryId>(size);
    chunk->source = Column<uint64_t>(size);
    uint32_t next = 0;
    for (const auto& row : rows) {
        DepthRow& depth = chunk->rows.emplace_back();
        depth.begin = next;
        for (const Span& span : row) {
            chunk->start[next] = span.start;
            chunk->duration[next] = span.duration;
            chunk->name[next] = static_cast<StringId>(1 + random.next() % kNames);
            chunk->category[next] = categories[random.next() % categories.size()];
            chunk->source[next] = next;
            ++next;
        }
        depth.end = next;
    }
    return chunk;
}

inline void add_lane(Trace& trace, LaneKind kind, std::string_view name,
                     std::shared_ptr<Chunk> chunk) {
    Lane lane;
    lane.kind = kind;
    lane.process = static_cast<uint32_t>(trace.processes.size() - 1);
    lane.name = trace.strings.intern(name);
    lane.slice_count = chunk->size();
    lane.depth_count = static_cast<uint32_t>(chunk->rows.size());
    lane.chunks.push_back(std::move(chunk));
    trace.lanes.push_back(std::move(lane));
}

// A thread with `count` slices. Their distribution over depths follows PyTorch's traces: few
// outermost calls, most at medium depth, and fewer again below.
inline std::shared_ptr<Chunk> thread_chunk(uint32_t count, Nanos end, Random& random) {
    constexpr std::array<double, kDepths> part = {0.001, 0.01, 0.04, 0.09, 0.13, 0.15,
                                                  0.15,  0.14, 0.11, 0.09, 0.06, 0.03};
    std::vector<std::vector<Span>> rows;
    rows.push_back(bursts(std::max(4U, count / 1000), end, random));
    for (uint32_t depth = 1; depth < kDepths; ++depth)
        rows.push_back(calls_inside(rows.back(), part[depth] * count, random));
    return chunk_of(rows, {0, 0, 0, 1, 2, 3}, random);
}

// About `slices` slices in kRows rows; four fifths of them on threads. Without levels of detail.
inline std::shared_ptr<Trace> synthetic_trace(uint32_t slices) {
    auto trace = std::make_shared<Trace>();
    for (StringId name = 1; name <= kNames; ++name)
        trace->strings.intern("name " + std::to_string(name));
    trace->name_traits.assign(kNames + 1, 0);
    trace->categories = {{0, EventClass::op},     {0, EventClass::python}, {0, EventClass::runtime},
                         {0, EventClass::module}, {0, EventClass::kernel}, {0, EventClass::memory}};
    Random random(20261121);
    const Nanos end = Nanos{slices} * 4000;
    trace->processes.emplace_back().pid = trace->strings.intern("4711");
    for (uint32_t t = 0; t < kThreads; ++t)
        add_lane(*trace, LaneKind::thread, "thread", thread_chunk(slices / 5, end, random));
    Process& gpu = trace->processes.emplace_back();
    gpu.is_gpu = true;
    gpu.device = 0;
    for (uint32_t s = 0; s < kStreams; ++s)
        add_lane(*trace, LaneKind::stream, "stream",
                 chunk_of({bursts(slices / 5 / kStreams, end, random)}, {4, 4, 4, 5}, random));
    for (const Lane& lane : trace->lanes) {
        const Chunk& chunk = *lane.chunks[0];
        trace->end = std::max(trace->end, chunk.end(chunk.rows[0].end - 1));
    }
    trace->content = {0, trace->end};
    return trace;
}

}  // namespace lanescope::bench

#include "core/search/marks.h"

namespace lanescope {

namespace {

constexpr uint64_t kMaxLookups = 256;  // up to this many matches are looked up one by one
constexpr uint64_t kMaxCells = uint64_t{1} << 20;

uint64_t offset_of(Nanos time, Nanos origin) {
    return static_cast<uint64_t>(time) - static_cast<uint64_t>(origin);
}

// Reserves about four cells for each mark of the row.
RowMarks empty_marks(uint64_t count, uint64_t span) {
    RowMarks marks;
    if (count <= kMaxLookups) return marks;
    const uint64_t cells = std::min(kMaxCells, std::bit_ceil(count * 4));
    while ((span >> marks.shift) >= cells) ++marks.shift;
    marks.cells.resize((span >> marks.shift) / 64 + 1);
    return marks;
}

void mark_row(const LaneMatches& lane, const Chunk& chunk, const DepthRow& row, Nanos origin,
              RowMarks& marks) {
    const uint32_t end = chunk.first + row.end;
    for (uint32_t i = lane.next(chunk.first + row.begin); i < end; i = lane.next(i + 1)) {
        const uint64_t cell = offset_of(chunk.start[i - chunk.first], origin) >> marks.shift;
        if (cell / 64 < marks.cells.size()) marks.cells[cell / 64] |= uint64_t{1} << (cell % 64);
    }
}

void mark_overview(const LaneMatches& lane, const Chunk& chunk, Found& found) {
    const double per_nano = static_cast<double>(kOverviewMarks) /
                            static_cast<double>(std::max<Nanos>(1, found.content.length()));
    const uint32_t end = chunk.first + chunk.size();
    for (uint32_t i = lane.next(chunk.first); i < end; i = lane.next(i + 1)) {
        const Nanos start = chunk.start[i - chunk.first];
        if (start < found.content.begin || start > found.content.end) continue;
        const auto part =
            static_cast<std::size_t>(static_cast<double>(start - found.content.begin) * per_nano);
        found.overview[std::min(part, kOverviewMarks - 1)] = 1;
    }
}

LaneMatches matches_in_part(const LaneMatches& whole, const LanePart& part) {
    LaneMatches result;
    if (whole.count == 0) return result;
    result.bits.resize((part.to_trace.size() + 63) / 64);
    for (std::size_t i = 0; i < part.to_trace.size(); ++i)
        result.bits[i / 64] |= uint64_t{whole.test(part.to_trace[i])} << (i % 64);
    result.seal();
    return result;
}

std::vector<RowMarks> mark_rows(const LaneMatches& matched, const Lane& lane, Nanos origin,
                                uint64_t span) {
    std::vector<uint64_t> counts(lane.depth_count);
    for (const auto& chunk : lane.chunks)
        for (std::size_t depth = 0; depth < chunk->rows.size(); ++depth)
            counts[depth] += matched.count_in(chunk->first + chunk->rows[depth].begin,
                                              chunk->first + chunk->rows[depth].end);
    std::vector<RowMarks> rows;
    rows.reserve(counts.size());
    for (const uint64_t count : counts) rows.push_back(empty_marks(count, span));
    for (const auto& chunk : lane.chunks)
        for (std::size_t depth = 0; depth < chunk->rows.size(); ++depth)
            if (!rows[depth].cells.empty())
                mark_row(matched, *chunk, chunk->rows[depth], origin, rows[depth]);
    return rows;
}

}  // namespace

FoundPtr mark_matches(Matches matches, TimeRange content, LaneParts parts) {
    auto found = std::make_shared<Found>();
    found->matches = std::move(matches);
    found->parts = std::move(parts);
    found->content = content;
    found->overview.resize(kOverviewMarks);
    const Trace& trace = *found->matches.trace;
    found->rows.resize(trace.lanes.size());
    found->in_parts.resize(trace.lanes.size());
    const uint64_t span = offset_of(trace.end, trace.origin);
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        const LaneMatches& matched = found->matches.lanes[id];
        if (matched.count == 0) continue;
        for (const auto& chunk : trace.lanes[id].chunks) mark_overview(matched, *chunk, *found);
        if (found->has_part(id))
            found->in_parts[id] = matches_in_part(matched, found->parts.lanes[id]);
        found->rows[id] =
            mark_rows(found->shown_matches(id), found->shown_lane(id), trace.origin, span);
    }
    return found;
}

}  // namespace lanescope

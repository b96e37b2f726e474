// LaneView: the slices of a lane by index, for loops over all of them.
#pragma once

#include <cstdint>
#include <utility>

#include "core/trace/trace.h"

namespace lanescope {

class LaneView {
  public:
    explicit LaneView(const Lane& lane)
        : lane_(&lane), only_(lane.chunks.size() == 1 ? lane.chunks.front().get() : nullptr) {}

    uint32_t size() const { return lane_->slice_count; }
    uint32_t depth_count() const { return lane_->depth_count; }
    Nanos start(uint32_t i) const {
        const auto [chunk, local] = at(i);
        return chunk->start[local];
    }
    Nanos duration(uint32_t i) const {
        const auto [chunk, local] = at(i);
        return chunk->duration[local];
    }
    Nanos end(uint32_t i) const {
        const auto [chunk, local] = at(i);
        return chunk->end(local);
    }
    StringId name(uint32_t i) const {
        const auto [chunk, local] = at(i);
        return chunk->name[local];
    }
    CategoryId category(uint32_t i) const {
        const auto [chunk, local] = at(i);
        return chunk->category[local];
    }

    // Calls visit(index) for every slice of one depth, sorted by start.
    template <typename Visit>
    void visit_row(uint32_t depth, const Visit& visit) const {
        for (const auto& chunk : lane_->chunks) {
            if (depth >= chunk->rows.size()) continue;
            const DepthRow& row = chunk->rows[depth];
            for (uint32_t i = row.begin; i < row.end; ++i) visit(chunk->first + i);
        }
    }

    // The same as visit(chunk, index in it), for loops that read several columns.
    template <typename Visit>
    void visit_row_of_chunks(uint32_t depth, const Visit& visit) const {
        for (const auto& chunk : lane_->chunks) {
            if (depth >= chunk->rows.size()) continue;
            const DepthRow& row = chunk->rows[depth];
            for (uint32_t i = row.begin; i < row.end; ++i) visit(*chunk, i);
        }
    }

  private:
    std::pair<const Chunk*, uint32_t> at(uint32_t i) const {
        return only_ ? std::pair{only_, i} : lane_->locate(i);
    }

    const Lane* lane_;
    const Chunk* only_;
};

}  // namespace lanescope

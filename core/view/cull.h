// Culling: from a trace, a viewport and a layout to the few items that a frame paints. Its cost
// depends on the number of pixels, not of slices.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/view/row_culler.h"

namespace lanescope {

// Work of the last frame that was not cached.
struct CullWork {
    std::size_t visited = 0;        // slices and level entries
    std::size_t rows_by_other = 0;  // rows with items that were culled from the bottom
};

// Builds draw items, and caches them until the input changes. Buffers are reused, so a moving view
// does not allocate once they have grown.
//
// A dense frame's rows are shared with a second thread of the pool: one culls from the top, the
// other from the bottom, until they meet. The items are the same as with a single thread.
class Culler {
  public:
    // When to share, and the number of slices and level entries that makes a frame dense. Smaller
    // frames are nearly finished by the time a thread wakes up.
    enum class Sharing : uint8_t { never, when_dense, always };
    static constexpr std::size_t kDense = 30'000;

    Culler() = default;
    explicit Culler(Sharing sharing) : sharing_(sharing) {}

    const DrawItems& cull(const CullInput& input);
    // The cache keeps its trace alive: releases it; the next frame is culled from scratch.
    void forget() {
        key_ = {};
        built_ = false;
    }
    const CullWork& last_work() const { return work_; }

  private:
    struct Key {
        ViewIndexPtr index;
        uint64_t layout = 0;
        Theme theme = Theme::dark;
        Viewport view;
        double scroll_y = 0;
        double height = 0;
        CullOptions options;

        friend bool operator==(const Key&, const Key&) = default;
    };

    void cull_rows(const CullInput& input, uint32_t begin, uint32_t end);
    bool is_worth_sharing() const;

    RowCuller rows_;         // collects all items at the end
    RowCuller shared_rows_;  // of the second thread, from the bottom
    CullWork work_;
    Key key_;
    std::atomic<uint32_t> taken_{0};  // rows that either thread has begun
    Sharing sharing_ = Sharing::when_dense;
    bool built_ = false;
};

}  // namespace lanescope

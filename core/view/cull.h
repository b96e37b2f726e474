// Culling: from a trace, a viewport and a layout to the few items that a frame paints. Its cost
// depends on the pixels, not on the slices.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/base/parked_thread.h"
#include "core/view/row_culler.h"

namespace lanescope {

// What the last frame took that was not kept from before.
struct CullWork {
    std::size_t looked_at = 0;      // slices and level entries
    std::size_t rows_by_other = 0;  // rows with items that the second thread made
};

// Builds draw items, and keeps them for as long as the same is asked for. Its buffers are used
// again, so a moving view does not allocate once they have grown.
//
// The rows of a dense frame are shared with a second thread, which sleeps otherwise: this one goes
// down from the top, that one up from the bottom, until they meet. Items are the same as of one
// thread.
class Culler {
  public:
    // Whether to share, and from how many slices and level entries a frame on. Fewer are done by
    // the time that a thread has woken, or nearly.
    enum class Sharing : uint8_t { never, when_dense, always };
    static constexpr std::size_t kDense = 30'000;

    Culler() = default;
    explicit Culler(Sharing sharing) : sharing_(sharing) {}

    const DrawItems& cull(const CullInput& input);
    // What it keeps holds its trace: let go of it, the next frame is made anew.
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

    RowCuller rows_;         // ends up with the items of all
    RowCuller shared_rows_;  // of the second thread, from the bottom up
    CullWork work_;
    ParkedThread thread_;
    Key key_;
    std::atomic<uint32_t> taken_{0};  // rows that one of the threads has begun
    Sharing sharing_ = Sharing::when_dense;
    bool built_ = false;
};

}  // namespace lanescope

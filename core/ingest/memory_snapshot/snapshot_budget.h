// SnapshotBudget bounds what a snapshot may become in memory. A pickle can refer to the same
// object at the cost of two bytes, so that a small file could stand for more events, stacks and
// blocks than any machine holds.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lanescope {

class SnapshotBudget {
  public:
    // Allocators write each event once and need less than half of this for each byte.
    static constexpr uint64_t kFree = uint64_t{64} << 20;
    static constexpr uint64_t kForByte = 48;

    // `memory_bytes`: a limit of the load; 0: none.
    SnapshotBudget(uint64_t pickle_bytes, uint64_t memory_bytes)
        : bytes_(kFree + kForByte * pickle_bytes) {
        if (memory_bytes > 0) bytes_ = std::min(bytes_, memory_bytes);
        left_ = bytes_;
    }

    // False: there is not enough left, now and later.
    bool take(uint64_t bytes) {
        if (bytes > left_) left_ = 0;
        if (left_ == 0) return false;
        left_ -= bytes;
        return true;
    }
    // The same for blocks, which may take a quarter, so that they leave room for events.
    bool take_for_block(uint64_t bytes) {
        if (for_blocks_ + bytes > bytes_ / 4) return false;
        for_blocks_ += bytes;
        return take(bytes);
    }
    bool is_spent() const { return left_ == 0; }
    uint64_t bytes() const { return bytes_; }

    // What was left out for lack of memory.
    uint64_t events = 0;
    uint64_t blocks = 0;
    uint64_t calls = 0;

  private:
    uint64_t bytes_;
    uint64_t left_ = 0;
    uint64_t for_blocks_ = 0;
};

}  // namespace lanescope

// FlatMap: maps 64-bit keys to values in a single array. Made for maps of a million entries from
// which nothing is removed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lanescope {

template <typename Value>
class FlatMap {
  public:
    explicit FlatMap(std::size_t expected = 0) {
        slots_.resize(std::bit_ceil(std::max<std::size_t>(expected * 2, 16)));
        shift_ = 64U - static_cast<unsigned>(std::countr_zero(slots_.size()));
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    // Null if the key is absent. The pointer is valid until the next insertion.
    const Value* find(uint64_t key) const {
        const Slot& slot = slots_[place_of(key)];
        return slot.used ? &slot.value : nullptr;
    }

    // The key's value, and whether it was inserted: an absent key is added with `value`. The
    // reference is valid until the next insertion.
    std::pair<Value&, bool> try_emplace(uint64_t key, const Value& value) {
        if ((size_ + 1) * 2 > slots_.size()) grow();
        Slot& slot = slots_[place_of(key)];
        const bool added = !slot.used;
        if (added) {
            slot = {key, value, true};
            ++size_;
        }
        return {slot.value, added};
    }

  private:
    struct Slot {
        uint64_t key = 0;
        Value value = {};
        bool used = false;
    };

    // The slot of the key, or the free slot where the key belongs.
    std::size_t place_of(uint64_t key) const {
        const std::size_t mask = slots_.size() - 1;
        // Most ids count upwards: groups of sixteen consecutive ids stay together, and the groups
        // are spread over the table.
        const uint64_t spread = (key >> 4U) * 0x9E3779B97F4A7C15ULL;
        std::size_t i = static_cast<std::size_t>((spread >> shift_) + (key & 15U)) & mask;
        while (slots_[i].used && slots_[i].key != key) i = (i + 1) & mask;
        return i;
    }

    void grow() {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        --shift_;
        for (const Slot& slot : old)
            if (slot.used) slots_[place_of(slot.key)] = slot;
    }

    std::vector<Slot> slots_;
    std::size_t size_ = 0;
    unsigned shift_ = 0;  // 64 - log2 of the number of slots
};

}  // namespace lanescope

#include "core/base/string_pool.h"

#include <algorithm>
#include <cstring>

namespace lanescope {

namespace {

// The block size grows with the text already stored: most pools hold only a few words.
constexpr std::size_t kFirstBlockBytes = 512;
constexpr std::size_t kMaxBlockBytes = std::size_t{64} << 10;
constexpr std::size_t kFirstSlots = 64;

uint64_t load8(const char* p) {
    uint64_t v = 0;
    std::memcpy(&v, p, 8);
    return v;
}

// Not ISO C++, but supported by GCC and clang.
__extension__ using uint128 = unsigned __int128;

uint64_t mix(uint64_t a, uint64_t b) {
    const uint128 product = uint128{a ^ 0x9E3779B97F4A7C15ULL} * (b ^ 0xD1B54A32D192ED03ULL);
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

uint32_t hash_text(std::string_view text) {
    const char* p = text.data();
    std::size_t left = text.size();
    uint64_t h = left;
    for (; left > 16; p += 16, left -= 16) h = mix(load8(p) ^ h, load8(p + 8));
    if (left >= 8) {
        h = mix(load8(p) ^ h, load8(p + left - 8));
    } else if (left > 0) {
        uint64_t v = 0;
        std::memcpy(&v, p, left);
        h = mix(v, h);
    }
    return static_cast<uint32_t>(h ^ (h >> 32));
}

StringPool::StringPool() : slots_(kFirstSlots) {
    intern("");
}

StringPool StringPool::clone() const {
    StringPool copy;
    copy.texts_ = texts_;
    copy.hashes_ = hashes_;
    copy.slots_ = slots_;
    // The unused rest of the last block stays with this pool.
    copy.blocks_ = blocks_;
    copy.stored_bytes_ = stored_bytes_;
    return copy;
}

StringId StringPool::find(std::string_view text) const {
    const uint32_t hash = hash_text(text);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash & mask; slots_[i] != 0; i = (i + 1) & mask) {
        const uint32_t id = slots_[i] - 1;
        if (hashes_[id] == hash && texts_[id] == text) return id;
    }
    return none;
}

StringId StringPool::intern(std::string_view text) {
    const uint32_t hash = hash_text(text);
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash & mask;
    for (; slots_[i] != 0; i = (i + 1) & mask) {
        const uint32_t id = slots_[i] - 1;
        if (hashes_[id] == hash && texts_[id] == text) return id;
    }
    const auto id = static_cast<StringId>(texts_.size());
    slots_[i] = id + 1;
    texts_.push_back(store(text));
    hashes_.push_back(hash);
    if (texts_.size() * 2 > slots_.size()) grow();
    return id;
}

std::string_view StringPool::store(std::string_view text) {
    if (text.empty()) return {};
    if (text.size() > block_left_) {
        const std::size_t size =
            std::max(std::clamp(stored_bytes_, kFirstBlockBytes, kMaxBlockBytes), text.size());
        blocks_.push_back(std::make_shared_for_overwrite<char[]>(size));
        block_next_ = blocks_.back().get();
        block_left_ = size;
    }
    stored_bytes_ += text.size();
    std::memcpy(block_next_, text.data(), text.size());
    const std::string_view stored(block_next_, text.size());
    block_next_ += text.size();
    block_left_ -= text.size();
    return stored;
}

void StringPool::grow() {
    std::vector<uint32_t> slots(slots_.size() * 2);
    const std::size_t mask = slots.size() - 1;
    for (uint32_t id = 0; id < texts_.size(); ++id) {
        std::size_t i = hashes_[id] & mask;
        while (slots[i] != 0) i = (i + 1) & mask;
        slots[i] = id + 1;
    }
    slots_ = std::move(slots);
}

std::size_t StringPool::bytes() const {
    return stored_bytes_ + texts_.size() * (sizeof(std::string_view) + sizeof(uint32_t)) +
           slots_.size() * sizeof(uint32_t);
}

}  // namespace lanescope

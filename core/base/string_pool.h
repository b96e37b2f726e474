// StringPool: stores each distinct text once, under a 32-bit id. Id 0 is the empty string.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace lanescope {

using StringId = uint32_t;

class StringPool {
  public:
    StringPool();
    StringPool(StringPool&&) noexcept = default;
    StringPool& operator=(StringPool&&) noexcept = default;

    // A copy with the same ids. Both pools share the bytes of the texts.
    StringPool clone() const;

    StringId intern(std::string_view text);
    // The id of a text in the pool, or `none`.
    static constexpr StringId none = ~StringId{0};
    StringId find(std::string_view text) const;

    std::string_view operator[](StringId id) const { return texts_[id]; }
    std::size_t size() const { return texts_.size(); }
    std::size_t bytes() const;

  private:
    std::string_view store(std::string_view text);
    void grow();

    std::vector<std::string_view> texts_;
    std::vector<uint32_t> hashes_;
    std::vector<uint32_t> slots_;  // open addressing: id + 1, 0 = free; a power of two long
    std::vector<std::shared_ptr<char[]>> blocks_;
    std::size_t block_left_ = 0;
    std::size_t stored_bytes_ = 0;
    char* block_next_ = nullptr;
};

// A fast 32-bit hash of the whole text.
uint32_t hash_text(std::string_view text);

}  // namespace lanescope

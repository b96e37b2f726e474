// FlatBuffer: writes flatbuffers, the encoding of Arrow's metadata. A parent precedes its children:
// its slots are written first, and point() connects them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope {

static_assert(std::endian::native == std::endian::little, "flatbuffers are little-endian");

// A field of a table: its size in bytes, 0 if it is absent, and its value, 0 for offsets.
struct FlatField {
    std::size_t size = 0;
    int64_t value = 0;
};
inline constexpr FlatField kFlatAbsent = {};
inline constexpr FlatField kFlatOffset = {4, 0};

class FlatBuffer {
  public:
    FlatBuffer() { put<uint32_t>(0); }  // the offset of the root

    const std::string& bytes() const { return bytes_; }

    // Writes a table; `slots` receives the place of each field. Returns the table's place.
    std::size_t table(const std::vector<FlatField>& fields, std::vector<std::size_t>& slots) {
        const std::size_t vtable_size = 4 + 2 * fields.size();
        // The first field follows the offset of the vtable, at a multiple of 8.
        while ((bytes_.size() + vtable_size) % 8 != 4) bytes_ += '\0';
        const std::size_t vtable = bytes_.size();
        const std::size_t at = vtable + vtable_size;
        slots.assign(fields.size(), 0);
        std::size_t end = at + 4;
        for (const std::size_t size : {8, 4, 2, 1})  // in this order all are aligned
            for (std::size_t i = 0; i < fields.size(); ++i)
                if (fields[i].size == size) {
                    slots[i] = end;
                    end += size;
                }
        put(static_cast<uint16_t>(vtable_size));
        put(static_cast<uint16_t>(end - at));
        for (const std::size_t slot : slots) put(static_cast<uint16_t>(slot == 0 ? 0 : slot - at));
        put(static_cast<int32_t>(at - vtable));
        bytes_.resize(end);
        for (std::size_t i = 0; i < fields.size(); ++i)
            std::memcpy(bytes_.data() + slots[i], &fields[i].value, fields[i].size);
        return at;
    }
    void point(std::size_t slot, std::size_t target) {
        const auto offset = static_cast<uint32_t>(target - slot);
        std::memcpy(bytes_.data() + slot, &offset, sizeof offset);
    }
    void set_root(std::size_t table) { point(0, table); }

    std::size_t text(std::string_view text) {
        align(4, 0);
        const std::size_t at = bytes_.size();
        put(static_cast<uint32_t>(text.size()));
        bytes_ += text;
        bytes_ += '\0';
        return at;
    }
    // A list of tables; the offset of item i is at the list's place + 4 + 4 * i.
    std::size_t offsets(std::size_t count) {
        align(4, 0);
        const std::size_t at = bytes_.size();
        put(static_cast<uint32_t>(count));
        bytes_.append(4 * count, '\0');
        return at;
    }
    // A list of structs that consist of 64-bit numbers.
    std::size_t structs(std::size_t count, std::span<const int64_t> numbers) {
        align(8, 4);
        const std::size_t at = bytes_.size();
        put(static_cast<uint32_t>(count));
        for (const int64_t number : numbers) put(number);
        return at;
    }

  private:
    template <typename Number>
    void put(Number number) {
        bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
    void align(std::size_t to, std::size_t rest) {
        while (bytes_.size() % to != rest) bytes_ += '\0';
    }

    std::string bytes_;
};

}  // namespace lanescope

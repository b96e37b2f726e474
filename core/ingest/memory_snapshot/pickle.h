// Reads Python pickles of plain data: dictionaries, lists, tuples, texts and numbers. Executes
// nothing: the first instruction that would name or call a class or function is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

enum class PickleKind : uint8_t {
    none,
    boolean,
    integer,
    large_integer,  // from 2^63 to 2^64
    real,
    text,
    tuple,
    list,
    dictionary
};

struct PickleValue {
    PickleKind kind = PickleKind::none;
    uint32_t length = 0;  // bytes of a text
    union {
        int64_t integer = 0;  // of an integer or a boolean; the bits of a large integer
        double real;
        const char* text;    // points into the pickle
        uint32_t container;  // index of a tuple, list or dictionary
    };
};

class Pickle {
  public:
    // Decodes `bytes`, which must live as long as the result. A pickle that ends early keeps what
    // was read: see cut_at(). `memory_bytes`: the most that the values may need; 0: no limit but
    // that of the pickle's size. Errors, without a file's name: it is damaged, needs more memory,
    // or holds something other than plain data.
    static Result<Pickle> decode(std::string_view bytes, uint64_t memory_bytes = 0);

    const PickleValue& root() const { return root_; }
    // The byte offset at which the pickle ended early; none: it is complete.
    std::optional<uint64_t> cut_at() const { return cut_at_; }

    // The values of a tuple or list; alternating keys and values of a dictionary; otherwise empty.
    std::span<const PickleValue> items(const PickleValue& value) const;
    // The value of a key of a dictionary, the last one if it has several; null: there is none.
    // Takes about the same time in dictionaries of any size; keys of more than 256 bytes are not
    // found.
    const PickleValue* find(const PickleValue& dictionary, std::string_view key) const;

    static std::string_view text(const PickleValue& value) {
        return value.kind == PickleKind::text ? std::string_view(value.text, value.length)
                                              : std::string_view();
    }
    // A whole number; real ones are rounded. None: the value is no number, or too large.
    static std::optional<int64_t> integer(const PickleValue& value);
    // The bits of a whole number of up to 64 bits without a sign.
    static std::optional<int64_t> address(const PickleValue& value);

    std::string_view text_of(const PickleValue& dictionary, std::string_view key) const;
    std::optional<int64_t> integer_of(const PickleValue& dictionary, std::string_view key) const;
    std::optional<int64_t> address_of(const PickleValue& dictionary, std::string_view key) const;
    std::span<const PickleValue> items_of(const PickleValue& dictionary,
                                          std::string_view key) const;

  private:
    friend class PickleDecoder;
    // To be called when a dictionary had `before` keys and values and has more now.
    void note_growth(uint32_t dictionary, std::size_t before);
    void order_keys();

    std::vector<std::vector<PickleValue>> containers_;
    // Of dictionaries with many keys: the places of keys, by text and place.
    std::unordered_map<uint32_t, std::vector<uint32_t>> ordered_;
    PickleValue root_;
    std::optional<uint64_t> cut_at_;
};

}  // namespace lanescope

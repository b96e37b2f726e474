// Reads Python pickles of plain data: dictionaries, lists, tuples, texts and numbers. Executes
// nothing: the first instruction that would name or call a class or function is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

enum class PickleKind : uint8_t { none, boolean, integer, real, text, tuple, list, dictionary };

struct PickleValue {
    PickleKind kind = PickleKind::none;
    uint32_t length = 0;  // bytes of a text
    union {
        int64_t integer = 0;  // integers and booleans
        double real;
        const char* text;    // points into the pickle
        uint32_t container;  // index of a tuple, list or dictionary
    };
};

class Pickle {
  public:
    // Decodes `bytes`, which must outlive the result. If the pickle ends early, keeps everything
    // read so far: see cut_at(). Errors, which do not name the file: the pickle is damaged, or
    // holds more than plain data.
    static Result<Pickle> decode(std::string_view bytes);

    const PickleValue& root() const { return root_; }
    // The byte offset at which the pickle ended early; none: it is complete.
    std::optional<uint64_t> cut_at() const { return cut_at_; }

    // The values of a tuple or list; alternating keys and values of a dictionary; otherwise empty.
    std::span<const PickleValue> items(const PickleValue& value) const;
    // The value of a dictionary's key; null: no such key.
    const PickleValue* find(const PickleValue& dictionary, std::string_view key) const;

    static std::string_view text(const PickleValue& value) {
        return value.kind == PickleKind::text ? std::string_view(value.text, value.length)
                                              : std::string_view();
    }
    // An integer, or a real number rounded to one; none: any other value.
    static std::optional<int64_t> integer(const PickleValue& value);

    std::string_view text_of(const PickleValue& dictionary, std::string_view key) const;
    std::optional<int64_t> integer_of(const PickleValue& dictionary, std::string_view key) const;
    std::span<const PickleValue> items_of(const PickleValue& dictionary,
                                          std::string_view key) const;

  private:
    friend class PickleDecoder;
    std::vector<std::vector<PickleValue>> containers_;
    PickleValue root_;
    std::optional<uint64_t> cut_at_;
};

}  // namespace lanescope

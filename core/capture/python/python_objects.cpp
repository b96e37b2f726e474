#include "core/capture/python/python_objects.h"

#include <algorithm>
#include <cstring>

namespace lanescope {

namespace {

// PyASCIIObject::state from its member `kind` on: the width of characters, and two flags.
constexpr uint32_t kKindMask = 7;
constexpr uint32_t kCompactBit = 1 << 3;
constexpr uint32_t kAsciiBit = 1 << 4;

constexpr uint32_t kLargestCharacter = 0x10FFFF;
constexpr uint32_t kReplacement = 0xFFFD;

void append_utf8(std::string& out, uint32_t c) {
    if (c > kLargestCharacter || (c >= 0xD800 && c < 0xE000)) c = kReplacement;
    if (c < 0x80) {
        out += static_cast<char>(c);
        return;
    }
    if (c < 0x800) {
        out += static_cast<char>(0xC0 | c >> 6);
    } else {
        if (c < 0x10000) {
            out += static_cast<char>(0xE0 | c >> 12);
        } else {
            out += static_cast<char>(0xF0 | c >> 18);
            out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
        }
        out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    }
    out += static_cast<char>(0x80 | (c & 0x3F));
}

struct ContentPlace {
    uint32_t length_at, data_at;  // in the object
    std::size_t bytes;
};

bool read_content(TargetMemory& memory, uint64_t object, const ContentPlace& place,
                  PythonContent& content) {
    if (place.data_at < place.length_at + sizeof(uint64_t)) return false;
    content.address = object + place.length_at;
    content.data_at = place.data_at - place.length_at;
    content.bytes.resize(content.data_at + place.bytes);
    return memory.read(content.address, content.bytes.data(), content.bytes.size());
}

// Reads the variable-length numbers of a table of lines: six bits in each byte, the lowest first.
class LineTableReader {
  public:
    explicit LineTableReader(std::span<const uint8_t> table) : table_(table) {}

    bool is_at_end() const { return at_ >= table_.size(); }
    uint8_t byte() { return is_at_end() ? uint8_t{0} : table_[at_++]; }
    void skip(std::size_t bytes) { at_ = std::min(table_.size(), at_ + bytes); }
    uint64_t number() {
        constexpr uint8_t more = 64;
        uint64_t value = 0;
        uint8_t part = more;
        for (unsigned shift = 0; (part & more) != 0 && shift < 60; shift += 6) {
            part = byte();
            value |= uint64_t{part & 63u} << shift;
        }
        return value;
    }
    int64_t signed_number() {
        const uint64_t value = number();
        const auto size = static_cast<int64_t>(value >> 1);
        return (value & 1) != 0 ? -size : size;
    }

  private:
    std::span<const uint8_t> table_;
    std::size_t at_ = 0;
};

// Reads the rest of an entry after its first byte. Returns by how much the line changes.
int64_t line_change(LineTableReader& reader, unsigned kind) {
    constexpr unsigned no_location = 15;
    constexpr unsigned long_form = 14;
    constexpr unsigned no_columns = 13;
    constexpr unsigned first_one_line = 10;
    if (kind == no_location) return 0;
    if (kind == long_form) {
        const int64_t change = reader.signed_number();
        for (int i = 0; i < 3; ++i) reader.number();  // last line, and the columns
        return change;
    }
    if (kind == no_columns) return reader.signed_number();
    reader.skip(kind >= first_one_line ? 2 : 1);
    return kind >= first_one_line ? static_cast<int64_t>(kind - first_one_line) : 0;
}

}  // namespace

std::string utf8_of_python(std::span<const uint8_t> characters, std::size_t width) {
    std::string out;
    for (std::size_t at = 0; at + width <= characters.size(); at += width) {
        uint32_t c = 0;
        std::memcpy(&c, characters.data() + at, width);
        append_utf8(out, c);
    }
    return out;
}

std::optional<PythonText> read_python_text(TargetMemory& memory, const PythonLayout& layout,
                                           const PythonTypes& types, uint64_t address,
                                           std::size_t limit) {
    uint64_t type = 0;
    uint64_t length = 0;
    uint32_t state = 0;
    const MemoryPiece head[] = {{address + layout.object_type, &type, sizeof type},
                                {address + layout.unicode_length, &length, sizeof length},
                                {address + layout.unicode_state, &state, sizeof state}};
    if (!memory.read(head) || type != types.unicode) return std::nullopt;
    state >>= layout.unicode_kind_shift;
    const std::size_t width = state & kKindMask;
    const bool known_width = width == 1 || width == 2 || width == 4;
    if ((state & kCompactBit) == 0 || !known_width) return std::nullopt;
    const auto shown = static_cast<std::size_t>(std::min<uint64_t>(length, limit));
    const bool is_ascii = (state & kAsciiBit) != 0;
    const uint32_t data = is_ascii ? layout.unicode_ascii_data : layout.unicode_data;
    PythonText text;
    if (!read_content(memory, address, {layout.unicode_length, data, shown * width}, text.content))
        return std::nullopt;
    text.utf8 = utf8_of_python(text.content.data(), width);
    return text;
}

std::optional<PythonContent> read_python_bytes(TargetMemory& memory, const PythonLayout& layout,
                                               const PythonTypes& types, uint64_t address,
                                               std::size_t limit) {
    uint64_t type = 0;
    uint64_t size = 0;
    const MemoryPiece head[] = {{address + layout.object_type, &type, sizeof type},
                                {address + layout.bytes_size, &size, sizeof size}};
    if (!memory.read(head) || type != types.bytes || size > limit) return std::nullopt;
    PythonContent content;
    const ContentPlace place = {layout.bytes_size, layout.bytes_data,
                                static_cast<std::size_t>(size)};
    if (!read_content(memory, address, place, content)) return std::nullopt;
    return content;
}

bool PythonContent::equals(std::string_view others) const {
    constexpr std::size_t length_bytes = 8;
    const std::string_view own = std::string_view(bytes).substr(0, others.size());
    return others.size() >= data_at && own.size() == others.size() &&
           own.substr(0, length_bytes) == others.substr(0, length_bytes) &&
           own.substr(data_at) == others.substr(data_at);
}

int64_t python_line_at(std::span<const uint8_t> table, int64_t first_line, int64_t offset) {
    constexpr int64_t unit = 2;  // bytes of an instruction
    // Lines beyond are damaged; the sum of all changes cannot overflow.
    constexpr int64_t max_line = int64_t{1} << 31;
    LineTableReader reader(table);
    int64_t line = first_line;
    int64_t end = 0;
    while (!reader.is_at_end() && offset >= end) {
        const uint8_t head = reader.byte();
        end += unit * ((head & 7) + 1);
        line += line_change(reader, head >> 3 & 15);
        line = std::clamp<int64_t>(line, -max_line, max_line);
    }
    return line;
}

}  // namespace lanescope

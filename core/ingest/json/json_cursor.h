// JsonCursor: a position in JSON text, and the operations of the event scanner. Strict where events
// must be separated, lenient about what trace writers produce: any byte up to a space is white
// space, strings may contain raw control characters, and bare words (NaN, inf, N/A) are values.
//
// Works on 16 bytes at a time, so it reads up to 16 bytes beyond `end` (kTextPadding).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace lanescope {

#if defined(__SSE2__)
struct Bytes16 {
    __m128i v;
    static Bytes16 load(const char* p) {
        return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))};
    }
    uint32_t equal(char c) const {
        return static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(c))));
    }
    uint32_t equal_ignoring_bit5(char c) const {
        return static_cast<uint32_t>(_mm_movemask_epi8(
            _mm_cmpeq_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8(c))));
    }
    // Bit mask of spaces, commas and closing brackets, which end a bare token.
    uint32_t token_end() const {
        const __m128i blank = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x20)), v);
        const __m128i comma = _mm_cmpeq_epi8(v, _mm_set1_epi8(','));
        const __m128i bracket =
            _mm_cmpeq_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8('}'));
        return static_cast<uint32_t>(
            _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(blank, comma), bracket)));
    }
    uint32_t above_blank() const {
        return static_cast<uint32_t>(
            _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(v, _mm_set1_epi8(0x21)), v)));
    }
    uint32_t quote_or_backslash() const {
        return static_cast<uint32_t>(_mm_movemask_epi8(_mm_or_si128(
            _mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')))));
    }
};

inline bool same16(const char* a, const char* b) {
    return _mm_movemask_epi8(_mm_cmpeq_epi8(Bytes16::load(a).v, Bytes16::load(b).v)) == 0xFFFF;
}
// Compares the first `count` bytes only, though it reads all 16.
inline bool same16(const char* a, const char* b, std::size_t count) {
    const auto equal = static_cast<uint32_t>(
        _mm_movemask_epi8(_mm_cmpeq_epi8(Bytes16::load(a).v, Bytes16::load(b).v)));
    return (~equal & ((1u << count) - 1)) == 0;
}
#else
inline bool same16(const char* a, const char* b, std::size_t count = 16) {
    return std::memcmp(a, b, count) == 0;
}

struct Bytes16 {
    const char* p;
    static Bytes16 load(const char* at) { return {at}; }
    template <typename Test>
    uint32_t mask(Test test) const {
        uint32_t bits = 0;
        for (int i = 0; i < 16; ++i) bits |= static_cast<uint32_t>(test(p[i])) << i;
        return bits;
    }
    uint32_t equal(char c) const {
        return mask([c](char x) { return x == c; });
    }
    uint32_t equal_ignoring_bit5(char c) const {
        return mask([c](char x) { return (x | 0x20) == c; });
    }
    uint32_t token_end() const {
        return mask([](char x) {
            return static_cast<unsigned char>(x) <= 0x20 || x == ',' || (x | 0x20) == '}';
        });
    }
    uint32_t above_blank() const {
        return mask([](char x) { return static_cast<unsigned char>(x) > 0x20; });
    }
    uint32_t quote_or_backslash() const {
        return mask([](char x) { return x == '"' || x == '\\'; });
    }
};
#endif

struct JsonCursor {
    const char* p = nullptr;
    const char* end = nullptr;

    bool at_end() const { return p >= end; }

    // Moves to the next byte above a space; may stop slightly beyond `end`.
    void skip_space() {
        if (static_cast<unsigned char>(*p) > 0x20) return;
        while (p < end) {
            const uint32_t bits = Bytes16::load(p).above_blank();
            if (bits) {
                p += std::countr_zero(bits);
                return;
            }
            p += 16;
        }
    }

    // Moves from behind an opening quote to behind the closing quote; `text` is the raw text
    // between them. False if the text ends first.
    bool read_string(std::string_view& text) {
        const char* const begin = p;
        const char* q = p;
        while (q < end) {
            const uint32_t bits = Bytes16::load(q).quote_or_backslash();
            if (!bits) {
                q += 16;
                continue;
            }
            q += std::countr_zero(bits);
            if (q >= end) break;
            if (*q == '"') {
                text = {begin, static_cast<std::size_t>(q - begin)};
                p = q + 1;
                return true;
            }
            q += 2;
        }
        p = end;
        return false;
    }

    // Moves past the closing bracket of the object or list that opens at `p`.
    bool skip_container() {
        std::size_t depth = 0;
        while (p < end) {
            const Bytes16 bytes = Bytes16::load(p);
            uint32_t open = bytes.equal_ignoring_bit5('{');
            uint32_t close = bytes.equal_ignoring_bit5('}');
            const uint32_t quotes = bytes.equal('"');
            if (quotes) {
                const uint32_t before = (quotes & (0 - quotes)) - 1;
                open &= before;
                close &= before;
            }
            const auto closing = static_cast<std::size_t>(std::popcount(close));
            if (closing >= depth) {
                for (uint32_t both = open | close; both; both &= both - 1) {
                    const uint32_t bit = both & (0 - both);
                    if (open & bit) {
                        ++depth;
                    } else if (depth <= 1) {
                        p += std::countr_zero(bit) + 1;
                        return p <= end;
                    } else {
                        --depth;
                    }
                }
            } else {
                depth += static_cast<std::size_t>(std::popcount(open));
                depth -= closing;
            }
            if (quotes) {
                p += std::countr_zero(quotes) + 1;
                std::string_view ignored;
                if (!read_string(ignored)) return false;
            } else {
                p += 16;
            }
        }
        p = end;
        return false;
    }

    // Whether the bare token that ends at `q`, before the end of the text, is complete.
    bool ends_token(const char* q) const {
        return q < end &&
               (*q == ',' || static_cast<unsigned char>(*q) <= 0x20 || (*q | 0x20) == '}');
    }

    // Moves past a number, word or other bare token, which ends at white space, a comma or a
    // closing bracket.
    std::string_view read_bare() {
        const char* const begin = p;
        while (p < end) {
            const uint32_t bits = Bytes16::load(p).token_end();
            if (bits) {
                p += std::countr_zero(bits);
                break;
            }
            p += 16;
        }
        if (p > end) p = end;
        return {begin, static_cast<std::size_t>(p - begin)};
    }

    // Moves past any value; `raw` is its text, including quotes and brackets. False if the text
    // ends first.
    bool read_value(std::string_view& raw) {
        const char* const begin = p;
        bool whole = true;
        if (*p == '"') {
            ++p;
            std::string_view ignored;
            whole = read_string(ignored);
        } else if (*p == '{' || *p == '[') {
            whole = skip_container();
        } else {
            read_bare();
            whole = p < end;
        }
        raw = {begin, static_cast<std::size_t>(p - begin)};
        return whole;
    }
};

// Visits the members of the object at `at`: calls read(name) with `at` on each value; read() must
// move past it. False if read() returned false, the text ends first, or there is no object.
template <typename Read>
bool read_members(JsonCursor& at, Read read) {
    ++at.p;
    at.skip_space();
    while (!at.at_end() && *at.p != '}') {
        std::string_view name;
        if (*at.p != '"') return false;
        ++at.p;
        if (!at.read_string(name)) return false;
        at.skip_space();
        if (at.at_end() || *at.p != ':') return false;
        ++at.p;
        at.skip_space();
        if (at.at_end() || !read(name)) return false;
        at.skip_space();
        if (at.at_end() || (*at.p != '}' && *at.p != ',')) return false;
        if (*at.p == '}') break;
        ++at.p;
        at.skip_space();
    }
    if (at.at_end()) return false;
    ++at.p;
    return true;
}

inline bool is_blank(char c) {
    return static_cast<unsigned char>(c) <= 0x20;
}

inline std::string_view without_quotes(std::string_view raw) {
    return raw.size() >= 2 && raw.front() == '"' ? raw.substr(1, raw.size() - 2) : raw;
}

// Calls visit(name, raw value) for each member of a complete object. kTextPadding bytes must follow
// the object.
template <typename Visit>
void for_each_member(std::string_view object, Visit visit) {
    if (object.empty()) return;
    JsonCursor at{object.data() + 1, object.data() + object.size()};
    for (;;) {
        while (!at.at_end() && (is_blank(*at.p) || *at.p == ',')) ++at.p;
        if (at.at_end() || *at.p != '"') return;
        ++at.p;
        std::string_view name;
        std::string_view value;
        if (!at.read_string(name)) return;
        while (!at.at_end() && (is_blank(*at.p) || *at.p == ':')) ++at.p;
        if (at.at_end() || !at.read_value(value) || value.empty()) return;
        visit(name, value);
    }
}

}  // namespace lanescope

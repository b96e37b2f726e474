#include "core/ingest/memory_snapshot/pickle_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/format.h"

namespace lanescope {

namespace {

// Each value takes at least a byte of the pickle. Containers are dearer in memory than in the
// file, and snapshots have more bytes for each.
constexpr uint64_t kFreeContainers = uint64_t{4} << 20;
constexpr uint64_t kBytesOfContainer = 8;
// What a value and a container need, with the room that vectors keep to grow.
constexpr uint64_t kMemoryOfValue = 2 * sizeof(PickleValue);
constexpr uint64_t kMemoryOfContainer = sizeof(std::vector<PickleValue>) + 32;
constexpr uint64_t kCheckEvery = 4096;  // values

// Words for instructions that are refused.
struct Refused {
    char opcode;
    std::string_view name;
};
constexpr std::array kRefused = {
    Refused{'c', "GLOBAL"},         Refused{'\x93', "STACK_GLOBAL"},
    Refused{'R', "REDUCE"},         Refused{'b', "BUILD"},
    Refused{'i', "INST"},           Refused{'o', "OBJ"},
    Refused{'\x81', "NEWOBJ"},      Refused{'\x92', "NEWOBJ_EX"},
    Refused{'P', "PERSID"},         Refused{'Q', "BINPERSID"},
    Refused{'\x82', "EXT1"},        Refused{'\x83', "EXT2"},
    Refused{'\x84', "EXT4"},        Refused{'B', "BINBYTES"},
    Refused{'C', "SHORT_BINBYTES"}, Refused{'\x8e', "BINBYTES8"},
    Refused{'\x96', "BYTEARRAY8"},  Refused{'\x97', "NEXT_BUFFER"},
    Refused{'S', "STRING"},         Refused{'V', "UNICODE"},
};

}  // namespace

Result<void> PickleDecoder::run() {
    while (!is_over_) {
        begin_ = at_;
        if (at_ >= bytes_.size()) break;
        const char opcode = bytes_[at_++];
        if (!step(opcode)) {
            if (error_) return *error_;
            if (is_short_) break;
            return damaged();
        }
    }
    if (!is_over_) {
        pickle_.cut_at_ = begin_;
        collapse();
    }
    if (stack_.empty()) return damaged();
    pickle_.root_ = is_over_ ? stack_.back() : stack_.front();
    pickle_.order_keys();
    return {};
}

Error PickleDecoder::damaged() const {
    return {ErrorCode::damaged, begin_, fmt::format("the pickle is damaged at byte {}", begin_)};
}

bool PickleDecoder::refuse(char opcode) {
    const auto* const known = std::ranges::find(kRefused, opcode, &Refused::opcode);
    const std::string name = known == kRefused.end()
                                 ? fmt::format("{:#04x}", static_cast<unsigned char>(opcode))
                                 : std::string(known->name);
    return fail(ErrorCode::unsupported,
                fmt::format("the pickle has the instruction {} at byte {}, and is not read: "
                            "a snapshot of memory holds only plain data",
                            name, begin_));
}

bool PickleDecoder::fail(ErrorCode code, std::string text) {
    error_ = Error{code, begin_, std::move(text)};
    return false;
}

// The next bytes of an instruction; false, and `is_short_`: the pickle ends within them.
bool PickleDecoder::take(uint64_t size, std::string_view& taken) {
    is_short_ = size > bytes_.size() - at_;
    if (is_short_) return false;
    taken = bytes_.substr(at_, size);
    at_ += size;
    return true;
}

bool PickleDecoder::take_number(std::size_t size, uint64_t& number) {
    std::string_view raw;
    if (!take(size, raw)) return false;
    number = 0;
    std::memcpy(&number, raw.data(), size);
    return true;
}

// Instructions of protocol 0 end with a line.
bool PickleDecoder::take_line(std::string_view& line) {
    const std::size_t end = bytes_.find('\n', at_);
    is_short_ = end == std::string_view::npos;
    if (is_short_) return false;
    line = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return true;
}

bool PickleDecoder::with_number(std::size_t size, bool (PickleDecoder::*use)(uint64_t)) {
    uint64_t number = 0;
    return take_number(size, number) && (this->*use)(number);
}

bool PickleDecoder::with_line(bool (PickleDecoder::*use)(uint64_t)) {
    std::string_view line;
    uint64_t number = 0;
    if (!take_line(line)) return false;
    const auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), number);
    return failed == std::errc() && end == line.data() + line.size() && (this->*use)(number);
}

bool PickleDecoder::push(const PickleValue& value) {
    ++pushed_;
    if (memory_bytes_ > 0 && pushed_ % kCheckEvery == 0) {
        const uint64_t held = kMemoryOfValue * (pushed_ + memo_.size()) +
                              kMemoryOfContainer * pickle_.containers_.size();
        if (held > memory_bytes_)
            return fail(
                ErrorCode::no_memory,
                fmt::format("needs more than the {} of memory that are allowed; {} were needed "
                            "after {} of the pickle",
                            format_bytes(static_cast<int64_t>(memory_bytes_)),
                            format_bytes(static_cast<int64_t>(held)),
                            format_bytes(static_cast<int64_t>(at_))));
    }
    stack_.push_back(value);
    return true;
}

bool PickleDecoder::push_integer(int64_t number, PickleKind kind) {
    PickleValue value;
    value.kind = kind;
    value.integer = number;
    return push(value);
}

bool PickleDecoder::push_real(double real) {
    PickleValue value;
    value.kind = PickleKind::real;
    value.real = real;
    return push(value);
}

bool PickleDecoder::push_text(std::size_t length_bytes) {
    uint64_t length = 0;
    std::string_view raw;
    if (!take_number(length_bytes, length) || !take(length, raw)) return false;
    if (length > UINT32_MAX)
        return fail(ErrorCode::unsupported,
                    fmt::format("the pickle has a text of {} at byte {}, and is not read",
                                format_bytes(static_cast<int64_t>(length)), begin_));
    PickleValue value;
    value.kind = PickleKind::text;
    value.length = static_cast<uint32_t>(length);
    value.text = raw.data();
    return push(value);
}

bool PickleDecoder::push_container(PickleKind kind, std::span<const PickleValue> items) {
    auto& all = pickle_.containers_;
    if (all.size() >= kFreeContainers + bytes_.size() / kBytesOfContainer)
        return fail(
            ErrorCode::unsupported,
            fmt::format("the pickle has more than {} lists and dictionaries, and is not read: no "
                        "snapshot of its size has so many",
                        all.size()));
    PickleValue value;
    value.kind = kind;
    value.container = static_cast<uint32_t>(all.size());
    all.emplace_back(items.begin(), items.end());
    if (kind == PickleKind::dictionary) pickle_.note_growth(value.container, 0);
    return push(value);
}

// Two's complement of any length. Numbers from 2^63 to 2^64, which addresses may be, keep their
// bits; numbers of more bits become real ones.
bool PickleDecoder::push_long(uint64_t size) {
    std::string_view raw;
    if (!take(size, raw)) return false;
    if (size == 0) return push_integer(0);
    const bool is_negative = (static_cast<unsigned char>(raw.back()) & 0x80) != 0;
    const char filler = is_negative ? '\xff' : '\0';
    while (raw.size() > 8 && raw.back() == filler) raw.remove_suffix(1);
    if (raw.size() > 8) {
        double real = is_negative ? -1 : 0;
        for (auto at = raw.rbegin(); at != raw.rend() && std::isfinite(real); ++at)
            real = real * 256 + static_cast<unsigned char>(*at);
        return push_real(real);
    }
    uint64_t number = is_negative ? ~uint64_t{0} : 0;
    std::memcpy(&number, raw.data(), raw.size());
    const auto as_signed = static_cast<int64_t>(number);
    if (is_negative == (as_signed < 0)) return push_integer(as_signed);
    return is_negative ? push_real(static_cast<double>(number) - 0x1p64)
                       : push_integer(as_signed, PickleKind::large_integer);
}

bool PickleDecoder::push_line() {
    std::string_view raw;
    if (!take_line(raw)) return false;
    std::string line(raw);
    if (line.ends_with('L')) line.pop_back();
    if (line == "00" || line == "01")
        return push_integer(line == "01" ? 1 : 0, PickleKind::boolean);
    char* stop = nullptr;
    errno = 0;
    const int64_t number = std::strtoll(line.c_str(), &stop, 10);
    if (*stop != '\0' || line.empty()) return false;
    return errno == 0 ? push_integer(number) : push_real(std::strtod(line.c_str(), nullptr));
}

bool PickleDecoder::push_real_line() {
    std::string_view raw;
    if (!take_line(raw)) return false;
    const std::string line(raw);
    char* stop = nullptr;
    const double real = std::strtod(line.c_str(), &stop);
    return *stop == '\0' && !line.empty() && push_real(real);
}

bool PickleDecoder::push_big_endian_real() {
    uint64_t number = 0;
    if (!take_number(8, number)) return false;
    uint64_t turned = 0;
    for (int i = 0; i < 8; ++i) turned = turned << 8 | (number >> (8 * i) & 0xFF);
    return push_real(std::bit_cast<double>(turned));
}

bool PickleDecoder::drop_to_mark(std::vector<PickleValue>& items) {
    if (marks_.empty() || marks_.back() > stack_.size()) return false;
    items.assign(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return true;
}

bool PickleDecoder::push_tuple(std::size_t count) {
    if (stack_.size() < floor() + count) return false;
    const std::vector<PickleValue> items(stack_.end() - static_cast<std::ptrdiff_t>(count),
                                         stack_.end());
    stack_.resize(stack_.size() - count);
    return push_container(PickleKind::tuple, items);
}

bool PickleDecoder::push_marked(PickleKind kind) {
    return drop_to_mark(items_) && push_container(kind, items_);
}

// Adds to the list or dictionary on top.
bool PickleDecoder::add(PickleKind kind, std::span<const PickleValue> items) {
    if (stack_.size() <= floor() || stack_.back().kind != kind) return false;
    auto& into = pickle_.containers_[stack_.back().container];
    const std::size_t before = into.size();
    into.insert(into.end(), items.begin(), items.end());
    if (kind == PickleKind::dictionary) pickle_.note_growth(stack_.back().container, before);
    return true;
}

bool PickleDecoder::add_marked(PickleKind kind) {
    return drop_to_mark(items_) && add(kind, items_);
}

bool PickleDecoder::add_last(PickleKind kind, std::size_t count) {
    if (stack_.size() < floor() + count + 1) return false;
    items_.assign(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return add(kind, items_);
}

// Takes the last value off the stack, or the mark if there is none behind it.
bool PickleDecoder::pop() {
    if (stack_.size() > floor()) {
        stack_.pop_back();
        return true;
    }
    if (marks_.empty()) return false;
    marks_.pop_back();
    return true;
}

bool PickleDecoder::memoize(uint64_t place) {
    if (stack_.size() <= floor() || place > memo_.size() + bytes_.size()) return false;
    if (place >= memo_.size()) {
        // A place per instruction is enough; a far one would only cost memory.
        if (place > 4 * (memo_.size() + 1024)) return false;
        memo_.resize(place + 1);
    }
    memo_[place] = stack_.back();
    return true;
}

bool PickleDecoder::recall(uint64_t place) {
    return place < memo_.size() && push(memo_[place]);
}

bool PickleDecoder::step(char opcode) {
    uint64_t number = 0;
    switch (opcode) {
        case '\x80':  // PROTO
            return take_number(1, number);
        case '\x95':  // FRAME
            return take_number(8, number);
        case '.':
            is_over_ = true;
            return !stack_.empty();
        case '(':
            marks_.push_back(stack_.size());
            return true;
        case '0':  // POP
            return pop();
        case '1':  // POP_MARK
            return drop_to_mark(items_);
        case '2':  // DUP
            return stack_.size() > floor() && push(PickleValue(stack_.back()));
        case 'X':
        case 'T':  // BINSTRING
            return push_text(4);
        case '\x8c':
        case 'U':  // SHORT_BINSTRING
            return push_text(1);
        case '\x8d':
            return push_text(8);
        default:
            return step_of_numbers(opcode);
    }
}

}  // namespace lanescope

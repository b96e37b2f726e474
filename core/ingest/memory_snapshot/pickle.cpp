#include "core/ingest/memory_snapshot/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace lanescope {

namespace {

// A real snapshot has more bytes for each value and container; the limits bound the memory that a
// hostile pickle can take.
constexpr uint64_t kFreeValues = 4096;
constexpr uint64_t kBytesOfContainer = 8;
constexpr int64_t kLargestReal = int64_t{1} << 62;

// Names of the refused instructions.
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
};

}  // namespace

class PickleDecoder {
  public:
    PickleDecoder(std::string_view bytes, Pickle& pickle) : bytes_(bytes), pickle_(pickle) {}

    Result<void> run() {
        while (!is_over_) {
            begin_ = at_;
            if (at_ >= bytes_.size()) break;
            const char opcode = bytes_[at_++];
            if (!step(opcode)) {
                if (is_short_) break;
                return error_ ? *error_ : damaged();
            }
        }
        if (!is_over_) {
            pickle_.cut_at_ = begin_;
            collapse();
        }
        if (stack_.empty()) return damaged();
        pickle_.root_ = is_over_ ? stack_.back() : stack_.front();
        return {};
    }

  private:
    Error damaged() const {
        return {ErrorCode::damaged, begin_,
                fmt::format("the pickle is damaged at byte {}", begin_)};
    }
    bool refuse(char opcode) {
        const auto* const known = std::ranges::find(kRefused, opcode, &Refused::opcode);
        const std::string name = known == kRefused.end()
                                     ? fmt::format("{:#04x}", static_cast<unsigned char>(opcode))
                                     : std::string(known->name);
        error_ = Error{ErrorCode::unsupported, begin_,
                       fmt::format("the pickle has the instruction {} at byte {}, and is not read: "
                                   "a snapshot of memory holds only plain data",
                                   name, begin_)};
        return false;
    }

    // Takes the next `size` bytes. False: the pickle ends within them; sets `is_short_`.
    bool take(uint64_t size, std::string_view& taken) {
        is_short_ = size > bytes_.size() - at_;
        if (is_short_) return false;
        taken = bytes_.substr(at_, size);
        at_ += size;
        return true;
    }
    bool take_number(std::size_t size, uint64_t& number) {
        std::string_view raw;
        if (!take(size, raw)) return false;
        number = 0;
        std::memcpy(&number, raw.data(), size);
        return true;
    }

    bool push(const PickleValue& value) {
        if (++pushed_ > kFreeValues + bytes_.size() / 4 * 3) return false;
        stack_.push_back(value);
        return true;
    }
    bool push_integer(int64_t number, PickleKind kind = PickleKind::integer) {
        PickleValue value;
        value.kind = kind;
        value.integer = number;
        return push(value);
    }
    bool push_text(std::size_t length_bytes) {
        uint64_t length = 0;
        std::string_view raw;
        if (!take_number(length_bytes, length) || !take(length, raw)) return false;
        if (length > UINT32_MAX) return false;
        PickleValue value;
        value.kind = PickleKind::text;
        value.length = static_cast<uint32_t>(length);
        value.text = raw.data();
        return push(value);
    }
    bool push_container(PickleKind kind, std::span<const PickleValue> items) {
        auto& all = pickle_.containers_;
        if (all.size() >= kFreeValues + bytes_.size() / kBytesOfContainer) return false;
        PickleValue value;
        value.kind = kind;
        value.container = static_cast<uint32_t>(all.size());
        all.emplace_back(items.begin(), items.end());
        return push(value);
    }
    // A two's complement integer of up to eight bytes.
    bool push_long(uint64_t size) {
        std::string_view raw;
        if (!take(size, raw) || size > 8) return false;
        uint64_t number = 0;
        std::memcpy(&number, raw.data(), size);
        const uint64_t unused = 64 - 8 * size;
        return push_integer(
            size == 0 ? 0 : static_cast<int64_t>(number << unused) >> static_cast<int64_t>(unused));
    }
    // Protocol 0 ends numbers and texts with a newline. Only numbers occur.
    bool push_line() {
        const std::size_t end = bytes_.find('\n', at_);
        is_short_ = end == std::string_view::npos;
        if (is_short_) return false;
        std::string line(bytes_.substr(at_, end - at_));
        at_ = end + 1;
        if (line.ends_with('L')) line.pop_back();
        if (line == "00" || line == "01")
            return push_integer(line == "01" ? 1 : 0, PickleKind::boolean);
        char* stop = nullptr;
        errno = 0;
        const int64_t number = std::strtoll(line.c_str(), &stop, 10);
        return errno == 0 && *stop == '\0' && !line.empty() && push_integer(number);
    }

    bool drop_to_mark(std::vector<PickleValue>& items) {
        if (marks_.empty() || marks_.back() > stack_.size()) return false;
        items.assign(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
        stack_.resize(marks_.back());
        marks_.pop_back();
        return true;
    }
    bool push_tuple(std::size_t count) {
        if (stack_.size() < floor() + count) return false;
        const std::vector<PickleValue> items(stack_.end() - static_cast<std::ptrdiff_t>(count),
                                             stack_.end());
        stack_.resize(stack_.size() - count);
        return push_container(PickleKind::tuple, items);
    }
    std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
    bool push_marked(PickleKind kind) {
        return drop_to_mark(items_) && push_container(kind, items_);
    }
    // Appends to the list or dictionary on top of the stack.
    bool add(PickleKind kind, std::span<const PickleValue> items) {
        if (stack_.size() <= floor() || stack_.back().kind != kind) return false;
        auto& into = pickle_.containers_[stack_.back().container];
        into.insert(into.end(), items.begin(), items.end());
        return true;
    }
    bool add_marked(PickleKind kind) { return drop_to_mark(items_) && add(kind, items_); }
    bool add_last(PickleKind kind, std::size_t count) {
        if (stack_.size() < floor() + count + 1) return false;
        items_.assign(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
        stack_.resize(stack_.size() - count);
        return add(kind, items_);
    }

    bool memoize(uint64_t place) {
        if (stack_.size() <= floor() || place > memo_.size() + bytes_.size()) return false;
        if (place >= memo_.size()) {
            // Memo indices are dense, so a large jump would only waste memory.
            if (place > 4 * (memo_.size() + 1024)) return false;
            memo_.resize(place + 1);
        }
        memo_[place] = stack_.back();
        return true;
    }
    bool recall(uint64_t place) { return place < memo_.size() && push(memo_[place]); }
    bool with_number(std::size_t size, bool (PickleDecoder::*use)(uint64_t)) {
        uint64_t number = 0;
        return take_number(size, number) && (this->*use)(number);
    }

    bool step(char opcode) {
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
                if (stack_.size() <= floor()) return false;
                stack_.pop_back();
                return true;
            case 'N':
                return push({});
            case '\x88':
                return push_integer(1, PickleKind::boolean);
            case '\x89':
                return push_integer(0, PickleKind::boolean);
            case 'I':
            case 'L':
                return push_line();
            case 'J':
                return take_number(4, number) &&
                       push_integer(static_cast<int32_t>(static_cast<uint32_t>(number)));
            case 'K':
                return take_number(1, number) && push_integer(static_cast<int64_t>(number));
            case 'M':
                return take_number(2, number) && push_integer(static_cast<int64_t>(number));
            case '\x8a':
                return with_number(1, &PickleDecoder::push_long);
            case '\x8b':
                return with_number(4, &PickleDecoder::push_long);
            case 'G':
                return push_real();
            default:
                return step_of_containers(opcode);
        }
    }

    bool push_real() {
        uint64_t number = 0;
        if (!take_number(8, number)) return false;
        uint64_t turned = 0;
        for (int i = 0; i < 8; ++i) turned = turned << 8 | (number >> (8 * i) & 0xFF);
        PickleValue value;
        value.kind = PickleKind::real;
        value.real = std::bit_cast<double>(turned);
        return push(value);
    }

    bool step_of_containers(char opcode) {
        switch (opcode) {
            case 'X':
                return push_text(4);
            case '\x8c':
                return push_text(1);
            case '\x8d':
                return push_text(8);
            case '}':
                return push_container(PickleKind::dictionary, {});
            case ']':
                return push_container(PickleKind::list, {});
            case ')':
                return push_container(PickleKind::tuple, {});
            case '\x85':
                return push_tuple(1);
            case '\x86':
                return push_tuple(2);
            case '\x87':
                return push_tuple(3);
            case 't':
                return push_marked(PickleKind::tuple);
            case 'l':
                return push_marked(PickleKind::list);
            case 'd':
                return push_marked(PickleKind::dictionary);
            case 'a':
                return add_last(PickleKind::list, 1);
            case 'e':
                return add_marked(PickleKind::list);
            case 's':
                return add_last(PickleKind::dictionary, 2);
            case 'u':
                return add_marked(PickleKind::dictionary);
            case '\x94':
                return memoize(memo_.size());
            case 'q':
                return with_number(1, &PickleDecoder::memoize);
            case 'r':
                return with_number(4, &PickleDecoder::memoize);
            case 'h':
                return with_number(1, &PickleDecoder::recall);
            case 'j':
                return with_number(4, &PickleDecoder::recall);
            default:
                return refuse(opcode);
        }
    }

    // Completes the unfinished containers of a pickle that ends early.
    void collapse() {
        while (!marks_.empty()) {
            drop_to_mark(items_);
            if (stack_.size() <= floor()) continue;
            if (stack_.back().kind == PickleKind::list) add(PickleKind::list, items_);
            if (stack_.back().kind == PickleKind::dictionary) add(PickleKind::dictionary, items_);
        }
        if (stack_.size() < 2 || stack_.front().kind != PickleKind::dictionary) return;
        auto& root = pickle_.containers_[stack_.front().container];
        root.insert(root.end(), stack_.begin() + 1, stack_.end());
    }

    std::string_view bytes_;
    Pickle& pickle_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;  // start of the current instruction
    uint64_t pushed_ = 0;
    bool is_over_ = false;
    bool is_short_ = false;
    std::optional<Error> error_;
    std::vector<PickleValue> stack_;
    std::vector<std::size_t> marks_;  // stack sizes at the marks
    std::vector<PickleValue> memo_;
    std::vector<PickleValue> items_;
};

Result<Pickle> Pickle::decode(std::string_view bytes) {
    Pickle pickle;
    if (const Result<void> done = PickleDecoder(bytes, pickle).run(); !done) return done.error();
    return pickle;
}

std::span<const PickleValue> Pickle::items(const PickleValue& value) const {
    if (value.kind < PickleKind::tuple) return {};
    return containers_[value.container];
}

const PickleValue* Pickle::find(const PickleValue& dictionary, std::string_view key) const {
    if (dictionary.kind != PickleKind::dictionary) return nullptr;
    const std::span<const PickleValue> all = items(dictionary);
    for (std::size_t i = 0; i + 1 < all.size(); i += 2)
        if (text(all[i]) == key && all[i].kind == PickleKind::text) return &all[i + 1];
    return nullptr;
}

std::optional<int64_t> Pickle::integer(const PickleValue& value) {
    if (value.kind == PickleKind::integer || value.kind == PickleKind::boolean)
        return value.integer;
    if (value.kind != PickleKind::real || !(std::abs(value.real) < double(kLargestReal)))
        return std::nullopt;
    return std::llround(value.real);
}

std::string_view Pickle::text_of(const PickleValue& dictionary, std::string_view key) const {
    const PickleValue* const value = find(dictionary, key);
    return value ? text(*value) : std::string_view();
}

std::optional<int64_t> Pickle::integer_of(const PickleValue& dictionary,
                                          std::string_view key) const {
    const PickleValue* const value = find(dictionary, key);
    return value ? integer(*value) : std::nullopt;
}

std::span<const PickleValue> Pickle::items_of(const PickleValue& dictionary,
                                              std::string_view key) const {
    const PickleValue* const value = find(dictionary, key);
    return value ? items(*value) : std::span<const PickleValue>();
}

}  // namespace lanescope

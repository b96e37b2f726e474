#include "core/capture/sampling/unwind_expression.h"

#include <cstring>
#include <utility>

namespace lanescope {

namespace {

// The operations by their DWARF codes, which need no header of elfutils.
enum Operation : uint8_t {
    kDeref = 0x06,
    kConst1u = 0x08,
    kConsts = 0x11,
    kDup = 0x12,
    kDrop = 0x13,
    kOver = 0x14,
    kPick = 0x15,
    kSwap = 0x16,
    kAnd = 0x1a,
    kMinus = 0x1c,
    kMul = 0x1e,
    kNeg = 0x1f,
    kNot = 0x20,
    kOr = 0x21,
    kPlus = 0x22,
    kPlusUconst = 0x23,
    kShl = 0x24,
    kShr = 0x25,
    kShra = 0x26,
    kXor = 0x27,
    kEq = 0x29,
    kGe = 0x2a,
    kGt = 0x2b,
    kLe = 0x2c,
    kLt = 0x2d,
    kNe = 0x2e,
    kLit0 = 0x30,
    kLit31 = 0x4f,
    kBreg0 = 0x70,
    kBreg31 = 0x8f,
    kBregx = 0x92,
    kNop = 0x96,
    kCallFrameCfa = 0x9c,
};

// Comparisons are signed, as DWARF demands.
std::optional<uint64_t> combine(uint8_t code, uint64_t left, uint64_t right) {
    const auto a = static_cast<int64_t>(left);
    const auto b = static_cast<int64_t>(right);
    switch (code) {
        case kAnd:
            return left & right;
        case kMinus:
            return left - right;
        case kMul:
            return left * right;
        case kOr:
            return left | right;
        case kPlus:
            return left + right;
        case kShl:
            return right < 64 ? left << right : 0;
        case kShr:
            return right < 64 ? left >> right : 0;
        case kShra:
            return static_cast<uint64_t>(a >> (right < 63 ? right : 63));
        case kXor:
            return left ^ right;
        case kEq:
            return a == b;
        case kGe:
            return a >= b;
        case kGt:
            return a > b;
        case kLe:
            return a <= b;
        case kLt:
            return a < b;
        case kNe:
            return a != b;
        default:
            return std::nullopt;
    }
}

// The stack on which an expression works.
class Values {
  public:
    bool push(uint64_t value) {
        if (count_ == values_.size()) return false;
        values_[count_++] = value;
        return true;
    }
    std::optional<uint64_t> pop() {
        if (count_ == 0) return std::nullopt;
        return values_[--count_];
    }
    // The `back`-th last one.
    std::optional<uint64_t> peek(uint64_t back) const {
        if (back >= count_) return std::nullopt;
        return values_[count_ - 1 - back];
    }

  private:
    std::array<uint64_t, 64> values_ = {};
    std::size_t count_ = 0;
};

// An operation on the stack alone. False: it cannot be done.
bool work_on(Values& values, const UnwindOperation& operation) {
    const auto push = [&](std::optional<uint64_t> value) { return value && values.push(*value); };
    switch (operation.code) {
        case kNop:
            return true;
        case kDup:
            return push(values.peek(0));
        case kOver:
            return push(values.peek(1));
        case kPick:
            return push(values.peek(operation.first));
        case kDrop:
            return values.pop().has_value();
        case kSwap: {
            const std::optional<uint64_t> last = values.pop();
            const std::optional<uint64_t> before = values.pop();
            return last && before && values.push(*last) && values.push(*before);
        }
        default:
            break;
    }
    const std::optional<uint64_t> last = values.pop();
    if (!last) return false;
    if (operation.code == kNeg) return values.push(0 - *last);
    if (operation.code == kNot) return values.push(~*last);
    if (operation.code == kPlusUconst) return values.push(*last + operation.first);
    const std::optional<uint64_t> before = values.pop();
    return before && push(combine(operation.code, *before, *last));
}

}  // namespace

std::optional<uint64_t> UnwindState::word_at(uint64_t address) const {
    uint64_t word = 0;
    if (address < stack_begin) return std::nullopt;
    const uint64_t at = address - stack_begin;
    if (at > stack.size() || stack.size() - at < sizeof word) return std::nullopt;
    std::memcpy(&word, stack.data() + at, sizeof word);
    return word;
}

std::optional<uint64_t> UnwindState::cfa_of(const UnwindRow& row) const {
    if (row.cfa_expression >= 0)
        return evaluate(row.expressions[static_cast<std::size_t>(row.cfa_expression)],
                        std::nullopt);
    if (row.base >= registers.size()) return std::nullopt;
    return registers[row.base] + static_cast<uint64_t>(int64_t{row.base_offset});
}

std::optional<uint64_t> UnwindState::value_of(const UnwindRow& row, const UnwindRule& rule,
                                              std::size_t number, uint64_t cfa) const {
    using Kind = UnwindRule::Kind;
    const auto index = static_cast<std::size_t>(rule.number);
    const uint64_t shifted = cfa + static_cast<uint64_t>(int64_t{rule.number});
    switch (rule.kind) {
        case Kind::same:
            return registers[number];
        case Kind::saved:
            return word_at(shifted);
        case Kind::offset:
            return shifted;
        case Kind::in_register:
            if (index >= registers.size()) return std::nullopt;
            return registers[index];
        case Kind::saved_expression: {
            const std::optional<uint64_t> address = evaluate(row.expressions[index], cfa);
            return address ? word_at(*address) : std::nullopt;
        }
        case Kind::expression:
            return evaluate(row.expressions[index], cfa);
        case Kind::undefined:
        case Kind::unsupported:
            break;
    }
    return std::nullopt;
}

std::optional<uint64_t> UnwindState::evaluate(std::span<const UnwindOperation> operations,
                                              std::optional<uint64_t> cfa) const {
    Values values;
    const auto push = [&](std::optional<uint64_t> value) { return value && values.push(*value); };
    const auto of_register = [&](uint64_t number, uint64_t offset) -> std::optional<uint64_t> {
        if (number >= registers.size()) return std::nullopt;
        return registers[number] + offset;
    };
    for (const UnwindOperation& operation : operations) {
        const uint8_t code = operation.code;
        bool is_done = false;
        if (code >= kLit0 && code <= kLit31) {
            is_done = values.push(code - kLit0);
        } else if (code >= kConst1u && code <= kConsts) {
            is_done = values.push(operation.first);
        } else if (code >= kBreg0 && code <= kBreg31) {
            is_done = push(of_register(code - kBreg0, operation.first));
        } else if (code == kBregx) {
            is_done = push(of_register(operation.first, operation.second));
        } else if (code == kCallFrameCfa) {
            is_done = push(cfa);
        } else if (code == kDeref) {
            const std::optional<uint64_t> address = values.pop();
            is_done = address && push(word_at(*address));
        } else {
            is_done = work_on(values, operation);
        }
        if (!is_done) return std::nullopt;
    }
    return values.pop();
}

}  // namespace lanescope

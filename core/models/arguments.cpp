#include "core/models/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/read_double.h"

namespace lanescope {

namespace {

// Reads a list of numbers, of lists of numbers, or of lists of those.
class DimsReader {
  public:
    explicit DimsReader(std::string_view text) : p_(text.data()), end_(p_ + text.size()) {}

    std::optional<std::vector<InputShape>> read() {
        std::vector<InputShape> shapes;
        const bool whole = list([&] { return one(shapes.emplace_back()); });
        skip_space();
        if (!whole || p_ != end_) return std::nullopt;
        return shapes;
    }

  private:
    void skip_space() {
        while (p_ < end_ && (*p_ == ' ' || *p_ == '\n' || *p_ == '\t' || *p_ == '\r')) ++p_;
    }
    bool take(char c) {
        skip_space();
        if (p_ == end_ || *p_ != c) return false;
        ++p_;
        return true;
    }
    bool at(char c) {
        skip_space();
        return p_ < end_ && *p_ == c;
    }
    // Reads "[item, item]", calling item() for each.
    template <typename Item>
    bool list(const Item& item) {
        if (!take('[')) return false;
        if (take(']')) return true;
        do {
            if (!item()) return false;
        } while (take(','));
        return take(']');
    }
    bool number(Shape& into) {
        skip_space();
        int64_t value = 0;
        const auto [next, error] = std::from_chars(p_, end_, value);
        if (error != std::errc()) return false;
        p_ = next;
        into.push_back(value);
        return true;
    }
    bool one(InputShape& input) {
        return list([&] {
            if (!at('[')) return number(input.shape);
            Shape& shape = input.list.emplace_back();
            return list([&] { return number(shape); });
        });
    }

    const char* p_;
    const char* end_;
};

bool all_positive(const Shape& shape) {
    return std::ranges::all_of(shape, [](int64_t n) { return n >= 0; });
}

}  // namespace

std::optional<std::vector<InputShape>> parse_dims(std::string_view dims) {
    return DimsReader(dims).read();
}

std::vector<std::string_view> strings_in(std::string_view list) {
    std::vector<std::string_view> texts;
    for (std::size_t at = list.find('"'); at != std::string_view::npos;
         at = list.find('"', at + 1)) {
        std::size_t close = at + 1;
        while (close < list.size() && list[close] != '"') close += list[close] == '\\' ? 2 : 1;
        if (close >= list.size()) break;
        texts.push_back(list.substr(at + 1, close - at - 1));
        at = close;
    }
    return texts;
}

Shape numbers_in(std::string_view text) {
    Shape numbers;
    const char* p = text.data();
    const char* const end = p + text.size();
    while (p < end) {
        int64_t number = 0;
        const auto [next, error] = std::from_chars(p, end, number);
        if (error == std::errc()) numbers.push_back(number);
        p = error == std::errc() ? next : p + 1;
    }
    return numbers;
}

std::optional<int64_t> number_of(std::string_view text) {
    int64_t number = 0;
    const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || next != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<std::vector<Input>> parse_inputs(const ArgumentTexts& texts) {
    if (texts.dims.empty()) return std::nullopt;
    auto dims = parse_dims(texts.dims);
    if (!dims) return std::nullopt;
    const auto types = strings_in(texts.types);
    const auto concrete = strings_in(texts.concrete);
    auto strides = texts.strides.empty() ? std::nullopt : parse_dims(texts.strides);
    const auto goes_with = [&](std::size_t size) { return size == 0 || size == dims->size(); };
    if (!goes_with(types.size()) || !goes_with(concrete.size())) return std::nullopt;
    std::vector<Input> inputs(dims->size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Input& input = inputs[i];
        input.shape = std::move((*dims)[i].shape);
        input.list = std::move((*dims)[i].list);
        if (!all_positive(input.shape) || !std::ranges::all_of(input.list, all_positive))
            return std::nullopt;
        if (!types.empty()) input.type = types[i];
        if (!concrete.empty()) input.concrete = concrete[i];
        input.data_type = data_type_of(input.type);
        input.is_list = !input.list.empty() || input.type == "TensorList";
        const bool fits = strides && strides->size() == inputs.size() &&
                          (*strides)[i].shape.size() == input.shape.size();
        if (fits) input.strides = std::move((*strides)[i].shape);
        input.strides_misfit = !fits && !input.is_list && !texts.strides.empty();
    }
    return inputs;
}

KernelEstimate parse_estimate(std::string_view gigabytes, std::string_view flop) {
    const auto parsed = [](std::string_view text, double unit) {
        double number = 0;
        const auto [next, error] = read_double(text.data(), text.data() + text.size(), number);
        const double amount = number * unit;
        const bool sound = error == std::errc() && next == text.data() + text.size() &&
                           amount >= 1 && amount < 0x1p63;
        return sound ? std::llround(amount) : kNoValue;
    };
    return {parsed(gigabytes, 1e9),
            number_of(flop).value_or(0) > 0 ? *number_of(flop) : parsed(flop, 1)};
}

}  // namespace lanescope

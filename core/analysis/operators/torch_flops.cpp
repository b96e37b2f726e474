#include "core/analysis/operators/torch_flops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace lanescope {

namespace {

// The product in 64 bits; empty if it does not fit.
std::optional<int64_t> product(std::span<const int64_t> factors, int64_t start = 1) {
    int64_t result = start;
    for (const int64_t factor : factors)
        if (__builtin_mul_overflow(result, factor, &result)) return std::nullopt;
    return result;
}

// 2·M·K·N; a batch that both have counts once.
std::optional<int64_t> matrix_flops(const Shape& a, const Shape& b, bool batched) {
    if (a.empty() || b.empty()) return std::nullopt;
    Shape factors = a;
    factors.pop_back();
    if (a.back() == 0) return 0;
    if (batched && (factors.empty() || a.front() == 0)) return 0;
    if (batched) factors.erase(factors.begin());
    factors.insert(factors.end(), b.begin(), b.end());
    return product(factors, 2);
}

std::optional<int64_t> conv2d_flops(const std::vector<Shape>& shapes, std::string_view concrete) {
    constexpr std::size_t stride_at = 3, padding_at = 4, dilation_at = 5, groups_at = 6;
    const std::vector<std::string_view> arguments = strings_in(concrete);
    if (shapes.size() < 2 || arguments.size() <= groups_at) return std::nullopt;
    const Shape& x = shapes[0];
    const Shape& w = shapes[1];
    const Shape stride = numbers_in(arguments[stride_at]);
    const Shape padding = numbers_in(arguments[padding_at]);
    const Shape dilation = numbers_in(arguments[dilation_at]);
    const Shape groups = numbers_in(arguments[groups_at]);
    const bool known = x.size() == 4 && w.size() == 4 && stride.size() == 2 &&
                       padding.size() == 2 && dilation.size() == 2 && groups.size() == 1;
    if (!known || stride[0] <= 0 || stride[1] <= 0 || groups[0] <= 0) return std::nullopt;
    const auto output = [&](std::size_t i) {
        return (x[i + 2] + 2 * padding[i] - dilation[i] * (w[i + 2] - 1) - 1) / stride[i] + 1;
    };
    const std::array<int64_t, 7> factors = {x[0], output(0), output(1), w[2], w[3], x[1], w[0]};
    const std::optional<int64_t> all = product(factors, 2);
    if (!all) return std::nullopt;
    return *all / groups[0];
}

}  // namespace

std::optional<std::vector<Shape>> parse_shapes(std::string_view dims) {
    if (dims.empty()) return std::vector<Shape>();
    auto inputs = parse_dims(dims);
    if (!inputs) return std::nullopt;
    std::vector<Shape> shapes;
    shapes.reserve(inputs->size());
    for (InputShape& input : *inputs)
        shapes.push_back(input.list.empty() ? std::move(input.shape) : Shape());
    return shapes;
}

std::string spell_shapes(const std::vector<Shape>& shapes) {
    std::string text = "[";
    for (const Shape& shape : shapes)
        text += fmt::format("{}[{}]", text.size() > 1 ? ", " : "", fmt::join(shape, ", "));
    return text + "]";
}

std::optional<int64_t> torch_flops(std::string_view op, std::string_view dims,
                                   std::string_view concrete) {
    if (std::ranges::find(kTorchFlopNames, op) == kTorchFlopNames.end() || dims.empty())
        return std::nullopt;
    const std::optional<std::vector<Shape>> parsed = parse_shapes(dims);
    if (!parsed || parsed->empty()) return std::nullopt;
    const std::vector<Shape>& shapes = *parsed;
    if (op == "aten::conv2d") return conv2d_flops(shapes, concrete);
    if (op == "aten::mul" || op == "aten::add") return product(shapes[0]);
    const std::size_t first = op == "aten::addmm" || op == "aten::baddbmm" ? 1 : 0;
    if (shapes.size() < first + 2) return std::nullopt;
    const bool batched = op == "aten::bmm" || op == "aten::baddbmm";
    return matrix_flops(shapes[first], shapes[first + 1], batched);
}

}  // namespace lanescope

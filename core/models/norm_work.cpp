// Norms, softmax and the loss that follows it: memory-bound operators that visit elements by rows.
#include "core/models/operator_work.h"

namespace lanescope {

namespace {

constexpr int64_t kStatisticBytes = 4;  // norms keep means and deviations in 32 bits

Work softmax(Call& c, const Rule&) {
    const DataType type = c.flag(2) ? DataType::fp32 : c.type(0);
    const Count n = c.elements(0);
    return memory_bound(c, c.type(0), Count(5) * n, c.bytes(0), c.bytes_of_type(n, type));
}

Work softmax_backward(Call& c, const Rule&) {
    const Count n = c.elements(0);
    const auto said = number_of(c.at(3).concrete);
    const DataType type = said ? data_type_of_scalar_type(*said) : c.type(0);
    return memory_bound(c, c.type(0), Count(4) * n, c.bytes(0) + c.bytes(1),
                        c.bytes_of_type(n, type));
}

// at: scores, targets; the forward pass reads one score for each target.
Work nll_loss(Call& c, const Rule& rule) {
    const auto [x, target, backward] = std::array{rule.at[0], rule.at[1], rule.at[2]};
    c.need(c.has(x) && c.has(target));
    const Count n = c.elements(target);
    const int64_t size = bytes_of(c.type(x));
    // If types are not recorded, targets are still 64-bit integers.
    const DataType index =
        c.at(target).data_type == DataType::unknown ? DataType::int64 : c.at(target).data_type;
    const Count targets = c.bytes_of_type(n, index);
    if (backward > 0)
        return memory_bound(c, c.type(x), n, targets + Count(size),
                            c.bytes_of_type(c.elements(x), c.type(x)));
    return memory_bound(c, c.type(x), n, targets + n * Count(size), Count(2 * size));
}

// The number of rows for which a norm keeps statistics: elements divided by those of the normalised
// shape.
Count rows_of(Call& c, int x, int shape_at, int weight) {
    Count inner = product_of(numbers_in(c.at(shape_at).concrete));
    if (c.at(shape_at).concrete.empty()) inner = c.has(weight) ? c.elements(weight) : c.dim(x, -1);
    const Count all = c.elements(x);
    c.need(inner.n >= 0 && (inner.n <= all.n || all.n == 0));
    return inner.n > 0 ? all / inner.n : Count(0);
}

// at: weight, bias, operations, statistics per row. x 0, shape 1.
Work layer_norm(Call& c, const Rule& rule) {
    const Count n = c.elements(0);
    const Count rows = rows_of(c, 0, 1, rule.at[0]);
    return memory_bound(c, c.type(0), Count(rule.at[2]) * n,
                        c.bytes(0) + c.bytes(rule.at[0]) + c.bytes(rule.at[1]),
                        c.bytes_of_type(n, c.type(0)) + rows * Count(rule.at[3] * kStatisticBytes));
}

// at: grad, x, two statistics, weight, whether there is a bias. Writes gradients of the sizes of x,
// weight and bias.
Work norm_backward(Call& c, const Rule& rule) {
    const int weight = rule.at[4];
    Count read;
    for (const int16_t place : std::span(rule.at).first(5)) read = read + c.bytes(place);
    return memory_bound(
        c, c.type(1), Count(9) * c.elements(1), read,
        c.bytes(1) + c.bytes(weight) + (rule.at[5] > 0 ? c.bytes(weight) : Count(0)));
}

// x 0, weight 1, bias 2, mean 3, variance 4, training 5 (7 in the wrapper, which is always
// present).
Work batch_norm(Call& c, const Rule& rule) {
    c.need(c.shape(0).size() >= 2);
    const bool training = !c.has_values() || c.flag(5);
    const Count n = c.elements(0);
    const Count parameters = c.bytes(1) + c.bytes(2) + c.bytes(3) + c.bytes(4);
    const Count statistics = training ? Count(4 * kStatisticBytes) * Count(c.dim(0, 1)) : Count(0);
    return memory_bound(c, c.type(0), Count(training ? rule.at[0] : rule.at[1]) * n,
                        c.bytes(0) + parameters, c.bytes_of_type(n, c.type(0)) + statistics);
}

// at: x, grad.
Work batch_norm_backward(Call& c, const Rule& rule) {
    const auto [x, grad] = std::array{rule.at[0], rule.at[1]};
    const Count channels = c.dim(x, 1);
    const DataType own = c.at(2).data_type == DataType::unknown ? c.type(x) : c.type(2);
    const Count parameter = c.bytes_of_type(channels, own);
    return memory_bound(c, c.type(x), Count(9) * c.elements(x),
                        c.bytes(x) + c.bytes(grad) + Count(3) * parameter,
                        c.bytes_of_type(c.elements(x), c.type(x)) + Count(2) * parameter);
}

Work group_norm(Call& c, const Rule&) {
    const Count n = c.elements(0);
    const auto groups = number_of(c.at(6).concrete);
    c.need(groups.value_or(1) >= 0);
    const Count rows = Count(c.dim(0, 0)) * Count(groups.value_or(1));
    return memory_bound(c, c.type(0), Count(5) * n, c.bytes(0) + c.bytes(1) + c.bytes(2),
                        c.bytes_of_type(n, c.type(0)) + rows * Count(2 * kStatisticBytes));
}

constexpr std::array kNormRules = {
    Rule{"_softmax", softmax},
    Rule{"_log_softmax", softmax},
    Rule{"_softmax_backward_data", softmax_backward},
    Rule{"_log_softmax_backward_data", softmax_backward},
    Rule{"nll_loss_forward", nll_loss, {0, 1, 0}},
    Rule{"nll_loss_backward", nll_loss, {1, 2, 1}},
    Rule{"native_layer_norm", layer_norm, {2, 3, 5, 2}},
    Rule{"layer_norm", layer_norm, {2, 3, 5, 2}},
    Rule{"_fused_rms_norm", layer_norm, {2, -1, 4, 1}},
    Rule{"native_layer_norm_backward", norm_backward, {0, 1, 3, 4, 5, 6}},
    Rule{"_fused_rms_norm_backward", norm_backward, {0, 1, 3, -1, 4, -1}},
    Rule{"native_batch_norm", batch_norm, {5, 2}},
    Rule{"cudnn_batch_norm", batch_norm, {5, 2}},
    Rule{"miopen_batch_norm", batch_norm, {5, 2}},
    Rule{"batch_norm", batch_norm, {5, 2}},
    Rule{"cudnn_batch_norm_backward", batch_norm_backward, {0, 1}},
    Rule{"miopen_batch_norm_backward", batch_norm_backward, {0, 1}},
    Rule{"native_batch_norm_backward", batch_norm_backward, {1, 0}},
    Rule{"native_group_norm", group_norm},
    Rule{"native_group_norm_backward", norm_backward, {0, 1, 2, 3, 4, 1}},
};

}  // namespace

std::span<const Rule> norm_rules() {
    return kNormRules;
}

}  // namespace lanescope

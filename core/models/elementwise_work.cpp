// Elementwise operators: every input is read once, the result is written once.
#include <algorithm>

#include "core/models/operator_work.h"

namespace lanescope {

namespace {

// The type of the result.
enum ResultType : int16_t {
    kPromoted,
    kBoolean,
    kReal,  // real, for integer inputs too
    kOfSecond,
};

// Indices into Rule::at: arguments from this one on are outputs; the result's type; operations.
enum ElementwiseArgument : uint8_t { kInputCount, kResult, kOperations };

bool is_real_number(std::string_view concrete) {
    return !concrete.empty() && concrete.find_first_of(".en") != std::string_view::npos &&
           concrete.find_first_not_of("0123456789.+-einfa") == std::string_view::npos;
}

// Tensors without dimensions and plain numbers only count if they are of a higher kind than all
// others.
DataType promoted_of(Call& c, int arguments) {
    DataType with_dims = DataType::unknown;
    DataType without = DataType::unknown;
    for (int i = 0; i < arguments; ++i) {
        if (!c.has(i)) {
            if (is_real_number(c.at(i).concrete)) without = promoted(without, DataType::fp32);
            continue;
        }
        DataType& into = c.shape(i).empty() ? without : with_dims;
        into = promoted(into, c.type(i));
    }
    const bool adds_kind = (is_complex(without) && !is_complex(with_dims)) ||
                           (is_floating(without) && !is_floating(with_dims)) ||
                           with_dims == DataType::boolean;
    if (with_dims == DataType::unknown || adds_kind) return promoted(with_dims, without);
    return with_dims;
}

Shape broadcast_of(Call& c, int arguments) {
    Shape all;
    for (int i = 0; i < arguments; ++i) {
        if (!c.has(i)) continue;
        const Shape& s = c.shape(i);
        if (s.size() > all.size()) all.insert(all.begin(), s.size() - all.size(), 1);
        for (std::size_t d = 0; d < s.size(); ++d) {
            int64_t& size = all[all.size() - s.size() + d];
            c.need(size == s[d] || size == 1 || s[d] == 1);
            if (size == 1) size = s[d];
        }
    }
    return all;
}

Work elementwise(Call& c, const Rule& rule) {
    const int arguments = std::min<int>(rule.at[kInputCount], static_cast<int>(c.size()));
    Work w;
    for (int i = 0; i < arguments; ++i) w.bytes_read = w.bytes_read + c.bytes(i);
    int out = -1;
    for (int i = arguments; i < static_cast<int>(c.size()); ++i)
        if (c.has(i)) out = i;
    const Shape shape = broadcast_of(c, arguments);
    DataType type = promoted_of(c, arguments);
    if (rule.at[kResult] == kOfSecond) type = c.type(1);
    w.type = type == DataType::fp64 ? DataType::fp64 : DataType::fp32;
    if (rule.at[kResult] == kBoolean) type = DataType::boolean;
    if (rule.at[kResult] == kReal && !is_floating(type)) type = DataType::fp32;
    const bool to_self = c.in_place || out >= 0;
    const int self = c.in_place ? 0 : out;
    // An empty output tensor is resized to the result.
    const bool fits = c.in_place || (out >= 0 && c.elements(out).n > 0);
    const Count elements = fits ? c.elements(self) : product_of(shape);
    if (to_self && c.has(self)) type = c.type(self);
    w.bytes_written = c.bytes_of_type(elements, type);
    w.flops = w.flops_dense = Count(rule.at[kOperations]) * elements;
    return w;
}

constexpr Rule op(std::string_view name, int16_t arguments, ResultType result = kPromoted,
                  int16_t operations = 1) {
    return {name, elementwise, {arguments, result, operations}};
}

constexpr std::array kElementwiseRules = {
    op("add", 3),
    op("sub", 3),
    op("rsub", 3),
    op("mul", 2),
    op("div", 2, kReal),
    op("true_divide", 2, kReal),
    op("floor_divide", 2),
    op("remainder", 2),
    op("fmod", 2),
    op("pow", 2),
    op("float_power", 2, kReal),
    op("atan2", 2, kReal),
    op("maximum", 2),
    op("minimum", 2),
    op("fmax", 2),
    op("fmin", 2),
    op("hypot", 2, kReal),
    op("lerp", 3),
    op("addcmul", 4),
    op("addcdiv", 4),
    op("logaddexp", 2, kReal),
    op("xlogy", 2, kReal),
    op("bitwise_and", 2),
    op("bitwise_or", 2),
    op("bitwise_xor", 2),
    op("bitwise_not", 1),
    op("__and__", 2),
    op("__or__", 2),
    op("__xor__", 2),
    op("bitwise_left_shift", 2),
    op("bitwise_right_shift", 2),
    op("__lshift__", 2),
    op("__rshift__", 2),
    op("logical_and", 2, kBoolean),
    op("logical_or", 2, kBoolean),
    op("logical_xor", 2, kBoolean),
    op("logical_not", 1, kBoolean),
    op("eq", 2, kBoolean),
    op("ne", 2, kBoolean),
    op("lt", 2, kBoolean),
    op("le", 2, kBoolean),
    op("gt", 2, kBoolean),
    op("ge", 2, kBoolean),
    op("isnan", 1, kBoolean),
    op("isinf", 1, kBoolean),
    op("isfinite", 1, kBoolean),
    op("isneginf", 1, kBoolean),
    op("isposinf", 1, kBoolean),
    op("signbit", 1, kBoolean),
    op("neg", 1),
    op("abs", 1),
    op("sign", 1),
    op("ceil", 1),
    op("floor", 1),
    op("round", 2),
    op("trunc", 1),
    op("frac", 1),
    op("square", 1),
    op("conj_physical", 1),
    op("positive", 1),
    op("exp", 1, kReal),
    op("exp2", 1, kReal),
    op("expm1", 1, kReal),
    op("log", 1, kReal),
    op("log2", 1, kReal),
    op("log10", 1, kReal),
    op("log1p", 1, kReal),
    op("sqrt", 1, kReal),
    op("rsqrt", 1, kReal),
    op("reciprocal", 1, kReal),
    op("sin", 1, kReal),
    op("cos", 1, kReal),
    op("tan", 1, kReal),
    op("asin", 1, kReal),
    op("acos", 1, kReal),
    op("atan", 1, kReal),
    op("sinh", 1, kReal),
    op("cosh", 1, kReal),
    op("tanh", 1, kReal),
    op("erf", 1, kReal),
    op("erfc", 1, kReal),
    op("erfinv", 1, kReal),
    op("lgamma", 1, kReal),
    op("digamma", 1, kReal),
    op("sigmoid", 1, kReal),
    op("logit", 2, kReal),
    op("sinc", 1, kReal),
    op("nan_to_num", 4),
    op("clamp", 3),
    op("clamp_min", 2),
    op("clamp_max", 2),
    op("clip", 3),
    op("threshold", 3),
    op("relu", 1),
    op("relu6", 1),
    op("leaky_relu", 2),
    op("elu", 4),
    op("celu", 2),
    op("selu", 1),
    op("gelu", 2),
    op("silu", 1),
    op("mish", 1),
    op("hardswish", 1),
    op("hardsigmoid", 1),
    op("hardtanh", 3),
    op("softplus", 3),
    op("softshrink", 2),
    op("log_sigmoid_forward", 1),
    op("_prelu_kernel", 2),
    op("prelu", 2),
    op("where", 3, kOfSecond, 0),
    op("masked_fill", 3, kPromoted, 0),
    op("tril", 2, kPromoted, 0),
    op("triu", 2, kPromoted, 0),
    op("flip", 1, kPromoted, 0),
    op("roll", 1, kPromoted, 0),
    op("threshold_backward", 3),
    op("sigmoid_backward", 2),
    op("tanh_backward", 2),
    op("gelu_backward", 2),
    op("silu_backward", 2),
    op("mish_backward", 2),
    op("elu_backward", 6),
    op("leaky_relu_backward", 3),
    op("hardtanh_backward", 4),
    op("hardswish_backward", 2),
    op("hardsigmoid_backward", 2),
    op("softplus_backward", 4),
    op("logit_backward", 3),
    op("log_sigmoid_backward", 3),
    op("mse_loss", 2),
    op("mse_loss_backward", 3),
    op("smooth_l1_loss", 2),
    op("smooth_l1_loss_backward", 3),
    op("huber_loss", 2),
    op("binary_cross_entropy", 3),
    op("binary_cross_entropy_backward", 4),
    op("binary_cross_entropy_with_logits", 4),
    op("native_dropout_backward", 2),
    op("_masked_scale", 2),
    op("glu", 1),
    op("polar", 2),
    op("complex", 2),
    op("angle", 1),
};

}  // namespace

std::span<const Rule> elementwise_rules() {
    return kElementwiseRules;
}

}  // namespace lanescope

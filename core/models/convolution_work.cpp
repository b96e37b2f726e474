// Convolutions: 2 operations for each element of the result and each weight of its channel. A
// weight's second dimension covers one group, so groups need no further factor.
#include "core/models/operator_work.h"

namespace lanescope {

namespace {

// A list with a single value applies to all dimensions.
int64_t value_at(const Shape& values, std::size_t i, int64_t otherwise) {
    if (values.empty()) return otherwise;
    return values.size() == 1 ? values.front() : i < values.size() ? values[i] : otherwise;
}

// Indices of a forward convolution's arguments.
struct Places {
    int x, w, bias, stride, padding, dilation, transposed, out_padding, z;
};

constexpr int16_t kAlwaysTransposed = 100;

bool is_transposed(const Call& c, int place) {
    return place == kAlwaysTransposed || c.flag(place);
}

// The size of a dimension after a transposed convolution.
Count spread_size(const Window& w, int64_t size, int64_t more) {
    const Count reach = Count(w.dilation) * Count(w.kernel) - Count(w.dilation);
    return Count(size - 1) * Count(w.stride) + reach + Count(more) + Count(1) -
           Count(2) * Count(w.padding);
}

// Computes [N, C_out, …] from the call's strides, padding and dilation.
Shape output_shape(Call& c, const Places& at) {
    const Shape& x = c.shape(at.x);
    const Shape& w = c.shape(at.w);
    c.need(x.size() >= 3 && x.size() == w.size());
    if (c.problem != NoModel::none) return {};
    if (!c.has_values()) {
        c.need(c.output != nullptr, NoModel::no_arguments);
        return c.output ? *c.output : Shape();
    }
    const bool transposed = is_transposed(c, at.transposed);
    const Shape stride = c.sizes(at.stride);
    const Shape padding = c.sizes(at.padding);
    const Shape dilation = c.sizes(at.dilation);
    const Shape more = c.sizes(at.out_padding);
    c.need(!padding.empty() && !stride.empty(), NoModel::no_arguments);
    // In a transposed convolution dimension 1 is C_out of each group.
    const int groups_at =
        at.transposed == kAlwaysTransposed ? at.out_padding + 3 : at.transposed + 2;
    const auto groups = transposed ? number_of(c.at(groups_at).concrete).value_or(1) : 1;
    c.need(groups > 0);
    Shape out = {x[0], transposed ? c.kept(Count(w[1]) * Count(groups)) : w[0]};
    for (std::size_t i = 0; i + 2 < x.size(); ++i) {
        const Window window{w[i + 2], value_at(stride, i, 1), value_at(padding, i, 0),
                            value_at(dilation, i, 1)};
        const Count size = transposed ? spread_size(window, x[i + 2], value_at(more, i, 0))
                                      : places_of(window, x[i + 2]);
        c.need(size.n >= 0);
        out.push_back(c.kept(size));
    }
    return out;
}

Count weights_of_channel(const Shape& w) {
    return w.empty() ? Count(1) : product_of(std::span(w).subspan(1));
}

Work forward_at(Call& c, const Places& at) {
    const Shape out = output_shape(c, at);
    Work w;
    w.type = c.type(at.x);
    const Count sites = is_transposed(c, at.transposed) ? c.elements(at.x) : product_of(out);
    w.flops = w.flops_dense = Count(2) * sites * weights_of_channel(c.shape(at.w));
    w.bytes_read = c.bytes(at.x) + c.bytes(at.w) + c.bytes(at.bias) + c.bytes(at.z);
    w.bytes_written = c.bytes_of_type(product_of(out), w.type);
    w.pipe = Pipe::tensor;
    w.product = true;
    return w;
}

// at: bias, stride, padding, dilation, transposed, output padding, addend z.
Work forward(Call& c, const Rule& rule) {
    return forward_at(c, {0, 1, rule.at[0], rule.at[1], rule.at[2], rule.at[3], rule.at[4],
                          rule.at[5], rule.at[6]});
}

// One gradient: as much work as the forward pass.
struct Gradient {
    Count flops;
    Count bytes_read;
    Count bytes_written;
};

Work of_gradients(Call& c, const Gradient& g, int operand) {
    Work w;
    w.flops = w.flops_dense = g.flops;
    w.bytes_read = g.bytes_read;
    w.bytes_written = g.bytes_written;
    w.type = c.type(operand);
    w.pipe = Pipe::tensor;
    w.product = true;
    return w;
}

// at: grad, x, w, transposed, which gradients are computed.
Work backward(Call& c, const Rule& rule) {
    const auto [grad, x, w, transposed, mask_at] =
        std::array{rule.at[0], rule.at[1], rule.at[2], rule.at[3], rule.at[4]};
    c.need(c.shape(x).size() >= 3 && c.shape(x).size() == c.shape(w).size() &&
           c.shape(grad).size() == c.shape(x).size());
    const std::string_view mask = c.at(mask_at).concrete;
    const auto is_computed = [&](std::size_t which) {
        // "[True, True, False]"
        std::size_t from = 0;
        for (std::size_t i = 0; i < which && from != std::string_view::npos; ++i)
            from = mask.find(',', from + 1);
        if (mask.empty() || from == std::string_view::npos) return which < 2;
        const std::string_view rest = mask.substr(from);
        return rest.find('T') < rest.find('F');
    };
    const Count sites = c.flag(transposed) ? c.elements(x) : c.elements(grad);
    const Count one = Count(2) * sites * weights_of_channel(c.shape(w));
    Gradient g;
    g.bytes_read = c.bytes(grad);
    if (is_computed(0)) {
        g.flops = g.flops + one;
        g.bytes_read = g.bytes_read + c.bytes(w);
        g.bytes_written = g.bytes_written + c.bytes(x);
    }
    if (is_computed(1)) {
        g.flops = g.flops + one;
        g.bytes_read = g.bytes_read + c.bytes(x);
        g.bytes_written = g.bytes_written + c.bytes(w);
    }
    if (is_computed(2)) {
        g.flops = g.flops + c.elements(grad);
        g.bytes_written = g.bytes_written + c.bytes_of_type(c.dim(grad, 1), c.type(grad));
    }
    Work work = of_gradients(c, g, grad);
    work.backward = is_computed(0) && is_computed(1);
    return work;
}

// Until PyTorch 1.10; the other tensor's shape is recorded with the enclosing operator: x 0, grad
// 1, w 2.
Work backward_input(Call& c, const Rule&) {
    c.need(c.parent.size() > 2, NoModel::no_arguments);
    if (c.parent.size() <= 2) return {};
    const Count x = product_of(c.parent[0].shape);
    const Count flops = Count(2) * c.elements(1) * weights_of_channel(c.shape(2));
    return of_gradients(c, {flops, c.bytes(1) + c.bytes(2), c.bytes_of_type(x, c.type(1))}, 1);
}

Work backward_weight(Call& c, const Rule&) {
    c.need(c.parent.size() > 2, NoModel::no_arguments);
    if (c.parent.size() <= 2) return {};
    const Shape& w = c.parent[2].shape;
    const Count flops = Count(2) * c.elements(1) * weights_of_channel(w);
    return of_gradients(
        c, {flops, c.bytes(1) + c.bytes(2), c.bytes_of_type(product_of(w), c.type(1))}, 1);
}

constexpr int16_t kAbsent = -1;
constexpr std::array kConvolutionRules = {
    Rule{"convolution", forward, {2, 3, 4, 5, 6, 7, kAbsent}},
    Rule{"_convolution", forward, {2, 3, 4, 5, 6, 7, kAbsent}},
    Rule{"conv1d", forward, {2, 3, 4, 5, kAbsent, kAbsent, kAbsent}},
    Rule{"conv2d", forward, {2, 3, 4, 5, kAbsent, kAbsent, kAbsent}},
    Rule{"conv3d", forward, {2, 3, 4, 5, kAbsent, kAbsent, kAbsent}},
    Rule{"cudnn_convolution_relu", forward, {2, 3, 4, 5, kAbsent, kAbsent, kAbsent}},
    Rule{"miopen_convolution_relu", forward, {2, 3, 4, 5, kAbsent, kAbsent, kAbsent}},
    Rule{"cudnn_convolution", forward, {kAbsent, 3, 2, 4, kAbsent, kAbsent, kAbsent}},
    Rule{"cudnn_convolution_transpose", forward, {kAbsent, 4, 2, 5, kAlwaysTransposed, 3, kAbsent}},
    Rule{"miopen_convolution", forward, {2, 4, 3, 5, kAbsent, kAbsent, kAbsent}},
    Rule{"miopen_depthwise_convolution", forward, {2, 4, 3, 5, kAbsent, kAbsent, kAbsent}},
    Rule{"mkldnn_convolution", forward, {2, 4, 3, 5, kAbsent, kAbsent, kAbsent}},
    Rule{"miopen_convolution_transpose", forward, {2, 5, 3, 6, kAlwaysTransposed, 4, kAbsent}},
    Rule{"cudnn_convolution_add_relu", forward, {4, 5, 6, 7, kAbsent, kAbsent, 2}},
    Rule{"_conv_depthwise2d", forward, {3, 4, 5, 6, kAbsent, kAbsent, kAbsent}},
    Rule{"_slow_conv2d_forward", forward, {3, 4, 5, kAbsent, kAbsent, kAbsent, kAbsent}},
    Rule{"convolution_backward", backward, {0, 1, 2, 7, 10}},
    Rule{"cudnn_convolution_backward", backward, {1, 0, 2, kAbsent, kAbsent}},
    Rule{"cudnn_convolution_backward_input", backward_input},
    Rule{"cudnn_convolution_backward_weight", backward_weight},
};

}  // namespace

std::span<const Rule> convolution_rules() {
    return kConvolutionRules;
}

}  // namespace lanescope

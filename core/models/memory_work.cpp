// Memory-bound operators: copies, reductions, indexing, pooling, optimizers. Operations per element
// are conventions; bytes are what counts.
#include <algorithm>
#include <cmath>

#include "core/base/read_double.h"
#include "core/models/operator_work.h"

namespace lanescope {

Work memory_bound(Call& c, DataType type, Count flops, Count read, Count written) {
    c.need(type != DataType::unknown, NoModel::no_type);
    Work w;
    w.flops = w.flops_dense = flops;
    w.bytes_read = read;
    w.bytes_written = written;
    w.type = type == DataType::fp64 ? DataType::fp64 : DataType::fp32;
    return w;
}

namespace {

constexpr int64_t kIndexBytes = 8;

// at: from, to; if `to` is -1, the result is a new tensor whose type is given by a number at 1.
Work copy(Call& c, const Rule& rule) {
    const int from = rule.at[0];
    const int to = rule.at[1];
    c.need(c.has(from));
    DataType type = c.type(to >= 0 ? to : from);
    const auto number =
        to < 0 && rule.at[2] >= 0 ? number_of(c.at(rule.at[2]).concrete) : std::optional<int64_t>();
    if (number) type = data_type_of_scalar_type(*number);
    const Count elements = to >= 0 ? c.elements(to) : c.elements(from);
    return memory_bound(c, type, 0, c.bytes(from), c.bytes_of_type(elements, type));
}

Work concatenation(Call& c, const Rule&) {
    const Count bytes = c.bytes_of_list(0);
    return memory_bound(c, c.hint, 0, bytes, bytes);
}

// Writes all of the tensor at `at[0]`.
Work fill(Call& c, const Rule& rule) {
    const int to = rule.at[0];
    c.need(c.has(to));
    return memory_bound(c, c.type(to), 0, 0, c.bytes_of_type(c.elements(to), c.type(to)));
}

std::optional<double> real_number_of(std::string_view text) {
    double number = 0;
    const auto [next, error] = read_double(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || next != text.data() + text.size()) return std::nullopt;
    return number;
}

// Start 0, end 1, step 2, result 3: passed empty, and resized to the range.
Work range(Call& c, const Rule& rule) {
    const Work w = fill(c, rule);
    if (c.elements(rule.at[0]).n > 0) return w;
    const auto start = real_number_of(c.at(0).concrete);
    const auto end = real_number_of(c.at(1).concrete);
    const auto step = real_number_of(c.at(2).concrete);
    c.need(start && end && step, NoModel::no_arguments);
    if (!start || !end || !step) return w;
    const double size = std::ceil((*end - *start) / *step);
    c.need(size >= 0 && size <= INT32_MAX);
    if (!(size >= 0 && size <= INT32_MAX)) return w;
    const DataType type = c.type(rule.at[0]);
    return memory_bound(c, type, 0, 0, c.bytes_of_type(static_cast<int64_t>(size), type));
}

enum Reduced : int16_t { kSame, kIndex, kTruth, kWide, kBoth };

// The product of the dimensions that the argument names; of all if it names none.
Count reduced_elements(Call& c, int dims_at, bool takes_one) {
    const Shape& x = c.shape(0);
    const std::string_view text = c.at(dims_at).concrete;
    const bool is_number = number_of(text).has_value();
    const bool all = dims_at < 0 || text.empty() || text == "[]" ||
                     (text.front() != '[' && (!is_number || !takes_one));
    if (all || x.empty()) return 1;
    Count left = 1;
    const Shape dims = numbers_in(text);
    const auto rank = static_cast<int64_t>(x.size());
    for (const int64_t d : dims) c.need(d >= -rank && d < rank);
    for (int64_t d = 0; d < rank; ++d)
        if (std::ranges::find(dims, d) == dims.end() &&
            std::ranges::find(dims, d - rank) == dims.end())
            left = left * Count(x[static_cast<std::size_t>(d)]);
    return left;
}

// at: dims, operations per element, the result's type, inputs of the form with dims (0: any).
Work reduction(Call& c, const Rule& rule) {
    c.need(c.has(0));
    DataType type = c.type(0);
    // sum(x, dtype) has a number where sum(x, dims) has dims.
    const bool has_dims = rule.at[3] == 0 || static_cast<int>(c.size()) >= rule.at[3];
    const Count left = reduced_elements(c, has_dims ? rule.at[0] : -1, true);
    const auto kind = static_cast<Reduced>(rule.at[2]);
    const DataType read = type;
    // An explicitly requested type can be narrower, and is only recorded among the plain arguments.
    if (kind == kWide && !is_floating(type) && c.has_values()) type = DataType::int64;
    const auto said = number_of(c.at(rule.at[4]).concrete);
    if (rule.at[4] >= 0 && has_dims && said) type = data_type_of_scalar_type(*said);
    Count written = kind == kIndex   ? left * Count(kIndexBytes)
                    : kind == kTruth ? left
                                     : c.bytes_of_type(left, type);
    if (kind == kBoth && has_dims) written = written + left * Count(kIndexBytes);
    return memory_bound(c, read, Count(rule.at[1]) * c.elements(0), c.bytes(0), written);
}

// The larger of two tensors, if there are two.
Work extreme(Call& c, const Rule& rule) {
    if (!c.has(1)) return reduction(c, rule);
    const Count n = c.elements(0).n < c.elements(1).n ? c.elements(1) : c.elements(0);
    return memory_bound(c, c.type(0), n, c.bytes(0) + c.bytes(1), c.bytes_of_type(n, c.type(0)));
}

Work scan(Call& c, const Rule& rule) {
    DataType type = c.type(0);
    const auto said = number_of(c.at(rule.at[0]).concrete);
    const DataType read = type;
    if (!is_floating(type)) type = DataType::int64;
    if (said) type = data_type_of_scalar_type(*said);
    const Count n = c.elements(0);
    return memory_bound(c, read, n, c.bytes(0), c.bytes_of_type(n, type));
}

// Sorts the tensor at 0; k at `at[0]`, -1: all elements.
Work order(Call& c, const Rule& rule) {
    Count written = c.elements(0);
    if (rule.at[0] >= 0) {
        const auto k = number_of(c.at(rule.at[0]).concrete);
        const auto dim = number_of(c.at(rule.at[0] + 1).concrete).value_or(-1);
        c.need(k.value_or(-1) >= 0, NoModel::no_arguments);
        const int64_t size = c.dim(0, dim);
        c.need(k.value_or(0) <= size);
        written = size > 0 ? written / size * Count(k.value_or(0)) : Count(0);
    }
    Work w = memory_bound(c, c.type(0), 0, c.bytes(0),
                          c.bytes_of_type(written, c.type(0)) + written * Count(kIndexBytes));
    w.quality = Quality::at_least;
    w.note = "one pass";
    return w;
}

Work dropout(Call& c, const Rule&) {
    const Count n = c.elements(0);
    return memory_bound(c, c.type(0), n, c.bytes(0), c.bytes_of_type(n, c.type(0)) + n);
}

// Gathers rows by index: reads what it writes, and the indices. at: indices.
Work index_select(Call& c, const Rule& rule) {
    const int indices = rule.at[0];
    const Count picked = c.elements(indices);
    Count out = picked;
    if (rule.at[1] >= 0) {  // whole rows along a dimension
        const auto dim = number_of(c.at(rule.at[1]).concrete).value_or(0);
        const int64_t size = c.dim(0, dim);
        out = size > 0 ? picked * (c.elements(0) / size) : Count(0);
    } else if (rule.at[2] > 0) {  // an embedding's rows
        out = picked * Count(c.dim(0, -1));
    }
    const Count written = c.bytes_of_type(out, c.type(0));
    return memory_bound(c, c.type(0), 0, written + c.bytes(indices), written);
}

// Indexed by a list of tensors, each of which replaces a dimension.
Work index_by_list(Call& c, const Rule&) {
    const std::vector<Shape>& list = c.at(1).list;
    c.need(!list.empty(), NoModel::hidden_list);
    if (list.empty()) return {};
    Count picked = 1;
    for (const Shape& s : list)
        if (picked.n < product_of(s).n) picked = product_of(s);
    const Shape& x = c.shape(0);
    c.need(list.size() <= x.size());
    if (list.size() > x.size()) return {};
    const Count out = picked * product_of(std::span(x).subspan(list.size()));
    const Count written = c.bytes_of_type(out, c.type(0));
    return memory_bound(
        c, c.type(0), 0,
        written + picked * Count(kIndexBytes) * Count(static_cast<int64_t>(list.size())), written);
}

// Writes rows by index. at: indices, source, 1 if it adds to the present values.
Work scatter(Call& c, const Rule& rule) {
    const auto [indices, source, adds] = std::array{rule.at[0], rule.at[1], rule.at[2]};
    const Count rows = c.has(source) ? c.bytes_of_type(c.elements(source), c.type(0))
                                     : c.bytes_of_type(c.elements(indices), c.type(0));
    const Count n = c.has(source) ? c.elements(source) : c.elements(indices);
    Count read = c.bytes(indices) + c.bytes(source);
    Count written = rows;
    if (adds > 0) read = read + rows;
    if (!c.in_place) {  // a new tensor, all of which is copied
        read = read + c.bytes(0);
        written = c.bytes_of_type(c.elements(0), c.type(0));
    }
    return memory_bound(c, c.type(0), adds > 0 ? n : Count(0), read, written);
}

Work embedding_backward(Call& c, const Rule&) {
    const auto rows = number_of(c.at(2).concrete);
    c.need(rows.value_or(-1) >= 0, NoModel::no_arguments);
    const Count table = Count(rows.value_or(0)) * Count(c.dim(0, -1));
    return memory_bound(c, c.type(0), c.elements(0), c.bytes(0) + c.bytes(1),
                        c.bytes_of_type(table, c.type(0)));
}

Work max_pool(Call& c, const Rule&) {
    const Shape kernel = c.sizes(1);
    const Shape stride = c.sizes(2);
    const Shape padding = c.sizes(3);
    const Shape dilation = c.sizes(4);
    c.need(kernel.size() == 2, NoModel::no_arguments);
    c.need(c.shape(0).size() >= 3);
    if (kernel.size() != 2 || c.shape(0).size() < 3) return {};
    const bool ceil = c.flag(5);
    Count out = 1;
    const Shape& x = c.shape(0);
    for (std::size_t d = 0; d + 2 < x.size(); ++d) out = out * Count(x[d]);
    for (std::size_t i = 0; i < 2; ++i) {
        const Window window{kernel[i], i < stride.size() ? stride[i] : kernel[i],
                            padding.empty() ? 0 : padding[std::min(i, padding.size() - 1)],
                            dilation.empty() ? 1 : dilation[std::min(i, dilation.size() - 1)]};
        const Count places = places_of(window, x[x.size() - 2 + i], ceil);
        c.need(places.n >= 0);
        out = out * places;
    }
    return memory_bound(c, c.type(0), product_of(kernel) * out, c.bytes(0),
                        c.bytes_of_type(out, c.type(0)) + out * Count(kIndexBytes));
}

Work max_pool_backward(Call& c, const Rule&) {
    return memory_bound(c, c.type(0), c.elements(0),
                        c.bytes(0) + c.elements(0) * Count(kIndexBytes),
                        c.bytes_of_type(c.elements(1), c.type(1)));
}

Work average_pool_backward(Call& c, const Rule&) {
    return memory_bound(c, c.type(0), c.elements(1), c.bytes(0),
                        c.bytes_of_type(c.elements(1), c.type(1)));
}

// Reads every list and writes the first.
Work foreach_list(Call& c, const Rule&) {
    Count read;
    Count n;
    for (int i = 0; i < static_cast<int>(c.size()); ++i) {
        if (!c.at(i).is_list) continue;
        if (i == 0) n = c.elements_of_list(0);
        read = read + c.bytes_of_list(i);
    }
    return memory_bound(c, c.hint, n, read, c.bytes_of_list(0));
}

// at: operations per element, lists read, lists written.
Work optimizer(Call& c, const Rule& rule) {
    const Count n = c.elements_of_list(0);
    Count read;
    Count written;
    for (int i = 0; i < rule.at[1]; ++i) {
        if (c.at(i).list.empty()) continue;
        read = read + c.bytes_of_list(i);
        if (i != 1) written = written + c.bytes_of_list(i);  // gradients stay
    }
    return memory_bound(c, c.hint, Count(rule.at[0]) * n, read, written);
}

constexpr std::array kMemoryRules = {
    Rule{"copy_", copy, {1, 0}},
    Rule{"clone", copy, {0, -1}},
    Rule{"contiguous", copy, {0, -1}},
    Rule{"_to_copy", copy, {0, -1, 1}},
    Rule{"cat", concatenation},
    Rule{"stack", concatenation},
    Rule{"fill_", fill, {0}},
    Rule{"zero_", fill, {0}},
    Rule{"arange", range, {3}},
    Rule{"uniform_", fill, {0}},
    Rule{"normal_", fill, {0}},
    Rule{"bernoulli_", fill, {0}},
    Rule{"random_", fill, {0}},
    Rule{"exponential_", fill, {0}},
    Rule{"log_normal_", fill, {0}},
    // dims, operations, type of the result, inputs with dims, index of a type
    Rule{"sum", reduction, {1, 1, kWide, 3, 3}},
    Rule{"mean", reduction, {1, 1, kSame, 3, 3}},
    Rule{"prod", reduction, {1, 1, kWide, 3, 3}},
    Rule{"max", extreme, {1, 1, kBoth, 3, -1}},
    Rule{"min", extreme, {1, 1, kBoth, 3, -1}},
    Rule{"amax", reduction, {1, 1, kSame, 0, -1}},
    Rule{"amin", reduction, {1, 1, kSame, 0, -1}},
    Rule{"all", reduction, {1, 1, kTruth, 2, -1}},
    Rule{"any", reduction, {1, 1, kTruth, 2, -1}},
    Rule{"argmax", reduction, {1, 1, kIndex, 0, -1}},
    Rule{"argmin", reduction, {1, 1, kIndex, 0, -1}},
    Rule{"norm", reduction, {2, 1, kSame, 3, -1}},
    Rule{"linalg_vector_norm", reduction, {2, 1, kSame, 3, 4}},
    Rule{"logsumexp", reduction, {1, 3, kSame, 0, -1}},
    Rule{"var", reduction, {1, 3, kSame, 3, -1}},
    Rule{"std", reduction, {1, 3, kSame, 3, -1}},
    Rule{"cumsum", scan, {2}},
    Rule{"cumprod", scan, {2}},
    Rule{"sort", order, {-1}},
    Rule{"argsort", order, {-1}},
    Rule{"topk", order, {1}},
    Rule{"native_dropout", dropout},
    Rule{"index_select", index_select, {2, 1, -1}},
    Rule{"gather", index_select, {2, -1, -1}},
    Rule{"embedding", index_select, {1, -1, 1}},
    Rule{"index", index_by_list},
    Rule{"scatter", scatter, {2, 3, 0}},
    Rule{"scatter_add", scatter, {2, 3, 1}},
    Rule{"index_add", scatter, {2, 3, 1}},
    Rule{"index_copy", scatter, {2, 3, 0}},
    Rule{"_index_put_impl_", scatter, {-1, 2, 0}},
    Rule{"index_put_", scatter, {-1, 2, 0}},
    Rule{"embedding_dense_backward", embedding_backward},
    Rule{"max_pool2d_with_indices", max_pool},
    Rule{"max_pool2d_with_indices_backward", max_pool_backward},
    Rule{"adaptive_avg_pool2d_backward", average_pool_backward},
    Rule{"_adaptive_avg_pool2d_backward", average_pool_backward},
    Rule{"avg_pool2d_backward", average_pool_backward},
    Rule{"_fused_adam_", optimizer, {12, 5, 3}},
    Rule{"_fused_adamw_", optimizer, {12, 5, 3}},
    Rule{"_fused_sgd_", optimizer, {4, 3, 2}},
    Rule{"_foreach_add", foreach_list},
    Rule{"_foreach_sub", foreach_list},
    Rule{"_foreach_mul", foreach_list},
    Rule{"_foreach_div", foreach_list},
    Rule{"_foreach_sqrt", foreach_list},
    Rule{"_foreach_neg", foreach_list},
    Rule{"_foreach_lerp", foreach_list},
    Rule{"_foreach_addcdiv", foreach_list},
    Rule{"_foreach_addcmul", foreach_list},
    Rule{"_foreach_norm", foreach_list},
    Rule{"_foreach_zero", foreach_list},
    Rule{"_foreach_copy", foreach_list},
    Rule{"_foreach_pow", foreach_list},
    Rule{"_foreach_reciprocal", foreach_list},
    Rule{"_foreach_maximum", foreach_list},
    Rule{"_foreach_clamp_max", foreach_list},
    Rule{"_amp_foreach_non_finite_check_and_unscale_", foreach_list},
};

}  // namespace

std::span<const Rule> memory_rules() {
    return kMemoryRules;
}

}  // namespace lanescope

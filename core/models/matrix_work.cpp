// Matrix products: 2·B·M·N·K operations, without the bias; every operand is read once.
#include <algorithm>
#include <utility>

#include "core/models/operator_work.h"

namespace lanescope {

namespace {

struct Sizes {
    Count rows;     // of the result, over all batches
    Count inner;    // K
    Count columns;  // N
};

// The type of the result: the type of the output tensor at `place`, or the type whose number is
// there.
DataType out_type(Call& c, int place, DataType otherwise) {
    if (c.has(place)) return c.type(place);
    const auto number = number_of(c.at(place).concrete);
    const DataType type = number ? data_type_of_scalar_type(*number) : DataType::unknown;
    return type == DataType::unknown ? otherwise : type;
}

Work work_of_sizes(Call& c, const Sizes& s, DataType type, DataType written) {
    Work w;
    const int64_t a_multiply_add = is_complex(type) ? 8 : 2;
    w.flops = Count(a_multiply_add) * s.rows * s.inner * s.columns;
    w.flops_dense = w.flops;
    w.bytes_written = c.bytes_of_type(s.rows * s.columns, written);
    w.type = type;
    w.pipe = Pipe::tensor;
    w.product = true;
    return w;
}

Count rows_of(const Shape& x) {
    return x.empty() ? Count(1) : product_of(std::span(x).first(x.size() - 1));
}

// at: a, b, bias, type of the result, two scales.
Work product(Call& c, const Rule& rule) {
    const auto [a, b, bias, out, scale_a, scale_b] =
        std::array{rule.at[0], rule.at[1], rule.at[2], rule.at[3], rule.at[4], rule.at[5]};
    const Shape& x = c.shape(a);
    const Shape& w = c.shape(b);
    c.need(x.size() >= 2 && x.size() == w.size());
    c.need(c.dim(a, -1) == c.dim(b, -2));
    for (std::size_t i = 0; i + 2 < x.size() && i + 2 < w.size(); ++i) c.need(x[i] == w[i]);
    const DataType type = c.type(a);
    Work work =
        work_of_sizes(c, {rows_of(x), c.dim(a, -1), c.dim(b, -1)}, type, out_type(c, out, type));
    work.bytes_read = c.bytes(a) + c.bytes(b) + c.bytes(bias) + c.bytes(scale_a) + c.bytes(scale_b);
    return work;
}

// Sums over the batch and writes one matrix.
Work summed_product(Call& c, const Rule& rule) {
    Work w = product(c, rule);
    const Count one = Count(c.dim(rule.at[0], -2)) * Count(c.dim(rule.at[1], -1));
    w.bytes_written = c.bytes_of_type(one, c.type(rule.at[0]));
    return w;
}

Work quantised_to_int32(Call& c, const Rule& rule) {
    Work w = product(c, rule);
    const Count out = rows_of(c.shape(rule.at[0])) * Count(c.dim(rule.at[1], -1));
    w.bytes_written = c.bytes_of_type(out, DataType::int32);
    return w;
}

// x [.., K] with weights [N, K].
Work linear(Call& c, const Rule& rule) {
    const auto [x, w, bias] = std::array{rule.at[0], rule.at[1], rule.at[2]};
    c.need(c.shape(w).size() == 2 && c.dim(x, -1) == c.dim(w, -1));
    const DataType type = c.type(x);
    Work work = work_of_sizes(c, {rows_of(c.shape(x)), c.dim(x, -1), c.dim(w, 0)}, type, type);
    work.bytes_read = c.bytes(x) + c.bytes(w) + c.bytes(bias);
    return work;
}

// DeepGEMM matrix product with block scales, as SGLang and vLLM register it: x [M, K], w [N, K],
// out [M, N].
Work scaled_by_blocks(Call& c, const Rule& rule) {
    const auto [x, scale_x, w, scale_w, out] =
        std::array{rule.at[0], rule.at[1], rule.at[2], rule.at[3], rule.at[4]};
    c.need(c.shape(w).size() == 2 && c.dim(x, -1) == c.dim(w, -1));
    Work work = work_of_sizes(c, {rows_of(c.shape(x)), c.dim(x, -1), c.dim(w, 0)}, c.type(x),
                              out_type(c, out, DataType::bf16));
    work.bytes_read = c.bytes(x) + c.bytes(w) + c.bytes(scale_x) + c.bytes(scale_w);
    return work;
}

Work on_vectors(Call& c, const Sizes& sizes, int a, int b, int bias) {
    const DataType type = c.type(a);
    Work w = work_of_sizes(c, sizes, type, type);
    w.pipe = Pipe::vector;
    w.bytes_read = c.bytes(a) + c.bytes(b) + c.bytes(bias);
    return w;
}

Work matrix_vector(Call& c, const Rule& rule) {
    const auto [a, b, bias] = std::array{rule.at[0], rule.at[1], rule.at[2]};
    c.need(c.shape(a).size() == 2 && c.shape(b).size() == 1 && c.dim(a, 1) == c.dim(b, 0));
    return on_vectors(c, {c.dim(a, 0), c.dim(a, 1), 1}, a, b, bias);
}

Work dot(Call& c, const Rule& rule) {
    c.need(c.shape(0).size() == 1 && c.shape(0) == c.shape(1));
    return on_vectors(c, {1, c.dim(0, 0), 1}, rule.at[0], rule.at[1], -1);
}

Work outer(Call& c, const Rule& rule) {
    const auto [a, b, bias] = std::array{rule.at[0], rule.at[1], rule.at[2]};
    c.need(c.shape(a).size() == 1 && c.shape(b).size() == 1);
    return on_vectors(c, {c.dim(a, 0), 1, c.dim(b, 0)}, a, b, bias);
}

// Groups of rows (or columns, or parts of the inner dimension) whose sizes are data in memory.
Work grouped(Call& c, const Rule& rule) {
    const auto [a, b, offsets, bias] = std::array{rule.at[0], rule.at[1], rule.at[2], rule.at[3]};
    const std::size_t ra = c.shape(a).size();
    const std::size_t rb = c.shape(b).size();
    c.need((ra == 2 || ra == 3) && (rb == 2 || rb == 3));
    const DataType type = c.type(a);
    const DataType written = type == DataType::fp8 ? DataType::bf16 : type;
    Sizes s{rows_of(c.shape(a)), c.dim(a, -1), c.dim(b, -1)};
    Count out = s.rows * s.columns;
    if (ra == 2 && rb == 2) out = out * Count(c.dim(offsets, 0));
    if (ra == 3 && rb == 2) {
        s.rows = c.dim(a, 1);  // each column belongs to one group
        out = s.rows * s.columns;
    }
    Work w = work_of_sizes(c, s, type, written);
    w.bytes_read = c.bytes(a) + c.bytes(b) + c.bytes(bias);
    w.bytes_written = c.bytes_of_type(out, written);
    if (!(ra == 3 && rb == 3)) {
        w.quality = Quality::at_most;
        w.note = "sizes of the groups are numbers in memory";
    }
    return w;
}

Work int4_weights(Call& c, const Rule& rule) {
    const auto [x, packed, scales] = std::array{rule.at[0], rule.at[1], rule.at[2]};
    const DataType type = c.type(x);
    Work w = work_of_sizes(c, {rows_of(c.shape(x)), c.dim(x, -1), c.dim(scales, 1)}, type, type);
    w.bytes_read = c.bytes(x) + c.elements(packed) * Count(4) + c.bytes(scales);
    return w;
}

constexpr std::array kMatrixRules = {
    Rule{"mm", product, {0, 1, -1, 2, -1, -1}},
    Rule{"bmm", product, {0, 1, -1, 2, -1, -1}},
    Rule{"addmm", product, {1, 2, 0, 5, -1, -1}},
    Rule{"_addmm_activation", product, {1, 2, 0, -1, -1, -1}},
    Rule{"baddbmm", product, {1, 2, 0, 5, -1, -1}},
    Rule{"addbmm", summed_product, {1, 2, 0, -1, -1, -1}},
    Rule{"mv", matrix_vector, {0, 1, -1}},
    Rule{"addmv", matrix_vector, {1, 2, 0}},
    Rule{"dot", dot, {0, 1}},
    Rule{"vdot", dot, {0, 1}},
    Rule{"addr", outer, {1, 2, 0}},
    Rule{"ger", outer, {0, 1, -1}},
    Rule{"linear", linear, {0, 1, 2}},
    Rule{"mkldnn_linear", linear, {0, 1, 2}},
    Rule{"*::rocm_unquantized_gemm", linear, {0, 1, 2}},
    Rule{"*::gemm_a16w16", linear, {0, 1, 2}},  // of AITER
    Rule{"_scaled_mm", product, {0, 1, 4, 6, 2, 3}},
    Rule{"_scaled_mm_v2", product, {0, 1, 8, 9, -1, -1}},
    Rule{"_int_mm", quantised_to_int32, {0, 1, -1, -1, -1, -1}},
    Rule{"_grouped_mm", grouped, {0, 1, 2, 3}},
    Rule{"_scaled_grouped_mm", grouped, {0, 1, 4, 5}},
    Rule{"_weight_int4pack_mm", int4_weights, {0, 1, 3}},
    Rule{"*::cutlass_scaled_mm", product, {1, 2, 5, 0, 3, 4}},
    Rule{"*::fp8_scaled_mm", product, {0, 1, 5, 4, 2, 3}},
    Rule{"*::int8_scaled_mm", product, {0, 1, 5, 4, 2, 3}},
    Rule{"*::deep_gemm_fp8_fp8_bf16_nt", scaled_by_blocks, {0, 1, 2, 3, 4}},  // SGLang
    Rule{"*::fp8_gemm_nt_op", scaled_by_blocks, {0, 1, 2, 3, 4}},             // vLLM
};

}  // namespace

std::span<const Rule> matrix_rules() {
    return kMatrixRules;
}

}  // namespace lanescope

// Matrix products with 2:4 sparse weights: two of each four values are 0 and left out, and metadata
// says which. Half of a dense product's operations are executed at the dense rate. That takes the
// same time as all operations at the doubled rate that data sheets give for sparse products.
// `flop_dense` counts all operations.
#include <algorithm>

#include "core/models/operator_work.h"

namespace lanescope {

namespace {

struct Sizes {
    Count rows;     // of the result
    Count inner;    // K, zeros too
    Count columns;  // N
};

Work sparse(Call& c, const Sizes& s, DataType type, DataType written) {
    Work w;
    w.flops = s.rows * s.inner * s.columns;
    w.flops_dense = Count(2) * w.flops;
    w.bytes_written = c.bytes_of_type(s.rows * s.columns, written);
    w.type = type;
    w.pipe = Pipe::tensor;
    w.product = true;
    return w;
}

DataType recorded_type(Call& c, int place, DataType otherwise) {
    const auto number = number_of(c.at(place).concrete);
    const DataType type = number ? data_type_of_scalar_type(*number) : DataType::unknown;
    return type == DataType::unknown ? otherwise : type;
}

// torch's _sparse_semi_structured_mm and _addmm (native/sparse/cuda/SparseSemiStructuredOps.cu).
// at: the kept weights [M, K/2], the dense matrix [K, N], bias, type of the result. The metadata
// follow the weights.
Work semi_structured(Call& c, const Rule& rule) {
    const auto [a, b, bias, out] = std::array{rule.at[0], rule.at[1], rule.at[2], rule.at[3]};
    c.need(c.shape(a).size() == 2 && c.shape(b).size() == 2);
    const Count inner = Count(2) * Count(c.dim(a, 1));
    c.need(inner.n == c.dim(b, 0));
    const DataType type = c.type(a);
    Work w = sparse(c, {c.dim(a, 0), inner, c.dim(b, 1)}, type, recorded_type(c, out, type));
    w.bytes_read = c.bytes(a) + c.bytes(a + 1) + c.bytes(b) + c.bytes(bias);
    return w;
}

// x 0 [.., K], weights 1 [N, K/2], meta 2, bias 3; the type of the result at 5.
Work semi_structured_linear(Call& c, const Rule&) {
    const Shape& x = c.shape(0);
    c.need(!x.empty() && c.shape(1).size() == 2);
    if (c.problem != NoModel::none) return {};
    c.need(x.back() == (Count(2) * Count(c.dim(1, 1))).n);
    const Count rows = product_of(std::span(x).first(x.size() - 1));
    const DataType type = c.type(0);
    Work w = sparse(c, {rows, x.back(), c.dim(1, 0)}, type, recorded_type(c, 5, type));
    w.bytes_read = c.bytes(0) + c.bytes(1) + c.bytes(2) + c.bytes(3);
    return w;
}

// torch's _cslt_sparse_mm (native/sparse/cuda/cuSPARSELtOps.cpp): kept weights and metadata are one
// row of M·K·9/16 elements; of M·K·10/16 for 8-bit integers. B 1 [K, N], bias 2, type at 4.
Work cusparselt(Call& c, const Rule&) {
    const DataType type = c.type(0);
    const int64_t inner = c.dim(1, 0);
    c.need(c.shape(1).size() == 2 && inner > 0);
    if (c.problem != NoModel::none) return {};
    const int64_t factor = type == DataType::int8 ? 10 : 9;
    const Count rows = c.elements(0) * Count(16) / factor / inner;
    Work w = sparse(c, {rows, inner, c.dim(1, 1)}, type, recorded_type(c, 4, c.type(1)));
    w.bytes_read = c.bytes(0) + c.bytes(1) + c.bytes(2);
    return w;
}

// vLLM's cutlass_scaled_sparse_mm (csrc/torch_bindings.cpp): out 0, a 1 [M, K], weights 2 [N, K/2],
// meta 3, scales 4 5, bias 6.
Work scaled(Call& c, const Rule&) {
    c.need(c.shape(1).size() == 2 && c.shape(2).size() == 2);
    c.need(c.dim(1, 1) == (Count(2) * Count(c.dim(2, 1))).n);
    Work w = sparse(c, {c.dim(1, 0), c.dim(1, 1), c.dim(2, 0)}, c.type(1), c.type(0));
    for (int i = 1; i <= 6; ++i) w.bytes_read = w.bytes_read + c.bytes(i);
    return w;
}

constexpr std::array kSparseRules = {
    Rule{"_sparse_semi_structured_mm", semi_structured, {0, 2, -1, 3}},
    Rule{"_sparse_semi_structured_addmm", semi_structured, {1, 3, 0, 6}},
    Rule{"_sparse_semi_structured_linear", semi_structured_linear},
    Rule{"_cslt_sparse_mm", cusparselt},
    Rule{"*::cutlass_scaled_sparse_mm", scaled},
};

}  // namespace

std::span<const Rule> sparse_rules() {
    return kSparseRules;
}

}  // namespace lanescope

// Matrix products of other libraries than PyTorch (vLLM, SGLang), and kernels made by compilers.
#include <algorithm>
#include <bit>

#include "core/models/operator_work.h"

namespace lanescope {

namespace {

struct ProductSizes {
    int64_t rows = 0;
    int64_t inner = 0;
    int64_t columns = 0;
};

// Weights are read as they are packed; the rate is of the activations.
Work packed_product(Call& c, const ProductSizes& s, int x, DataType type) {
    Work w;
    w.flops = w.flops_dense = Count(2) * Count(s.rows) * Count(s.inner) * Count(s.columns);
    for (int i = 0; i < static_cast<int>(c.size()); ++i) w.bytes_read = w.bytes_read + c.bytes(i);
    const DataType out = bytes_of(c.type(x)) < 2 ? DataType::bf16 : c.type(x);
    w.bytes_written = c.bytes_of_type(Count(s.rows) * Count(s.columns), out);
    w.type = type;
    w.pipe = Pipe::tensor;
    w.product = true;
    return w;
}

// at: where the columns are told, and in which dimension. x 0.
Work weight_only(Call& c, const Rule& rule) {
    return packed_product(c, {c.dim(0, 0), c.dim(0, 1), c.dim(rule.at[0], rule.at[1])}, 0,
                          c.type(0));
}

// The columns of the result: the sizes are three numbers that follow each other, the first and the
// last those of x. Below 0: there are none such.
int64_t columns_said(Call& c) {
    const int64_t m = c.dim(0, 0);
    const int64_t k = c.dim(0, 1);
    for (int i = 0; i + 2 < static_cast<int>(c.size()); ++i) {
        const auto rows = number_of(c.at(i).concrete);
        const auto columns = number_of(c.at(i + 1).concrete);
        const auto inner = number_of(c.at(i + 2).concrete);
        if (rows && columns && inner && *rows == m && *inner == k && *columns >= 0) return *columns;
    }
    c.need(false, NoModel::no_arguments);
    return -1;
}

// at: 1 when of each four weights two are 0, and left out.
Work marlin(Call& c, const Rule& rule) {
    const int64_t columns = columns_said(c);
    if (columns < 0) return {};
    Work w = packed_product(c, {c.dim(0, 0), c.dim(0, 1), columns}, 0, c.type(0));
    if (rule.at[0] > 0) w.flops = Count(c.dim(0, 0)) * Count(c.dim(0, 1)) * Count(columns);
    return w;
}

// vLLM's machete_mm (csrc/torch_bindings.cpp): A 0, B 1 packed, group scales 4 [groups, N], channel
// scales 7 with N of them. Weights without scales are none of its kinds.
Work machete(Call& c, const Rule&) {
    const bool by_group = c.shape(4).size() == 2;
    c.need(by_group || c.has(7), NoModel::no_arguments);
    const int64_t columns = by_group ? c.dim(4, 1) : c.kept(c.elements(7));
    return packed_product(c, {c.dim(0, 0), c.dim(0, 1), columns}, 0, c.type(0));
}

// Marlin's product with the weights of experts (csrc/moe/marlin_moe_wna16 of vLLM): a 0, result 1
// with a row for each token and expert, packed weights 2 [E, ..]. Which experts is told in memory:
// those of one token at least.
Work marlin_of_experts(Call& c, const Rule&) {
    const int64_t columns = columns_said(c);
    const Shape& out = c.shape(1);
    c.need(out.size() == 2 && out[1] == columns && c.dim(0, 0) > 0, NoModel::no_arguments);
    if (c.problem != NoModel::none) return {};
    const int64_t experts = c.dim(2, 0);
    const int64_t of_token = out[0] / c.dim(0, 0);
    c.need(experts > 0 && of_token > 0 && of_token <= experts);
    if (c.problem != NoModel::none) return {};
    Work w;
    w.flops = w.flops_dense = Count(2) * Count(out[0]) * Count(columns) * Count(c.dim(0, 1));
    w.bytes_read = c.bytes(0) + c.bytes(2) / experts * Count(of_token);
    w.bytes_written = c.bytes(1);
    w.type = c.type(0);
    w.pipe = Pipe::tensor;
    w.product = true;
    w.quality = Quality::at_least;
    w.note = "weights of as many experts as one token needs";
    return w;
}

// Two numbers in a byte: out 0, a 1, b 2.
Work fp4_product(Call& c, const Rule&) {
    const int64_t k = c.dim(1, 1);
    c.need(k <= INT64_MAX / 2);
    if (k > INT64_MAX / 2) return {};
    Work w;
    w.flops = w.flops_dense = Count(2) * Count(c.dim(1, 0)) * Count(2 * k) * Count(c.dim(2, 0));
    w.bytes_read = c.bytes(1) + c.bytes(2) + c.bytes(3) + c.bytes(4);
    w.bytes_written = c.bytes(0);
    w.type = DataType::fp4;
    w.pipe = Pipe::tensor;
    w.product = true;
    return w;
}

// All pointers are listed, those written to as well; operations stand in the source only. Inductor
// knows both where it was asked to estimate them (torch/_inductor/codegen: kernel_num_gb and
// kernel_flop), by the sizes that it compiled for: what passes the pointers twice, each read and
// written, is of others.
Work triton(Call& c, const Rule&) {
    Work w;
    Count pointers;
    int matrix = -1;
    bool has_tensor = false;
    for (int i = 0; i < static_cast<int>(c.size()); ++i) {
        pointers = pointers + c.bytes(i);
        has_tensor = has_tensor || c.has(i);
        if (matrix < 0 && c.has(i) && c.shape(i).size() > 1) matrix = i;
    }
    c.need(has_tensor, NoModel::elsewhere);
    const KernelEstimate& told = c.estimate;
    const bool by_bytes = told.bytes != kNoValue && told.bytes <= (Count(2) * pointers).n;
    w.bytes_read = by_bytes ? Count(told.bytes) : pointers;
    w.one_sum = true;
    w.flops = w.flops_dense = Count(kNoValue);
    w.type = DataType::fp32;
    w.quality = Quality::inferred;
    w.note = by_bytes ? "bytes as Inductor estimates them"
                      : "bytes of all pointers; what is gathered or rewritten differs";
    if (told.flop == kNoValue || matrix < 0 || (told.bytes != kNoValue && !by_bytes)) return w;
    w.flops = w.flops_dense = Count(told.flop);
    w.type = c.type(matrix);
    w.pipe = Pipe::tensor;
    w.product = true;
    w.note = by_bytes ? "bytes and operations as Inductor estimates them"
                      : "operations as Inductor estimates them, bytes of all pointers";
    return w;
}

Work fft(Call& c, const Rule& rule) {
    const Count n = c.elements(0);
    const auto levels = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(n.n)));
    Work w;
    w.flops = w.flops_dense = Count(5) * n * Count(std::max<int64_t>(levels - 1, 0));
    w.bytes_read = c.bytes(0);
    const DataType type = c.type(0);
    const bool twice = type == DataType::fp64 || type == DataType::complex128;
    const DataType out = rule.at[0] > 0 ? (twice ? DataType::fp64 : DataType::fp32)
                                        : (twice ? DataType::complex128 : DataType::complex64);
    w.bytes_written = c.bytes_of_type(n, out);
    w.type = twice ? DataType::fp64 : DataType::fp32;
    w.quality = Quality::at_most;
    w.note = "as if over all dimensions";
    return w;
}

// Each step waits for the one before: work does not bound it.
Work recurrent(Call& c, const Rule&) {
    const Count steps = c.shape(0).size() == 3 ? Count(c.dim(0, 0)) * Count(c.dim(0, 1)) : Count(0);
    Work w;
    w.flops = w.flops_dense = Count(2) * steps * c.elements_of_list(1);
    w.bytes_read = c.bytes(0) + c.bytes(1);
    w.type = c.type(0);
    w.pipe = Pipe::tensor;
    w.product = true;
    w.has_floor = false;
    w.quality = Quality::at_least;
    w.note = "steps wait for each other; results not counted";
    return w;
}

// How many take part is not recorded, so only what passes memory here is known.
Work reduce_in_switch(Call& c, const Rule&) {
    Work w;
    c.need(c.has(0));
    w.bytes_read = w.bytes_written = c.bytes(0);
    w.flops = w.flops_dense = c.elements(0);
    w.type = DataType::fp32;
    w.has_floor = false;
    w.note = "a collective of unknown size: bytes ÷ time is its algorithm bandwidth, twice";
    return w;
}

constexpr std::array kRules = {
    Rule{"*::multimem_all_reduce_", reduce_in_switch},
    Rule{"*::gptq_gemm", weight_only, {1, 1}},
    Rule{"*::awq_gemm", weight_only, {2, 1}},
    Rule{"*::gptq_marlin_gemm", marlin},
    Rule{"*::marlin_gemm", marlin},
    Rule{"*::gptq_marlin_24_gemm", marlin, {1}},
    Rule{"*::moe_wna16_marlin_gemm", marlin_of_experts},
    Rule{"*::machete_mm", machete},
    Rule{"*::cutlass_scaled_fp4_mm", fp4_product},
    Rule{"triton_*", triton},
    Rule{"_fft_r2c", fft, {0}},
    Rule{"_fft_c2c", fft, {0}},
    Rule{"_fft_c2r", fft, {1}},
    Rule{"_cudnn_rnn", recurrent},
    Rule{"miopen_rnn", recurrent},
};

}  // namespace

std::span<const Rule> custom_rules() {
    return kRules;
}

}  // namespace lanescope

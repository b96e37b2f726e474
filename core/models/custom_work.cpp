// Operators of other libraries than PyTorch (vLLM, SGLang), and kernels made by compilers.
#include <algorithm>
#include <bit>

#include "core/models/operator_work.h"

namespace lanescope {

namespace {

// at: operations an element of the first input, the inputs' places behind it, -1 ends them;
// places written to stand behind the -1.
Work streaming(Call& c, const Rule& rule) {
    Work w;
    std::size_t i = 1;
    const int first = rule.at[1];
    for (; i < rule.at.size() && rule.at[i] >= 0; ++i)
        w.bytes_read = w.bytes_read + c.bytes(rule.at[i]);
    for (++i; i < rule.at.size() && rule.at[i] >= 0; ++i)
        w.bytes_written = w.bytes_written + c.bytes(rule.at[i]);
    c.need(c.has(first));
    w.flops = w.flops_dense = Count(rule.at[0]) * c.elements(first);
    w.type = DataType::fp32;
    return w;
}

// A row of keys and values for each slot, written in the cache's type.
Work reshape_and_cache(Call& c, const Rule&) {
    Work w;
    const Count rows = c.elements(4);
    const Count tokens = c.dim(0, 0);
    c.need(tokens.n >= rows.n && tokens.n > 0);
    if (tokens.n <= 0) return {};
    const Count keys = Count(c.elements(0).n / tokens.n) * rows;
    const Count values = Count(c.elements(1).n / tokens.n) * rows;
    w.bytes_read =
        c.bytes_of_type(keys, c.type(0)) + c.bytes_of_type(values, c.type(1)) + c.bytes(4);
    w.bytes_written = c.bytes_of_type(keys, c.type(2)) + c.bytes_of_type(values, c.type(3));
    w.type = DataType::fp32;
    return w;
}

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

// The sizes are three numbers that follow each other, the first two those of x.
Work marlin(Call& c, const Rule&) {
    const int64_t m = c.dim(0, 0);
    const int64_t k = c.dim(0, 1);
    for (int i = 0; i + 2 < static_cast<int>(c.size()); ++i) {
        const auto rows = number_of(c.at(i).concrete);
        const auto columns = number_of(c.at(i + 1).concrete);
        const auto inner = number_of(c.at(i + 2).concrete);
        if (rows && columns && inner && *rows == m && *inner == k && *columns >= 0)
            return packed_product(c, {m, k, *columns}, 0, c.type(0));
    }
    c.need(false, NoModel::no_arguments);
    return {};
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

// All pointers are listed, those written to as well; operations stand in the source only.
Work triton(Call& c, const Rule&) {
    Work w;
    w.flops = w.flops_dense = Count(kNoValue);
    for (int i = 0; i < static_cast<int>(c.size()); ++i) w.bytes_read = w.bytes_read + c.bytes(i);
    w.type = DataType::fp32;
    w.quality = Quality::inferred;
    w.note = "bytes of all pointers; what is gathered or rewritten differs";
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
    w.note = "steps wait for each other";
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
    Rule{"*::rms_norm", streaming, {4, 1, 2, -1, 0, -1}},
    Rule{"*::fused_add_rms_norm", streaming, {5, 0, 1, 2, -1, 0, 1, -1}},
    Rule{"*::rotary_embedding", streaming, {3, 1, 2, 0, -1, 1, 2, -1}},
    Rule{"*::silu_and_mul", streaming, {5, 1, -1, 0, -1}},
    Rule{"*::static_scaled_fp8_quant", streaming, {1, 1, 2, -1, 0, -1}},
    Rule{"*::reshape_and_cache_flash", reshape_and_cache},
    Rule{"*::multimem_all_reduce_", reduce_in_switch},
    Rule{"*::gptq_gemm", weight_only, {1, 1}},
    Rule{"*::awq_gemm", weight_only, {2, 1}},
    Rule{"*::gptq_marlin_gemm", marlin},
    Rule{"*::marlin_gemm", marlin},
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

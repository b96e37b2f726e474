// Operators of libraries for inference and recommendation, except plain matrix products. Argument
// indices are those of vLLM's csrc/torch_bindings.cpp and csrc/moe/torch_bindings.cpp, of SGLang's
// sgl-kernel/csrc/common_extension.cc (the same for equal names unless noted), and of fbgemm_gpu's
// sources.
#include <algorithm>

#include "core/models/operator_work.h"

namespace lanescope {

namespace {

// at: operations per element of the first input, then the indices of inputs, ended by -1; indices
// of outputs follow the -1.
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

// Writes a row of keys and values for each slot, in the cache's type.
Work reshape_and_cache(Call& c, const Rule&) {
    Work w;
    const Count rows = c.elements(4);
    const Count tokens = c.dim(0, 0);
    c.need(tokens.n >= rows.n && tokens.n > 0);
    if (tokens.n <= 0) return {};
    const Count keys = c.elements(0) / tokens.n * rows;
    const Count values = c.elements(1) / tokens.n * rows;
    w.bytes_read =
        c.bytes_of_type(keys, c.type(0)) + c.bytes_of_type(values, c.type(1)) + c.bytes(4);
    w.bytes_written = c.bytes_of_type(keys, c.type(2)) + c.bytes_of_type(values, c.type(3));
    w.type = DataType::fp32;
    return w;
}

// Writes a row of compressed keys and values for each slot. Compressed 0, with positions 1, cache
// 2, slots 3.
Work concatenate_and_cache(Call& c, const Rule&) {
    Work w;
    const Count rows = c.elements(3);
    c.need(c.shape(0).size() == 2 && c.dim(0, 0) >= rows.n);
    const Count row = Count(c.dim(0, -1)) + Count(c.dim(1, -1));
    w.bytes_read = c.bytes_of_type(rows * Count(c.dim(0, -1)), c.type(0)) +
                   c.bytes_of_type(rows * Count(c.dim(1, -1)), c.type(1)) + c.bytes(3);
    w.bytes_written = c.bytes_of_type(rows * row, c.type(2));
    w.type = DataType::fp32;
    return w;
}

// A softmax over the experts, and the largest values: vLLM has one more result than SGLang before
// the gate's output.
Work choose_experts(Call& c, const Rule&) {
    const int gate = c.shape(3).size() == 2 ? 3 : 2;
    Work w;
    c.need(c.shape(gate).size() == 2);
    w.flops = w.flops_dense = Count(5) * c.elements(gate);
    w.bytes_read = c.bytes(gate);
    for (int i = 0; i < gate; ++i) w.bytes_written = w.bytes_written + c.bytes(i);
    w.type = DataType::fp32;
    return w;
}

// Two products for each token and expert. x 0 [T, K], w1 1 [E, 2N, K] (or N), w2 2 [E, K, N],
// weights of experts 3 [T, experts of a token]. The chosen experts are data in memory; at least
// those of one token are used. 8-bit weights may be used with 16-bit activations: the faster rate
// gives the lower floor.
Work experts(Call& c, const Rule&) {
    c.need(c.shape(0).size() == 2 && c.shape(1).size() == 3 && c.shape(2).size() == 3 &&
           c.shape(3).size() == 2);
    if (c.problem != NoModel::none) return {};
    const int64_t all = c.dim(1, 0);
    const int64_t of_token = c.dim(3, 1);
    // Packed weights have fewer elements than values.
    c.need(c.dim(1, 2) == c.dim(0, 1) && c.dim(2, 1) == c.dim(0, 1) && c.dim(2, 0) == all);
    c.need(c.dim(3, 0) == c.dim(0, 0) && all > 0 && of_token <= all);
    if (c.problem != NoModel::none) return {};
    const Count pairs = Count(c.dim(3, 0)) * Count(of_token);
    const Count of_pair =
        Count(c.dim(1, 1)) * Count(c.dim(1, 2)) + Count(c.dim(2, 1)) * Count(c.dim(2, 2));
    Work w;
    w.flops = w.flops_dense = Count(2) * pairs * of_pair;
    const int64_t used = c.dim(0, 0) > 0 ? of_token : 0;
    w.bytes_read =
        c.bytes(0) + c.bytes(3) + c.bytes(4) + (c.bytes(1) + c.bytes(2)) / all * Count(used);
    w.bytes_written = c.bytes(0);
    w.type = bytes_of(c.type(1)) < bytes_of(c.type(0)) ? c.type(1) : c.type(0);
    w.pipe = Pipe::tensor;
    w.product = true;
    w.quality = Quality::at_least;
    w.note = "weights of as many experts as one token needs";
    return w;
}

constexpr int64_t kScaleAndBias = 8;  // bytes behind a row

// fbgemm's rows of 8-bit values (src/quantize_ops/quantize_fp8_rowwise.cu): rounded up to four,
// plus two 32-bit numbers. at: 1 if such rows are the result.
Work rows_of_fp8(Call& c, const Rule& rule) {
    const Shape& x = c.shape(0);
    c.need(!x.empty());
    if (x.empty()) return {};
    const Count rows = product_of(std::span(x).first(x.size() - 1));
    const Count columns = x.back();
    Work w;
    w.bytes_read = c.bytes(0);
    if (rule.at[0] > 0) {
        w.flops = w.flops_dense = c.elements(0);
        w.bytes_written = rows * ((columns + Count(3)) / 4 * Count(4) + Count(kScaleAndBias));
    } else {
        c.need(columns.n >= kScaleAndBias);
        const Count n = rows * (columns - Count(kScaleAndBias));
        // Without further arguments, or with 0: 32 bits; otherwise 16.
        const int64_t type = number_of(c.at(2).concrete).value_or(0);
        w.flops = w.flops_dense = n;
        w.bytes_written = n * Count(type == 0 ? 4 : 2);
    }
    w.type = DataType::fp32;
    return w;
}

// Element by element. at: bytes of a result's element.
Work converted(Call& c, const Rule& rule) {
    Work w;
    c.need(c.has(0));
    w.flops = w.flops_dense = c.elements(0);
    w.bytes_read = c.bytes(0);
    w.bytes_written = c.elements(0) * Count(rule.at[0]);
    w.type = DataType::fp32;
    return w;
}

// Reorders columns, or the lists of features: permutation 0, lengths 1, values 2, weights 3. If
// some lists are repeated or left out, the number of values is data in memory.
Work permuted_lists(Call& c, const Rule&) {
    c.need(c.dim(0, 0) == c.dim(1, 0), NoModel::data);
    Work w;
    w.bytes_written = c.bytes(1) + c.bytes(2) + c.bytes(3);
    w.bytes_read = c.bytes(0) + w.bytes_written;
    w.type = DataType::fp32;
    w.quality = Quality::at_least;
    w.note = "sums of lengths, an intermediate result, not counted";
    return w;
}

// The listed tensors are moved once; intermediate results are not counted.
Work at_least_streaming(Call& c, const Rule& rule) {
    Work w = streaming(c, rule);
    w.quality = Quality::at_least;
    w.note = "sums of lengths, an intermediate result, not counted";
    return w;
}

constexpr std::string_view kRowsNotCounted =
    "the rows that it reads are data in memory: without them";

// fbgemm's lookup in T tables (codegen/embedding_forward_split_host.cpp): weights on the device 1,
// offsets of columns 6 [T + 1], columns of all tables 7, row indices 11, offsets 12 [T * B + 1],
// per-index weights 14. at: where the optimizer keeps a number for each row of all tables; for a
// single table it gives the columns too.
Work table_lookup(Call& c, const Rule& rule) {
    const int64_t tables = c.dim(6, 0) - 1;
    c.need(c.shape(11).size() == 1 && c.shape(12).size() == 1, NoModel::no_arguments);
    c.need(tables > 0 && c.dim(12, 0) > 0, NoModel::no_arguments);
    if (c.problem != NoModel::none) return {};
    c.need((c.dim(12, 0) - 1) % tables == 0);
    Count columns = number_of(c.at(7).concrete).value_or(0);
    const int64_t rows = rule.at[0] > 0 && tables == 1 ? c.elements(rule.at[0]).n : 0;
    if (columns.n == 0 && rows > 0 && c.elements(1).n % rows == 0) columns = c.elements(1) / rows;
    c.need(columns.n >= 0);
    Work w;
    w.flops = w.flops_dense = Count(kNoValue);
    w.bytes_read = c.bytes(11) + c.bytes(12) + c.bytes(14);
    w.bytes_written = Count((c.dim(12, 0) - 1) / tables) * columns * Count(4);
    w.type = DataType::fp32;
    w.quality = Quality::at_least;
    w.note = kRowsNotCounted;
    return w;
}

// The backward pass, under autograd's name: the gradient of the looked-up rows, read once.
Work table_lookup_backward(Call& c, const Rule&) {
    c.need(c.shape(0).size() == 2, NoModel::no_arguments);
    Work w;
    w.flops = w.flops_dense = Count(kNoValue);
    w.bytes_read = c.bytes(0);
    w.type = DataType::fp32;
    w.quality = Quality::at_least;
    w.note = kRowsNotCounted;
    return w;
}

constexpr std::array kServingRules = {
    Rule{"*::split_embedding_codegen_lookup_rowwise_adagrad_function", table_lookup, {20}},
    Rule{"*::split_embedding_codegen_lookup_adagrad_function", table_lookup},
    Rule{"*::split_embedding_codegen_lookup_adam_function", table_lookup},
    Rule{"*::split_embedding_codegen_lookup_partial_rowwise_adam_function", table_lookup},
    Rule{"*::split_embedding_codegen_lookup_sgd_function", table_lookup},
    Rule{"*::CppNode<SplitLookupFunction_rowwise_adagrad_Op>", table_lookup_backward},
    Rule{"*::CppNode<SplitLookupFunction_adagrad_Op>", table_lookup_backward},
    Rule{"*::CppNode<SplitLookupFunction_adam_Op>", table_lookup_backward},
    Rule{"*::CppNode<SplitLookupFunction_partial_rowwise_adam_Op>", table_lookup_backward},
    Rule{"*::CppNode<SplitLookupFunction_sgd_Op>", table_lookup_backward},
    // The operator only changes indices that are out of bounds.
    Rule{"*::bounds_check_indices", streaming, {0, 1, 0, 2, -1, -1}},
    Rule{"*::recat_embedding_grad_output_mixed_D_batch", streaming, {0, 0, 1, 2, -1, 0, -1}},
    Rule{"*::recat_embedding_grad_output_mixed_D", streaming, {0, 0, -1, 0, -1}},
    Rule{"*::block_bucketize_sparse_features", at_least_streaming, {0, 1, 0, 6, -1, 1, 6, -1}},
    Rule{"*::rms_norm", streaming, {4, 1, 2, -1, 0, -1}},
    Rule{"*::rmsnorm", streaming, {4, 1, 2, -1, 0, -1}},
    Rule{"*::gemma_rmsnorm", streaming, {4, 1, 2, -1, 0, -1}},
    Rule{"*::fused_add_rms_norm", streaming, {5, 0, 1, 2, -1, 0, 1, -1}},
    Rule{"*::fused_add_rmsnorm", streaming, {5, 0, 1, 2, -1, 0, 1, -1}},
    Rule{"*::gemma_fused_add_rmsnorm", streaming, {5, 0, 1, 2, -1, 0, 1, -1}},
    // AITER's norms: out, in, residual in and out, weights.
    Rule{"*::add_rmsnorm", streaming, {5, 1, 2, 4, -1, 0, 3, -1}},
    Rule{"*::rmsnorm2d_fwd_with_add_ck", streaming, {5, 1, 2, 4, -1, 0, 3, -1}},
    Rule{"*::rms_norm_static_fp8_quant", streaming, {5, 1, 2, 3, -1, 0, -1}},
    Rule{"*::fused_add_rms_norm_static_fp8_quant", streaming, {6, 1, 2, 3, 4, -1, 0, 2, -1}},
    Rule{"*::rms_norm_dynamic_per_token_quant", streaming, {6, 1, 2, 6, -1, 0, 3, 6, -1}},
    Rule{"*::rotary_embedding", streaming, {3, 1, 2, 0, -1, 1, 2, -1}},
    Rule{"*::silu_and_mul", streaming, {5, 1, -1, 0, -1}},
    Rule{"*::mul_and_silu", streaming, {5, 1, -1, 0, -1}},
    Rule{"*::gelu_and_mul", streaming, {5, 1, -1, 0, -1}},
    Rule{"*::gelu_tanh_and_mul", streaming, {5, 1, -1, 0, -1}},
    Rule{"*::fatrelu_and_mul", streaming, {5, 1, -1, 0, -1}},
    Rule{"*::silu_and_mul_quant", streaming, {6, 1, 2, -1, 0, -1}},
    Rule{"*::gelu_new", streaming, {1, 1, -1, 0, -1}},
    Rule{"*::gelu_fast", streaming, {1, 1, -1, 0, -1}},
    Rule{"*::gelu_quick", streaming, {1, 1, -1, 0, -1}},
    Rule{"*::static_scaled_fp8_quant", streaming, {1, 1, 2, -1, 0, -1}},
    Rule{"*::dynamic_scaled_fp8_quant", streaming, {2, 1, -1, 0, 2, -1}},
    Rule{"*::dynamic_per_token_scaled_fp8_quant", streaming, {2, 1, -1, 0, 2, -1}},
    Rule{"*::static_scaled_int8_quant", streaming, {1, 1, 2, -1, 0, -1}},
    Rule{"*::dynamic_scaled_int8_quant", streaming, {2, 1, -1, 0, 2, 3, -1}},
    Rule{"*::sgl_per_token_quant_fp8", streaming, {2, 0, -1, 1, 2, -1}},
    Rule{"*::sgl_per_token_group_quant_8bit", streaming, {2, 0, -1, 1, 2, -1}},
    Rule{"*::moe_sum", streaming, {1, 0, -1, 1, -1}},
    Rule{"*::moe_sum_reduce", streaming, {1, 0, -1, 1, -1}},
    Rule{"*::topk_softmax", choose_experts},
    Rule{"*::inplace_fused_experts", experts},
    Rule{"*::outplace_fused_experts", experts},
    Rule{"*::rocm_aiter_fused_moe", experts},
    Rule{"*::fused_moe_", experts},  // of AITER
    Rule{"*::reshape_and_cache", reshape_and_cache},
    Rule{"*::reshape_and_cache_flash", reshape_and_cache},
    // SGLang's rows of keys and values, copied to their slots in the cache.
    Rule{"*::store_cache", streaming, {0, 0, 1, 4, -1, 0, 1, -1}},
    Rule{"*::concat_and_cache_mla", concatenate_and_cache},
    Rule{"*::FloatToFP8RowwiseQuantized", rows_of_fp8, {1}},
    Rule{"*::FP8RowwiseQuantizedToFloat", rows_of_fp8, {0}},
    Rule{"*::FloatToHFP8Quantized", converted, {1}},
    Rule{"*::HFP8QuantizedToFloat", converted, {4}},
    Rule{"*::permute_2D_sparse_data", permuted_lists},
    Rule{"*::permute_sparse_features", permuted_lists},
    Rule{"*::permute_pooled_embs_auto_grad", streaming, {0, 0, -1, 0, -1}},
    // The backward pass, under autograd's name.
    Rule{"*::permute_pooled_embs_gpu> >", streaming, {0, 0, -1, 0, -1}},
};

}  // namespace

std::span<const Rule> serving_rules() {
    return kServingRules;
}

}  // namespace lanescope

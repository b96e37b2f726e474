// Attention: the two products of queries, keys and values. Useful work covers only the pairs that a
// causal mask leaves.
#include <algorithm>
#include <array>
#include <optional>

#include "core/models/batch_label.h"
#include "core/models/operator_work.h"

namespace lanescope {

namespace {

enum Layout : int16_t { kBhsd, kBshd };
enum Mask : int16_t { kTopLeft, kBottomRight, kByNumber };

// Indices into Rule::at.
enum AttentionArgument : uint8_t {
    kQ,
    kBias,
    kCausal,
    kLayout,
    kMask,
    kLengths,
    kLongest,
    kBackward,
    kWindow
};

struct Attention {
    Count batch = 1;
    Count heads = 1;  // of queries
    Count kv_heads = 1;
    Count queries = 1;  // tokens of a sequence
    Count keys = 1;
    Count qk_size = 1;
    Count v_size = 1;
};

// Pairs of a query and a key that the query can see.
Count visible_pairs(int64_t q, int64_t k, bool top_left) {
    const auto triangle = [](int64_t n) { return Count(n) * (Count(n) + Count(1)); };
    if (top_left) return q <= k ? triangle(q) / 2 : triangle(k) / 2 + Count(q - k) * Count(k);
    if (k < q) return triangle(k) / 2;
    return Count(q) * Count(k) - Count(q) * Count(q - 1) / 2;
}

// A lower bound of the sum of squared sequence lengths, for this number of tokens and a longest
// sequence of this length.
Count least_squares(int64_t sequences, int64_t tokens, int64_t longest) {
    if (sequences <= 1) return Count(tokens) * Count(tokens);
    const int64_t rest = std::max<int64_t>(0, tokens - longest);
    return Count(longest) * Count(longest) + Count(rest) * Count(rest) / (sequences - 1);
}

Count most_squares(int64_t tokens, int64_t longest) {
    if (longest <= 0) return 0;
    const int64_t rest = tokens % longest;
    return Count(tokens / longest) * Count(longest) * Count(longest) + Count(rest) * Count(rest);
}

struct Pairs {
    Count useful;
    Count dense;
    Quality quality = Quality::exact;
};

bool is_causal(const Call& c, const Rule& rule, bool& top_left) {
    const int16_t mask = rule.at[kMask];
    top_left = mask == kTopLeft;
    if (mask != kByNumber) return c.flag(rule.at[kCausal]);
    const int64_t kind = number_of(c.at(rule.at[kCausal]).concrete).value_or(0);
    top_left = kind == 1;
    return kind != 0;
}

// For all sequences, for one head.
Pairs pairs_of(Call& c, const Rule& rule, const Attention& a) {
    bool top_left = false;
    const bool causal = is_causal(c, rule, top_left);
    const int lengths = rule.at[kLengths];
    if (lengths >= 0 && c.has(lengths)) {
        const int64_t sequences = c.dim(lengths, 0) - 1;
        const auto longest = number_of(c.at(rule.at[kLongest]).concrete);
        const int64_t tokens = a.queries.n;
        c.need(longest && *longest >= 0 && *longest <= tokens && tokens == a.keys.n, NoModel::data);
        c.need(sequences > 0 && (Count(longest.value_or(0)) * Count(sequences)).n >= tokens);
        if (c.problem != NoModel::none) return {};
        Pairs p{least_squares(sequences, tokens, *longest), most_squares(tokens, *longest),
                sequences > 1 ? Quality::at_least : Quality::exact};
        if (causal) p.useful = (p.useful + Count(tokens)) / 2;
        return p;
    }
    Pairs p;
    p.dense = a.batch * a.queries * a.keys;
    p.useful = causal ? a.batch * visible_pairs(a.queries.n, a.keys.n, top_left) : p.dense;
    const int window = rule.at[kWindow];
    const auto left = number_of(c.at(window).concrete);
    const auto right = number_of(c.at(window + 1).concrete);
    if (window >= 0 && left && right && *left >= 0 && *right >= 0) {
        const Count in_window = a.batch * a.queries * (Count(*left) + Count(*right) + Count(1));
        if (in_window.n < p.useful.n) p = {in_window, p.dense, Quality::at_most};
    }
    return p;
}

Attention sizes_of(Call& c, int q, Layout layout) {
    Attention a;
    const int k = q + 1;
    const int v = q + 2;
    c.need(c.has(q) && c.has(k) && c.has(v), NoModel::no_arguments);
    const std::size_t rank = c.shape(q).size();
    c.need((rank == 4 || rank == 3) && c.shape(k).size() == rank && c.shape(v).size() == rank);
    const int heads = layout == kBhsd ? -3 : -2;
    const int tokens = layout == kBhsd ? -2 : -3;
    if (rank == 4) a.batch = c.dim(q, 0);
    a.heads = c.dim(q, heads);
    a.kv_heads = c.dim(k, heads);
    a.queries = c.dim(q, tokens);
    a.keys = c.dim(k, tokens);
    a.qk_size = c.dim(q, -1);
    a.v_size = c.dim(v, -1);
    c.need(c.dim(k, -1) == a.qk_size.n && c.dim(v, tokens) == a.keys.n);
    // Each head of keys serves an equal number of heads of queries.
    const int64_t kv_heads = a.kv_heads.n;
    c.need(kv_heads > 0 ? a.heads.n % kv_heads == 0 : a.heads.n == 0);
    c.need(rank == 3 || c.dim(k, 0) == a.batch.n || c.dim(k, 0) == 1);
    return a;
}

Work attention(Call& c, const Rule& rule) {
    const int q = rule.at[kQ];
    const Attention a = sizes_of(c, q, static_cast<Layout>(rule.at[kLayout]));
    const Pairs pairs = pairs_of(c, rule, a);
    const bool backward = rule.at[kBackward] > 0;
    const Count each = backward ? Count(3) * a.qk_size + Count(2) * a.v_size : a.qk_size + a.v_size;
    const Count of_pair = Count(2) * a.heads * each;
    Work w;
    w.flops = of_pair * pairs.useful;
    w.flops_dense = of_pair * pairs.dense;
    w.quality = pairs.quality;
    w.type = c.type(q);
    w.pipe = Pipe::tensor;
    w.product = true;
    const Count inputs = c.bytes(q) + c.bytes(q + 1) + c.bytes(q + 2) + c.bytes(rule.at[kBias]);
    const Count rows = a.batch * a.heads * a.queries;
    const Count out = c.bytes_of_type(rows * a.v_size, w.type);
    const Count sums = Count(4) * rows;  // log-sum-exp values, in 32 bits
    if (backward) {
        w.bytes_read = inputs + out + out + sums;  // with the gradient and the result
        w.bytes_written = c.bytes(q) + c.bytes(q + 1) + c.bytes(q + 2);
    } else {
        w.bytes_read = inputs;
        w.bytes_written = out + sums;
    }
    return w;
}

// Sums over a batch, from the engine's annotation, that attention over cached keys needs.
struct CachedBatch {
    Count pairs;  // of a query and a key that it can see
    Count dense;
    Count queries;
    Count keys;
    bool known = false;
};

// Each of a sequence's q queries sees the keys up to its own position: q·k pairs minus the (q·q -
// q) / 2 pairs with a later key. If the engine states squares but no keys, prompts have no earlier
// keys. Sequences that generate tokens always have keys of earlier steps.
CachedBatch batch_of(std::string_view annotation) {
    const std::optional<BatchLabel> label = read_batch_label(annotation);
    if (!label) return {};
    BatchSums sums = label->all;
    if (sums.queries == kNoValue || sums.query_squares == kNoValue) return {};
    if (label->phase == BatchPhase::prefill && sums.keys == kNoValue &&
        sums.query_keys == kNoValue) {
        sums.keys = sums.queries;
        sums.query_keys = sums.query_squares;
    }
    if (sums.keys == kNoValue || sums.query_keys == kNoValue) return {};
    CachedBatch batch;
    batch.dense = Count(sums.query_keys);
    batch.pairs = Count(sums.query_keys - (sums.query_squares - sums.queries) / 2);
    batch.queries = Count(sums.queries);
    batch.keys = Count(sums.keys);
    batch.known = true;
    return batch;
}

constexpr std::string_view kNoSlidingWindow =
    "cannot be distinguished from a layer with a sliding window, or with a smaller cache type";

struct CachedHeads {
    Count heads;  // of queries
    Count of_keys;
    Count qk;  // size of a query or key
    Count of_values;
    Count v;
};
struct CachedInputs {
    int q, k, v, out;
};

// Two products for each pair and query head. Keys and values are read once for each sequence and
// key head.
Work cached_attention(Call& c, const CachedBatch& batch, const CachedHeads& heads,
                      const CachedInputs& in) {
    Work w;
    w.flops = Count(2) * heads.heads * (heads.qk + heads.v) * batch.pairs;
    w.flops_dense = Count(2) * heads.heads * (heads.qk + heads.v) * batch.dense;
    w.bytes_read = c.bytes_of_type(batch.queries * heads.heads * heads.qk, c.type(in.q)) +
                   c.bytes_of_type(batch.keys * heads.of_keys * heads.qk, c.type(in.k)) +
                   c.bytes_of_type(batch.keys * heads.of_values * heads.v, c.type(in.v));
    w.bytes_written = c.bytes_of_type(batch.queries * heads.heads * heads.v, c.type(in.out));
    w.type = c.type(in.q);
    w.pipe = Pipe::tensor;
    w.product = true;
    w.quality = Quality::at_most;
    w.note = kNoSlidingWindow;
    return w;
}

// q 0 [T, heads, d], k 1, v 2, out 3; keys of earlier tokens are in a cache.
Work unified_attention(Call& c, const Rule&) {
    c.need(c.shape(0).size() == 3 && c.shape(1).size() == 3 && c.shape(2).size() == 3);
    const CachedBatch batch = batch_of(c.batch);
    c.need(batch.known, NoModel::data);
    c.need(batch.queries.n <= c.dim(0, 0));
    if (c.problem != NoModel::none) return {};
    return cached_attention(c, batch,
                            {c.dim(0, 1), c.dim(1, 1), c.dim(0, 2), c.dim(2, 1), c.dim(2, 2)},
                            {0, 1, 2, c.has(3) ? 3 : 0});
}

// Keys and values are only in the cache: [pages, tokens of a page, heads, d]. at: indices of q [T,
// heads, d], keys, values, out.
Work paged_attention(Call& c, const Rule& rule) {
    const auto [q, k, v, out] = std::array{rule.at[0], rule.at[1], rule.at[2], rule.at[3]};
    c.need(c.shape(q).size() == 3 && c.shape(k).size() == 4 && c.shape(v).size() == 4);
    c.need(c.dim(k, 3) == c.dim(q, 2) && c.dim(k, 2) == c.dim(v, 2));
    const int64_t kv_heads = c.dim(k, 2);
    c.need(kv_heads > 0 && c.dim(q, 1) % std::max<int64_t>(kv_heads, 1) == 0);
    const CachedBatch batch = batch_of(c.batch);
    c.need(batch.known, NoModel::data);
    c.need(batch.queries.n <= c.dim(q, 0));
    if (c.problem != NoModel::none) return {};
    return cached_attention(c, batch, {c.dim(q, 1), kv_heads, c.dim(q, 2), kv_heads, c.dim(v, 3)},
                            {q, k, v, out});
}

constexpr int16_t kMissing = -1;
constexpr std::array kAttentionRules = {
    // q, bias, causal, layout, mask, lengths, longest, backward, window
    Rule{"_scaled_dot_product_flash_attention",
         attention,
         {0, kMissing, 4, kBhsd, kBottomRight, kMissing, kMissing, 0, kMissing}},
    Rule{"_scaled_dot_product_efficient_attention",
         attention,
         {0, 3, 6, kBhsd, kTopLeft, kMissing, kMissing, 0, kMissing}},
    Rule{"_scaled_dot_product_cudnn_attention",
         attention,
         {0, 3, 6, kBhsd, kTopLeft, kMissing, kMissing, 0, kMissing}},
    Rule{"_scaled_dot_product_flash_attention_for_cpu",
         attention,
         {0, 5, 4, kBhsd, kTopLeft, kMissing, kMissing, 0, kMissing}},
    Rule{"_scaled_dot_product_flash_attention_backward",
         attention,
         {1, kMissing, 11, kBhsd, kBottomRight, kMissing, kMissing, 1, kMissing}},
    Rule{"_scaled_dot_product_efficient_attention_backward",
         attention,
         {1, 4, 11, kBhsd, kTopLeft, kMissing, kMissing, 1, kMissing}},
    Rule{"_scaled_dot_product_cudnn_attention_backward",
         attention,
         {1, 8, 14, kBhsd, kTopLeft, kMissing, kMissing, 1, kMissing}},
    Rule{"_scaled_dot_product_flash_attention_for_cpu_backward",
         attention,
         {1, 8, 7, kBhsd, kTopLeft, kMissing, kMissing, 1, kMissing}},
    Rule{"_flash_attention_forward", attention, {0, kMissing, 8, kBshd, kBottomRight, 3, 5, 0, 11}},
    Rule{"_flash_attention_backward",
         attention,
         {1, kMissing, 11, kBshd, kBottomRight, 6, 8, 1, kMissing}},
    Rule{"_efficient_attention_forward", attention, {0, 3, 9, kBshd, kByNumber, 4, 6, 0, kMissing}},
    Rule{"_efficient_attention_backward",
         attention,
         {1, 4, 14, kBshd, kByNumber, 6, 8, 1, kMissing}},
    Rule{"*::_flash_attn_forward",
         attention,
         {0, kMissing, 5, kBshd, kBottomRight, kMissing, kMissing, 0, kMissing}},
    Rule{"*::_flash_attn_backward",
         attention,
         {1, kMissing, 11, kBshd, kBottomRight, kMissing, kMissing, 1, kMissing}},
    Rule{"*::_flash_attn_varlen_forward",
         attention,
         {0, kMissing, 9, kBshd, kBottomRight, 3, 5, 0, kMissing}},
    Rule{"*::unified_attention_with_output", unified_attention},
    Rule{"*::unified_attention", unified_attention},
    // AITER's paged_attention_ragged: out 0, workspace 1, q 2, keys 3, values 4.
    Rule{"sglang_profiler::paged_attention_ragged", paged_attention, {2, 3, 4, 0}},
    Rule{"*::_flash_attn_varlen_backward",
         attention,
         {1, kMissing, 15, kBshd, kBottomRight, 9, 11, 1, kMissing}},
};

}  // namespace

std::span<const Rule> attention_rules() {
    return kAttentionRules;
}

}  // namespace lanescope

// Attention: the two products of queries, keys and values. Useful work covers only the pairs that a
// causal mask leaves.
#include <algorithm>
#include <optional>

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

struct BatchSums {
    Count pairs;  // of a query and a key that it can see
    Count dense;
    Count queries;
    Count keys;
    bool known = false;
};

// Parses "key=12"; -1 if the key is absent.
int64_t number_after(std::string_view text, std::string_view key) {
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos) return -1;
    text.remove_prefix(at + key.size());
    return number_of(text.substr(0, text.find_first_of(" ]"))).value_or(-1);
}

// Parses the annotation of a batch. vLLM writes sums over sequences of the lengths of queries and
// keys, their squares and products, for prompts and for generating sequences:
// "execute_…_context_9(sq8155sk8430sqsq7475785sqsk7671310)_generation_37(sq37sk34489sqsq37sqsk34489)",
// or tokens and squares for prompts only: "execute_context_1(888_788544)_generation_0(0)". SGLang
// writes "step[MIXED bs=2 c=1 g=1 c_sq=5 c_sk=8 c_sqsq=25 c_sqsk=40 g_sq=1 g_sk=12 g_sqsq=1
// g_sqsk=12]", without the part that the batch does not have.
BatchSums batch_sums(std::string_view annotation) {
    BatchSums sums;
    const auto add = [&](int64_t q, int64_t k, int64_t squares, int64_t products) {
        sums.known = q >= 0 && k >= q && squares >= q && products >= squares;
        if (!sums.known) return;
        sums.pairs = sums.pairs + Count(products) + Count((q - squares) / 2);
        sums.dense = sums.dense + Count(products);
        sums.queries = sums.queries + Count(q);
        sums.keys = sums.keys + Count(k);
    };
    if (annotation.starts_with("step[")) {
        const auto sum = [&](std::string_view key) { return number_after(annotation, key); };
        for (const bool prompts : {true, false}) {
            if (annotation.find(prompts ? " c_sqsk=" : " g_sqsk=") == annotation.npos) continue;
            if (prompts)
                add(sum(" c_sq="), sum(" c_sk="), sum(" c_sqsq="), sum(" c_sqsk="));
            else
                add(sum(" g_sq="), sum(" g_sk="), sum(" g_sqsq="), sum(" g_sqsk="));
            if (!sums.known) break;
        }
        return sums;
    }
    const std::size_t from = annotation.find("context_");
    if (from == std::string_view::npos) return sums;
    const Shape n = numbers_in(annotation.substr(from));
    if (n.size() == 10) {
        add(n[1], n[2], n[3], n[4]);
        const bool prompts = sums.known;
        add(n[6], n[7], n[8], n[9]);
        sums.known = sums.known && prompts;
    } else if (n.size() == 5 && n[3] == 0) {
        add(n[1], n[1], n[2], n[2]);
    }
    return sums;
}

// q 0 [T, heads, d], k 1, v 2, out 3; keys of earlier tokens are in a cache.
Work unified_attention(Call& c, const Rule&) {
    c.need(c.shape(0).size() == 3 && c.shape(1).size() == 3 && c.shape(2).size() == 3);
    const BatchSums sums = batch_sums(c.batch);
    c.need(sums.known, NoModel::data);
    c.need(sums.queries.n <= c.dim(0, 0));
    if (c.problem != NoModel::none) return {};
    const Count heads = c.dim(0, 1);
    const Count qk = c.dim(0, 2);
    const Count v = c.dim(2, 2);
    Work w;
    w.flops = Count(2) * heads * (qk + v) * sums.pairs;
    w.flops_dense = Count(2) * heads * (qk + v) * sums.dense;
    w.bytes_read = c.bytes_of_type(sums.queries * heads * qk, c.type(0)) +
                   c.bytes_of_type(sums.keys * Count(c.dim(1, 1)) * qk, c.type(1)) +
                   c.bytes_of_type(sums.keys * Count(c.dim(2, 1)) * v, c.type(2));
    w.bytes_written = c.bytes_of_type(sums.queries * heads * v, c.has(3) ? c.type(3) : c.type(0));
    w.type = c.type(0);
    w.pipe = Pipe::tensor;
    w.product = true;
    w.quality = Quality::at_most;
    w.note =
        "cannot be distinguished from a layer with a sliding window, or with a smaller cache type";
    return w;
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
    Rule{"*::_flash_attn_varlen_backward",
         attention,
         {1, kMissing, 15, kBshd, kBottomRight, 9, 11, 1, kMissing}},
};

}  // namespace

std::span<const Rule> attention_rules() {
    return kAttentionRules;
}

}  // namespace lanescope

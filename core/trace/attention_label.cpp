#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/trace/kernel_label.h"
#include "core/trace/label_forms.h"

namespace lanescope {

namespace {

using Texts = std::vector<std::string_view>;

struct AttentionFacts {
    std::string direction;  // "fwd", "bwd", "decode", …
    std::string head_size;
    bool causal = false;
    std::string type;
    std::string tile;
    std::vector<std::string> details;
    std::string library;
};

std::string label_of_attention(const AttentionFacts& facts) {
    std::vector<std::string> words{"attention"};
    if (!facts.direction.empty()) words.push_back(facts.direction);
    if (!facts.head_size.empty()) words.push_back("d" + facts.head_size);
    if (facts.causal) words.emplace_back("causal");
    if (!facts.type.empty()) words.push_back(facts.type);
    if (!facts.tile.empty()) words.push_back(facts.tile);
    words.insert(words.end(), facts.details.begin(), facts.details.end());
    words.push_back(facts.library);
    return label_of_words(words);
}

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::size_t digits_at(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    return end - at;
}
bool only_digits(std::string_view text) {
    return !text.empty() && digits_at(text, 0) == text.size();
}

Texts split_words(std::string_view name) {
    Texts words;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('_', begin), name.size());
        if (end > begin) words.push_back(name.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

std::string with_crosses(std::string_view sizes) {
    std::string text;
    for (const char c : sizes) text += c == 'x' ? std::string("×") : std::string(1, c);
    return text;
}

// FlashAttention 2: flash_fwd_kernel<Flash_fwd_kernel_traits<head size, M, N, …, type, …>, flags>.
// The flags are dropout, causal, local, …; the split-keys kernel has no dropout flag.
std::string flash2_label(const CppName& parts) {
    AttentionFacts facts;
    const bool backward = parts.function.starts_with("flash_bwd_");
    facts.direction = backward ? "bwd" : "fwd";
    facts.library = "flash";
    Texts flags;
    for (const std::string_view argument : split_template_arguments(parts.arguments)) {
        if (!has(argument, "_traits<")) {
            flags.push_back(argument);
            continue;
        }
        const Texts traits = split_template_arguments(parse_cpp_name(argument).arguments);
        if (traits.size() > 2) {
            facts.head_size = traits[0];
            facts.tile = fmt::format("{}×{}", traits[1], traits[2]);
        }
        for (const std::string_view trait : traits)
            if (facts.type.empty() && number_type(trait).ends_with("f16"))
                facts.type = number_type(trait);
    }
    std::string_view variant = parts.function.substr(std::string_view("flash_fwd_").size());
    for (const std::string_view tail : {"_kernel", "kernel", "_loop_seqk_parallel"})
        if (variant.ends_with(tail)) variant.remove_suffix(tail.size());
    const bool split = variant == "splitkv";
    const std::size_t causal = split ? 0 : 1;
    const bool has_flags = variant.empty() || split || variant == "dq_dk_dv";
    facts.causal = has_flags && causal < flags.size() && flags[causal] == "true";
    if (has_flags && causal + 1 < flags.size() && flags[causal + 1] == "true")
        facts.details.emplace_back("local");
    if (has_flags && !split && !flags.empty() && flags[0] == "true")
        facts.details.emplace_back("dropout");
    if (!variant.empty()) facts.details.insert(facts.details.begin(), std::string(variant));
    return label_of_attention(facts);
}

// "cute::tuple<cute::C<128>, cute::C<176>, cute::C<64>>" → {"128", "176", "64"}
Texts tuple_sizes(std::string_view tuple) {
    Texts sizes;
    for (const std::string_view one : split_template_arguments(parse_cpp_name(tuple).arguments)) {
        const std::string_view value = parse_cpp_name(one).arguments;
        if (!only_digits(value)) return {};
        sizes.push_back(value);
    }
    return sizes;
}

// FlashAttention 3: CollectiveMainloop…<stages, cluster, tile, …, type, sums, architecture, causal,
// local, …>
std::string flash3_label(std::string_view name) {
    const std::size_t at = name.find("CollectiveMainloop");
    if (at == std::string_view::npos) return {};
    const CppName mainloop = parse_cpp_name(name.substr(at));
    AttentionFacts facts;
    facts.direction = has(mainloop.function, "Bwd") ? "bwd" : "fwd";
    facts.library = "flash3";
    Texts flags;
    for (const std::string_view argument : split_template_arguments(mainloop.arguments)) {
        if (argument == "true" || argument == "false") {
            flags.push_back(argument);
        } else if (const Texts sizes = tuple_sizes(argument); sizes.size() == 3) {
            facts.tile = fmt::format("{}×{}", sizes[0], sizes[1]);
            facts.head_size = sizes[2];
        } else if (const std::string_view type = number_type(argument);
                   facts.type.empty() && !type.empty()) {
            facts.type = type;
        }
    }
    facts.causal = !flags.empty() && flags[0] == "true";
    if (flags.size() > 1 && flags[1] == "true") facts.details.emplace_back("local");
    if (has(mainloop.function, "Fwd") && flags.size() > 3 && flags[3] == "true")
        facts.details.emplace_back("varlen");
    return label_of_attention(facts);
}

// "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext"
std::string fmha_sm_label(std::string_view name) {
    AttentionFacts facts;
    facts.library = "trtllm";
    std::string_view rest = name.substr(std::min(name.find('_') + 1, name.size()));
    const auto take_type = [&](std::string_view key) {
        constexpr std::array kTypes = {std::pair("Bfloat16", "bf16"), std::pair("Fp16", "f16"),
                                       std::pair("E4m3", "e4m3"), std::pair("E2m1", "e2m1")};
        for (const auto& [word, type] : kTypes) {
            const std::string whole = std::string(key) + word;
            if (!rest.starts_with(whole)) continue;
            rest.remove_prefix(whole.size());
            return std::string(type);
        }
        return std::string();
    };
    const std::string in = take_type("Qkv");
    const std::string out = take_type("O");
    facts.type = out.empty() || in == out ? in : fmt::format("{}→{}", in, out);
    if (rest.starts_with('H')) {
        const std::size_t digits = digits_at(rest, 1);
        facts.head_size = rest.substr(1, digits);
        rest.remove_prefix(1 + digits);
    }
    facts.direction = has(rest, "Context") ? "prefill" : has(rest, "ForGen") ? "decode" : "fwd";
    facts.causal = has(rest, "Causal");
    if (const std::size_t tile = rest.find("Q"); tile != std::string_view::npos) {
        const std::size_t q = digits_at(rest, tile + 1);
        const std::string_view after = rest.substr(tile + 1 + q);
        if (q > 0 && after.starts_with("Kv"))
            facts.tile = fmt::format("{}×{}", rest.substr(tile + 1, q),
                                     after.substr(2, digits_at(after, 2)));
    }
    for (const auto& [sign, word] :
         {std::pair("SlidingOrChunked", "sliding"), std::pair("PagedKv", "paged"),
          std::pair("MultiCtasKv", "split-kv"), std::pair("Persistent", "persistent")})
        if (has(rest, sign)) facts.details.emplace_back(word);
    return label_of_attention(facts);
}

// Names of words: "fmha_cutlassF_f16_aligned_64x128_rf_sm80", "fmha_bwd_hd128_bf16_causal_a32",
// "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1_…"
std::string words_label(std::string_view function) {
    AttentionFacts facts;
    const bool cudnn = function.starts_with("cudnn_");
    for (const std::string_view word : split_words(function)) {
        const bool sizes = digits_at(word, 0) > 0 && has(word, "x");
        if (word == "fmha" || word == "cudnn" || word == "generated" || word == "fort" ||
            word == "native" || word == "sdpa" || word == "flash" || word == "kernel")
            continue;
        if (word == "cutlassF" || word == "fwd" || word == "fprop") {
            facts.direction = "fwd";
        } else if (word == "cutlassB" || word == "bwd" || word == "bprop") {
            facts.direction = "bwd";
        } else if (word == "bf16" || word == "f16" || word == "f32" || word == "fp8") {
            facts.type = word;
        } else if (word == "fp16") {
            facts.type = "f16";
        } else if (word == "causal") {
            facts.causal = true;
        } else if (word.starts_with("hd") && only_digits(word.substr(2))) {
            facts.head_size = word.substr(2);
        } else if (sizes && facts.tile.empty()) {
            facts.tile = with_crosses(word);
        } else {
            facts.details.push_back(sizes ? with_crosses(word) : std::string(word));
        }
    }
    facts.library = cudnn ? "cudnn" : has(function, "cutlass") ? "mem-efficient" : "fmha";
    return label_of_attention(facts);
}

// Composable Kernel: FmhaFwdKernel<…TileFmhaShape<sequence<M, N, K, N1, K1, head size>…>
std::string ck_tile_label(std::string_view name, const CppName& parts) {
    AttentionFacts facts;
    facts.direction = has(parts.function, "Bwd") ? "bwd" : "fwd";
    facts.library = "ck_tile";
    if (const std::size_t at = name.find("TileFmha"); at != std::string_view::npos) {
        const Texts shape = split_template_arguments(parse_cpp_name(name.substr(at)).arguments);
        const Texts sizes =
            shape.empty() ? Texts() : split_template_arguments(parse_cpp_name(shape[0]).arguments);
        if (sizes.size() >= 6) {
            facts.tile = fmt::format("{}×{}", sizes[0], sizes[1]);
            facts.head_size = sizes[5];
        }
    }
    facts.type = has(name, "bf") ? "bf16" : has(name, "_Float16") || has(name, "half") ? "f16" : "";
    facts.causal = has(name, "AttentionMask<true");
    return label_of_attention(facts);
}

}  // namespace

std::string attention_label(std::string_view name, const CppName& parts) {
    const std::string_view function = parts.function;
    if (function.starts_with("flash_fwd_") || function.starts_with("flash_bwd_"))
        return flash2_label(parts);
    if (function.starts_with("FlashAttn")) return flash3_label(name);
    if (function.starts_with("fmhaSm")) return fmha_sm_label(function);
    if (function.starts_with("Fmha")) return ck_tile_label(name, parts);
    if (function.starts_with("fmha_") ||
        (function.starts_with("cudnn_generated") && has(function, "sdpa")))
        return words_label(function);
    return {};
}

}  // namespace lanescope

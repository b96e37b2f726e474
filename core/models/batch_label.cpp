#include "core/models/batch_label.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace lanescope {

namespace {

constexpr BatchSums kNoRequests = {0, 0, 0, 0, 0};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Removes the number at the start of the text, and returns it; kNoValue: none.
int64_t take_number(std::string_view& text) {
    int64_t value = kNoValue;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0) return kNoValue;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

// Removes everything up to and including `word`. Returns whether the text contains the word.
bool skip_past(std::string_view& text, std::string_view word) {
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + word.size());
    return true;
}

// The value of "key=12" in words that are separated by spaces. "117/128" means 117 of 128 slots.
int64_t value_of(std::string_view words, std::string_view key) {
    while (!words.empty()) {
        std::string_view word = words.substr(0, words.find(' '));
        words.remove_prefix(std::min(words.size(), word.size() + 1));
        if (!word.starts_with(key) || word.size() == key.size() || word[key.size()] != '=')
            continue;
        word.remove_prefix(key.size() + 1);
        return take_number(word);
    }
    return kNoValue;
}

bool contradict(int64_t smaller, int64_t larger) {
    return smaller != kNoValue && larger != kNoValue && smaller > larger;
}

// Keeps only the number of requests if the sums contradict each other: every request has at least
// one query, and every query is also a key.
BatchSums sound(const BatchSums& sums) {
    const bool wrong = contradict(sums.requests, sums.queries) ||
                       contradict(sums.queries, sums.keys) ||
                       contradict(sums.queries, sums.query_squares) ||
                       contradict(sums.query_squares, sums.query_keys);
    return wrong ? BatchSums{sums.requests} : sums;
}

int64_t sum_of(int64_t a, int64_t b) {
    return a == kNoValue || b == kNoValue || a > INT64_MAX - b ? kNoValue : a + b;
}

BatchPhase phase_of(int64_t prompts, int64_t generating) {
    if (prompts == kNoValue || generating == kNoValue) return BatchPhase::unknown;
    if (prompts > 0 && generating > 0) return BatchPhase::mixed;
    if (prompts > 0) return BatchPhase::prefill;
    return generating > 0 ? BatchPhase::decode : BatchPhase::unknown;
}

BatchLabel label_of(BatchSums prefill, BatchSums decode) {
    if (prefill.requests == 0) prefill = kNoRequests;
    if (decode.requests == 0) decode = kNoRequests;
    BatchLabel label;
    label.phase = phase_of(prefill.requests, decode.requests);
    label.prefill = sound(prefill);
    label.decode = sound(decode);
    const auto both = [&](int64_t BatchSums::*sum) {
        label.all.*sum = sum_of(label.prefill.*sum, label.decode.*sum);
    };
    for (const auto sum : {&BatchSums::requests, &BatchSums::queries, &BatchSums::keys,
                           &BatchSums::query_squares, &BatchSums::query_keys})
        both(sum);
    return label;
}

// Parses the sums after the number of requests: "(sq8155sk8430sqsq7475785sqsk7671310)",
// "(888_788544)" (tokens and the sum of their squares) or "(888)".
BatchSums take_vllm_sums(std::string_view& text) {
    BatchSums sums;
    sums.requests = take_number(text);
    if (!text.starts_with('(')) return sums;
    text.remove_prefix(1);
    if (!text.empty() && is_digit(text.front())) {
        sums.queries = take_number(text);
        if (text.starts_with('_')) {
            text.remove_prefix(1);
            sums.query_squares = take_number(text);
        }
        return sums;
    }
    while (!text.empty() && text.front() != ')') {
        const auto number = std::ranges::find_if(text, is_digit);
        const std::string_view key(text.begin(), number);
        text.remove_prefix(key.size());
        const int64_t value = take_number(text);
        if (value == kNoValue) break;
        if (key == "sq") sums.queries = value;
        if (key == "sk") sums.keys = value;
        if (key == "sqsq") sums.query_squares = value;
        if (key == "sqsk") sums.query_keys = value;
    }
    return sums;
}

// vLLM: "execute_context_2(14721)_generation_0(0)",
// "execute_14721_context_2(sq…)_generation_0(sq…)" and, in older versions,
// "execute_new_1_cached_3". A context is a request without generated tokens. Cached requests were
// scheduled before: they generate tokens, or continue a long prompt.
std::optional<BatchLabel> read_vllm(std::string_view text) {
    if (text.starts_with("new_")) {
        skip_past(text, "new_");
        const int64_t fresh = take_number(text);
        if (!skip_past(text, "cached_")) return std::nullopt;
        const int64_t cached = take_number(text);
        if (cached == 0) return label_of({fresh}, kNoRequests);
        BatchLabel label;
        label.all.requests = sum_of(fresh, cached);
        return label;
    }
    if (!skip_past(text, "context_")) return std::nullopt;
    const BatchSums prefill = take_vllm_sums(text);
    if (!skip_past(text, "generation_")) return std::nullopt;
    return label_of(prefill, take_vllm_sums(text));
}

BatchSums part_of(std::string_view words, std::string_view prefix, int64_t requests) {
    const auto value = [&](std::string_view key) {
        return value_of(words, std::string(prefix) + std::string(key));
    };
    return {requests, value("sq"), value("sk"), value("sqsq"), value("sqsk")};
}

// SGLang: "step[EXTEND bs=2 toks=90]", "step[DECODE bs=16 g_sq=16 g_sk=8193 g_sqsq=16
// g_sqsk=8193]", "step[MIXED bs=2 c=1 g=1 c_sq=5 …]", "step[IDLE]". Some versions omit c_sq and
// g_sq. In TARGET_VERIFY, sequences that generate tokens verify several draft tokens each.
std::optional<BatchLabel> read_sglang(std::string_view text) {
    if (!text.ends_with(']')) return std::nullopt;
    text.remove_suffix(1);
    std::string mode(text.substr(0, text.find(' ')));
    std::ranges::transform(mode, mode.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const int64_t requests = value_of(text, "bs");
    if (mode == "EXTEND" || mode == "PREFILL" || mode == "SPLIT_PREFILL") {
        BatchSums prefill = part_of(text, "c_", requests);
        // 0 means that the engine does not know the number.
        if (prefill.queries == kNoValue) prefill.queries = value_of(text, "toks");
        if (prefill.queries == 0) prefill.queries = kNoValue;
        return label_of(prefill, kNoRequests);
    }
    if (mode == "DECODE" || mode == "TARGET_VERIFY") {
        BatchSums decode = part_of(text, "g_", requests);
        const bool one_each = decode.query_squares == requests ||
                              (decode.query_squares == kNoValue && mode == "DECODE");
        if (decode.queries == kNoValue && one_each) decode.queries = requests;
        return label_of(kNoRequests, decode);
    }
    BatchLabel label;
    if (mode == "MIXED") {
        label = label_of(part_of(text, "c_", value_of(text, "c")),
                         part_of(text, "g_", value_of(text, "g")));
        if (label.phase == BatchPhase::unknown) label.phase = BatchPhase::mixed;
    }
    if (label.all.requests == kNoValue) label.all.requests = requests;
    return label;
}

// ATOM: "prefill[bs=2 tok=14721 ctx=[7803, 6918] sqsq=… sqsk=… sk=…]", "decode[bs=64 tok=64 d=64]".
// p and d: numbers of prefill and decode requests, whose sums are stated together.
std::optional<BatchLabel> read_atom(std::string_view text, BatchPhase phase) {
    if (!text.ends_with(']')) return std::nullopt;
    text.remove_suffix(1);
    const int64_t requests = value_of(text, "bs");
    if (requests == kNoValue) return std::nullopt;
    BatchSums sums = part_of(text, "", requests);
    sums.queries = value_of(text, "tok");
    const bool prefill = phase == BatchPhase::prefill;
    if (value_of(text, prefill ? "d" : "p") > 0) {
        BatchLabel label;
        label.phase = BatchPhase::mixed;
        label.all = sound(sums);
        return label;
    }
    return prefill ? label_of(sums, kNoRequests) : label_of(kNoRequests, sums);
}

std::optional<BatchLabel> read_atom_prefill(std::string_view text) {
    return read_atom(text, BatchPhase::prefill);
}

std::optional<BatchLabel> read_atom_decode(std::string_view text) {
    return read_atom(text, BatchPhase::decode);
}

// TensorRT-LLM: "[Executor] _forward_step 12: 1 ctx reqs, 512 ctx tokens, 31 gen reqs". Older
// versions omit the tokens and the number of the step.
std::optional<BatchLabel> read_tensorrt_llm(std::string_view text) {
    if (!skip_past(text, ": ")) return std::nullopt;
    BatchSums prefill{take_number(text)};
    if (!text.starts_with(" ctx reqs, ")) return std::nullopt;
    skip_past(text, ", ");
    BatchSums decode{take_number(text)};
    if (text.starts_with(" ctx tokens, ")) {
        prefill.queries = decode.requests;
        skip_past(text, ", ");
        decode.requests = take_number(text);
    }
    if (!text.starts_with(" gen reqs")) return std::nullopt;
    return label_of(prefill, decode);
}

struct Form {
    std::string_view begin;
    std::optional<BatchLabel> (*read)(std::string_view rest);
};

constexpr std::array kForms = {
    Form{"execute_", read_vllm},
    Form{"step[", read_sglang},
    Form{"prefill[", read_atom_prefill},
    Form{"eager_prefill[", read_atom_prefill},
    Form{"decode[", read_atom_decode},
    Form{"eager_decode[", read_atom_decode},
    Form{"[Executor] _forward_step", read_tensorrt_llm},
};

bool differ(int64_t a, int64_t b) {
    return a != kNoValue && b != kNoValue && a != b;
}

void fill(BatchSums& sums, const BatchSums& other) {
    for (const auto sum : {&BatchSums::requests, &BatchSums::queries, &BatchSums::keys,
                           &BatchSums::query_squares, &BatchSums::query_keys})
        if (sums.*sum == kNoValue) sums.*sum = other.*sum;
}

}  // namespace

std::string_view batch_phase_name(BatchPhase phase) {
    constexpr std::array<std::string_view, 4> names = {"", "prefill", "decode", "mixed"};
    return names[static_cast<std::size_t>(phase)];
}

std::optional<BatchPhase> batch_phase_named(std::string_view name) {
    const auto* const found = std::ranges::find(kBatchPhases, name, batch_phase_name);
    return found == kBatchPhases.end() ? std::nullopt : std::optional(*found);
}

std::optional<BatchLabel> read_batch_label(std::string_view name) {
    for (const Form& form : kForms)
        if (name.starts_with(form.begin)) return form.read(name.substr(form.begin.size()));
    return std::nullopt;
}

void complete(BatchLabel& label, const BatchLabel& other) {
    const bool one_phase = label.phase == other.phase || label.phase == BatchPhase::unknown ||
                           other.phase == BatchPhase::unknown;
    if (!one_phase || differ(label.all.requests, other.all.requests) ||
        differ(label.all.queries, other.all.queries) || differ(label.all.keys, other.all.keys))
        return;
    if (label.phase == BatchPhase::unknown) label.phase = other.phase;
    fill(label.prefill, other.prefill);
    fill(label.decode, other.decode);
    fill(label.all, other.all);
}

}  // namespace lanescope

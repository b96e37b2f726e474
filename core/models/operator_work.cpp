#include "core/models/operator_work.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/models/batch_label.h"

namespace lanescope {

namespace {

using Rules = std::unordered_map<std::string_view, const Rule*>;

const Rules& all_rules() {
    static const Rules rules = [] {
        Rules result;
        for (const auto& family :
             {matrix_rules(), convolution_rules(), attention_rules(), elementwise_rules(),
              memory_rules(), norm_rules(), custom_rules(), serving_rules(), sparse_rules()})
            for (const Rule& rule : family) result.emplace(rule.name, &rule);
        return result;
    }();
    return rules;
}

constexpr std::string_view kAten = "aten::";
constexpr std::string_view kTriton = "triton_*";

// "aten::mul_" and "_foreach_mul_" write to their input.
bool is_in_place(std::string_view name) {
    return name.ends_with('_') && !name.ends_with("__");
}

const Rule* find_exactly(std::string_view name) {
    const auto at = all_rules().find(name);
    return at == all_rules().end() ? nullptr : at->second;
}

// SGLang records its own functions as "sglang_profiler::FILE_FUNCTION_NUMBER".
constexpr std::string_view kSglangProfiler = "sglang_profiler::";
std::string_view without_number(std::string_view name) {
    const std::size_t last = name.find_last_not_of("0123456789");
    return last == std::string_view::npos || name[last] != '_' ? name : name.substr(0, last);
}

const Rule* find_sglang_rule(std::string_view name) {
    name = without_number(name.substr(kSglangProfiler.size()));
    while (true) {
        if (const Rule* const rule = find_exactly(std::string(kSglangProfiler) + std::string(name)))
            return rule;
        const std::size_t next = name.find('_');
        if (next == std::string_view::npos) return nullptr;
        name.remove_prefix(next + 1);
    }
}

const Rule* find_rule(std::string_view name) {
    if (name.starts_with(kAten)) {
        name.remove_prefix(kAten.size());
        if (const Rule* const rule = find_exactly(name)) return rule;
        return is_in_place(name) ? find_exactly(name.substr(0, name.size() - 1)) : nullptr;
    }
    if (name.starts_with("triton_")) return find_exactly(kTriton);
    if (name.starts_with(kSglangProfiler)) return find_sglang_rule(name);
    const std::size_t colon = name.rfind("::");
    if (colon == std::string_view::npos) return nullptr;
    return find_exactly("*" + std::string(name.substr(colon)));
}

}  // namespace

// Operators whose arguments do not determine their work: compiled graphs have the program's inputs,
// and vLLM's experts have their weights in a layer that is only named.
bool has_unrelated_arguments(std::string_view name) {
    constexpr std::array<std::string_view, 4> kNames = {
        "CompiledFunction", "CompiledFunctionBackward", "vllm::moe_forward",
        "vllm::moe_forward_shared"};
    return std::ranges::find(kNames, name) != kNames.end();
}

std::string_view quality_name(Quality quality) {
    constexpr std::array<std::string_view, 4> names = {"exact", "at least", "at most", "inferred"};
    return names[static_cast<std::size_t>(quality)];
}

std::string_view no_model_reason(NoModel why) {
    constexpr std::array<std::string_view, 15> reasons = {
        "",
        "no operator is known to have launched it",
        "the operator has no model",
        "the file has no shapes",
        "strides, padding or other plain arguments are not recorded",
        "the type of its numbers is not recorded",
        "a list of tensors is not recorded",
        "the work depends on numbers in memory",
        "its data are not among its arguments",
        "shapes do not fit the operator",
        "shapes are not integers",
        "its work does not fit 64 bits",
        "a helper of another kernel of its operator",
        "a collective; its message is known",
        "a collective; its message is not recorded"};
    return reasons[static_cast<std::size_t>(why)];
}

NoModel why_unread(std::string_view dims) {
    return parse_inputs({dims, {}, {}, {}}) ? NoModel::misfit : NoModel::unreadable;
}

const Input& Call::at(int i) const {
    static const Input nothing;
    const bool exists = i >= 0 && static_cast<std::size_t>(i) < inputs_.size();
    return exists ? inputs_[static_cast<std::size_t>(i)] : nothing;
}

int64_t Call::kept(Count count) {
    cut_ = cut_ || count.saturated;
    return count.n;
}

int64_t Call::dim(int i, int64_t d) {
    const Shape& s = shape(i);
    const auto rank = static_cast<int64_t>(s.size());
    const int64_t place = d < 0 ? rank + d : d;
    need(place >= 0 && place < rank);
    return place >= 0 && place < rank ? s[static_cast<std::size_t>(place)] : 0;
}

Count Call::stored(int i) const {
    const Input& input = at(i);
    Count all = 1;
    for (std::size_t d = 0; d < input.shape.size(); ++d) {
        const bool repeats = !input.strides.empty() && input.strides[d] == 0 && input.shape[d] > 0;
        if (!repeats) all = all * Count(input.shape[d]);
    }
    return all;
}

DataType Call::type(int i) {
    const DataType known = at(i).data_type;
    if (known != DataType::unknown) return known;
    need(hint != DataType::unknown, NoModel::no_type);
    return hint;
}

Count Call::bytes(int i) {
    if (at(i).is_list) return bytes_of_list(i);
    if (!has(i)) return 0;
    return stored(i) * Count(bytes_of(type(i)));
}

Count Call::elements_of_list(int i) {
    need(!at(i).list.empty(), NoModel::hidden_list);
    Count all;
    for (const Shape& shape : at(i).list) all = all + product_of(shape);
    return all;
}

Count Call::bytes_of_list(int i) {
    need(hint != DataType::unknown, NoModel::no_type);
    return elements_of_list(i) * Count(bytes_of(hint));
}

Count Call::bytes_of_type(Count elements, DataType type) {
    need(type != DataType::unknown, NoModel::no_type);
    return elements * Count(bytes_of(type));
}

Shape Call::sizes(int i) {
    const Shape values = numbers_in(at(i).concrete);
    const bool sound =
        std::ranges::all_of(values, [](int64_t v) { return v >= 0 && v <= INT32_MAX; });
    need(sound);
    return sound ? values : Shape();
}

bool Call::has_values() const {
    return std::ranges::any_of(inputs_, [](const Input& input) { return !input.concrete.empty(); });
}

bool has_rule(std::string_view name) {
    return find_rule(name) != nullptr || has_unrelated_arguments(name);
}

bool needs_batch(std::string_view name) {
    return name.ends_with("::unified_attention_with_output") ||
           name.ends_with("::unified_attention") ||
           (name.starts_with(kSglangProfiler) &&
            name.find("paged_attention_ragged") != std::string_view::npos);
}

bool gives_batch(std::string_view annotation) {
    const std::optional<BatchLabel> label = read_batch_label(annotation);
    return label && label->all.query_squares != kNoValue;
}

bool needs_parent(std::string_view name) {
    return name.starts_with("aten::cudnn_convolution_backward_") ||
           name.starts_with("aten::cudnn_convolution_transpose_backward_");
}

Modelled work_of(Call& call) {
    const Rule* rule = find_rule(call.name);
    // The user's own Triton kernels can have any name.
    if (!rule && call.estimate.any()) rule = find_exactly(kTriton);
    if (!rule)
        return {{}, has_unrelated_arguments(call.name) ? NoModel::elsewhere : NoModel::no_rule};
    call.in_place = is_in_place(call.name);
    Modelled modelled{rule->work(call, *rule), NoModel::none};
    const Work& w = modelled.work;
    call.need(w.type != DataType::unknown, NoModel::no_type);
    modelled.why = call.problem;
    modelled.cut = call.cut() || w.flops.saturated || w.flops_dense.saturated ||
                   w.bytes_read.saturated || w.bytes_written.saturated;
    if (!modelled.cut) return modelled;
    // No real operator is that large: results computed from the numbers would be meaningless.
    modelled.work.note = "sizes beyond 64 bits are cut";
    modelled.work.has_floor = false;
    modelled.work.product = false;
    return modelled;
}

}  // namespace lanescope

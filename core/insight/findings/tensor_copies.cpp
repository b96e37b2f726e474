#include "core/insight/findings/tensor_copies.h"

#include <algorithm>
#include <array>

#include "core/models/arguments.h"

namespace lanescope {

namespace {

template <std::size_t N>
bool has_any(std::string_view text, const std::array<std::string_view, N>& parts) {
    return std::ranges::any_of(
        parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

bool is_copy_operator(std::string_view name) {
    return name == "aten::copy_";
}

// PyTorch's copies between two given types, and cuDNN's.
bool is_named_cast(std::string_view name) {
    constexpr std::array<std::string_view, 4> parts = {
        "bfloat16_copy_kernel", "float16_copy_kernel", "float8_copy_kernel", "CastTensor"};
    return has_any(name, parts);
}

// A copy by the copy engine keeps the bits, so it cannot change the type.
bool is_copy_on_device(std::string_view name) {
    return name.find("DtoD") != std::string_view::npos ||
           name.find("DeviceToDevice") != std::string_view::npos;
}

bool is_to_copy(std::string_view name) {
    return name == "aten::_to_copy";
}

bool rearranges(std::string_view name) {
    constexpr std::array<std::string_view, 8> names = {
        "aten::contiguous", "aten::clone",   "aten::reshape", "aten::addmm",
        "aten::baddbmm",    "aten::flatten", "aten::matmul",  "aten::expand_copy"};
    return std::ranges::find(names, name) != names.end();
}

}  // namespace

TensorCopies::TensorCopies(const RuleInput& input)
    : input_(input),
      attribution_(input.attribution),
      operators_(input.context.get<OperatorIndex>()),
      copies_(input.trace().strings, is_copy_operator),
      named_cast_(input.trace().strings, is_named_cast),
      on_device_(input.trace().strings, is_copy_on_device),
      to_copy_(input.trace().strings, is_to_copy),
      rearranges_(input.trace().strings, rearranges) {}

std::optional<bool> TensorCopies::changes_type(SliceRef op) const {
    const Trace& trace = input_.trace();
    const uint32_t row = operators_.row(op);
    if (row == kNoRow || trace.operators.input_types.empty()) return {};
    const StringId types = trace.operators.input_types[row];
    if (types == StringPool::none) return {};
    const auto names = strings_in(trace.strings[types]);
    if (names.size() < 2 || names[0].empty() || names[1].empty()) return {};
    return names[0] != names[1];
}

TensorCopy TensorCopies::kind_of(const GpuWork& work) const {
    const Trace& trace = input_.trace();
    const StringId name = trace.name_id(trace.gpu_activities.slice[work.row]);
    const bool by_engine = work.kind == WorkKind::copy;
    if (by_engine ? !on_device_(name) : work.kind != WorkKind::compute) return TensorCopy::none;
    const SliceRef op = attribution_.op[work.row];
    if (!op) return named_cast_(name) ? TensorCopy::by_name : TensorCopy::none;
    if (!copies_(trace.name_id(op))) {
        // The operator copies an operand before it computes: addmm its bias, for example.
        const bool copies_operand = by_engine && rearranges_(trace.name_id(op));
        return copies_operand ? TensorCopy::rearranged : TensorCopy::none;
    }
    const auto changes = by_engine ? std::optional(false) : changes_type(op);
    if (changes == true) return TensorCopy::cast;
    const bool converted =
        !by_engine && !changes && (named_cast_(name) || caller_with(input_, op, to_copy_));
    if (converted) return TensorCopy::by_name;
    return caller_with(input_, op, rearranges_) ? TensorCopy::rearranged : TensorCopy::other;
}

SliceRef TensorCopies::cause_of(const GpuWork& work) const {
    return caller_with(input_, attribution_.op[work.row], rearranges_);
}

}  // namespace lanescope

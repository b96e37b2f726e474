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
    constexpr std::array<std::string_view, 20> names = {
        "aten::contiguous",      "aten::clone",
        "aten::reshape",         "aten::flatten",
        "aten::unflatten",       "aten::expand_copy",
        "aten::permute_copy",    "aten::transpose_copy",
        "aten::pixel_shuffle",   "aten::pixel_unshuffle",
        "aten::channel_shuffle", "aten::addmm",
        "aten::baddbmm",         "aten::bmm",
        "aten::matmul",          "aten::linear",
        "aten::einsum",          "aten::convolution",
        "aten::_convolution",    "aten::scaled_dot_product_attention"};
    return std::ranges::find(names, name) != names.end();
}

bool copies_elements(std::string_view name) {
    return name.find("copy_kernel") != std::string_view::npos;
}

// A PyTorch copy between equal types ("nocast") in which at least one side is not contiguous, or
// the sides have different orders: other copies run the vectorised kernel.
bool is_strided_copy(std::string_view name) {
    return name.find("native::elementwise_kernel") != std::string_view::npos &&
           name.find("gpu_kernel_impl_nocast<at::native::direct_copy_kernel") !=
               std::string_view::npos;
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
      rearranges_(input.trace().strings, rearranges),
      strided_(input.trace().strings, is_strided_copy),
      of_name_(input.trace().strings.size(), TensorCopy::none) {
    const Trace& trace = input.trace();
    const NameTest is_copy(trace.strings, copies_elements);
    for (const DeviceWindow& device : input.devices)
        for (const GpuWork& work : device.work->work) {
            const StringId name = trace.name_id(trace.gpu_activities.slice[work.row]);
            const SliceRef op = attribution_.op[work.row];
            if (!op || work.kind != WorkKind::compute || !is_copy(name)) continue;
            const TensorCopy kind = kind_of_operator(work, name, op);
            const TensorCopy known = kind == TensorCopy::none ? TensorCopy::other : kind;
            TensorCopy& of_all = of_name_[name];
            of_all = of_all == TensorCopy::none || of_all == known ? known : TensorCopy::other;
        }
}

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
    if (op) return kind_of_operator(work, name, op);
    return by_engine ? TensorCopy::none : kind_of_name(name);
}

TensorCopy TensorCopies::kind_of_name(StringId name) const {
    if (named_cast_(name)) return TensorCopy::by_name;
    switch (of_name_[name]) {
        case TensorCopy::cast:
        case TensorCopy::by_name:
            return TensorCopy::by_name;
        case TensorCopy::rearranged:
            return TensorCopy::rearranged_by_name;
        case TensorCopy::none:
            return strided_(name) ? TensorCopy::rearranged_by_name : TensorCopy::none;
        default:
            return TensorCopy::none;
    }
}

TensorCopy TensorCopies::kind_of_operator(const GpuWork& work, StringId name, SliceRef op) const {
    const Trace& trace = input_.trace();
    const bool by_engine = work.kind == WorkKind::copy;
    if (!copies_(trace.name_id(op))) {
        // The operator copies an operand before it computes: addmm its bias, for example.
        const bool copies_operand = by_engine && rearranges_(trace.name_id(op));
        return copies_operand ? TensorCopy::rearranged : TensorCopy::none;
    }
    const bool is_same = by_engine || strided_(name);
    const auto changes = is_same ? std::optional(false) : changes_type(op);
    if (changes == true) return TensorCopy::cast;
    const bool converted =
        !by_engine && !changes && (named_cast_(name) || caller_with(input_, op, to_copy_));
    if (converted) return TensorCopy::by_name;
    // aten::_to_copy to the same type changes only the order of dimensions (memory_format).
    const bool to_layout = !by_engine && changes == false && caller_with(input_, op, to_copy_);
    return to_layout || caller_with(input_, op, rearranges_) ? TensorCopy::rearranged
                                                             : TensorCopy::other;
}

SliceRef TensorCopies::cause_of(const GpuWork& work) const {
    const SliceRef op = attribution_.op[work.row];
    const SliceRef cause = caller_with(input_, op, rearranges_);
    return cause ? cause : caller_with(input_, op, to_copy_);
}

}  // namespace lanescope

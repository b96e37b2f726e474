// Matrix work on the units for plain arithmetic, although the device has units for matrices.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"
#include "core/models/device_specs.h"
#include "core/models/kernel_name.h"

namespace lanescope {

struct NoTensorCoresRule : RuleBase {
    static constexpr RuleText kText = {
        "no-tensor-cores", "Matrix work runs without tensor cores",
        "kernels with the names of cuBLAS, cuDNN, CUTLASS or MIOpen"};
    double min_share =
        ratio("min_share", 0.01, "the time that tensor cores would save, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<NoTensorCoresRule>();

namespace {

// Empty: the file does not name the device, or its rates are not known.
std::optional<DevicePeaks> peaks_of(const RuleInput& input, const DeviceWindow& device) {
    const Device* const described =
        device_like(input.trace(), input.part_of(device), device.summary->device);
    if (!described) return {};
    return find_peaks(input.context.evidence().get<SpecsBook>(), *described);
}

struct Faster {
    double share = 0;  // of the time that the faster units would save
    DataType type = DataType::unknown;
};

// The first type of 16 or more bits for which the device's matrix units are faster. A share of 0:
// there is none, or the rates are not known.
Faster faster_units(const DevicePeaks& peaks) {
    const auto plain = peaks.rate(DataType::fp32, Pipe::vector);
    if (!plain) return {};
    // TF32 comes first: it needs no change of the model.
    for (const DataType type : {DataType::tf32, DataType::bf16, DataType::fp16}) {
        const auto rate = peaks.rate(type, Pipe::tensor);
        if (rate && rate->per_second > plain->per_second)
            return {1 - plain->per_second / rate->per_second, type};
    }
    return {};
}

// Advice for a device whose rates are unknown: only its kernels show whether it has tensor cores.
constexpr std::string_view kUnknownAdvice =
    "Use the tensor cores: on Ampere and later GPUs allow TF32 "
    "(torch.set_float32_matmul_precision(\"high\"), torch.backends.cudnn.allow_tf32 = True), on "
    "all since Volta use 16 bits where the model allows it (torch.autocast).";

std::string_view name_of_device(const RuleInput& input, const DeviceWindow& device) {
    const Device* const described = input.described(device);
    return described ? std::string_view(described->name) : std::string_view();
}

std::string tensor_advice(DataType type) {
    if (type == DataType::tf32)
        return "Allow TF32: torch.set_float32_matmul_precision(\"high\") and "
               "torch.backends.cudnn.allow_tf32 = True; or train and infer in 16 bits with "
               "torch.autocast(\"cuda\", dtype=torch.bfloat16).";
    return "Use 16 bits where the model allows it: torch.autocast(\"cuda\", dtype=torch.float16) "
           "with torch.amp.GradScaler in training. This device's tensor cores do not multiply "
           "32-bit numbers.";
}

// Without the device's rates the cost is unknown. Kernels for Volta and later say that the device
// has tensor cores (all but the GTX 16 series).
std::optional<Finding> without_rates(const RuleInput& input, const DeviceWindow& device,
                                     const WindowWork& plain, double min_share) {
    const Trace& trace = input.trace();
    const Nanos time = total_length(plain.times);
    const bool is_new = std::ranges::any_of(plain.all, [&](const GpuWork& work) {
        const std::string_view name = trace.name(trace.gpu_activities.slice[work.row]);
        return name.find("volta_") != std::string_view::npos ||
               name.find("turing_") != std::string_view::npos ||
               name.find("ampere_") != std::string_view::npos ||
               name.find("cutlass_80_") != std::string_view::npos ||
               name.find("sm80_") != std::string_view::npos;
    });
    if (!is_new || device.share(time) < min_share) return {};
    Finding finding;
    finding.confidence = Confidence::possible;
    finding.title =
        fmt::format("{} for {} in 32 bits, apparently without tensor cores",
                    format_count(plain.all.size(), "matrix kernel runs", "matrix kernels run"),
                    format_duration(time));
    finding.evidence = {
        {"their time", static_cast<double>(time), "ns", "kernels.total_ns"},
        remark(name_of_device(input, device).empty()
                   ? std::string("the file does not name the device, so its rates are not known")
                   : fmt::format("the rates of {} are not known", name_of_device(input, device))),
    };
    finding.advice = kUnknownAdvice;
    finding.places = places_of(trace, plain.all);
    return finding;
}

}  // namespace

std::optional<Finding> NoTensorCoresRule::on_device(const RuleInput& input,
                                                    const DeviceWindow& device) const {
    const Trace& trace = input.trace();
    const NameTest is_plain(trace.strings, [](std::string_view name) {
        const KernelFacts facts = facts_of_kernel(name);
        if (name.find("gemv") != std::string_view::npos) return false;  // limited by memory
        return facts.is_matrix && facts.pipe == Pipe::vector && facts.type == DataType::fp32;
    });
    const auto peaks = peaks_of(input, device);
    const Faster faster = peaks ? faster_units(*peaks) : Faster{};
    if (peaks && faster.share <= 0) return {};
    const WindowWork plain = work_where(input, device, [&](const GpuWork& work, SliceRef slice) {
        return work.kind == WorkKind::compute && is_plain(trace.name_id(slice));
    });
    if (!peaks) return without_rates(input, device, plain, min_share);
    auto finding = finding_for(device, min_share, first_share(plain.times, faster.share));
    if (!finding) return {};
    const Nanos time = total_length(plain.times);
    finding->confidence = Confidence::likely;
    finding->title =
        fmt::format("{} for {} in 32 bits without tensor cores",
                    format_count(plain.all.size(), "matrix kernel runs", "matrix kernels run"),
                    format_duration(time));
    finding->evidence = {
        {"their time", static_cast<double>(time), "ns", "kernels.total_ns"},
        {fmt::format("the device's rate for 32 bits divided by that of its tensor cores for {}",
                     data_type_name(faster.type)),
         1 - faster.share, "ratio", ""},
        remark("the cost assumes that arithmetic limits these kernels, and that the precision "
               "suffices"),
    };
    finding->advice = tensor_advice(faster.type);
    finding->places = places_of(trace, plain.all);
    return finding;
}

}  // namespace lanescope

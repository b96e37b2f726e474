#include "core/insight/findings/advice.h"

#include <array>
#include <span>
#include <string_view>

#include "core/insight/findings/rule_list.h"

namespace lanescope {

namespace {

struct GeneralAdvice {
    std::string_view rule;
    std::string_view text;
};

// For the rules that apply to programs without PyTorch.
std::span<const GeneralAdvice> general_advice() {
    static const std::array all = {
        GeneralAdvice{
            id_of<OverheadBoundRule>(),
            "Launch less often or earlier: let the compiler fuse small operators, use a larger "
            "batch, put several steps into one compiled call or a CUDA or HIP graph, and "
            "remove calls that wait for the GPU."},
        GeneralAdvice{
            id_of<PythonOverheadRule>(),
            "Keep Python out of the path between launches: compile the whole step, and "
            "remove logging and checks of values from the loop. lanescope record --sample "
            "shows the functions."},
        GeneralAdvice{
            id_of<TinyKernelsRule>(),
            "Let fewer kernels do more: fuse neighbouring operators (a compiler of the "
            "framework, or a kernel of your own), or launch them as one CUDA or HIP graph."},
        GeneralAdvice{id_of<LayoutConversionRule>(),
                      "Keep one layout from the input to the output of the model, the one that the "
                      "convolutions or products want."},
        GeneralAdvice{
            id_of<DtypeCastsRule>(),
            "Keep one type: convert weights once, before the loop, and let the compiler fuse "
            "the remaining casts with neighbouring operators."},
        GeneralAdvice{
            id_of<NoTensorCoresRule>(),
            "Use 16 bits, or TF32 on NVIDIA's devices since Ampere, where the model allows "
            "it."},
        GeneralAdvice{id_of<ElementwiseChainsRule>(),
                      "Fuse them: a compiler of the framework, or one kernel for the whole chain."},
        GeneralAdvice{id_of<UnfusedAttentionRule>(),
                      "Use a fused attention kernel, which never writes the matrix of scores to "
                      "memory."},
        GeneralAdvice{
            id_of<SyncInStepRule>(),
            "Let the loop run ahead of the GPU: read values only every few steps, copy with "
            "asynchronous calls and pinned memory, and remove calls that wait for the "
            "device."},
        GeneralAdvice{id_of<PageableCopiesRule>(),
                      "Copy from and to pinned memory with asynchronous calls."},
        GeneralAdvice{
            id_of<FirstStepCostsRule>(),
            "Record after some warm-up steps. In short runs and services it counts: compile "
            "and load before the first request."},
    };
    return all;
}

}  // namespace

bool uses_torch(const Trace& trace) {
    if (trace.facts.format.starts_with("kineto")) return true;
    for (StringId id = 0; id < trace.strings.size(); ++id) {
        const std::string_view text = trace.strings[id];
        if (text.starts_with("aten::") || text.starts_with("c10d::") ||
            text.find("at::native::") != std::string_view::npos ||
            text.find("at6native") != std::string_view::npos)
            return true;
    }
    return false;
}

void advise_without_torch(Finding& finding) {
    for (const GeneralAdvice& general : general_advice())
        if (general.rule == finding.rule) finding.advice = general.text;
}

}  // namespace lanescope

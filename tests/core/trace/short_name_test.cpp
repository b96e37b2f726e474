#include "core/trace/short_name.h"

#include <doctest/doctest.h>

using namespace lanescope;

TEST_CASE("A kernel is named by its function") {
    const auto kernel = [](std::string_view name) { return short_name(name, EventClass::kernel); };
    CHECK(kernel("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, "
                 "float>(int, float)") == "vectorized_layer_norm_kernel");
    CHECK(kernel("void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, "
                 "128>, false>"
                 "(pytorch_flash::Flash_fwd_params)") == "flash_fwd_kernel");
    CHECK(kernel("void a::B<int>::run<2>(C<D, 3>)") == "run");
    CHECK(kernel(
              "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_"
              "align8>(cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8::"
              "Params)") == "cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8");
    CHECK(kernel("void cutlass::Kernel<a::gemm<float, 2> >(int)") == "gemm");
    CHECK(kernel("void cutlass::Kernel2<>(int)") == "Kernel2");
    CHECK(kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)") ==
          "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
}

TEST_CASE("A compact name keeps the parts in which kernels of one function differ") {
    CHECK(compact_name("void at::native::vectorized_elementwise_kernel<4, at::native::"
                       "CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int, at::native::"
                       "CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)") ==
          "elementwise<add, bf16, vec4>");
    CHECK(compact_name(
              "void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float>(int)") ==
          "cunn_SoftMaxForward<4, f32>");
    CHECK(compact_name("void a::B<int, C<x::D> >::run<x::(anonymous namespace)::F>(C<D, 3>)") ==
          "B::run<F>");
    CHECK(compact_name("a::B<int, C<x::D> >::start<x::F>(C<D, 3>)") == "start<F>");
    CHECK(compact_name("ampere_sgemm_128x64_tn") == "GEMM 128×64 f32 TN ampere");
    CHECK(compact_name("void cutlass::Kernel2<cutlass_80_gemm>(int)") == "cutlass_80_gemm");
    for (const char* const whole :
         {"", "<", "((((", "a::", "Memcpy DtoH (Device -> Pageable)", "aten::mm",
          "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
          "torch/nn/modules/module.py(1743): _call_impl", "torch/_utils.py(771): <lambda>",
          "<string>(1): <module>", "execute_context_0(0)_generation_8(8)", "loss(step=3)",
          "epoch(7)"})
        CHECK(compact_name(whole) == whole);
    CHECK(compact_name("scale(float*, int)") == "scale");
    CHECK(compact_name("start()") == "start");
}

TEST_CASE("Names that are not signatures stay whole") {
    const auto kernel = [](std::string_view name) { return short_name(name, EventClass::kernel); };
    CHECK(kernel("ampere_sgemm_128x64_tn") == "ampere_sgemm_128x64_tn");
    CHECK(kernel("Memcpy DtoH (Device -> Pageable)") == "Memcpy DtoH (Device -> Pageable)");
    CHECK(kernel("").empty());
    CHECK(kernel("<") == "<");
    CHECK(kernel("a::") == "a::");
    CHECK(kernel("((((") == "((((");
    CHECK(short_name("torch/nn/modules/module.py(1743): _call_impl", EventClass::python) ==
          "torch/nn/modules/module.py(1743): _call_impl");
    CHECK(short_name("nn.Module: Linear_6", EventClass::module) == "Linear_6");
    CHECK(short_name("aten::mm", EventClass::op) == "aten::mm");
}

TEST_CASE("a name within a sentence loses its middle, never half a character") {
    CHECK(brief_name("aten::mm") == "aten::mm");
    const std::string sixty(60, 'a');
    CHECK(brief_name(sixty) == sixty);
    const std::string brief = brief_name("Cijk_" + std::string(400, 'x') + "_WS64_WG32_8_1");
    CHECK(brief.size() == 60);
    CHECK(brief.starts_with("Cijk_xxx"));
    CHECK(brief.ends_with("xxxx_WS64_WG32_8_1"));
    std::string sharps;
    for (int i = 0; i < 40; ++i) sharps += "♯";  // three bytes each
    CHECK(brief_name("a" + sharps) == "a" + sharps.substr(0, 36) + "…" + sharps.substr(0, 18));
}

TEST_CASE("a counter's value has the unit at the end of its lane's name") {
    const auto shown = [](std::string_view name, double value) {
        Trace trace;
        trace.lanes.emplace_back().name = trace.strings.intern(name);
        return format_counter(trace, 0, value);
    };
    CHECK(shown("CPU of the process tree · %", 5.55396) == "5.554 %");
    CHECK(shown("resident memory of the process tree · bytes", 2273280) == "2.168 MiB");
    CHECK(shown("GPU 0 power · W", 312.5) == "312.5 W");
    CHECK(shown("memory allocated · GPU 0", 2048) == "2 KiB");
    CHECK(shown("SM Active %", 87.1234567) == "87.1235");
}

TEST_CASE("a symbol with many endings of object files is shortened at once") {
    std::string name = "_Zx";
    for (int i = 0; i < 200000; ++i) name += ".kd";
    CHECK(compact_name(name).size() < 80);
    CHECK(compact_name("_Znothing.kd") == "_Znothing");
}

#include "core/trace/demangle.h"

#include <doctest/doctest.h>

namespace lanescope {

TEST_CASE("symbols become names") {
    CHECK(demangled("_Z3addPfS_i") == "add(float*, float*, int)");
    CHECK(demangled("_ZN2ns4normIDF16bfEEvPKT_S3_i.kd") ==
          "void ns::norm<__bf16, float>(__bf16 const*, __bf16 const*, int)");
    // A name that only contains the stand-in's name keeps it.
    CHECK(demangled("_ZN2ns4half4normIDF16bEEvPT_P6__half") ==
          "void ns::half::norm<__bf16>(__bf16*, __half*)");
    CHECK(demangled("_Z3addi [clone .kd]") == "add(int)");
}

TEST_CASE("other names stay as they are") {
    for (const char* name : {"", "_Z", "_ZN", "gemm", "triton_poi_fused_0", "void f<int>(int)"})
        CHECK(demangled(name) == name);
}

}  // namespace lanescope

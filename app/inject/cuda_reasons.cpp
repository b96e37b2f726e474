#include "app/inject/cuda_reasons.h"

#include <cstdio>

#include "core/capture/cuda/cupti_records.h"

namespace lanescope {

const char* name_of_result(const Cupti& cupti, int result) {
    const char* text = nullptr;
    return cupti.result_text(result, &text) == kCuptiDone && text ? text : "an unknown error";
}

bool why_not_loaded(Cupti& cupti, Reason& why) {
    const char* missing = load_cupti(cupti);
    if (!missing) return false;
    if (*missing == '\0')
        std::snprintf(why, sizeof why,
                      "no libcupti.so was found; install the CUDA toolkit, or set CUDA_HOME to it");
    else
        std::snprintf(why, sizeof why, "its CUPTI has no %s", missing);
    return true;
}

bool why_unknown(const Cupti& cupti, Reason& why) {
    uint32_t version = 0;
    const int result = cupti.get_version(&version);
    if (result != kCuptiDone)
        std::snprintf(why, sizeof why, "CUPTI does not report its version: %s",
                      name_of_result(cupti, result));
    else if (version < kOldestCupti)
        std::snprintf(why, sizeof why, "CUPTI's interface %u is older than CUDA 11.8's", version);
    else if (!is_known_cupti(version))
        std::snprintf(why, sizeof why,
                      "CUPTI's interface %u is not known to this version of Lanescope, which "
                      "knows CUDA 11.8 to 13.5",
                      version);
    return *why != '\0';
}

bool why_refused(const Cupti& cupti, Reason& why, const char* function, int result) {
    switch (result) {
        case kCuptiDone:
            return false;
        case kCuptiNoMoreRecords:
        case kCuptiHeldByAnother:
            std::snprintf(why, sizeof why,
                          "another profiler is using CUPTI, which allows only one at a time");
            return true;
        case kCuptiNotPermitted:
        case kCuptiNotPermittedOnVirtual:
            std::snprintf(why, sizeof why,
                          "the driver lets only administrators profile; run as root, or load it "
                          "with NVreg_RestrictProfilingToAdminUsers=0");
            return true;
        default:
            std::snprintf(why, sizeof why, "%s: %s", function, name_of_result(cupti, result));
            return true;
    }
}

}  // namespace lanescope

// What CUPTI's activity records say, as records of a spool file.
//
// The places of their numbers are written down here, as read in the headers of CUDA 11.8, 12.0 to
// 12.6, 12.8, 12.9 and 13.0 to 13.5: every struct of one of these keeps what the one before had in
// its place, and adds to its end. So what the oldest has is read alike from all, whichever version
// runs in the program that is recorded, and no header of it is needed. The tests hold this against
// every struct that the headers at hand define.
//
// It is compiled into the core and into the library that other programs load: no runtime library.
#pragma once

#include <cstdint>

#include "core/capture/spool_format.h"

namespace lanescope {

// Versions of CUPTI's interface, as cuptiGetVersion() gives them.
inline constexpr uint32_t kOldestCupti = 18;    // CUDA 11.8; 12.0 and 12.1 give the same
inline constexpr uint32_t kLastCuptiOf12 = 28;  // CUDA 12.9 Update 1
inline constexpr uint32_t kFirstCuptiOf13 = 130000;
inline constexpr uint32_t kNewestCupti = 130599;  // CUDA 13.5: two digits each

// Whether the layout of that version's records is known. Others are never guessed.
inline constexpr bool is_known_cupti(uint32_t version) {
    return (version >= kOldestCupti && version <= kLastCuptiOf12) ||
           (version >= kFirstCuptiOf13 && version <= kNewestCupti);
}

// Kinds of records, as CUPTI numbers them.
enum CuptiKind : uint32_t {
    kCuptiCopy = 1,
    kCuptiSet = 2,
    kCuptiDriverCall = 4,
    kCuptiRuntimeCall = 5,
    kCuptiDevice = 8,
    kCuptiContext = 9,
    kCuptiKernel = 10,
    kCuptiOverhead = 17,
    kCuptiPeerCopy = 22,
    kCuptiSynchronisation = 38,
    kCuptiMemory = 49,
};

// Results of its functions.
enum CuptiResult : int {
    kCuptiDone = 0,
    kCuptiNoMoreRecords = 12,  // also: there is a subscriber already, in old versions
    kCuptiNotPermitted = 35,
    kCuptiHeldByAnother = 39,
    kCuptiNotPermittedOnVirtual = 40,
};

// Each of these takes a record of the kind that it is called by; CUPTI lays records on multiples of
// 8 bytes. What is not recorded is 0.
uint32_t cupti_kind(const void* record);
SpoolKernel cupti_kernel(const void* record);
const char* cupti_kernel_name(const void* record);  // as the compiler wrote it; may be null
SpoolCopy cupti_copy(const void* record);
SpoolCopy cupti_peer_copy(const void* record);
SpoolSet cupti_set(const void* record);
SpoolCall cupti_call(const void* record);        // of the driver or the runtime
uint32_t cupti_call_number(const void* record);  // what cuptiGetCallbackName() takes
SpoolSynchronisation cupti_synchronisation(const void* record);
SpoolOverhead cupti_overhead(const void* record);
SpoolMemory cupti_memory(const void* record);
SpoolDevice cupti_device(const void* record);
const char* cupti_device_name(const void* record);  // may be null
SpoolContext cupti_context(const void* record);

}  // namespace lanescope

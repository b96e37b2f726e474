// Converts CUPTI's activity records to records of a spool file.
//
// The offsets of members come from the headers of CUDA 11.8, 12.0 to 12.6, 12.8, 12.9 and 13.0 to
// 13.5: each version of a struct keeps the offsets of the version before, and appends members. So
// the members of the oldest version can be read from all of them, whatever version the recorded
// program uses, without its headers. The tests compare the offsets with every struct in the
// available headers.
//
// Compiled into the core and into the library that other programs load: uses no runtime library.
#pragma once

#include <cstdint>

#include "core/spool/spool_records.h"

namespace lanescope {

// Versions of CUPTI's interface, as returned by cuptiGetVersion().
inline constexpr uint32_t kOldestCupti = 18;    // CUDA 11.8; 12.0 and 12.1 give the same
inline constexpr uint32_t kLastCuptiOf12 = 28;  // CUDA 12.9 Update 1
inline constexpr uint32_t kFirstCuptiOf13 = 130000;
inline constexpr uint32_t kNewestCupti = 130599;  // CUDA 13.5: two digits each

// Whether the record layout of this version is known. Layouts are never guessed.
inline constexpr bool is_known_cupti(uint32_t version) {
    return (version >= kOldestCupti && version <= kLastCuptiOf12) ||
           (version >= kFirstCuptiOf13 && version <= kNewestCupti);
}

// Kinds of records, in CUPTI's numbering.
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

// Result codes of CUPTI's functions.
enum CuptiResult : int {
    kCuptiDone = 0,
    kCuptiNoMoreRecords = 12,  // also, in old versions: there is already a subscriber
    kCuptiNotPermitted = 35,
    kCuptiHeldByAnother = 39,
    kCuptiNotPermittedOnVirtual = 40,
};

// Each function takes a record of the kind in its name; CUPTI aligns records to 8 bytes. Values
// that are not recorded are 0.
uint32_t cupti_kind(const void* record);
SpoolKernel cupti_kernel(const void* record);
const char* cupti_kernel_name(const void* record);  // mangled; may be null
SpoolCopy cupti_copy(const void* record);
SpoolCopy cupti_peer_copy(const void* record);
SpoolSet cupti_set(const void* record);
SpoolCall cupti_call(const void* record);        // of the driver or the runtime
uint32_t cupti_call_number(const void* record);  // the argument of cuptiGetCallbackName()
SpoolSynchronisation cupti_synchronisation(const void* record);
SpoolOverhead cupti_overhead(const void* record);
SpoolMemory cupti_memory(const void* record);
SpoolDevice cupti_device(const void* record);
const char* cupti_device_name(const void* record);  // may be null
SpoolContext cupti_context(const void* record);

}  // namespace lanescope

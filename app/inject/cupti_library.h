// CUPTI as found in the recorded program: its functions are looked up by name at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanescope {

using CuptiBufferRequested = void (*)(uint8_t** buffer, size_t* bytes, size_t* max_records);
using CuptiBufferCompleted = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t bytes,
                                      size_t used_bytes);
using CuptiCallback = void (*)(void* user, int domain, uint32_t number, const void* data);

// The functions of CUPTI in use; each returns a CuptiResult.
struct Cupti {
    int (*get_version)(uint32_t*);
    int (*result_text)(int, const char**);
    int (*subscribe)(void** subscriber, CuptiCallback, void* user);
    int (*unsubscribe)(void* subscriber);
    int (*enable_callback)(uint32_t enable, void* subscriber, int domain, uint32_t number);
    int (*callback_name)(int domain, uint32_t number, const char**);
    int (*register_buffers)(CuptiBufferRequested, CuptiBufferCompleted);
    int (*enable)(uint32_t kind);
    int (*disable)(uint32_t kind);
    int (*flush_all)(uint32_t forced);
    int (*next_record)(uint8_t* buffer, size_t used_bytes, void** record);
    int (*count_dropped)(void* context, uint32_t stream, size_t* count);
    int (*timestamp)(uint64_t* ns);
    int (*set_thread_id_type)(int type);
    int (*set_attribute)(int attribute, size_t* bytes, void* value);
};

// Loads the CUPTI that belongs to this program's CUDA: one that is already loaded, else beside its
// runtime, else by name, else in CUDA_HOME, CUDA_PATH or /usr/local/cuda. Returns null, or the name
// of a missing function: "" if there is no library at all.
const char* load_cupti(Cupti& cupti);

}  // namespace lanescope

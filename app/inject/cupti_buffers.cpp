#include "app/inject/cupti_buffers.h"

#include <sys/mman.h>

#include <cstring>

namespace lanescope {

namespace {

struct Buffer {
    uint8_t* memory;
    uint32_t is_taken;
};
Buffer buffers[kMaxCuptiBuffers];

bool claim(Buffer& buffer) {
    uint32_t expected = 0;
    return __atomic_compare_exchange_n(&buffer.is_taken, &expected, 1, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

}  // namespace

uint8_t* take_cupti_buffer() {
    for (Buffer& buffer : buffers) {
        if (!claim(buffer)) continue;
        if (!buffer.memory) {
            void* at = mmap(nullptr, kCuptiBufferBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (at == MAP_FAILED) {
                __atomic_store_n(&buffer.is_taken, 0, __ATOMIC_RELEASE);
                return nullptr;
            }
            madvise(at, kCuptiBufferBytes, MADV_DONTFORK);
            __atomic_store_n(&buffer.memory, static_cast<uint8_t*>(at), __ATOMIC_RELEASE);
        }
        return buffer.memory;
    }
    return nullptr;
}

void give_back_cupti_buffer(uint8_t* memory) {
    for (Buffer& buffer : buffers) {
        if (__atomic_load_n(&buffer.memory, __ATOMIC_ACQUIRE) != memory) continue;
        std::memset(memory, 0, kCuptiBufferBytes);
        __atomic_store_n(&buffer.is_taken, 0, __ATOMIC_RELEASE);
        return;
    }
}

}  // namespace lanescope

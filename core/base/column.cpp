#include "core/base/column.h"

#include <sys/mman.h>

#include <cstdlib>

namespace lanescope::detail {

namespace {
constexpr std::size_t kHugePage = std::size_t{2} << 20;
}

void* allocate_pages(std::size_t bytes) {
    if (bytes < kHugePage) {
        void* memory = std::malloc(bytes);
        if (!memory) throw std::bad_alloc();
        return memory;
    }
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    madvise(memory, bytes, MADV_HUGEPAGE);  // advice only: a refusal changes nothing but speed
    return memory;
}

void free_pages(void* memory, std::size_t bytes) noexcept {
    if (bytes < kHugePage) {
        std::free(memory);
    } else {
        munmap(memory, bytes);
    }
}

}  // namespace lanescope::detail

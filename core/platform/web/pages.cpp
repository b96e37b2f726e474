// WebAssembly's memory has no pages that could be mapped or moved.
#include <cstdlib>
#include <new>

#include "core/base/column.h"

namespace lanescope::detail {

void* allocate_pages(std::size_t bytes) {
    void* const memory = std::malloc(bytes);
    if (!memory) throw std::bad_alloc();
    return memory;
}

void* reallocate_pages(void* memory, std::size_t /*old_bytes*/, std::size_t new_bytes) {
    void* const moved = std::realloc(memory, new_bytes);
    if (!moved) throw std::bad_alloc();
    return moved;
}

void free_pages(void* memory, std::size_t /*bytes*/) noexcept {
    std::free(memory);
}

}  // namespace lanescope::detail

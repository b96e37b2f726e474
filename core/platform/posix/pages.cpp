#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "core/base/column.h"

namespace lanescope::detail {

namespace {

// Blocks of at least this size are mapped as pages of their own; smaller blocks come from the heap.
constexpr std::size_t kPagesFrom = std::size_t{256} << 10;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
// ThreadSanitizer does not track remapped pages: it reports the previous owner's writes as races of
// the next owner. Under ThreadSanitizer, pages are copied instead.
#ifdef __SANITIZE_THREAD__
constexpr bool kMovesPages = false;
#else
constexpr bool kMovesPages = true;
#endif

void advise(void* memory, std::size_t bytes) {
    // madvise is only a hint: if the system refuses, the result is slower but correct.
    if (bytes >= 2 * kHugePage) madvise(memory, bytes, MADV_HUGEPAGE);
}

}  // namespace

void* allocate_pages(std::size_t bytes) {
    if (bytes < kPagesFrom) {
        void* memory = std::malloc(bytes);
        if (!memory) throw std::bad_alloc();
        return memory;
    }
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    advise(memory, bytes);
    return memory;
}

void* reallocate_pages(void* memory, std::size_t old_bytes, std::size_t new_bytes) {
    if (!memory) return allocate_pages(new_bytes);
    const bool was_pages = old_bytes >= kPagesFrom;
    const bool is_pages = new_bytes >= kPagesFrom;
    if (kMovesPages && was_pages && is_pages) {
        void* moved = mremap(memory, old_bytes, new_bytes, MREMAP_MAYMOVE);
        if (moved == MAP_FAILED) throw std::bad_alloc();
        advise(moved, new_bytes);
        return moved;
    }
    if (!was_pages && !is_pages) {
        void* moved = std::realloc(memory, new_bytes);
        if (!moved) throw std::bad_alloc();
        return moved;
    }
    void* moved = allocate_pages(new_bytes);
    std::memcpy(moved, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
    free_pages(memory, old_bytes);
    return moved;
}

void free_pages(void* memory, std::size_t bytes) noexcept {
    if (bytes < kPagesFrom) {
        std::free(memory);
    } else {
        munmap(memory, bytes);
    }
}

}  // namespace lanescope::detail

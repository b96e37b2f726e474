// How the process keeps its memory: for commands that load a trace, answer and end.
#pragma once

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/column.h"

namespace lanescope {

// To be called before a trace is loaded; the first one of the process tells. A page that the system
// gives anew costs 2 µs, which was a fifth of the CPU time of a short command: of small traces what
// is freed is kept for what comes next, of all threads in common, and the heap begins in huge pages
// (where the system has them). Of large ones that would take more memory than it is worth.
inline void keep_memory_for(const std::string& path) {
    constexpr std::size_t heap_bytes = std::size_t{64} << 20;
    constexpr std::uintptr_t huge_page = std::uintptr_t{2} << 20;
    constexpr int largest = 32 << 20;  // the most that the allocator takes
    constexpr int collapse = 25;       // MADV_COLLAPSE of Linux 6.1, which not every libc names
    constexpr std::size_t first_growth = std::size_t{1} << 20;  // more than the heap has left
    constexpr std::uintmax_t small_file = std::uintmax_t{16} << 20;
    static bool asked = false;
    if (std::exchange(asked, true)) return;  // columns may lie where they were told to by then
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error || size > small_file) return;
    detail::keep_in_heap(largest);
    mallopt(M_MMAP_THRESHOLD, largest);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TOP_PAD, static_cast<int>(heap_bytes));
    // The heap goes on where a huge page begins: what lies before it cannot be one.
    const auto end_of_heap = [] { return static_cast<char*>(sbrk(0)); };
    char* begin = end_of_heap();
    if (const std::uintptr_t beyond = reinterpret_cast<std::uintptr_t>(begin) % huge_page)
        begin += huge_page - beyond;
    sbrk(begin - end_of_heap());
    void* volatile growth = std::malloc(first_growth);  // the heap grows by all of it, untouched
    std::free(growth);
    if (end_of_heap() <= begin) return;
    // Advice only: a refusal changes nothing but speed. Of the first page malloc() touched a part
    // before it could be told.
    madvise(begin, static_cast<std::size_t>(end_of_heap() - begin), MADV_HUGEPAGE);
    madvise(begin, huge_page, collapse);
}

}  // namespace lanescope

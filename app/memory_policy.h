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
    constexpr std::size_t page = 4096;
    constexpr int largest = 32 << 20;  // the most that the allocator takes
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
    // The heap is made to grow by all of it, while malloc() touches only what lies just before the
    // first huge page: a page of which something was touched before it is told stays small.
    const std::size_t growth = mallinfo2().keepcost + page;  // more than the heap has left
    const std::size_t before = growth + 2 * page;
    const auto end_of_heap = [] { return static_cast<char*>(sbrk(0)); };
    char* first = end_of_heap() + before;
    if (const std::uintptr_t beyond = reinterpret_cast<std::uintptr_t>(first) % huge_page)
        first += huge_page - beyond;
    sbrk(first - static_cast<std::ptrdiff_t>(before) - end_of_heap());
    void* volatile grown = std::malloc(growth);
    std::free(grown);
    // Advice only: a refusal changes nothing but speed.
    if (end_of_heap() > first)
        madvise(first, static_cast<std::size_t>(end_of_heap() - first), MADV_HUGEPAGE);
}

}  // namespace lanescope

// SqlAllocator: memory of SQLite's heap, so that it counts towards the limit of the query.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <new>
#include <vector>

namespace lanescope {

template <typename T>
struct SqlAllocator {
    using value_type = T;

    SqlAllocator() = default;
    template <typename Other>
    explicit SqlAllocator(const SqlAllocator<Other>&) noexcept {}

    T* allocate(std::size_t count) {
        void* const memory = sqlite3_malloc64(count * sizeof(T));
        if (!memory) throw std::bad_alloc();
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) noexcept { sqlite3_free(memory); }
    friend bool operator==(const SqlAllocator&, const SqlAllocator&) { return true; }
};

template <typename T>
using SqlVector = std::vector<T, SqlAllocator<T>>;

}  // namespace lanescope

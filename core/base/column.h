// Column<T>: an array of fixed length whose memory is not cleared first. Large ones ask for huge pages, since
// clearing and mapping small pages is a sixth of the time of a load.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace lanescope {

namespace detail {
void* allocate_pages(std::size_t bytes);  // throws std::bad_alloc
void free_pages(void* memory, std::size_t bytes) noexcept;
}  // namespace detail

template <typename T>
class Column {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Column() = default;
    explicit Column(std::size_t size)
        : data_(size ? static_cast<T*>(detail::allocate_pages(size * sizeof(T))) : nullptr),
          size_(size) {}
    Column(Column&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Column& operator=(Column&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    Column(const Column&) = delete;
    Column& operator=(const Column&) = delete;
    ~Column() {
        if (data_) detail::free_pages(data_, size_ * sizeof(T));
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::size_t bytes() const { return size_ * sizeof(T); }
    T* data() { return data_; }
    const T* data() const { return data_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    operator std::span<const T>() const { return {data_, size_}; }
    std::span<const T> span() const { return {data_, size_}; }

    template <typename Range>
    static Column copy_of(const Range& range) {
        Column column(std::size(range));
        std::size_t i = 0;
        for (const auto& value : range) column.data_[i++] = value;
        return column;
    }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace lanescope

// Column<T>: a growing array of plain values. Growing neither clears nor copies memory: large
// columns have pages of their own (huge pages where the system provides them) and grow by
// remapping. Clearing and mapping small pages would take a sixth of a load's time, copying a
// quarter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace lanescope {

namespace detail {
// Throws std::bad_alloc when there is no memory.
void* allocate_pages(std::size_t bytes);
void* reallocate_pages(void* memory, std::size_t old_bytes, std::size_t new_bytes);
void free_pages(void* memory, std::size_t bytes) noexcept;
}  // namespace detail

template <typename T>
class Column {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Column() = default;
    static Column filled(std::size_t size, T value) {
        Column column(size);
        std::fill(column.data_, column.data_ + size, value);
        return column;
    }
    // `size` values, not initialised.
    explicit Column(std::size_t size)
        : data_(size ? static_cast<T*>(detail::allocate_pages(size * sizeof(T))) : nullptr),
          size_(size),
          capacity_(size) {}
    Column(Column&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)),
          owner_(std::move(other.owner_)) {}
    Column& operator=(Column&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        owner_.swap(other.owner_);
        return *this;
    }
    Column(const Column&) = delete;
    Column& operator=(const Column&) = delete;
    ~Column() {
        if (data_ && !owner_) detail::free_pages(data_, capacity_ * sizeof(T));
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::size_t bytes() const { return capacity_ * sizeof(T); }
    T* data() { return data_; }
    const T* data() const { return data_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    operator std::span<const T>() const { return {data_, size_}; }
    std::span<const T> span() const { return {data_, size_}; }

    void push_back(T value) {
        if (size_ >= capacity_) [[unlikely]]
            grow();
        data_[size_++] = value;
    }

    void reserve(std::size_t capacity) {
        if (capacity <= capacity_) return;
        if (owner_) *this = clone();
        data_ = static_cast<T*>(
            detail::reallocate_pages(data_, capacity_ * sizeof(T), capacity * sizeof(T)));
        capacity_ = capacity;
    }

    // Replaces the contents by `size` uninitialised values.
    void renew(std::size_t size) {
        if (size > capacity_) {
            Column().swap(*this);  // first, because both at once would take twice the memory
            Column(size).swap(*this);
        }
        size_ = size;
    }

    // Drops all values after the first `count`.
    void keep_first(std::size_t count) { size_ = count < size_ ? count : size_; }

    // Releases memory that is not used.
    void shrink_to_fit() {
        if (size_ == capacity_ || owner_) return;
        if (size_ == 0) {
            Column().swap(*this);
            return;
        }
        data_ = static_cast<T*>(
            detail::reallocate_pages(data_, capacity_ * sizeof(T), size_ * sizeof(T)));
        capacity_ = size_;
    }

    void swap(Column& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        owner_.swap(other.owner_);
    }

    // Returns the values [first, first + count) without copying them. `owner` must keep this column
    // alive if it holds the values itself. After the call, nobody may change these values through
    // either column.
    Column shared(const std::shared_ptr<const void>& owner, std::size_t first,
                  std::size_t count) const {
        Column column;
        if (count == 0) return column;
        column.data_ = data_ + first;
        column.size_ = count;
        column.owner_ = owner_ ? owner_ : owner;
        return column;
    }
    Column shared(const std::shared_ptr<const void>& owner) const {
        return shared(owner, 0, size_);
    }

    Column clone() const {
        Column copy(size_);
        if (size_) std::memcpy(copy.data_, data_, size_ * sizeof(T));
        return copy;
    }

    template <typename Range>
    static Column copy_of(const Range& range) {
        Column column(std::size(range));
        std::size_t i = 0;
        for (const auto& value : range) column.data_[i++] = value;
        return column;
    }

  private:
    // Not inlined, so that push_back() compiles to a few instructions.
    [[gnu::noinline]] void grow() { reserve(capacity_ ? capacity_ * 2 : 16); }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
    // Owner of the values, if they belong to another column; else null.
    std::shared_ptr<const void> owner_;
};

}  // namespace lanescope

// GrowingColumn<T>: values are only appended, and can be shared at any time. Shared values keep
// their address while more values are appended.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "core/base/column.h"

namespace lanescope {

template <typename T>
class GrowingColumn {
  public:
    std::size_t size() const { return values_ ? values_->size() - begin_ : 0; }
    const T& operator[](std::size_t i) const { return (*values_)[begin_ + i]; }
    std::size_t bytes() const { return values_ ? values_->bytes() : 0; }

    void push_back(T value) {
        if (!values_ || values_->size() == capacity_) [[unlikely]]
            grow();
        values_->push_back(value);
    }
    // Marks the first `count` values as no longer needed. Their memory is released when the column
    // next grows.
    void forget_first(std::size_t count) { begin_ += std::min(count, size()); }

    // The present values, without a copy. Other threads may read them while this thread appends
    // more.
    Column<T> so_far() const {
        return values_ ? values_->shared(values_, begin_, size()) : Column<T>();
    }

  private:
    // Columns that share the old values keep them alive.
    void grow() {
        auto more = std::make_shared<Column<T>>();
        capacity_ = std::max<std::size_t>(64, size() * 2);
        more->reserve(capacity_);
        for (std::size_t i = 0; i < size(); ++i) more->push_back((*this)[i]);
        values_ = std::move(more);
        begin_ = 0;
    }

    std::shared_ptr<Column<T>> values_;
    std::size_t begin_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace lanescope

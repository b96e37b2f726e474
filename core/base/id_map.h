// IdMap: maps ids of a file to values. Most files count their ids upwards: then the values are in
// one array, in the order in which the file's events need them. Other ids are hashed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/column.h"
#include "core/base/flat_map.h"

namespace lanescope {

template <typename Value>
class IdMap {
  public:
    // `ids`: all ids that will be added, maybe among others; only positive ones can be. `absent`:
    // the value of an id that was not added.
    IdMap(std::span<const int64_t> ids, Value absent) : absent_(absent) {
        int64_t least = INT64_MAX;
        int64_t most = 0;
        for (const int64_t id : ids) {
            if (id <= 0) continue;
            least = std::min(least, id);
            most = std::max(most, id);
        }
        if (most == 0) return;
        const auto range = static_cast<uint64_t>(most - least);
        if (range / kMostEmpty >= ids.size()) return;
        first_ = least;
        dense_ = Column<Value>::filled(static_cast<std::size_t>(range) + 1, absent);
    }
    IdMap() = default;

    // The id's value, to be changed; an id that is not there is added with the value of absent
    // ones.
    Value& at(int64_t id) {
        if (!dense_.empty()) return dense_[place_of(id)];
        return hashed_.try_emplace(static_cast<uint64_t>(id), absent_).first;
    }

    Value find(int64_t id) const {
        if (!dense_.empty()) return place_of(id) < dense_.size() ? dense_[place_of(id)] : absent_;
        const Value* const found = hashed_.find(static_cast<uint64_t>(id));
        return found ? *found : absent_;
    }

  private:
    // Places for each id, at most: hashing takes about as much memory.
    static constexpr uint64_t kMostEmpty = 8;

    std::size_t place_of(int64_t id) const {
        return static_cast<std::size_t>(static_cast<uint64_t>(id) - static_cast<uint64_t>(first_));
    }

    Value absent_ = {};
    int64_t first_ = 0;
    Column<Value> dense_;  // by id - first_; empty: the ids are hashed
    FlatMap<Value> hashed_;
};

}  // namespace lanescope

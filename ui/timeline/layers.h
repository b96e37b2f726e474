// TimelineLayers: all layers of the timeline, in the order in which they are placed and painted.
#pragma once

#include <memory>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "ui/timeline/layer.h"

namespace lanescope {

class TimelineLayers {
  public:
    TimelineLayers();

    // The layer of a type, which must be one of those in layers.cpp.
    template <class L>
    L& get() const {
        return static_cast<L&>(*by_type_.at(std::type_index(typeid(L))));
    }
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }

  private:
    template <class L>
    void add() {
        auto layer = std::make_unique<L>();
        by_type_.emplace(std::type_index(typeid(L)), layer.get());
        all_.push_back(std::move(layer));
    }

    std::vector<std::unique_ptr<TimelineLayer>> all_;
    std::unordered_map<std::type_index, TimelineLayer*> by_type_;
};

}  // namespace lanescope

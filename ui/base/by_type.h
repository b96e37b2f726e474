// ByType: one object of each type, created on first use. Lets an owner hold the state of parts that
// the owner does not know.
#pragma once

#include <memory>
#include <typeindex>
#include <unordered_map>

namespace lanescope {

class ByType {
  public:
    template <class T>
    T& get() {
        std::shared_ptr<void>& object = objects_[std::type_index(typeid(T))];
        if (!object) object = std::make_shared<T>();
        return *static_cast<T*>(object.get());
    }
    // Null: there is no such object yet.
    template <class T>
    const T* find() const {
        const auto found = objects_.find(std::type_index(typeid(T)));
        return found == objects_.end() ? nullptr : static_cast<const T*>(found->second.get());
    }

  private:
    std::unordered_map<std::type_index, std::shared_ptr<void>> objects_;
};

}  // namespace lanescope

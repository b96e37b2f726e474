#include "ui/panels/panel.h"

#include <nlohmann/json.hpp>

namespace lanescope {

nlohmann::json Panel::describe_table() const {
    return nullptr;
}

}  // namespace lanescope

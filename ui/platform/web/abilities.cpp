#include "ui/base/abilities.h"

namespace lanescope {

Abilities abilities() {
    return {};
}

}  // namespace lanescope

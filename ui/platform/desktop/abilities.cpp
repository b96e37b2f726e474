#include "ui/base/abilities.h"

namespace lanescope {

Abilities abilities() {
    return {.captures = true, .editors = true};
}

}  // namespace lanescope

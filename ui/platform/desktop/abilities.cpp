#include "ui/base/abilities.h"

namespace lanescope {

Abilities abilities() {
    return {.captures = true, .addresses = true, .folders = true};
}

}  // namespace lanescope

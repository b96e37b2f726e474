// What the platform allows beside drawing: the window offers nothing else.
#pragma once

namespace lanescope {

struct Abilities {
    bool captures = false;  // runs programs, records them, and reaches running ones
    bool editors = false;   // starts the user's editor
};

Abilities abilities();

}  // namespace lanescope

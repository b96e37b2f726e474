// What the platform allows beside drawing: the window offers nothing else.
#pragma once

namespace lanescope {

struct Abilities {
    bool captures = false;   // runs programs, records them, and reaches running ones
    bool addresses = false;  // copies traces from other machines
    bool folders = false;    // sees the user's folders
};

Abilities abilities();

}  // namespace lanescope

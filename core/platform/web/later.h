// Work that the page's only thread does when it has drawn a frame and taken all input.
#pragma once

#include <functional>

namespace lanescope {

void run_later(std::function<void()> work);

// Runs the oldest; false if there is none.
bool run_one_later();
// Whether run_one_later() has something to do.
bool has_later();

}  // namespace lanescope

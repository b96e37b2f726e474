// The limit of open files of this process.
#pragma once

namespace lanescope {

// Raises the limit to what this user may have: sampling needs descriptors for each thread.
void raise_file_limit();

}  // namespace lanescope

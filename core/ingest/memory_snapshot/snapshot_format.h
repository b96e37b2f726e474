// The format of snapshots of PyTorch's memory allocator.
#pragma once

namespace lanescope {

class Format;
const Format& snapshot_format();

}  // namespace lanescope

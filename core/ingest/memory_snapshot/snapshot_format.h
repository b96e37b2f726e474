// The format of PyTorch's memory snapshots.
#pragma once

namespace lanescope {

class Format;
const Format& snapshot_format();

}  // namespace lanescope

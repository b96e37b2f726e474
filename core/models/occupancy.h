// Theoretical occupancy: how many blocks of a kernel fit on a multiprocessor (SM, or AMD's CU) at a
// time, and what limits them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// What a multiprocessor has. Of NVIDIA's: the constants of CUDA's cuda_occupancy.h (13.0) and of
// CCCL's architecture traits, by compute capability. Of AMD's CDNA and RDNA3: LLVM's AMDGPU back
// end and HIP, where a warp is a wave, a block a work-group, a part of the register file a SIMD,
// and shared memory LDS; a multiprocessor of RDNA3 is a pair of CUs (WGP), as HIP counts them.
struct SmLimits {
    int major = 0;
    int minor = 0;
    int warp = 32;  // threads of one
    int threads = 0;
    int warps = 0;
    int blocks = 0;
    int blocks_of_one_warp = 0;  // of AMD's: these need no barrier; 0: as `blocks`
    int registers = 65536;       // 32-bit; of AMD's VGPRs with the AGPRs that share their file; 0:
                                 // not known, taken for no limit
    int registers_per_block = 65536;
    int registers_per_thread = 256;
    int register_unit = 256;  // of a warp
    int partitions = 4;       // parts of the register file
    int64_t shared_bytes = 0;
    int64_t shared_optin_bytes = 0;     // of a block that asked for more than the default
    int64_t shared_reserved_bytes = 0;  // of each block, by the driver
    int64_t shared_unit_bytes = 0;
    int barriers = 0;  // named ones; 0: no limit
};

// Of NVIDIA's, of the compute capability or, where it is not listed, of the nearest lower minor of
// its major; null for other majors.
const SmLimits* sm_limits(int major, int minor);

// Of AMD's, of the version that HIP tells of; null for those that are neither CDNA (MI100 to MI350)
// nor RDNA3. MI100 and MI200 both say 9.0, and the parts of RDNA3 that have the larger register
// file say what those with a smaller one do: `name`, the device's, has to tell them apart. Of RDNA3
// in waves of 32, with two CUs to a work-group.
const SmLimits* cu_limits(int major, int minor, std::string_view name);

// A device as its trace describes it.
struct OccupancyDevice {
    SmLimits limits;
    int64_t sms = 0;       // multiprocessors; 0: not recorded
    bool nearest = false;  // the capability is not listed: the limits are a neighbour's
    bool amd = false;
    int32_t device = -1;  // ordinal
    // RDNA runs each kernel in waves of 32 or of 64, on one CU or on two, and files do not tell
    // which: its occupancy is that of whichever allows more, and "at most".
    bool either_wave = false;
};
// Nothing without deviceProperties in the file and for unknown capabilities and versions. What the
// trace itself says of a limit wins over the table; not of AMD's, whose regsPerBlock differs
// between traces of one part.
std::optional<OccupancyDevice> occupancy_device(const Device& device);

// Whether deviceProperties are of an AMD part: compute capabilities of the two vendors collide.
bool is_amd(const Device& device);

enum class OccupancyLimit : uint8_t { warps, registers, shared_memory, blocks, barriers };
std::string_view occupancy_limit_name(OccupancyLimit limit);  // "warps", "shared memory", …

inline constexpr int kNoLimit = INT32_MAX;

struct Occupancy {
    int warps_per_block = 0;
    // Blocks that fit a multiprocessor by each resource alone, by OccupancyLimit.
    int fits[5] = {kNoLimit, kNoLimit, kNoLimit, kNoLimit, kNoLimit};
    int active_blocks = 0;                 // the least of them
    std::vector<OccupancyLimit> limiters;  // all that are as low
    // Registers or shared memory are not recorded, and taken for no limit, or it is not known how
    // the device ran it: the figures are the most that is possible.
    bool at_most = false;
    double theoretical = 0;  // active warps of those that there is room for, 0 to 1
    int64_t blocks = 0;      // of the grid
    // With the blocks of this grid alone; equal to `theoretical` from one wave on. NaN: the number
    // of multiprocessors is not known, as of the next two.
    double reached = 0;
    double waves = 0;       // blocks / (multiprocessors × active blocks)
    double tail_share = 0;  // part of the last wave that has no block; 0 of a whole one
};

// Nothing when the launch could not have run.
std::optional<Occupancy> occupancy_of(const LaunchConfig& config, const OccupancyDevice& device);

// "est. achieved occupancy %" as Kineto works it out: by threads, capped by the grid, in 32-bit
// floats, with the default limit of shared memory, which makes it 0 for every kernel that asked for
// more.
int kineto_occupancy_percent(const LaunchConfig& config, const OccupancyDevice& device);

// How much less of a resource would let one block more run: the advice "8 registers fewer → 62.5
// %".
struct HeadRoom {
    OccupancyLimit limit = OccupancyLimit::registers;
    int64_t less = 0;        // registers a thread, or bytes of shared memory a block
    double theoretical = 0;  // what would be reached
};
// Of registers and shared memory, where either alone limits; the smallest saving that helps.
std::optional<HeadRoom> head_room(const LaunchConfig& config, const OccupancyDevice& device);

}  // namespace lanescope

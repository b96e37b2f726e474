// Theoretical occupancy: how many blocks of a kernel fit on a multiprocessor (SM, or AMD's CU) at a
// time, and what limits their number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// The resources of a multiprocessor. For NVIDIA: the constants of CUDA's cuda_occupancy.h (13.0)
// and of CCCL's architecture traits, by compute capability. For AMD's CDNA and RDNA3: LLVM's AMDGPU
// back end and HIP, where a warp is a wave, a block is a work-group, a partition of the register
// file is a SIMD, and shared memory is LDS. A multiprocessor of RDNA3 is a pair of CUs (WGP), as
// HIP counts them.
struct SmLimits {
    int major = 0;
    int minor = 0;
    int warp = 32;  // threads of one
    int threads = 0;
    int warps = 0;
    int blocks = 0;
    int blocks_of_one_warp = 0;  // AMD only: these need no barrier; 0: as `blocks`
    int registers = 65536;       // 32-bit; for AMD, VGPRs and the AGPRs in the same file; 0:
                                 // unknown, treated as unlimited
    int registers_per_block = 65536;
    int registers_per_thread = 256;
    int register_unit = 256;  // of a warp
    int partitions = 4;       // parts of the register file
    int64_t shared_bytes = 0;
    int64_t shared_optin_bytes = 0;     // for a block that requests more than the default
    int64_t shared_reserved_bytes = 0;  // of each block, by the driver
    int64_t shared_unit_bytes = 0;
    int barriers = 0;  // named ones; 0: no limit
};

// The limits of an NVIDIA compute capability. If the minor version is not listed, those of the next
// lower one of the same major version; null for unlisted major versions.
const SmLimits* sm_limits(int major, int minor);

// The limits of an AMD device, by the version that HIP reports; null unless it is CDNA (MI100 to
// MI350) or RDNA3. MI100 and MI200 both report 9.0, and RDNA3 parts with the larger register file
// report the same as parts with a smaller one: the device's `name` distinguishes them. For RDNA3:
// waves of 32, with two CUs for a work-group.
const SmLimits* cu_limits(int major, int minor, std::string_view name);

// A device, as its trace describes it.
struct OccupancyDevice {
    SmLimits limits;
    int64_t sms = 0;       // multiprocessors; 0: not recorded
    bool nearest = false;  // the capability is not listed: these are the limits of a similar one
    bool amd = false;
    int32_t device = -1;  // ordinal
    // RDNA runs each kernel in waves of 32 or 64, on one CU or on two, and traces do not record
    // which. The occupancy is that of the better case, marked as "at most".
    bool either_wave = false;
};
// Empty without deviceProperties in the file, and for unknown capabilities and versions. The
// trace's own limits take precedence over the table; except AMD's, whose regsPerBlock differs
// between traces of the same part.
std::optional<OccupancyDevice> occupancy_device(const Device& device);

// Whether deviceProperties describe an AMD part: compute capabilities of the two vendors overlap.
bool is_amd(const Device& device);

enum class OccupancyLimit : uint8_t { warps, registers, shared_memory, blocks, barriers };
std::string_view occupancy_limit_name(OccupancyLimit limit);  // "warps", "shared memory", …

inline constexpr int kNoLimit = INT32_MAX;

struct Occupancy {
    int warps_per_block = 0;
    // Blocks that each resource alone allows on a multiprocessor, by OccupancyLimit.
    int fits[5] = {kNoLimit, kNoLimit, kNoLimit, kNoLimit, kNoLimit};
    int active_blocks = 0;                 // the smallest of them
    std::vector<OccupancyLimit> limiters;  // the resources with this minimum
    // Registers or shared memory are not recorded and count as unlimited, or it is unknown how the
    // device ran the kernel: the figures are upper bounds.
    bool at_most = false;
    double theoretical = 0;  // active warps over the maximum, 0 to 1
    int64_t blocks = 0;      // of the grid
    // Occupancy with the blocks of this grid alone; equal to `theoretical` from one wave on. NaN if
    // the number of multiprocessors is unknown; likewise the next two.
    double reached = 0;
    double waves = 0;       // blocks / (multiprocessors × active blocks)
    double tail_share = 0;  // part of the last wave without blocks; 0 if that wave is full
};

// Empty if the launch could not have run.
std::optional<Occupancy> occupancy_of(const LaunchConfig& config, const OccupancyDevice& device);

// "est. achieved occupancy %" as Kineto computes it: by threads, capped by the grid, in 32-bit
// floats, with the default limit of shared memory. Therefore it is 0 for every kernel that
// requested more.
int kineto_occupancy_percent(const LaunchConfig& config, const OccupancyDevice& device);

// How much less of a resource would allow one more block: the advice "8 registers fewer → 62.5 %".
struct HeadRoom {
    OccupancyLimit limit = OccupancyLimit::registers;
    int64_t less = 0;        // registers per thread, or bytes of shared memory per block
    double theoretical = 0;  // what would be reached
};
// For registers or shared memory, if it is the only limit; returns the smallest saving that helps.
std::optional<HeadRoom> head_room(const LaunchConfig& config, const OccupancyDevice& device);

}  // namespace lanescope

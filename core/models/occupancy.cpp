#include "core/models/occupancy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lanescope {

namespace {

constexpr int kWarp = 32;
constexpr int kMaxThreads = 1024;  // of a block
constexpr int64_t kDefaultShared = 48 << 10;
constexpr int64_t kKiB = 1024;
constexpr int kGridBarriers = 1;  // named barriers per block: not recorded, most kernels use one

constexpr SmLimits limits(int major, int minor, int threads, int blocks, int64_t shared_kib,
                          int64_t optin_kib, int barriers = 0) {
    SmLimits sm;
    sm.major = major;
    sm.minor = minor;
    sm.threads = threads;
    sm.warps = threads / kWarp;
    sm.blocks = blocks;
    sm.shared_bytes = shared_kib * kKiB;
    sm.shared_optin_bytes = optin_kib * kKiB;
    sm.shared_reserved_bytes = major >= 8 ? kKiB : 0;
    sm.shared_unit_bytes = major >= 8 ? 128 : 256;
    sm.barriers = barriers;
    return sm;
}

constexpr SmLimits pascal_p100() {
    SmLimits sm = limits(6, 0, 2048, 32, 64, 48);
    sm.partitions = 2;
    return sm;
}
constexpr SmLimits tegra_x2() {
    SmLimits sm = limits(6, 2, 2048, 32, 64, 48);
    sm.registers_per_block = 32768;
    return sm;
}

// Sorted by compute capability.
constexpr std::array kSms = {
    pascal_p100(),
    limits(6, 1, 2048, 32, 96, 48),
    tegra_x2(),
    limits(7, 0, 2048, 32, 96, 96),
    limits(7, 2, 2048, 32, 96, 96),
    limits(7, 5, 1024, 16, 64, 64),
    limits(8, 0, 2048, 32, 164, 163),
    limits(8, 6, 1536, 16, 100, 99),
    limits(8, 7, 1536, 16, 164, 163),
    limits(8, 8, 1536, 16, 100, 99),
    limits(8, 9, 1536, 24, 100, 99),
    limits(9, 0, 2048, 32, 228, 227, 64),
    limits(10, 0, 2048, 32, 228, 227, 64),
    limits(10, 1, 1536, 24, 228, 227, 24),
    limits(10, 3, 2048, 32, 228, 227, 32),  // 64 in headers of before CUDA 13.3
    limits(11, 0, 1536, 24, 228, 227, 24),
    limits(12, 0, 1536, 24, 100, 99, 24),
    limits(12, 1, 1536, 24, 100, 99, 24),
};

constexpr SmLimits cdna(int major, int minor, int registers_per_lane, int unit_per_lane,
                        int64_t lds_kib, int64_t lds_unit) {
    SmLimits cu;
    cu.major = major;
    cu.minor = minor;
    cu.warp = 64;
    cu.warps = 32;  // 8 per SIMD: HIP and the profiler's manual; LLVM says 10 for gfx908
    cu.threads = cu.warps * cu.warp;
    cu.blocks = 16;
    cu.blocks_of_one_warp = cu.warps;
    cu.registers = registers_per_lane * cu.warp * cu.partitions;
    cu.registers_per_block = cu.registers;
    cu.registers_per_thread = registers_per_lane;
    cu.register_unit = unit_per_lane * cu.warp;
    cu.shared_bytes = lds_kib * kKiB;
    cu.shared_optin_bytes = 64 * kKiB;
    cu.shared_unit_bytes = lds_unit;
    return cu;
}

constexpr SmLimits kGfx908 = cdna(9, 0, 256, 4, 64, 512);
constexpr SmLimits kGfx90a = cdna(9, 0, 512, 8, 64, 512);
constexpr SmLimits kGfx942 = cdna(9, 4, 512, 8, 64, 512);
constexpr SmLimits kGfx950 = cdna(9, 5, 512, 8, 160, 1280);

// A pair of CUs that share a work-group: one CU never allows more. Waves of 32.
constexpr SmLimits rdna3(int registers_per_lane) {
    SmLimits wgp;
    wgp.major = 11;
    wgp.warp = 32;
    wgp.warps = 64;  // 16 on each of four SIMDs
    wgp.threads = wgp.warps * wgp.warp;
    wgp.blocks = 32;
    wgp.blocks_of_one_warp = wgp.warps;
    wgp.registers = registers_per_lane * wgp.warp * wgp.partitions;
    wgp.registers_per_block = wgp.registers;
    wgp.registers_per_thread = 256;
    wgp.register_unit = 24 * wgp.warp;  // equal for a wave of 64: 12 for each lane
    wgp.shared_bytes = 128 * kKiB;
    wgp.shared_optin_bytes = 64 * kKiB;
    wgp.shared_unit_bytes = 512;  // or 1,024: no source is certain
    return wgp;
}

constexpr SmLimits kLargeRdna3 = rdna3(1536);  // gfx1100, gfx1101, gfx1151
// The size of the other parts' register file is not certain.
constexpr SmLimits kRdna3 = rdna3(0);

// Names of the parts with the large register file. (Radeon RX 7700S is not one of them.)
constexpr std::array<std::string_view, 8> kLargeRdna3Names = {
    "RX 7900", "W7900", "W7800", "RX 7800 XT", "RX 7700 XT", "W7700", "8060S", "8050S"};

template <typename T>
constexpr T rounded_up(T value, T unit) {
    return (value + unit - 1) / unit * unit;
}

int64_t product(const uint32_t (&v)[3]) {
    return int64_t{v[0]} * v[1] * v[2];
}

int fits_registers(int64_t registers, int warps, const SmLimits& sm) {
    if (registers <= 0 || sm.registers <= 0) return kNoLimit;
    const int64_t a_warp = rounded_up<int64_t>(registers * sm.warp, sm.register_unit);
    const auto whole = [&](int parts) {
        return a_warp * rounded_up(warps, parts) <= sm.registers_per_block;
    };
    // P100 has two partitions, and is also checked with four.
    if (registers > sm.registers_per_thread || !whole(sm.partitions) ||
        (sm.partitions < 4 && !whole(4)))
        return 0;
    // A warp's registers are in one partition of the register file.
    const int64_t warps_of_part = sm.registers / sm.partitions / a_warp;
    return static_cast<int>(warps_of_part * sm.partitions / warps);
}

int fits_shared(int64_t bytes, int64_t most_of_block, const SmLimits& sm) {
    bytes = std::max<int64_t>(bytes, 0);
    const int64_t used = rounded_up(bytes + sm.shared_reserved_bytes, sm.shared_unit_bytes);
    if (used > most_of_block + sm.shared_reserved_bytes) return 0;
    return used == 0 ? kNoLimit : static_cast<int>(sm.shared_bytes / used);
}

int64_t min_blocks(const Occupancy& occupancy) {
    return *std::min_element(std::begin(occupancy.fits), std::end(occupancy.fits));
}

// Blocks allowed by each resource; `most_shared` is the limit for one block.
Occupancy fitted(const LaunchConfig& config, const SmLimits& sm, int64_t most_shared) {
    Occupancy o;
    const int64_t threads = product(config.block);
    o.blocks = product(config.grid);
    o.warps_per_block =
        static_cast<int>(std::min<int64_t>((threads + sm.warp - 1) / sm.warp, 1 << 20));
    if (threads <= 0) return o;
    const auto at = [&](OccupancyLimit limit) -> int& {
        return o.fits[static_cast<std::size_t>(limit)];
    };
    at(OccupancyLimit::warps) = threads > kMaxThreads ? 0 : sm.warps / o.warps_per_block;
    at(OccupancyLimit::registers) =
        fits_registers(config.registers_per_thread, o.warps_per_block, sm);
    at(OccupancyLimit::shared_memory) = fits_shared(config.shared_memory_bytes, most_shared, sm);
    at(OccupancyLimit::blocks) =
        o.warps_per_block == 1 && sm.blocks_of_one_warp > 0 ? sm.blocks_of_one_warp : sm.blocks;
    if (sm.barriers > 0) at(OccupancyLimit::barriers) = sm.barriers / kGridBarriers;
    o.active_blocks = static_cast<int>(min_blocks(o));
    return o;
}

}  // namespace

const SmLimits* sm_limits(int major, int minor) {
    const SmLimits* found = nullptr;
    for (const SmLimits& sm : kSms)
        if (sm.major == major && (sm.minor <= minor || !found)) found = &sm;
    return found;
}

const SmLimits* cu_limits(int major, int minor, std::string_view name) {
    if (major == 11) {
        const bool large = std::ranges::any_of(kLargeRdna3Names, [&](std::string_view part) {
            return name.find(part) != std::string_view::npos;
        });
        return large ? &kLargeRdna3 : &kRdna3;
    }
    if (major != 9) return nullptr;
    if (minor == 4) return &kGfx942;
    if (minor == 5) return &kGfx950;
    if (minor != 0) return nullptr;
    if (name.find("MI100") != std::string_view::npos) return &kGfx908;
    return name.find("MI2") != std::string_view::npos ? &kGfx90a : nullptr;
}

bool is_amd(const Device& device) {
    const auto names = [&](const char* word) {
        return device.name.find(word) != std::string::npos;
    };
    return device.fact(DeviceFact::warp_size) == 64 || names("AMD") || names("Radeon") ||
           names("Instinct") ||
           device.facts.contains(DeviceFact::amd_shared_bytes_per_multiprocessor);
}

std::optional<OccupancyDevice> occupancy_device(const Device& device) {
    const auto major = static_cast<int>(device.fact(DeviceFact::compute_major));
    const auto minor = static_cast<int>(device.fact(DeviceFact::compute_minor));
    if (is_amd(device)) {
        const SmLimits* const cu = cu_limits(major, minor, device.name);
        if (!cu) return std::nullopt;
        return OccupancyDevice{
            *cu, device.fact(DeviceFact::multiprocessors), false, true, device.id, major > 9};
    }
    const SmLimits* const listed = sm_limits(major, minor);
    if (!listed) return std::nullopt;
    OccupancyDevice found{*listed, device.fact(DeviceFact::multiprocessors),
                          listed->major != major || listed->minor != minor, false, device.id};
    SmLimits& sm = found.limits;
    const auto override_limit = [&](DeviceFact fact, auto& limit) {
        using Limit = std::remove_reference_t<decltype(limit)>;
        const int64_t value = device.fact(fact);
        if (value > 0 && value <= std::numeric_limits<int32_t>::max())
            limit = static_cast<Limit>(value);
    };
    override_limit(DeviceFact::max_threads_per_multiprocessor, sm.threads);
    override_limit(DeviceFact::registers_per_multiprocessor, sm.registers);
    override_limit(DeviceFact::shared_bytes_per_multiprocessor, sm.shared_bytes);
    override_limit(DeviceFact::shared_bytes_per_block_optin, sm.shared_optin_bytes);
    sm.warps = sm.threads / kWarp;
    return found;
}

std::string_view occupancy_limit_name(OccupancyLimit limit) {
    switch (limit) {
        case OccupancyLimit::warps:
            return "warps";
        case OccupancyLimit::registers:
            return "registers";
        case OccupancyLimit::shared_memory:
            return "shared memory";
        case OccupancyLimit::blocks:
            return "blocks";
        case OccupancyLimit::barriers:
            return "barriers";
    }
    return "";
}

namespace {

// The kernel did run: a block beyond the default limit must have requested more.
Occupancy fitted_as_it_ran(const LaunchConfig& config, const OccupancyDevice& device) {
    const int64_t max_shared = std::max(kDefaultShared, device.limits.shared_optin_bytes);
    Occupancy narrow = fitted(config, device.limits, max_shared);
    narrow.at_most =
        device.either_wave || config.registers_per_thread < 0 || config.shared_memory_bytes < 0;
    if (!device.either_wave) return narrow;
    SmLimits wide_waves = device.limits;
    wide_waves.warp = 64;
    Occupancy wide = fitted(config, wide_waves, max_shared);
    wide.at_most = true;
    const auto warps = [](const Occupancy& o) { return o.active_blocks * o.warps_per_block; };
    return warps(wide) > warps(narrow) ? wide : narrow;
}

}  // namespace

std::optional<Occupancy> occupancy_of(const LaunchConfig& config, const OccupancyDevice& device) {
    const SmLimits& sm = device.limits;
    Occupancy o = fitted_as_it_ran(config, device);
    if (o.active_blocks <= 0 || o.blocks <= 0 || o.active_blocks == kNoLimit) return std::nullopt;
    for (std::size_t i = 0; i < std::size(o.fits); ++i)
        if (o.fits[i] == o.active_blocks) o.limiters.push_back(static_cast<OccupancyLimit>(i));
    const double room = sm.warps;
    o.theoretical = o.active_blocks * o.warps_per_block / room;
    if (device.sms <= 0) {
        o.reached = o.waves = o.tail_share = std::numeric_limits<double>::quiet_NaN();
        return o;
    }
    const int64_t wave = device.sms * o.active_blocks;
    const double on_one = static_cast<double>(o.blocks) / static_cast<double>(device.sms);
    o.reached = std::min<double>(o.active_blocks, on_one) * o.warps_per_block / room;
    o.waves = static_cast<double>(o.blocks) / static_cast<double>(wave);
    const int64_t rest = o.blocks % wave;
    o.tail_share = rest == 0 ? 0 : 1 - static_cast<double>(rest) / static_cast<double>(wave);
    return o;
}

int kineto_occupancy_percent(const LaunchConfig& config, const OccupancyDevice& device) {
    if (device.sms <= 0) return 0;
    const Occupancy o = fitted(config, device.limits, kDefaultShared);
    const float on_one = static_cast<float>(o.blocks) / static_cast<float>(device.sms);
    const float blocks = std::min(static_cast<float>(o.active_blocks), on_one);
    const float part = blocks * static_cast<float>(product(config.block)) /
                       static_cast<float>(device.limits.threads);
    // The product is a double: 22.4999994 stays below 22.5.
    return static_cast<int>(std::floor(0.5 + 100.0 * static_cast<double>(part)));
}

std::optional<HeadRoom> head_room(const LaunchConfig& config, const OccupancyDevice& device) {
    const auto now = occupancy_of(config, device);
    if (!now || now->limiters.size() != 1) return std::nullopt;
    const OccupancyLimit limit = now->limiters.front();
    LaunchConfig less = config;
    const bool registers = limit == OccupancyLimit::registers;
    if (!registers && limit != OccupancyLimit::shared_memory) return std::nullopt;
    const SmLimits& sm = device.limits;
    const int64_t step = registers ? sm.register_unit / sm.warp : sm.shared_unit_bytes;
    const int64_t have = registers ? config.registers_per_thread : config.shared_memory_bytes;
    // Tries the next lower multiple of the allocation unit, and continues downwards.
    for (int64_t reduced = (have - 1) / step * step; reduced > 0; reduced -= step) {
        if (registers)
            less.registers_per_thread = static_cast<int32_t>(reduced);
        else
            less.shared_memory_bytes = reduced;
        const auto then = occupancy_of(less, device);
        if (then && then->active_blocks > now->active_blocks)
            return HeadRoom{limit, have - reduced, then->theoretical};
    }
    return std::nullopt;
}

}  // namespace lanescope

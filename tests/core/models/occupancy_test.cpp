#include "core/models/occupancy.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/core/real_traces.h"

using namespace lanescope;

namespace {

OccupancyDevice device(int major, int minor, int64_t sms) {
    return {*sm_limits(major, minor), sms, false, false, 0};
}

OccupancyDevice cdna(int minor, const char* name = "") {
    return {*cu_limits(9, minor, name), 304, false, true, 0};
}

LaunchConfig launch(uint32_t blocks, uint32_t threads, int registers, int64_t shared) {
    LaunchConfig config;
    config.grid[0] = blocks;
    config.grid[1] = config.grid[2] = 1;
    config.block[0] = threads;
    config.block[1] = config.block[2] = 1;
    config.registers_per_thread = registers;
    config.shared_memory_bytes = shared;
    return config;
}

}  // namespace

TEST_CASE("For a kernel limited by registers, the change that fits another block is listed") {
    // 255 registers round up to 256: 8,192 for a warp, two warps in each of four partitions of
    // 16,384; with four warps a block this gives two of 16 possible blocks.
    const auto o = occupancy_of(launch(16, 128, 255, 49152), device(9, 0, 132));
    REQUIRE(o);
    CHECK(o->warps_per_block == 4);
    CHECK(o->active_blocks == 2);
    CHECK(o->limiters == std::vector{OccupancyLimit::registers});
    CHECK(o->theoretical == doctest::Approx(8.0 / 64));
    CHECK(o->fits[static_cast<std::size_t>(OccupancyLimit::warps)] == 16);
    CHECK(o->fits[static_cast<std::size_t>(OccupancyLimit::shared_memory)] == 4);
    CHECK(o->fits[static_cast<std::size_t>(OccupancyLimit::blocks)] == 32);
    CHECK(o->waves == doctest::Approx(16.0 / 264));
    CHECK(o->reached == doctest::Approx(16.0 / 132 * 4 / 64));
    const auto room = head_room(launch(16, 128, 255, 49152), device(9, 0, 132));
    REQUIRE(room);
    CHECK(room->limit == OccupancyLimit::registers);
    // 168 registers are 5,376 for a warp: three warps in each partition.
    CHECK(room->less == 255 - 168);
    CHECK(room->theoretical == doctest::Approx(12.0 / 64));
}

TEST_CASE("Each part of the register file holds whole warps") {
    // 72 registers: 2,304 for a warp. 65,536 / 2,304 = 28 warps, and 7 in each partition: 28. 80:
    // 2,560, 25 in total, but 6 in each partition: 24.
    const auto o = occupancy_of(launch(1000, 32, 80, 0), device(8, 0, 108));
    REQUIRE(o);
    CHECK(o->fits[static_cast<std::size_t>(OccupancyLimit::registers)] == 24);
}

TEST_CASE("Shared memory beyond the default is an opt-in, where Kineto prints 0") {
    const OccupancyDevice h100 = device(9, 0, 132);
    const LaunchConfig big = launch(240, 256, 230, 147456);
    const auto o = occupancy_of(big, h100);
    REQUIRE(o);
    CHECK(o->active_blocks == 1);
    CHECK(o->limiters == std::vector{OccupancyLimit::registers, OccupancyLimit::shared_memory});
    CHECK(o->theoretical == doctest::Approx(0.125));
    CHECK(o->waves == doctest::Approx(240.0 / 132));
    CHECK(o->tail_share == doctest::Approx(1 - 108.0 / 132));
    CHECK(kineto_occupancy_percent(big, h100) == 0);
    CHECK(!head_room(big, h100));  // reducing either alone would not help
}

TEST_CASE("One full wave has no tail; unlisted minor versions have the limits of lower ones") {
    const auto whole = occupancy_of(launch(132 * 2, 1024, 32, 0), device(9, 0, 132));
    REQUIRE(whole);
    CHECK(whole->theoretical == 1);
    CHECK(whole->reached == 1);
    CHECK(whole->waves == 1);
    CHECK(whole->tail_share == 0);
    CHECK(sm_limits(9, 7)->minor == 0);
    CHECK(sm_limits(8, 4)->minor == 0);
    CHECK(sm_limits(12, 1)->barriers == 24);
    CHECK(!sm_limits(5, 2));
    CHECK(!sm_limits(0, 0));
}

TEST_CASE("Impossible or unrecorded launches have no occupancy") {
    const OccupancyDevice v100 = device(7, 0, 80);
    CHECK(!occupancy_of(launch(1, 2048, 16, 0), v100));
    CHECK(!occupancy_of(launch(1, 1024, 128, 0), v100));
    CHECK(!occupancy_of(launch(1, 128, 16, 200000), v100));
    CHECK(!occupancy_of(launch(0, 128, 16, 0), v100));
    CHECK(!occupancy_of(launch(1, 0, 16, 0), v100));
    // The kernel's own figures need no number of multiprocessors.
    const auto o = occupancy_of(launch(1, 128, 16, 0), device(7, 0, 0));
    REQUIRE(o);
    CHECK(o->theoretical == 1);
    CHECK(std::isnan(o->waves));
}

TEST_CASE("Missing figures limit nothing, and the result is an upper bound") {
    const OccupancyDevice v100 = device(7, 0, 80);
    CHECK(!occupancy_of(launch(1, 128, 16, 0), v100)->at_most);
    const auto no_registers = occupancy_of(launch(1, 128, -1, 32 << 10), v100);
    REQUIRE(no_registers);
    CHECK(no_registers->at_most);
    CHECK(no_registers->active_blocks == 3);
    const auto no_shared = occupancy_of(launch(1, 128, 128, -1), v100);
    REQUIRE(no_shared);
    CHECK(no_shared->at_most);
    CHECK(no_shared->active_blocks == 4);
}

TEST_CASE("AMD devices have their own limits") {
    const auto occupancy = [](const OccupancyDevice& device, uint32_t threads, int vgprs,
                              int64_t lds) {
        const auto found = occupancy_of(launch(1000, threads, vgprs, lds), device);
        REQUIRE(found);
        return *found;
    };
    using Limits = std::vector<OccupancyLimit>;
    // 128 of 512 VGPRs: four waves on each of four SIMDs, four work-groups of four waves.
    const Occupancy registers = occupancy(cdna(4), 256, 128, 0);
    CHECK(registers.warps_per_block == 4);
    CHECK(registers.active_blocks == 4);
    CHECK(registers.theoretical == 0.5);
    CHECK(registers.limiters == Limits{OccupancyLimit::registers});
    CHECK(occupancy(cdna(4), 256, 129, 0).theoretical ==
          0.375);  // 136: three on each, in units of 8
    CHECK(occupancy(cdna(4), 256, 512, 0).theoretical == 0.125);
    // MI100: half of the registers, in units of 4.
    CHECK(occupancy(cdna(0, "AMD Instinct MI100"), 256, 128, 0).theoretical == 0.25);
    CHECK(occupancy(cdna(0, "AMD Instinct MI250X"), 256, 128, 0).theoretical == 0.5);
    const Occupancy lds = occupancy(cdna(4), 256, 32, 32 << 10);
    CHECK(lds.theoretical == 0.25);
    CHECK(lds.limiters == Limits{OccupancyLimit::shared_memory});
    // 1,281 bytes are two units of MI350's 1,280.
    CHECK(occupancy(cdna(5), 64, 32, 1281)
              .fits[static_cast<std::size_t>(OccupancyLimit::shared_memory)] == 64);
    CHECK(occupancy(cdna(4), 128, 32, 0).active_blocks == 16);
    CHECK(occupancy(cdna(4), 64, 32, 0).active_blocks == 32);  // needs no barrier
    CHECK(occupancy(cdna(4), 192, -1, -1).theoretical == 0.9375);
    CHECK(!occupancy_of(launch(1, 1088, 32, 0), cdna(4)));
    CHECK(!occupancy_of(launch(1, 64, 32, 65 << 10), cdna(5)));
    const auto room = head_room(launch(1000, 256, 136, 0), cdna(4));
    REQUIRE(room);
    CHECK(room->less == 8);
    CHECK(room->theoretical == 0.5);
}

TEST_CASE("RDNA3's limits give an upper bound: files do not say in which mode a kernel ran") {
    Device d;
    d.name = "AMD Radeon RX 7900 XTX";
    d.facts = {{DeviceFact::compute_major, 11},
               {DeviceFact::compute_minor, 0},
               {DeviceFact::multiprocessors, 48},
               {DeviceFact::warp_size, 32}};
    const auto large = occupancy_device(d);
    REQUIRE(large);
    CHECK(large->amd);
    CHECK(large->either_wave);
    const auto occupancy = [](const OccupancyDevice& on, uint32_t threads, int vgprs, int64_t lds) {
        const auto found = occupancy_of(launch(1000, threads, vgprs, lds), on);
        REQUIRE(found);
        CHECK(found->at_most);
        return *found;
    };
    const auto fits = [](const Occupancy& o, OccupancyLimit limit) {
        return o.fits[static_cast<std::size_t>(limit)];
    };
    // 1,536 VGPRs a lane: 96 for each of 16 waves, in units of 24.
    CHECK(occupancy(*large, 256, 96, 0).theoretical == 1);
    const Occupancy tight = occupancy(*large, 256, 97, 0);  // 120: 12 waves on each SIMD
    CHECK(tight.theoretical == 0.75);
    CHECK(tight.limiters == std::vector{OccupancyLimit::registers});
    CHECK(occupancy(*large, 256, 256, 0).theoretical == 0.25);  // 264: five; two groups of eight
    CHECK(fits(occupancy(*large, 256, 96, 60 << 10), OccupancyLimit::shared_memory) == 2);
    CHECK(!occupancy_of(launch(1, 64, 32, 65 << 10), *large));
    // 96 threads: 21 groups of three waves of 32, or 32 groups of two waves of 64.
    const Occupancy wide = occupancy(*large, 96, -1, -1);
    CHECK(wide.warps_per_block == 2);
    CHECK(wide.theoretical == 1);
    CHECK(occupancy(*large, 32, -1, -1).active_blocks == 64);  // a single wave needs no barrier
    CHECK(occupancy(*large, 320, -1, -1).theoretical == 60.0 / 64);
    // The register file of smaller parts is not certain, so registers do not limit them.
    d.name = "AMD Radeon RX 7600";
    const auto other = occupancy_device(d);
    REQUIRE(other);
    CHECK(fits(occupancy(*other, 256, 256, 0), OccupancyLimit::registers) == kNoLimit);
    d.name = "AMD Radeon RX 7700S";
    CHECK(occupancy_device(d)->limits.registers == 0);
    // NVIDIA's Thor also reports 11.0.
    d.name = "NVIDIA Thor";
    REQUIRE(occupancy_device(d));
    CHECK(!occupancy_device(d)->amd);
}

TEST_CASE("The trace's own facts describe a device") {
    Device d;
    d.id = 1;
    d.name = "NVIDIA H100 80GB HBM3";
    d.facts = {{DeviceFact::compute_major, 9},
               {DeviceFact::compute_minor, 0},
               {DeviceFact::multiprocessors, 114},
               {DeviceFact::max_threads_per_multiprocessor, 2048},
               {DeviceFact::warp_size, 32}};
    const auto found = occupancy_device(d);
    REQUIRE(found);
    CHECK(found->sms == 114);
    CHECK(!found->nearest);
    d.facts[DeviceFact::compute_minor] = 5;
    CHECK(occupancy_device(d)->nearest);
    d.facts[DeviceFact::compute_major] = 3;
    CHECK(!occupancy_device(d));
    // AMD's gfx908 and gfx90a also report 9.0.
    Device amd;
    amd.facts = {{DeviceFact::compute_major, 9},
                 {DeviceFact::compute_minor, 0},
                 {DeviceFact::warp_size, 64}};
    CHECK(is_amd(amd));
    CHECK(!occupancy_device(amd));
    amd.name = "AMD Instinct MI250X";
    REQUIRE(occupancy_device(amd));
    CHECK(occupancy_device(amd)->amd);
    amd.name = "";
    amd.facts[DeviceFact::compute_minor] = 4;
    amd.facts[DeviceFact::multiprocessors] = 304;
    amd.facts[DeviceFact::registers_per_block] = 65536;  // MI300X: not so
    REQUIRE(occupancy_device(amd));
    CHECK(occupancy_device(amd)->sms == 304);
    CHECK(occupancy_device(amd)->limits.registers == 131072);
    amd.facts[DeviceFact::compute_major] = 10;  // RDNA2: its limits are not known
    CHECK(!occupancy_device(amd));
    CHECK(!occupancy_device(Device()));
}

TEST_CASE("Kineto's printed figure is reproduced for every NVIDIA kernel") {
    std::size_t kernels = 0;
    std::size_t equal = 0;
    std::size_t known = 0;
    for (const std::string& name : testing::torch_traces_and_samples()) {
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        std::map<int32_t, OccupancyDevice> devices;
        for (const Device& d : trace->devices)
            if (const auto found = occupancy_device(d)) devices[d.id] = *found;
        const GpuActivities& gpu = trace->gpu_activities;
        for (std::size_t row = 0; row < gpu.slice.size(); ++row) {
            if (gpu.config[row] == kNoRow) continue;
            const LaunchConfig& config = trace->launch_configs[gpu.config[row]];
            const auto found = devices.find(gpu.device[row]);
            if (config.kineto_occupancy_percent < 0 || found == devices.end()) continue;
            ++kernels;
            equal +=
                kineto_occupancy_percent(config, found->second) == config.kineto_occupancy_percent;
            known += occupancy_of(config, found->second).has_value();
        }
    }
    MESSAGE(kernels << " kernels with Kineto's figure");
    // The program that made the sample computed its 219 figures by itself.
    CHECK(kernels >= 219 + (testing::has_real_traces() ? 84'199 : 0));
    CHECK(equal == kernels);
    CHECK(known == kernels);
}

// Compares our occupancy with CUDA's own header, if the machine has a toolkit or the package
// nvidia-cuda-runtime: CMake looks for cuda_occupancy.h. scripts/test-cuda-occupancy does the same
// for the headers of all CUDA versions.
#include <doctest/doctest.h>

#if LANESCOPE_HAVE_CUDA_OCCUPANCY
#include <cuda_occupancy.h>
#endif

#include <array>
#include <climits>
#include <random>

#include "core/models/occupancy.h"
#include "tests/skip.h"

using namespace lanescope;

#if LANESCOPE_HAVE_CUDA_OCCUPANCY

namespace {

constexpr std::array<std::array<int, 2>, 18> kCapabilities = {{{6, 0},
                                                               {6, 1},
                                                               {6, 2},
                                                               {7, 0},
                                                               {7, 2},
                                                               {7, 5},
                                                               {8, 0},
                                                               {8, 6},
                                                               {8, 7},
                                                               {8, 8},
                                                               {8, 9},
                                                               {9, 0},
                                                               {10, 0},
                                                               {10, 1},
                                                               {10, 3},
                                                               {11, 0},
                                                               {12, 0},
                                                               {12, 1}}};

cudaOccDeviceProp properties_of(const SmLimits& sm) {
    cudaOccDeviceProp p;
    p.computeMajor = sm.major;
    p.computeMinor = sm.minor;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsPerMultiprocessor = sm.threads;
    p.regsPerBlock = sm.registers_per_block;
    p.regsPerMultiprocessor = sm.registers;
    p.warpSize = 32;
    p.sharedMemPerBlock = 48 << 10;
    p.sharedMemPerMultiprocessor = static_cast<std::size_t>(sm.shared_bytes);
    p.numSms = 100;
    p.sharedMemPerBlockOptin = static_cast<std::size_t>(sm.shared_optin_bytes);
    p.reservedSharedMemPerBlock = static_cast<std::size_t>(sm.shared_reserved_bytes);
    return p;
}

unsigned factors_of(const Occupancy& o) {
    constexpr std::array<unsigned, 5> kBits = {OCC_LIMIT_WARPS, OCC_LIMIT_REGISTERS,
                                               OCC_LIMIT_SHARED_MEMORY, OCC_LIMIT_BLOCKS,
                                               OCC_LIMIT_BARRIERS};
    unsigned bits = 0;
    for (const OccupancyLimit limit : o.limiters) bits |= kBits[static_cast<std::size_t>(limit)];
    return bits;
}

// For 10.3, which has half of them from CUDA 13.3 on.
int barriers_of(const cudaOccDeviceProp& properties) {
    cudaOccFuncAttributes attributes;
    attributes.maxThreadsPerBlock = INT_MAX;
    attributes.numRegs = 1;
    attributes.numBlockBarriers = 1;
    cudaOccResult theirs{};
    const cudaOccDeviceState state;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&theirs, &properties, &attributes, &state, 32, 0) !=
        CUDA_OCC_SUCCESS)
        return 0;
    const int barriers = theirs.blockLimitBarriers;
    CHECK((barriers == 32 || barriers == 64));
    return barriers;
}

}  // namespace

TEST_CASE("Occupancy and limits equal those of cuda_occupancy.h on random launches") {
    std::mt19937 random(20);
    const auto up_to = [&](int limit) { return std::uniform_int_distribution(0, limit)(random); };
    std::size_t ran = 0;
    std::size_t known = 0;
    for (const auto& [major, minor] : kCapabilities) {
        const SmLimits& sm = *sm_limits(major, minor);
        OccupancyDevice device{sm, 100, false, false, 0};
        const cudaOccDeviceProp properties = properties_of(sm);
        if (sm.major == 10 && sm.minor == 3) device.limits.barriers = barriers_of(properties);
        ++known;
        for (int i = 0; i < 20'000; ++i) {
            LaunchConfig config;
            config.grid[0] = 1;
            config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
            config.block[0] = static_cast<uint32_t>(1 + up_to(i % 8 == 0 ? 1100 : 1023));
            config.registers_per_thread = 1 + up_to(254);
            config.shared_memory_bytes = up_to(i % 2 == 0 ? 16 << 10 : 240 << 10);
            cudaOccFuncAttributes attributes;
            attributes.maxThreadsPerBlock = INT_MAX;
            attributes.numRegs = config.registers_per_thread;
            attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
            attributes.maxDynamicSharedSizeBytes = properties.sharedMemPerBlockOptin;
            attributes.numBlockBarriers = 1;
            cudaOccResult theirs{};
            const cudaOccDeviceState state;
            const auto status = cudaOccMaxActiveBlocksPerMultiprocessor(
                &theirs, &properties, &attributes, &state, static_cast<int>(config.block[0]),
                static_cast<std::size_t>(config.shared_memory_bytes));
            if (status == CUDA_OCC_ERROR_UNKNOWN_DEVICE) {  // an older header
                REQUIRE(i == 0);
                --known;
                break;
            }
            REQUIRE(status == CUDA_OCC_SUCCESS);
            const auto ours = occupancy_of(config, device);
            const int blocks = ours ? ours->active_blocks : 0;
            ran += blocks > 0;
            if (blocks != theirs.activeBlocksPerMultiprocessor ||
                (ours && factors_of(*ours) != theirs.limitingFactors)) {
                CAPTURE(properties.computeMajor);
                CAPTURE(properties.computeMinor);
                CAPTURE(config.block[0]);
                CAPTURE(config.registers_per_thread);
                CAPTURE(config.shared_memory_bytes);
                REQUIRE(blocks == theirs.activeBlocksPerMultiprocessor);
                REQUIRE(factors_of(*ours) == theirs.limitingFactors);
            }
        }
    }
    MESSAGE(ran << " launches that can run, of " << known << " compute capabilities");
    CHECK(known >= 12);
    CHECK(ran > known * 1'000);
}

#else

TEST_CASE("Occupancy and limits equal those of cuda_occupancy.h on random launches") {
    testing::skip_test("there is no cuda_occupancy.h (CMake: LANESCOPE_CUDA_INCLUDE)");
}

#endif

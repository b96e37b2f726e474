// Columns that the tables of single and grouped kernels share.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/table/cells.h"
#include "core/trace/kernel_family.h"
#include "core/trace/trace.h"

namespace lanescope {

inline std::string_view kind_of(const Trace& trace, SliceRef slice) {
    switch (trace.event_class(slice)) {
        case EventClass::communication:
            return "communication";
        case EventClass::memory:
            return "memory";
        default:
            return "kernel";
    }
}

using Triple = std::array<int64_t, 3>;
inline Triple triple(const uint32_t (&values)[3]) {
    return {values[0], values[1], values[2]};
}

inline constexpr ColumnText kName = {"name", Unit::none, kDistinct, "",
                                     "Name as the file writes it."};
inline constexpr ColumnText kKind = {
    "kind", Unit::none, kDistinct, "",
    "kernel, communication (a collective's kernel), or memory (a copy or set)."};
inline constexpr ColumnText kDevice =
    where_rows_differ({"device", Unit::none, kDistinct, "not recorded", "Ordinal of the GPU."});
inline constexpr ColumnText kPlanned = {
    "planned", Unit::count, kSum, "",
    "Adaptive launches: instances whose launch follows a call to "
    "cudaOccupancyMaxActiveBlocks… by the same caller."};

// A row's `family()` is a KernelFamily.
inline constexpr SharedColumn kFamily{
    ColumnText{"family", Unit::none, kDistinct, "",
               "What it is for: matrix product, attention, norm, softmax, elementwise, reduction, "
               "experts, quantise, embedding, sampling, rope, optimizer, communication, copy, or "
               "other; by its name, or else by the operator that launched it.",
               Priority::first},
    [](const auto& row) { return family_name(row.family()); }};

// Means weighted by duration.
inline constexpr ColumnText kRegisters = {
    "registers", Unit::none, mean_by("total_ns"), "not recorded",
    "Registers per thread; a mean weighted by duration if configurations differ."};
inline constexpr ColumnText kStaticShared = {
    "static_shared_bytes", Unit::bytes, mean_by("total_ns"), "the file has only the sum",
    "Shared memory of a block that is fixed at compile time; a mean as for shared_bytes."};
inline constexpr ColumnText kDynamicShared = {
    "dynamic_shared_bytes", Unit::bytes, mean_by("total_ns"), "the file has only the sum",
    "Shared memory of a block that is requested at launch; a mean as for shared_bytes."};
inline constexpr ColumnText kShared = {
    "shared_bytes", Unit::bytes, mean_by("total_ns"), "not recorded",
    "Shared memory per block, static and dynamic; a mean weighted by duration if "
    "configurations differ."};
inline constexpr ColumnText kOccupancy = {
    "occupancy",
    Unit::ratio,
    mean_by("total_ns"),
    "registers, shared memory, the device or how it runs them are not in the file",
    "Theoretical occupancy: active warps divided by the maximum of a multiprocessor, by "
    "CUDA's rules; a mean weighted by duration if configurations differ.",
    Priority::first};
inline constexpr ColumnText kLimiter = {
    "occupancy_limiter", Unit::none, kDistinct, "the occupancy is not known",
    "What limits it: warps, registers, shared memory, blocks or barriers; equal limits are joined "
    "by +; mixed if instances differ."};
inline constexpr ColumnText kProfilersOccupancy = {
    "kineto_occupancy_percent", Unit::none, mean_by("total_ns"), "not recorded",
    "The profiler's own estimate from the file, in percent; a mean weighted by duration if "
    "configurations differ. 0 for every kernel with more than 48 KB of shared memory."};
inline constexpr ColumnText kWaves = {
    "waves", Unit::none, mean_by("total_ns"),
    "the occupancy or the number of multiprocessors is not known",
    "Blocks of the grid ÷ blocks that fit on all multiprocessors at a time; a mean "
    "weighted by duration if configurations differ."};

// A row's `costs()` are CostSums.
inline constexpr SharedColumn kFlop{
    ColumnText{"flop", Unit::flop, kSum, "no model",
               "Operations by its operators' shapes: see table models."},
    [](const auto& row) { return row.costs().known_flop(); }};
inline constexpr SharedColumn kBytes{
    ColumnText{"bytes", Unit::bytes, kSum, "no model",
               "Minimum of bytes that memory must deliver and accept."},
    [](const auto& row) { return row.costs().known_bytes(); }};
inline constexpr SharedColumn kFloor{
    ColumnText{"floor_ns", Unit::nanoseconds, kSum, "no model, or the device is not in the sheet",
               "The larger of operations ÷ peak and bytes ÷ bandwidth.", Priority::first,
               kByUncertain},
    [](const auto& row) { return row.costs().known_floor(); }};
inline constexpr SharedColumn kLost{
    ColumnText{"lost_ns", Unit::nanoseconds, kSum, "the same", "Time beyond the floor.",
               Priority::first, kByUncertain},
    [](const auto& row) { return row.costs().known_lost(); }};
inline constexpr SharedColumn kBound{
    ColumnText{"bound", Unit::none, kDistinct, "",
               "What bounds most of its time: compute, memory, latency (part of a wave, or under 5 "
               "µs), or unknown.",
               Priority::first},
    [](const auto& row) { return row.costs().bound_name(); }};

}  // namespace lanescope

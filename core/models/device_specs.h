// What a device could do at best: peaks, bandwidths and caches, from data sheets or a file of the
// user's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/models/data_type.h"
#include "core/trace/trace.h"

namespace lanescope {

// Figures of the sheet, named as there. Rates in 10^12 a second; bandwidths of links are both
// directions together.
enum class Spec : uint8_t {
    sm_count,
    boost_clock_mhz,
    memory_bandwidth_gb_s,
    memory_gib,
    l2_mib,
    infinity_cache_mib,
    fp64,
    fp64_tensor,
    fp32,
    fp32_matrix,
    tf32_tensor,
    fp16_tensor,
    bf16_tensor,
    fp8_tensor,
    fp6_tensor,
    fp4_tensor,
    int8_tensor,
    fp16_nontensor,
    interconnect_gb_s,
    pcie_gb_s,
    count
};
std::string_view spec_name(Spec spec);

struct Figure {
    double value = 0;        // 0: not known
    bool uncertain = false;  // no source confirmed it
};

struct DeviceSpecs {
    std::string name;  // pattern of device names: * and ?
    std::string vendor;
    std::string architecture;
    std::string source;
    std::string note;
    std::array<Figure, static_cast<std::size_t>(Spec::count)> figures;

    Figure of(Spec spec) const { return figures[static_cast<std::size_t>(spec)]; }
};

using SpecsList = std::vector<DeviceSpecs>;

// A list of objects {"name": PATTERN, "figures": {…}, "uncertain": […]}, figures named as columns
// of assets/gpu_specs.tsv. Errors: it is no such list, or a figure is negative or has a name that
// is none.
Result<SpecsList> parse_specs(std::string_view json);

// The sheet that came with the program, and in front of it what the user says.
struct SpecsBook {
    SpecsList own;    // of the user; the last that fits wins, figure by figure
    SpecsList sheet;  // the first that fits wins
};
using SpecsBookPtr = std::shared_ptr<const SpecsBook>;
const SpecsBookPtr& built_in_specs();

// A rate to compare with, as the figure that it is taken from.
struct PeakRate {
    Spec spec = Spec::fp32;
    double per_second = 0;   // operations
    bool uncertain = false;  // no source confirmed the figure, or the count that it was scaled by
};

struct DevicePeaks {
    DeviceSpecs specs;
    std::string remark;         // for people: guessed, scaled, the user's; empty: nothing to say
    double scale = 1;           // of rates: multiprocessors of this device by those of the sheet
    double memory_bytes_s = 0;  // 0: not known, as of the next two
    double copy_bytes_s = 0;    // of the host's link, one direction
    bool memory_uncertain = false;  // no source confirmed the bandwidth
    bool copy_uncertain = false;
    double cache_bytes = 0;  // of the last cache
    // Nothing where the sheet has no rate for the type.
    std::optional<PeakRate> rate(DataType type, Pipe pipe) const;
};

// Nothing for a device of another name: then there is no roofline, and no floor.
std::optional<DevicePeaks> find_peaks(const SpecsBook& book, const Device& device);

}  // namespace lanescope

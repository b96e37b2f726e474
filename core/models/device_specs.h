// A device's best possible rates: peaks, bandwidths and caches, from data sheets or a user's file.
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

// Figures of the data sheet, under the same names. Rates in 10^12 per second; bandwidths of links
// are the sum of both directions.
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
    std::string name;  // pattern of device names, with * and ?
    std::string vendor;
    std::string architecture;
    std::string source;
    std::string note;
    std::array<Figure, static_cast<std::size_t>(Spec::count)> figures;

    Figure figure(Spec spec) const { return figures[static_cast<std::size_t>(spec)]; }
};

using SpecsList = std::vector<DeviceSpecs>;

// Parses a list of objects {"name": PATTERN, "figures": {…}, "uncertain": […]}; figures have the
// names of the columns of assets/gpu_specs.tsv. Errors: not such a list, a negative figure, or an
// unknown name.
Result<SpecsList> parse_specs(std::string_view json);

// The sheet embedded in the program, and the user's figures, which take precedence.
struct SpecsBook {
    SpecsList own;    // the user's; the last match wins, figure by figure
    SpecsList sheet;  // the first match wins

    static const SpecsBook& built_in();  // *built_in_specs()
};
using SpecsBookPtr = std::shared_ptr<const SpecsBook>;
const SpecsBookPtr& built_in_specs();  // read on first use

// A rate for comparison, and the figure that it comes from.
struct PeakRate {
    Spec spec = Spec::fp32;
    double per_second = 0;  // operations per second
    // No source confirmed the figure, or the multiprocessor count used for scaling.
    bool uncertain = false;
};

struct DevicePeaks {
    DeviceSpecs specs;
    // For display: guessed, scaled, from the user; empty: nothing to say.
    std::string remark;
    // Multiplier for rates: this device's multiprocessors over the sheet's.
    double scale = 1;
    double memory_bytes_s = 0;      // 0: unknown; likewise the next two
    double copy_bytes_s = 0;        // of the link to the host, in one direction
    bool memory_uncertain = false;  // no source confirmed the bandwidth
    bool copy_uncertain = false;
    double cache_bytes = 0;  // size of the last cache
    // Empty if the sheet has no rate for the type.
    std::optional<PeakRate> rate(DataType type, Pipe pipe) const;
};

// Empty if no entry matches the device's name: then there is no roofline and no floor.
std::optional<DevicePeaks> find_peaks(const SpecsBook& book, const Device& device);

}  // namespace lanescope

#include "ui/panels/table_looks.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lanescope {

namespace {

constexpr std::array<std::string_view, 3> kHiddenOfHotspots = {"device", "ci95_ns", "modelled"};
constexpr std::array<std::string_view, 4> kHiddenOfModels = {"device", "flop_dense", "bytes_read",
                                                             "bytes_written"};
constexpr std::array<std::string_view, 2> kHiddenOfKernels = {"sd_ns", "ci95_ns"};
constexpr std::array<std::string_view, 2> kHiddenOfModules = {"path", "depth"};
constexpr std::array<std::string_view, 1> kHiddenOfWhatIf = {"steps"};
constexpr std::array kLooks = {
    TableLook{"kernels", kHiddenOfKernels, {}, "mean_ns", "ci95_ns"},
    // At a window width of 1280 pixels, the sort column and the bound are in view.
    TableLook{"hotspots", kHiddenOfHotspots, "lost_ns", "mean_ns", "ci95_ns", 200},
    TableLook{"modules", kHiddenOfModules, {}, {}, {}},
    TableLook{"what-if", kHiddenOfWhatIf, {}, {}, {}},
    TableLook{"models", kHiddenOfModels, "lost_ns", {}, {}},
};
constexpr TableLook kPlain{};

}  // namespace

const TableLook& table_look(std::string_view table) {
    const auto found = std::ranges::find(kLooks, table, &TableLook::table);
    return found == kLooks.end() ? kPlain : *found;
}

std::string_view head_of_rate(std::string_view column) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRates = {
        {{"tflop_per_s", "TFLOP/s"},
         {"gb_per_s", "GB/s"},
         {"algorithm_gb_per_s", "Algorithm GB/s"},
         {"bus_gb_per_s", "Bus GB/s"}}};
    for (const auto& [name, head] : kRates)
        if (name == column) return head;
    return {};
}

}  // namespace lanescope

#include "core/ingest/spool/spool_cuda_names.h"

#include <fmt/format.h>

#include <array>

namespace lanescope {

namespace {

template <std::size_t n>
std::string_view at_or(const std::array<std::string_view, n>& names, uint32_t index,
                       std::string_view other) {
    return index < n ? names[index] : other;
}

std::string_view copy_kind_name(uint32_t kind) {
    constexpr std::array<std::string_view, 11> names = {
        "Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
    return at_or(names, kind, "Unknown");
}

}  // namespace

std::string_view sync_kind_name(uint32_t kind) {
    constexpr std::array<std::string_view, 5> names = {"Unknown", "Event Sync", "Stream Wait Event",
                                                       "Stream Sync", "Context Sync"};
    return at_or(names, kind, "Unknown");
}

std::string_view overhead_name(uint32_t kind) {
    constexpr std::array<std::string_view, 9> of_cupti = {"Unknown",
                                                          "Buffer Flush",
                                                          "Instrumentation",
                                                          "Resource",
                                                          "Runtime Triggered Module Loading",
                                                          "Lazy Function Loading",
                                                          "Command Buffer Full",
                                                          "Activity Buffer Request",
                                                          "UVM Activity Init"};
    if (kind == 1) return "Driver Compiler";
    return kind % 65536 == 0 ? at_or(of_cupti, kind / 65536, "Unknown") : "Unknown";
}

std::string_view memory_kind_name(uint32_t kind) {
    constexpr std::array<std::string_view, 8> names = {"Unknown",       "Pageable",      "Pinned",
                                                       "Device",        "Array",         "Managed",
                                                       "Device Static", "Managed Static"};
    return at_or(names, kind, "Unknown");
}

std::string copy_name(const SpoolCopy& copy) {
    return fmt::format("Memcpy {} ({} -> {})",
                       copy.is_peer != 0 ? "PtoP" : copy_kind_name(copy.copy_kind),
                       memory_kind_name(copy.from_kind), memory_kind_name(copy.to_kind));
}

std::string set_name(const SpoolSet& set) {
    return fmt::format("Memset ({})", memory_kind_name(set.memory_kind));
}

}  // namespace lanescope

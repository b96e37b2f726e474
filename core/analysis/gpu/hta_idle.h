// The idle time of each stream as classified by HTA (get_idle_time_breakdown).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/context.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct HtaIdleTableRow> kGapsByHtaTable;

enum class HtaIdle : uint8_t {
    host_wait,    // the launch began after the previous activity had ended
    kernel_wait,  // otherwise, if the gap is shorter than kHtaKernelDelay
    other,
};
inline constexpr std::size_t kHtaIdleCount = 3;
std::string_view hta_idle_name(HtaIdle idle);  // HTA's own

// HTA's consecutive_kernel_delay of 30: its documentation says nanoseconds, but its times are
// microseconds.
inline constexpr Nanos kHtaKernelDelay = 30'000;

// One activity of a stream.
struct HtaActivity {
    TimeRange range;
    std::optional<Nanos> launch;  // begin of the call
};

struct HtaIdleTime {
    uint64_t gaps = 0;
    Nanos total = 0;  // negative if activities overlap
};

// Sums the gaps between each activity's end and the next one's start, by HtaIdle. `activities`
// sorted by start. With a range: gaps before activities that begin in it.
std::array<HtaIdleTime, kHtaIdleCount> hta_idle_times(
    std::span<const HtaActivity> activities, std::optional<TimeRange> range = std::nullopt);

Table gaps_by_hta_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope

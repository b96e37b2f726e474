// All formats, sorted by name.
#include <array>

#include "core/ingest/cpuprofile/cpuprofile_format.h"
#include "core/ingest/format.h"
#include "core/ingest/json/json_format.h"
#include "core/ingest/memory_snapshot/snapshot_format.h"
#include "core/ingest/nsight/nsight_format.h"
#include "core/ingest/perf_script/perf_script_format.h"
#include "core/ingest/perfetto/perfetto_format.h"
#include "core/ingest/rocpd/rocpd_format.h"
#include "core/ingest/rocprofv3/rocprofv3_csv_format.h"
#include "core/ingest/rocprofv3/rocprofv3_json_format.h"
#include "core/ingest/rpd/rpd_format.h"
#include "core/ingest/spall/spall_format.h"
#include "core/ingest/speedscope/speedscope_format.h"
#include "core/ingest/spool/recording_format.h"
#include "core/ingest/tensorrt/tensorrt_format.h"
#include "core/ingest/torch_trace/torch_trace_format.h"
#include "core/ingest/xspace/xspace_format.h"

namespace lanescope {

std::span<const Format* const> formats() {
    static const std::array<const Format*, 16> all = {
        &json_format(),     &nsight_format(),        &perf_script_format(),
        &perfetto_format(), &snapshot_format(),      &recording_format(),
        &rocpd_format(),    &rocprofv3_csv_format(), &rocprofv3_json_format(),
        &rpd_format(),      &spall_format(),         &speedscope_format(),
        &tensorrt_format(), &torch_trace_format(),   &cpuprofile_format(),
        &xspace_format()};
    return all;
}

}  // namespace lanescope

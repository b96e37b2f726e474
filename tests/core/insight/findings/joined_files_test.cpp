// Two files, each with a GPU 0, of which one is smaller and older than the other.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/analysis/work/footprints.h"
#include "core/analysis/work/work_models.h"
#include "core/insight/compare/run_profile.h"
#include "core/insight/findings/rule.h"
#include "core/trace/join.h"
#include "tests/core/insight/trace_events.h"

using namespace lanescope;
using lanescope::testing::Events;

namespace {

constexpr const char* kSmallGpu =
    R"("name":"Tesla V100-SXM2-16GB","numSms":80,"computeMajor":7,"computeMinor":0,)"
    R"("totalGlobalMem":17179869184)";
constexpr const char* kLargeGpu =
    R"("name":"NVIDIA A100-SXM4-80GB","numSms":108,"computeMajor":8,"computeMinor":0,)"
    R"("totalGlobalMem":85899345920)";

// Products in 32 bits, and memory that nearly fills a small GPU.
Events work_on(const std::string& gpu, int reserved_mib) {
    Events events;
    events.device(gpu);
    for (int i = 0; i < 4; ++i) {
        const double begin = 1000.0 * i;
        events.step(i, begin, begin + 1000);
        events.op("aten::mm", begin + 5, begin + 50, "");
        events.launch("volta_sgemm_128x64_nn", begin + 10, begin + 100, begin + 900,
                      R"("grid":[1000,1,1],"block":[128,1,1],"registers per thread":32,)"
                      R"("shared memory":0)");
        events.memory(begin + 20, reserved_mib - 100, reserved_mib);
    }
    return events;
}

}  // namespace

TEST_CASE("GPUs of joined files are those of their own file") {
    const TracePtr small = work_on(kSmallGpu, 16'000).load();
    const TracePtr large = work_on(kLargeGpu, 40'000).load(small);
    const auto joined = join_traces({{small, 0, "small"}, {large, 0, "large"}});
    REQUIRE(joined);
    const TracePtr& whole = joined->whole;
    const TraceContext context(whole);
    const Findings found = find_all(context, {}, {});
    const auto name_of = [&](const Finding& finding) {
        const uint32_t process = found.summary.devices[finding.device].process;
        return whole->parts[whole->processes[process].part].name;
    };
    std::map<std::string, std::string> tensor_advice;
    std::vector<std::string> full;
    for (const Finding& finding : found.all) {
        if (finding.rule == "no-tensor-cores") tensor_advice[name_of(finding)] = finding.advice;
        if (finding.rule == "near-capacity") full.push_back(name_of(finding));
    }
    CHECK(full == std::vector<std::string>{"small"});
    REQUIRE(tensor_advice.size() == 2);
    CHECK(tensor_advice["small"].starts_with("Use 16 bits"));
    CHECK(tensor_advice["large"].starts_with("Allow TF32"));

    std::vector<std::string> modelled;
    for (const ModelDevice& device : context.get<WorkModels>().devices)
        modelled.push_back(device.name);
    std::ranges::sort(modelled);
    CHECK(modelled == std::vector<std::string>{"NVIDIA A100-SXM4-80GB", "Tesla V100-SXM2-16GB"});

    const Footprints footprints(*whole);
    for (uint32_t row = 0; row < whole->gpu_activities.slice.size(); ++row) {
        const OccupancyDevice* const device = footprints.device_of(row);
        REQUIRE(device);
        const uint32_t part = part_of(*whole, whole->gpu_activities.slice[row].lane);
        CHECK(device->sms == (part == 0 ? 80 : 108));
    }
    const RunProfile run = profile_run(context, {});
    CHECK(run.facts[0].value == "NVIDIA A100-SXM4-80GB, Tesla V100-SXM2-16GB");
}

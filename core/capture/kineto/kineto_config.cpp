#include "core/capture/kineto/kineto_config.h"

#include <fmt/format.h>

namespace lanescope {

namespace {

Error usage(std::string text) {
    return {ErrorCode::usage, Error::no_offset, std::move(text)};
}

// Ranks with equal step counts start at the same step, which is a multiple of this number.
constexpr int kStepsRoundUp = 10;

std::string when(const CapturePlan& plan) {
    const CaptureOptions& options = plan.options;
    if (options.iterations > 0) {
        return fmt::format(
            "PROFILE_START_ITERATION=0\nPROFILE_START_ITERATION_ROUNDUP={}\n"
            "ACTIVITIES_ITERATIONS={}\nACTIVITIES_WARMUP_ITERATIONS=1\n"
            // With a duration, which is half a second by default, Kineto records for that time
            // instead if the process has not reported a step yet.
            "ACTIVITIES_DURATION_MSECS=0\n",
            kStepsRoundUp, options.iterations);
    }
    const auto start =
        std::chrono::duration_cast<std::chrono::milliseconds>(plan.start.time_since_epoch());
    return fmt::format(
        "PROFILE_START_TIME={}\nACTIVITIES_DURATION_MSECS={}\nACTIVITIES_WARMUP_PERIOD_SECS={}\n",
        start.count(), options.duration.count(), options.warm_up.count());
}

}  // namespace

Result<std::string> kineto_config(const CapturePlan& plan) {
    const std::string& file = plan.file;
    if (file.empty() || file[0] != '/' || !file.ends_with(".json") ||
        file.find("..") != std::string::npos ||
        file.find_first_of(std::string_view("=#\n\r\0", 5)) != std::string::npos)
        return usage(
            fmt::format("PyTorch cannot write to \"{}\": it needs an absolute name that ends in "
                        ".json, without \"..\", =, # and line breaks",
                        file));
    if (plan.options.iterations <= 0 && plan.options.duration.count() <= 0)
        return usage("A capture needs a duration or a number of iterations");
    std::string text = fmt::format("ACTIVITIES_LOG_FILE={}\n{}", file, when(plan));
    const auto flag = [&](const char* key, bool is_on) {
        text += fmt::format("{}={}\n", key, is_on);
    };
    flag("PROFILE_REPORT_INPUT_SHAPES", plan.options.shapes);
    flag("PROFILE_WITH_STACK", plan.options.stack);
    flag("PROFILE_PROFILE_MEMORY", plan.options.memory);
    flag("PROFILE_WITH_FLOPS", plan.options.flops);
    flag("PROFILE_WITH_MODULES", plan.options.modules);
    return text + fmt::format("REQUEST_TRACE_ID={}\n", plan.trace_id);
}

std::string kineto_file_name(const std::string& file, int32_t pid) {
    for (const std::string ending : {".pt.trace.json", ".json"}) {
        const std::size_t at = file.find(ending);
        if (at != std::string::npos)
            return file.substr(0, at) + fmt::format("_{}", pid) + file.substr(at);
    }
    return file;
}

}  // namespace lanescope

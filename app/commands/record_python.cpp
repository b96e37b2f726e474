#include "app/commands/record_python.h"

#include <fmt/format.h>

#include <charconv>

namespace lanescope {

void add_python_rate_option(CLI::App& command, std::string& typed) {
    command
        .add_option("--python-rate", typed,
                    fmt::format("With --sample, Python functions are sampled {} times per second "
                                "of wall-clock time; this sets the rate, up to {}, or off",
                                kUsualPythonRate, kMaxPythonRate))
        ->type_name("HZ|off");
}

std::optional<uint32_t> python_rate(const std::string& typed) {
    uint32_t rate = 0;
    if (typed.empty()) return std::nullopt;
    std::from_chars(typed.data(), typed.data() + typed.size(), rate);
    return rate;
}

void check_python_rate(const std::string& typed) {
    uint32_t rate = 0;
    const char* const end = typed.data() + typed.size();
    const auto [stop, error] = std::from_chars(typed.data(), end, rate);
    const bool is_rate = error == std::errc() && stop == end && rate > 0 && rate <= kMaxPythonRate;
    if (!typed.empty() && typed != "off" && !is_rate)
        throw CLI::ValidationError(
            "--python-rate",
            fmt::format("{} is neither off nor in the range [1 - {}]", typed, kMaxPythonRate));
}

std::unique_ptr<PythonSampler> start_python_sampling(const SpoolFile& file, pid_t root,
                                                     uint32_t rate) {
    return rate == 0 ? nullptr : std::make_unique<PythonSampler>(file, root, rate);
}

}  // namespace lanescope

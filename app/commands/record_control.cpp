#include "app/commands/record_control.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>

#include "app/commands/commands.h"
#include "core/capture/spool/spool_control.h"

namespace lanescope {

CLI::Option* add_control_option(CLI::App& command, std::string& control) {
    return command
        .add_option("--control", control,
                    "Begin (start) or pause (stop) the recording of a running program: --control "
                    "start PID")
        ->type_name("start|stop")
        ->check(CLI::IsMember({"start", "stop"}));
}

int run_record_control(const std::string& control, const std::vector<std::string>& words) {
    int32_t pid = 0;
    const std::string word = words.empty() ? "" : words.front();
    const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), pid);
    if (failed != std::errc() || end != word.data() + word.size() || pid <= 0 || words.size() != 1)
        throw CLI::ValidationError("--control", "name one process by its id: --control start 1234");
    const bool starts = control == "start";
    const auto path = control_recording(pid, starts ? kSpoolRecording : kSpoolPaused);
    if (!path) {
        fmt::print(stderr, "lanescope: {}\n", path.error().text);
        return kFailed;
    }
    if (isatty(STDERR_FILENO))
        fmt::print(stderr, "lanescope: {}: {}\n", *path, starts ? "recording" : "paused");
    return 0;
}

}  // namespace lanescope

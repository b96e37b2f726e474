#include "core/capture/spool/spool_control.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <deque>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "core/capture/process/process_facts.h"
#include "core/capture/process/process_tree.h"
#include "core/capture/spool/spool_writer.h"

namespace lanescope {

namespace {

namespace fs = std::filesystem;

Error control_error(const std::string& text) {
    return {ErrorCode::usage, Error::no_offset, text};
}

// A recorder keeps its file open.
std::optional<std::string> open_recording(int32_t pid) {
    std::error_code failed;
    for (fs::directory_iterator at(fmt::format("/proc/{}/fd", pid), failed), end;
         !failed && at != end; at.increment(failed)) {
        std::error_code unreadable;
        const fs::path target = fs::read_symlink(at->path(), unreadable);
        SpoolFile spool;
        if (unreadable || !fs::is_regular_file(target, unreadable)) continue;
        if (!attach_spool(spool, target.c_str())) continue;
        munmap(spool.header, kSpoolPage);
        return target.string();
    }
    return std::nullopt;
}

// The process or one of its descendants has the recorder's variable.
std::optional<std::string> recording_of_tree(int32_t root) {
    std::deque<int32_t> left = {root};
    std::set<int32_t> seen;
    while (!left.empty()) {
        const int32_t pid = left.front();
        left.pop_front();
        if (!seen.insert(pid).second) continue;
        if (auto path = variable_of_process(pid, "LANESCOPE_SPOOL"); path && !path->empty())
            return file_of_process(pid, *path);
        for (const uint32_t child : children_of(static_cast<uint32_t>(pid)))
            left.push_back(static_cast<int32_t>(child));
    }
    return std::nullopt;
}

}  // namespace

Result<std::string> recording_of_process(int32_t pid) {
    if (!is_alive(pid)) return control_error(fmt::format("there is no process {}", pid));
    if (auto path = open_recording(pid)) return *path;
    if (auto path = recording_of_tree(pid)) return *path;
    return control_error(fmt::format(
        "process {} is not recorded by lanescope record, or it belongs to another user", pid));
}

Result<std::string> control_recording(int32_t pid, SpoolControl control) {
    Result<std::string> path = recording_of_process(pid);
    if (!path) return path.error();
    SpoolFile spool;
    if (!attach_spool(spool, path->c_str()))
        return control_error(fmt::format("{}: not a recording that this user can write", *path));
    const SpoolControl before = control == kSpoolRecording ? kSpoolPaused : kSpoolRecording;
    const bool changed = change_spool_control(*spool.header, before, control);
    const bool is_over = !changed && (spool_load(spool.header->control) == kSpoolStopped ||
                                      spool_load(spool.header->complete) != 0);
    munmap(spool.header, kSpoolPage);
    if (is_over) return control_error(fmt::format("{}: the recording has ended", *path));
    return path;
}

}  // namespace lanescope

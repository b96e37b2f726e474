#include "core/capture/machine/recording_checks.h"

#include <fmt/format.h>

namespace lanescope {

namespace {

constexpr std::string_view kArea = "record";

MachineCheck works(std::string_view name, std::string found) {
    return {kArea, name, CheckState::works, std::move(found), "", ""};
}

MachineCheck check_library(const RecordingFacts& recording) {
    if (!recording.library.empty()) return works("recording library", recording.library);
    return {kArea,
            "recording library",
            CheckState::missing,
            "liblanescope_inject.so is neither beside this program nor installed",
            "To record programs, build it with the CMake option LANESCOPE_RECORD=ON.",
            "scripts/build release programs"};
}

MachineCheck check_spool_folder(const FolderFacts& folder) {
    if (folder.writable) return works("spool folder", folder.path);
    return {kArea,
            "spool folder",
            CheckState::missing,
            (folder.path.empty() ? "the current folder" : folder.path) + " cannot be written",
            "Record in another folder, or name one by -o; otherwise programs run unrecorded.",
            "cd \"$HOME\""};
}

MachineCheck check_home(const FolderFacts& home) {
    if (!home.path.empty() && home.writable) return works("HOME", home.path);
    return {kArea,
            "HOME",
            CheckState::missing,
            home.path.empty() ? "it is not set" : home.path + " cannot be written",
            "Set HOME to a folder of yours, for settings and notes.",
            "export HOME=\"$(mktemp -d)\""};
}

// Other users' and, from 2 on, other programs' environments and files cannot be read.
MachineCheck check_ptrace(const std::optional<int>& scope, bool reads_children) {
    constexpr int least_restricted = 1;
    const bool scope_allows = !scope || *scope <= least_restricted;
    if (scope_allows && !reads_children)
        return {kArea,
                "ptrace",
                CheckState::missing,
                "the kernel does not let this user read the memory of child processes",
                "To sample Python functions, allow process_vm_readv in the container's seccomp "
                "profile, or give it CAP_SYS_PTRACE.",
                "docker run --cap-add=SYS_PTRACE …"};
    if (!scope) return works("ptrace", "not restricted");
    if (*scope <= least_restricted)
        return works("ptrace", fmt::format("ptrace_scope is {}", *scope));
    return {
        kArea,
        "ptrace",
        CheckState::missing,
        fmt::format("ptrace_scope is {}: for administrators only", *scope),
        "To sample Python functions, and to see which processes lost the recorder's environment "
        "variables, lower it.",
        "sudo sysctl kernel.yama.ptrace_scope=1"};
}

MachineCheck check_perf(const std::optional<int>& paranoid, const SamplingFacts& sampling) {
    const std::string found = paranoid ? fmt::format("perf_event_paranoid is {}", *paranoid)
                                       : std::string("this kernel has none");
    if (sampling.works) return works("perf events", found);
    MachineCheck check = {kArea,
                          "perf events",
                          CheckState::missing,
                          found,
                          "Only record --sample needs them: allow them, in a container also in its "
                          "seccomp profile.",
                          ""};
    constexpr int allows_own_programs = 2;
    if (paranoid && *paranoid > allows_own_programs)
        check.command = "sudo sysctl kernel.perf_event_paranoid=2";
    else if (paranoid)
        check.command = "docker run --cap-add=PERFMON …";
    return check;
}

}  // namespace

std::vector<MachineCheck> check_recording(const RecordingFacts& recording,
                                          const SamplingFacts& sampling) {
    return {check_library(recording), check_spool_folder(recording.folder),
            check_home(recording.home),
            check_ptrace(recording.ptrace_scope, recording.reads_children),
            check_perf(recording.perf_paranoid, sampling)};
}

}  // namespace lanescope

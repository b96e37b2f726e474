#include "core/capture/machine/machine_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/graphics_packages.h"
#include "core/capture/cuda/cupti_records.h"
#include "core/capture/machine/recording_checks.h"

namespace lanescope {

namespace {

using Checks = std::vector<MachineCheck>;

MachineCheck works(std::string_view area, std::string_view name, std::string found) {
    return {area, name, CheckState::works, std::move(found), "", ""};
}

MachineCheck missing(std::string_view area, std::string_view name, std::string found,
                     std::string advice) {
    return {area, name, CheckState::missing, std::move(found), std::move(advice), ""};
}

MachineCheck fails(std::string_view area, std::string_view name, std::string found,
                   std::string advice) {
    return {area, name, CheckState::fails, std::move(found), std::move(advice), ""};
}

void check_display(const ScreenFacts& screen, Checks& checks) {
    if (!screen.no_viewer.empty()) {
        checks.push_back(missing("window", "window", screen.no_viewer,
                                 "For it and for pictures, build Lanescope with the CMake option "
                                 "LANESCOPE_WINDOW=ON; tables need neither."));
        return;
    }
    const bool on_wayland = !screen.wayland.empty();
    if (!on_wayland && screen.x11.empty()) {
        checks.push_back(missing("window", "display", "neither DISPLAY nor WAYLAND_DISPLAY is set",
                                 "For the window, work in a desktop's terminal or over ssh -X; "
                                 "tables and pictures need no display."));
        return;
    }
    checks.push_back(works("window", "display",
                           on_wayland ? "Wayland, " + screen.wayland : "X11, " + screen.x11));
    checks.push_back(screen.window.works
                         ? works("window", "OpenGL", screen.window.text)
                         : fails("window", "OpenGL", screen.window.text,
                                 fmt::format("For the window, which needs OpenGL 3.3, install the "
                                             "driver of your graphics card, or Mesa's drivers, "
                                             "which also draw in software: {}.",
                                             kGraphicsPackages)));
    const bool copies = on_wayland ? screen.wl_copy : screen.xclip;
    const char* const tool = on_wayland ? "wl-copy" : "xclip";
    checks.push_back(copies ? works("window", "clipboard", fmt::format("{} copies pictures", tool))
                            : missing("window", "clipboard", fmt::format("{} is not there", tool),
                                      fmt::format("To copy pictures, install the package {}; texts "
                                                  "are copied without it.",
                                                  on_wayland ? "wl-clipboard" : "xclip")));
    checks.push_back(screen.portal.works
                         ? works("window", "desktop portal", screen.portal.text)
                         : missing("window", "desktop portal", screen.portal.text,
                                   "For the theme to follow the desktop, install "
                                   "xdg-desktop-portal with your desktop's part; or choose the "
                                   "theme yourself."));
}

MachineCheck check_picture(const ScreenFacts& screen) {
    if (screen.picture.works) return works("window", "pictures", screen.picture.text);
    return fails("window", "pictures", screen.picture.text,
                 fmt::format("For PNGs, which are drawn with EGL and OpenGL, install {}; an SVG "
                             "needs none of them.",
                             kGraphicsPackages));
}

MachineCheck check_folder(std::string_view name, const FolderFacts& folder, const char* variable) {
    if (folder.path.empty())
        return fails("files", name, fmt::format("neither {} nor HOME is set", variable),
                     fmt::format("Set HOME, or {} to a folder of yours.", variable));
    if (folder.writable) return works("files", name, folder.path);
    return fails("files", name, folder.path + " cannot be written",
                 fmt::format("Make it yours, or set {} to a folder that is.", variable));
}

void check_files(const StorageFacts& files, Checks& checks) {
    constexpr uint64_t least_files = 256;
    constexpr uint64_t least_maps = 65'530;  // Linux's default
    // A trace of some GiB, and files derived from it.
    constexpr uint64_t roomy = uint64_t{32} << 30;
    checks.push_back(check_folder("settings folder", files.settings, "XDG_CONFIG_HOME"));
    checks.push_back(files.settings_problem.empty()
                         ? works("files", "settings", "can be read")
                         : fails("files", "settings", "settings.json: " + files.settings_problem,
                                 "Correct or remove it; otherwise the window renames it."));
    checks.push_back(check_folder("notes folder", files.data, "XDG_DATA_HOME"));
    const std::string open_files = fmt::format("{} at once", files.open_files);
    checks.push_back(files.open_files >= least_files
                         ? works("files", "open files", open_files)
                         : fails("files", "open files", open_files,
                                 fmt::format("Raise the limit: ulimit -n {}.", 4 * least_files)));
    const bool bounded = files.address_space != ~uint64_t{0};
    if (bounded && files.address_space < roomy) {
        checks.push_back(missing(
            "files", "memory maps",
            fmt::format("{:.1f} GiB of addresses", static_cast<double>(files.address_space) /
                                                       static_cast<double>(uint64_t{1} << 30)),
            "For traces of several gigabytes, remove the limit: ulimit -v unlimited."));
    } else if (files.map_count != 0 && files.map_count < least_maps) {
        checks.push_back(missing("files", "memory maps", fmt::format("{} maps", files.map_count),
                                 fmt::format("Raise it: sysctl vm.max_map_count={}.", least_maps)));
    } else {
        checks.push_back(
            works("files", "memory maps",
                  files.map_count == 0 ? "no limit" : fmt::format("{} maps", files.map_count)));
    }
}

MachineCheck check_cupti(const CuptiFacts& cupti) {
    if (cupti.path.empty())
        return missing("gpu", "CUPTI", cupti.problem.empty() ? "not found" : cupti.problem,
                       "PyTorch's packages include CUPTI; for other programs install the CUDA "
                       "toolkit, or set CUDA_HOME to its folder.");
    if (cupti.version == 0)
        return missing("gpu", "CUPTI", cupti.path + ", which does not report its version",
                       "Set CUDA_HOME to a CUDA toolkit of 11.8 or newer.");
    if (!is_known_cupti(cupti.version))
        return missing("gpu", "CUPTI",
                       fmt::format("interface {}, {}: not one of CUDA 11.8 to 13.5", cupti.version,
                                   cupti.path),
                       "lanescope record cannot record CUDA with it. Put the folder of one of "
                       "these first in LD_LIBRARY_PATH.");
    return works("gpu", "CUPTI", fmt::format("interface {}, {}", cupti.version, cupti.path));
}

void check_nvidia(const NvidiaFacts& nvidia, Checks& checks) {
    const bool has_driver = !nvidia.kernel_driver.empty() || !nvidia.devices.empty();
    if (!has_driver) {
        checks.push_back(missing("gpu", "NVIDIA driver", "none is loaded",
                                 "To record on a GPU, install NVIDIA's driver; in a container, "
                                 "start it with --gpus all. Traces open without."));
    } else if (!nvidia.has_libcuda) {
        checks.push_back(missing("gpu", "NVIDIA driver",
                                 nvidia.kernel_driver + ", without libcuda.so.1",
                                 "Install the driver's libraries of the same version; in a "
                                 "container, start it with --gpus all."));
    } else {
        checks.push_back(works("gpu", "NVIDIA driver",
                               nvidia.kernel_driver.empty() ? "loaded" : nvidia.kernel_driver));
    }
    if (!nvidia.devices.empty()) {
        checks.push_back(
            works("gpu", "devices", fmt::format("{}", fmt::join(nvidia.devices, ", "))));
    } else if (has_driver) {
        checks.push_back(missing("gpu", "devices",
                                 nvidia.device_problem.empty() ? "none" : nvidia.device_problem,
                                 "Check the output of nvidia-smi, which reads the same data."));
    }
    checks.push_back(check_cupti(nvidia.cupti));
    if (!has_driver) return;
    if (nvidia.admins_only.value_or(false) && !nvidia.is_admin) {
        checks.push_back(missing("gpu", "profiling", "for administrators only",
                                 "For hardware counters, load the driver with "
                                 "NVreg_RestrictProfilingToAdminUsers=0, or run as root; kernels "
                                 "and copies are recorded all the same."));
    } else {
        checks.push_back(works("gpu", "profiling",
                               nvidia.admins_only.value_or(false) ? "for administrators, as you are"
                               : nvidia.admins_only               ? "for all users"
                                                    : "the driver names no restriction"));
    }
}

std::string listed(const std::vector<int32_t>& pids) {
    constexpr std::size_t max_listed = 6;
    const std::vector<int32_t> first(
        pids.begin(),
        pids.begin() + static_cast<std::ptrdiff_t>(std::min(max_listed, pids.size())));
    return fmt::format("{}{}", fmt::join(first, ", "), pids.size() > max_listed ? ", …" : "");
}

MachineCheck check_processes(const KinetoFacts& kineto) {
    constexpr const char* how =
        "Start PyTorch with KINETO_USE_DAEMON=1 in its environment to capture from it as it runs.";
    if (!kineto.attached.empty()) {
        return works("pytorch", "processes",
                     fmt::format("{} with KINETO_USE_DAEMON: {}", kineto.attached.size(),
                                 listed(kineto.attached)));
    }
    if (!kineto.others.empty()) {
        return missing("pytorch", "processes",
                       fmt::format("{} without KINETO_USE_DAEMON: {}", kineto.others.size(),
                                   listed(kineto.others)),
                       how);
    }
    return missing("pytorch", "processes", "none of yours runs", how);
}

MachineCheck check_sampling(const SamplingFacts& sampling) {
    if (!sampling.works)
        return missing(
            "cpu", "CPU stacks", sampling.problem.empty() ? "not sampled" : sampling.problem,
            sampling.advice.empty() ? "lanescope record works without --sample." : sampling.advice);
    if (!sampling.names_functions)
        return missing("cpu", "CPU stacks", "sampled without names of functions",
                       "Build with LANESCOPE_SYMBOLS=ON and the package libdw-dev.");
    return works("cpu", "CPU stacks",
                 sampling.sees_kernel_time
                     ? "sampled by perf events, with the kernel's time"
                     : "sampled by perf events, without the time that the kernel takes");
}

}  // namespace

const char* name_of(CheckState state) {
    switch (state) {
        case CheckState::works:
            return "works";
        case CheckState::missing:
            return "missing";
        case CheckState::fails:
            return "fails";
    }
    return "";
}

MachineCheck check_daemon_socket(const KinetoFacts& kineto) {
    if (kineto.is_free) return works("pytorch", "daemon's socket", kineto.place + " is free");
    if (!kineto.is_taken)
        return fails("pytorch", "daemon's socket", kineto.socket_problem,
                     "Let your processes create sockets there, or set a folder for both sides: "
                     "KINETO_IPC_SOCKET_DIR.");
    const std::string found =
        kineto.taken_by.empty()
            ? fmt::format("{} is another daemon's", kineto.place)
            : fmt::format("{} is another daemon's ({})", kineto.place, kineto.taken_by);
    if (kineto.dynolog_answers)
        return works("pytorch", "daemon's socket", found + ", which is asked over TCP");
    return missing("pytorch", "daemon's socket", found + ", and none answers over TCP",
                   "End that daemon; or, if it is a dynolog, name its port: lanescope attach "
                   "--dynolog-port.");
}

std::vector<MachineCheck> check_machine(const MachineFacts& facts) {
    Checks checks;
    check_display(facts.screen, checks);
    if (facts.screen.no_viewer.empty()) checks.push_back(check_picture(facts.screen));
    check_files(facts.files, checks);
    check_nvidia(facts.nvidia, checks);
    checks.push_back(check_sampling(facts.sampling));
    for (MachineCheck& check : check_recording(facts.recording, facts.sampling))
        checks.push_back(std::move(check));
    checks.push_back(check_daemon_socket(facts.kineto));
    checks.push_back(facts.kineto.senders.works
                         ? works("pytorch", "senders", facts.kineto.senders.text)
                         : fails("pytorch", "senders", facts.kineto.senders.text,
                                 "Run outside of this sandbox: a process is only trusted if the "
                                 "kernel reports its user."));
    checks.push_back(check_processes(facts.kineto));
    return checks;
}

}  // namespace lanescope

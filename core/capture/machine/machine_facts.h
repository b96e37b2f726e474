// Facts about this machine, which machine_checks.h evaluates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope {

// The result of an attempt: with `works`, `text` is what was found, otherwise the reason.
struct Probed {
    bool works = false;
    std::string text;
};

struct ScreenFacts {
    std::string no_viewer;     // why the viewer is missing; empty: it exists
    std::string x11, wayland;  // DISPLAY and WAYLAND_DISPLAY; empty: not set
    Probed window;             // OpenGL in a window
    Probed picture;            // rendering a picture without a display
    Probed portal;             // the desktop's settings
    bool xclip = false;
    bool wl_copy = false;
};

struct FolderFacts {
    std::string path;  // empty: the environment names none
    bool writable = false;
};

struct StorageFacts {
    FolderFacts settings, data;
    std::string settings_problem;           // why the settings file cannot be used; empty: it can
    uint64_t open_files = 0;                // limit of this process
    uint64_t address_space = ~uint64_t{0};  // mappable bytes; all bits set: no limit
    uint64_t map_count = 0;                 // maximum number of mappings; 0: unknown
};

struct CuptiFacts {
    std::string path;      // empty: the library was not found
    uint32_t version = 0;  // version of its interface; 0: it reports none
    std::string problem;   // the result of a failed attempt
};

struct NvidiaFacts {
    std::string kernel_driver;         // its version; empty: not loaded
    std::vector<std::string> devices;  // their names
    std::string device_problem;        // why they are unknown
    bool has_libcuda = false;
    CuptiFacts cupti;
    std::optional<bool> admins_only;  // only administrators may profile
    bool is_admin = false;            // whether this process has the rights
};

struct KinetoFacts {
    std::string place;           // the socket's name or path
    bool is_free = false;        // it could be bound
    bool is_taken = false;       // another daemon has the socket …
    std::string taken_by;        // … namely this process, if known
    std::string socket_problem;  // why its state is not known
    bool dynolog_answers = false;
    Probed senders;                 // whether the kernel reports senders
    std::vector<int32_t> attached;  // processes that run with KINETO_USE_DAEMON …
    std::vector<int32_t> others;    // … and those that use PyTorch without it
};

struct SamplingFacts {
    bool works = false;
    bool sees_kernel_time = false;  // samples include the kernel's work for a program
    bool names_functions = false;   // this program was built with support for symbol tables
    std::string problem, advice;    // if sampling does not work: why, and what to do
};

// Facts about this machine that decide whether `lanescope record` works.
struct RecordingFacts {
    std::string library;               // the library that programs load; empty: not found
    FolderFacts folder;                // where a trace is written without -o
    FolderFacts home;                  // HOME
    std::optional<int> ptrace_scope;   // kernel.yama.ptrace_scope; empty: not restricted
    std::optional<int> perf_paranoid;  // kernel.perf_event_paranoid; empty: no perf events
    bool reads_children = true;        // whether the memory of child processes can be read
};

struct MachineFacts {
    ScreenFacts screen;
    StorageFacts files;
    NvidiaFacts nvidia;
    KinetoFacts kineto;
    SamplingFacts sampling;
    RecordingFacts recording;
};

// Facts that the system reports. These functions change nothing, load third-party libraries in a
// separate process, and take at most seconds.
NvidiaFacts nvidia_facts();
KinetoFacts kineto_facts(const std::string& socket_folder, uint16_t dynolog_port);
// Tries perf events on this process.
SamplingFacts sampling_facts();
FolderFacts folder_facts(const std::string& path);
RecordingFacts recording_facts(const std::string& library);
// Fills the limits of `facts`.
void add_limits(StorageFacts& facts);
// Whether a folder of PATH contains a program of this name.
bool is_installed(std::string_view program);

// The version in the text of /proc/driver/nvidia/version; empty if there is none.
std::string driver_version(std::string_view text);
// The value of RmProfilingAdminOnly in the text of /proc/driver/nvidia/params.
std::optional<bool> profiling_for_admins_only(std::string_view text);
// The inode of a socket in the text of /proc/net/unix, by its abstract name or its absolute path;
// 0: not found.
uint64_t inode_of_socket(std::string_view text, std::string_view name);

}  // namespace lanescope

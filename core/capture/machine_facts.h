// What there is on this machine for Lanescope to work with. What it means is said by
// machine_checks.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope {

// What was tried: with `works`, `text` is what was found, else why it did not work.
struct Probed {
    bool works = false;
    std::string text;
};

struct ScreenFacts {
    std::string no_viewer;     // why the window cannot be tried: it is not built; empty: it is
    std::string x11, wayland;  // DISPLAY and WAYLAND_DISPLAY; empty where there is none
    Probed window;             // OpenGL as a window gets it
    Probed picture;            // and as a picture without a display does
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
    std::string settings_problem;  // why the file of settings cannot be used; empty: it can
    uint64_t open_files = 0;       // the limit, of this process
    uint64_t address_space = ~uint64_t{0};  // bytes that it may map; all bits: no limit
    uint64_t map_count = 0;                 // maps that it may have; 0: not known
};

struct CuptiFacts {
    std::string path;      // empty: there is none
    uint32_t version = 0;  // of its interface; 0: it tells none
    std::string problem;   // what came of the attempt, where it failed
};

struct NvidiaFacts {
    std::string kernel_driver;         // its version; empty: none is loaded
    std::vector<std::string> devices;  // their names
    std::string device_problem;        // why they cannot be told
    bool has_libcuda = false;
    CuptiFacts cupti;
    std::optional<bool> admins_only;  // profiling is for administrators alone
    bool is_admin = false;            // as this process is
};

struct KinetoFacts {
    std::string place;           // of the socket
    bool is_free = false;        // it could be bound
    bool is_taken = false;       // another daemon has it …
    std::string taken_by;        // … this one, where it can be told
    std::string socket_problem;  // neither
    bool dynolog_answers = false;
    Probed senders;                 // whether the kernel names who sends
    std::vector<int32_t> attached;  // processes that run with KINETO_USE_DAEMON …
    std::vector<int32_t> others;    // … and those that hold PyTorch without it
};

struct SamplingFacts {
    bool works = false;
    bool sees_kernel_time = false;  // of the kernel's work for a program as well
    bool names_functions = false;   // this program was built to read symbol tables
    std::string problem, advice;    // where it does not work
};

struct MachineFacts {
    ScreenFacts screen;
    StorageFacts files;
    NvidiaFacts nvidia;
    KinetoFacts kineto;
    SamplingFacts sampling;
};

// What the system tells of itself. Each looks only, loads what is foreign in a process of its own,
// and takes seconds at most.
NvidiaFacts nvidia_facts();
KinetoFacts kineto_facts(const std::string& socket_folder, uint16_t dynolog_port);
// Tries perf events on this process.
SamplingFacts sampling_facts();
FolderFacts folder_facts(const std::string& path);
// The limits of `facts`.
void add_limits(StorageFacts& facts);
// A program of that name is in a folder of PATH.
bool is_installed(std::string_view program);

// The version in the text of /proc/driver/nvidia/version; empty: none is in it.
std::string driver_version(std::string_view text);
// RmProfilingAdminOnly in that of /proc/driver/nvidia/params.
std::optional<bool> profiling_for_admins_only(std::string_view text);
// The inode of an abstract socket in that of /proc/net/unix; 0: it is not there.
uint64_t inode_of_socket(std::string_view text, std::string_view name);

}  // namespace lanescope

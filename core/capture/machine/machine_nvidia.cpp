// Facts on NVIDIA's driver, devices and profiling library. Libraries are loaded in a separate
// process: a driver that does not match its kernel module may crash or hang.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "core/capture/machine/machine_facts.h"
#include "core/capture/process/contained.h"
#include "core/capture/process/process_facts.h"

namespace lanescope {

namespace {

constexpr std::chrono::seconds kTimeLimit(10);

template <typename Function>
Function* function_of(void* library, const char* name) {
    return reinterpret_cast<Function*>(dlsym(library, name));
}

// The names of devices from NVML, one line each; or "!" and the reason.
std::string names_by_nvml() {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return "!the driver's library libnvidia-ml.so.1 is not installed";
    auto* start = function_of<int()>(library, "nvmlInit_v2");
    auto* count = function_of<int(unsigned*)>(library, "nvmlDeviceGetCount_v2");
    auto* device = function_of<int(unsigned, void**)>(library, "nvmlDeviceGetHandleByIndex_v2");
    auto* name = function_of<int(void*, char*, unsigned)>(library, "nvmlDeviceGetName");
    auto* why = function_of<const char*(int)>(library, "nvmlErrorString");
    if (!start || !count || !device || !name || !why) return "!NVML is of another version";
    if (const int error = start()) return fmt::format("!NVML: {}", why(error));
    unsigned devices = 0;
    if (const int error = count(&devices)) return fmt::format("!NVML: {}", why(error));
    std::string names;
    for (unsigned i = 0; i < devices; ++i) {
        void* handle = nullptr;
        std::array<char, 97> text{};  // longer than any name from NVML
        if (device(i, &handle) == 0 && name(handle, text.data(), text.size() - 1) == 0)
            names += fmt::format("{}\n", text.data());
    }
    return names;
}

std::vector<std::string> places_of_cupti() {
    std::vector<std::string> places = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
                                       "libcupti.so"};
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
        const char* folder = std::getenv(variable);
        if (!folder || !*folder) continue;
        places.push_back(fmt::format("{}/extras/CUPTI/lib64/libcupti.so", folder));
        places.push_back(fmt::format("{}/lib64/libcupti.so", folder));
    }
    places.insert(places.end(), {"/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
                                 "/usr/local/cuda/lib64/libcupti.so"});
    return places;
}

// "VERSION PATH" of the first library that can be loaded; else empty.
std::string find_cupti() {
    for (const std::string& place : places_of_cupti()) {
        void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) continue;
        uint32_t version = 0;
        auto* ask = function_of<int(uint32_t*)>(library, "cuptiGetVersion");
        if (ask && ask(&version) != 0) version = 0;
        Dl_info where{};
        const bool known = ask && dladdr(reinterpret_cast<void*>(ask), &where) != 0;
        return fmt::format("{} {}", version, known ? where.dli_fname : place.c_str());
    }
    return "";
}

std::string ended_badly(const Contained& run) {
    if (run.end == Contained::End::took_too_long)
        return fmt::format("it did not answer within {} s", kTimeLimit.count());
    return run.end == Contained::End::crashed ? fmt::format("it crashed (signal {})", run.status)
                                              : "it could not be tried";
}

CuptiFacts cupti_facts() {
    CuptiFacts facts;
    const Contained run = run_contained(find_cupti, kTimeLimit);
    if (!run.fine()) {
        facts.problem = ended_badly(run);
        return facts;
    }
    const std::size_t space = run.output.find(' ');
    if (space == std::string::npos) return facts;
    std::from_chars(run.output.data(), run.output.data() + space, facts.version);
    facts.path = run.output.substr(space + 1);
    return facts;
}

void add_devices(NvidiaFacts& facts) {
    const Contained run = run_contained(names_by_nvml, kTimeLimit);
    if (!run.fine()) {
        facts.device_problem = "NVML: " + ended_badly(run);
        return;
    }
    if (run.output.starts_with('!')) {
        facts.device_problem = run.output.substr(1);
        return;
    }
    for (std::size_t at = 0; at < run.output.size();) {
        const std::size_t end = std::min(run.output.find('\n', at), run.output.size());
        facts.devices.push_back(run.output.substr(at, end - at));
        at = end + 1;
    }
}

}  // namespace

NvidiaFacts nvidia_facts() {
    NvidiaFacts facts;
    facts.kernel_driver = driver_version(text_of_system_file("/proc/driver/nvidia/version"));
    facts.admins_only =
        profiling_for_admins_only(text_of_system_file("/proc/driver/nvidia/params"));
    facts.is_admin = geteuid() == 0;
    add_devices(facts);
    const Contained loads = run_contained(
        [] { return dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) ? "yes" : ""; }, kTimeLimit);
    facts.has_libcuda = loads.fine() && !loads.output.empty();
    facts.cupti = cupti_facts();
    return facts;
}

}  // namespace lanescope

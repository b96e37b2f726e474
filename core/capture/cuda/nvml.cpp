#include "core/capture/cuda/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <vector>

namespace lanescope {

namespace {

// As declared by nvml.h.
struct Utilization {
    unsigned gpu, memory;
};
struct Memory {
    unsigned long long total, free, used;
};
using Device = void*;
enum ClockType : int { kClockSm = 1, kClockMemory = 2 };
constexpr int kTemperatureOfGpu = 0;

template <typename Function>
bool find(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    return function != nullptr;
}

}  // namespace

struct Nvml::State {
    void* library = nullptr;
    bool is_ready = false;
    std::vector<Device> devices;
    int (*shutdown)() = nullptr;
    int (*clock)(Device, int, unsigned*) = nullptr;
    int (*power)(Device, unsigned*) = nullptr;
    int (*temperature)(Device, int, unsigned*) = nullptr;
    int (*utilization)(Device, Utilization*) = nullptr;
    int (*memory)(Device, Memory*) = nullptr;
    int (*throttle)(Device, unsigned long long*) = nullptr;

    ~State() {
        if (is_ready && shutdown) shutdown();
        if (library) dlclose(library);
    }
};

Nvml::Nvml(std::unique_ptr<State> state) : state_(std::move(state)) {}
Nvml::~Nvml() = default;

Result<std::unique_ptr<Nvml>> Nvml::open() {
    const auto failed = [](const char* why) {
        return Error{ErrorCode::unsupported, Error::no_offset, why};
    };
    auto state = std::make_unique<State>();
    state->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!state->library) return failed("libnvidia-ml.so.1 is not installed");
    int (*init)() = nullptr;
    int (*count)(unsigned*) = nullptr;
    int (*handle)(unsigned, Device*) = nullptr;
    if (!find(state->library, "nvmlInit_v2", init) ||
        !find(state->library, "nvmlDeviceGetCount_v2", count) ||
        !find(state->library, "nvmlDeviceGetHandleByIndex_v2", handle))
        return failed("libnvidia-ml.so.1 has an unknown version");
    find(state->library, "nvmlShutdown", state->shutdown);
    find(state->library, "nvmlDeviceGetClockInfo", state->clock);
    find(state->library, "nvmlDeviceGetPowerUsage", state->power);
    find(state->library, "nvmlDeviceGetTemperature", state->temperature);
    find(state->library, "nvmlDeviceGetUtilizationRates", state->utilization);
    find(state->library, "nvmlDeviceGetMemoryInfo", state->memory);
    find(state->library, "nvmlDeviceGetCurrentClocksThrottleReasons", state->throttle);
    if (init() != 0) return failed("libnvidia-ml.so.1 finds no driver");
    state->is_ready = true;
    unsigned devices = 0;
    if (count(&devices) != 0 || devices == 0) return failed("libnvidia-ml.so.1 finds no GPU");
    for (unsigned i = 0; i < devices; ++i) {
        Device device = nullptr;
        if (handle(i, &device) != 0) device = nullptr;
        state->devices.push_back(device);
    }
    return std::unique_ptr<Nvml>(new Nvml(std::move(state)));
}

unsigned Nvml::devices() const {
    return static_cast<unsigned>(state_->devices.size());
}

void Nvml::sample(const Take& take) const {
    const State& nvml = *state_;
    for (std::size_t i = 0; i < nvml.devices.size(); ++i) {
        Device device = nvml.devices[i];
        if (!device) continue;
        const auto name = [&](const char* what) { return fmt::format("GPU {} {}", i, what); };
        unsigned value = 0;
        if (nvml.clock && nvml.clock(device, kClockSm, &value) == 0)
            take(name("SM clock"), "MHz", value);
        if (nvml.clock && nvml.clock(device, kClockMemory, &value) == 0)
            take(name("memory clock"), "MHz", value);
        if (nvml.power && nvml.power(device, &value) == 0)
            take(name("power"), "W", static_cast<double>(value) / 1000);
        if (nvml.temperature && nvml.temperature(device, kTemperatureOfGpu, &value) == 0)
            take(name("temperature"), "°C", value);
        Utilization utilization = {};
        if (nvml.utilization && nvml.utilization(device, &utilization) == 0)
            take(name("utilisation"), "%", utilization.gpu);
        Memory memory = {};
        if (nvml.memory && nvml.memory(device, &memory) == 0)
            take(name("memory used"), "bytes", static_cast<double>(memory.used));
        unsigned long long reasons = 0;
        if (nvml.throttle && nvml.throttle(device, &reasons) == 0)
            take(name("throttle reasons"), "bits", static_cast<double>(reasons));
    }
}

}  // namespace lanescope

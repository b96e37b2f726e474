// Reads values of NVIDIA GPUs from the management library NVML, if it is installed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lanescope {

class Nvml {
  public:
    // Errors: no library, no driver, no device.
    static Result<std::unique_ptr<Nvml>> open();
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    // Calls take(name, unit, value) for each value that a device reports. Devices have the
    // library's numbers, which may differ from CUDA's.
    using Take = std::function<void(std::string_view name, std::string_view unit, double value)>;
    void sample(const Take& take) const;
    unsigned devices() const;

  private:
    struct State;
    explicit Nvml(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace lanescope

// What this machine can do for Lanescope, and what to do about the rest: a judgement of facts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/capture/machine_facts.h"

namespace lanescope {

enum class CheckState : uint8_t {
    works,
    missing,  // something that not every machine has, and more could be done with
    fails,    // Lanescope needs it, on any machine
};
const char* name_of(CheckState state);

struct MachineCheck {
    std::string_view area;  // "window", "files", "gpu", "cpu", "pytorch"
    std::string_view name;
    CheckState state = CheckState::works;
    std::string found;
    std::string advice;  // one sentence; empty where it works
};

std::vector<MachineCheck> check_machine(const MachineFacts& facts);

}  // namespace lanescope

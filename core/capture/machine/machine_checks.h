// Checks whether this machine has what Lanescope needs or can use, and advises how to fix the rest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/capture/machine/machine_facts.h"

namespace lanescope {

enum class CheckState : uint8_t {
    works,
    missing,  // optional, but it would enable more
    fails,    // required by Lanescope on any machine
};
const char* name_of(CheckState state);

struct MachineCheck {
    std::string_view area;  // "window", "files", "gpu", "cpu", "record", "pytorch"
    std::string_view name;
    CheckState state = CheckState::works;
    std::string found;
    std::string advice;   // one sentence; empty if it works
    std::string command;  // a shell command that does so; empty: there is none
};

MachineCheck check_daemon_socket(const KinetoFacts& kineto);
std::vector<MachineCheck> check_machine(const MachineFacts& facts);

}  // namespace lanescope

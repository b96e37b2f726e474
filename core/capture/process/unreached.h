// Recorded programs' children that the recorder does not reach: somebody cleared the environment.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

struct UnreachedProcess {
    uint32_t pid = 0;
    std::string name;

    friend bool operator==(const UnreachedProcess&, const UnreachedProcess&) = default;
};

class UnreachedProcesses {
  public:
    // Checks the environments of processes. A process counts once it was found without the
    // recorder's variables twice, since its environment is empty for a moment while exec replaces
    // it. A process that had them and executed no other program has only overwritten its own
    // environment, as it may to change its title.
    void look(std::span<const uint32_t> pids, Nanos now);
    // The processes that counted, lived at least this long without the variables, and did not write
    // to the recording; in order of their pids.
    std::vector<UnreachedProcess> found(Nanos at_least,
                                        const std::function<bool(uint32_t pid)>& wrote) const;

  private:
    struct Seen {
        uint32_t reached = 0;    // how often it had the variables
        uint32_t unreached = 0;  // how often it had not
        uint32_t looks = 0;
        Nanos first = 0, last = 0;    // without the variables
        std::string reached_program;  // what it executed when it had the variables
        std::string name;
    };
    static void look_at(uint32_t pid, Nanos now, Seen& seen);

    std::map<uint32_t, Seen> seen_;
};

}  // namespace lanescope

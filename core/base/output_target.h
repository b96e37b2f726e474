// Where the path of an output leads: a descriptor of this program, a file, or a device or pipe.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

struct OutputTarget {
    enum class Kind : uint8_t {
        descriptor,  // of this program: written to, never replaced
        new_file,    // nothing exists there yet
        file,        // a regular file exists
        other,       // a device, a pipe, or a descriptor of another program
    };
    Kind kind = Kind::new_file;
    int descriptor = -1;     // of Kind::descriptor
    std::string path;        // symbolic links at its end are followed
    struct stat facts = {};  // unless the kind is new_file
    bool foreign = false;    // a descriptor of another program
};

// "-", /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N are descriptors, also through
// symbolic links. Errors: a folder, a loop of links, or a descriptor that is not open.
Result<OutputTarget> find_output(const std::string& path);

// Whether writing to the target would change one of the files, by device and inode. Pipes and
// devices that are read and written, such as terminals and /dev/null, are no conflict. "-" is
// standard input. Returns the input's name; empty: none.
std::string input_at(const OutputTarget& target, const std::vector<std::string>& inputs);

// Whether the target is a terminal.
bool is_terminal(const OutputTarget& target);

}  // namespace lanescope

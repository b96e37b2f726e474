// Recorders that use the same name: which files belong to a recorder that is still running.
#pragma once

#include <cstdint>
#include <string>

namespace lanescope {

enum class LockState : uint8_t {
    locked,
    held,         // by another recorder
    unsupported,  // the file system has no locks
};

// Locks an open file for its recorder, until the file is closed. Waits for processes that are
// checking the file.
LockState lock_spool(int fd);
// Whether `path` is still the name of the open file.
bool is_file_at(int fd, const std::string& path);

enum class ExistingState : uint8_t {
    none,
    held,       // another recorder writes it
    recording,  // an earlier recording; nobody writes it
    empty,
    other,  // something that is not a recording
};

// Looks at a file that may be in the way of a recording.
ExistingState existing_spool(const std::string& path);
// Removes the file if it is an earlier recording or empty, and returns what it was. Nothing is
// removed if it is held or something else. `none` is also returned if it was replaced meanwhile.
// On failure to remove it, sets `failed` to errno.
ExistingState remove_spool(const std::string& path, int& failed);

}  // namespace lanescope

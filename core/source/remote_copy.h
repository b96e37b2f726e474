// Copies a file from another machine through the user's own ssh, so that it can be read like any
// file.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/source/file.h"
#include "core/source/remote_address.h"

namespace lanescope {

struct RemoteCopyOptions {
    std::string folder;                           // of the temporary file; empty: TMPDIR or /tmp
    std::atomic<uint64_t>* bytes_done = nullptr;  // grows while the file is copied
    const std::atomic<bool>* cancel = nullptr;    // set it to end ssh and the copy
    std::function<uint64_t()> free_bytes = {};    // for tests: free space of the folder
};

// The file at the address as a temporary copy, which is removed when the InputFile is destroyed.
// Its path() is the address as text. ssh asks for passwords and for unknown hosts on the terminal,
// or through SSH_ASKPASS. Errors, each with host and path: ssh is missing or cannot connect, the
// file does not exist or cannot be read, the connection broke, the disk is full, cancelled.
Result<std::shared_ptr<InputFile>> copy_remote(const RemoteAddress& address,
                                               const RemoteCopyOptions& options = {});

}  // namespace lanescope

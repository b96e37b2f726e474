#include "core/capture/python/python_memory.h"

#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <csignal>

namespace lanescope {

namespace {

constexpr std::size_t kMaxVectors = 256;  // of one system call; the kernel allows 1024

}  // namespace

bool ProcessMemory::read(std::span<const MemoryPiece> pieces) {
    std::array<iovec, kMaxVectors> here = {};
    std::array<iovec, kMaxVectors> there = {};
    while (!pieces.empty()) {
        const std::size_t count = std::min(pieces.size(), kMaxVectors);
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < count; ++i) {
            here[i] = {pieces[i].into, pieces[i].bytes};
            there[i] = {std::bit_cast<void*>(pieces[i].address), pieces[i].bytes};
            bytes += pieces[i].bytes;
        }
        const ssize_t got = process_vm_readv(pid_, here.data(), count, there.data(), count, 0);
        if (got < 0 || static_cast<std::size_t>(got) != bytes) {
            refused_ = got < 0 && (errno == EPERM || errno == ENOSYS);
            return false;
        }
        pieces = pieces.subspan(count);
    }
    return true;
}

bool can_read_children() {
    const pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        pause();
        _exit(0);
    }
    static const char known = 'x';
    char copy = 0;
    const bool works =
        ProcessMemory(child).read(reinterpret_cast<uintptr_t>(&known), &copy, 1) && copy == known;
    kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
    return works;
}

}  // namespace lanescope

#include "core/capture/spool/spool_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/spool/spool_format.h"

namespace lanescope {

namespace {

constexpr useconds_t kTryEvery_us = 10'000;
constexpr int kTries = 30;

class OpenFile {
  public:
    explicit OpenFile(const std::string& path) {
        constexpr int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
        fd_ = open(path.c_str(), O_RDWR | flags);  // exclusive locks on NFS need write access
        if (fd_ < 0 && errno != ENOENT) fd_ = open(path.c_str(), O_RDONLY | flags);
        is_missing_ = fd_ < 0 && errno == ENOENT;
    }
    ~OpenFile() {
        if (fd_ >= 0) close(fd_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    int fd() const { return fd_; }
    bool is_missing() const { return is_missing_; }

  private:
    int fd_ = -1;
    bool is_missing_ = false;
};

LockState try_lock(int fd, int how) {
    for (int tries = 0; tries < kTries; ++tries) {
        if (flock(fd, how | LOCK_NB) == 0) return LockState::locked;
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK) return LockState::unsupported;
        if (how == LOCK_SH) return LockState::held;
        usleep(kTryEvery_us);
    }
    return LockState::held;
}

// Without locks: the recorder is known by its pid on this host.
bool seems_held(const SpoolHeader& header) {
    if (header.complete != 0) return false;
    char host[sizeof header.host] = {};
    gethostname(host, sizeof host - 1);
    if (std::strncmp(host, header.host, sizeof host) != 0) return true;
    return kill(static_cast<pid_t>(header.recorder_pid), 0) == 0 || errno != ESRCH;
}

// A file without contents may belong to a recorder that has just created it.
bool is_empty_for_good(int fd, struct stat& info) {
    for (int tries = 0; tries < kTries; ++tries) {
        if (fstat(fd, &info) != 0 || info.st_size > 0) return false;
        usleep(kTryEvery_us);
    }
    return true;
}

ExistingState state_of(const OpenFile& file, int how) {
    if (file.is_missing()) return ExistingState::none;
    struct stat info = {};
    if (file.fd() < 0 || fstat(file.fd(), &info) != 0 || !S_ISREG(info.st_mode))
        return ExistingState::other;
    const bool is_empty = info.st_size == 0 && is_empty_for_good(file.fd(), info);
    SpoolHeader header = {};
    if (!is_empty) {
        if (pread(file.fd(), &header, sizeof header, 0) <
                static_cast<ssize_t>(sizeof header.magic) ||
            std::memcmp(header.magic, kSpoolMagic, sizeof kSpoolMagic) != 0)
            return ExistingState::other;
    }
    const LockState lock = try_lock(file.fd(), how);
    if (lock == LockState::held) return ExistingState::held;
    if (is_empty) return ExistingState::empty;
    if (lock == LockState::unsupported && seems_held(header)) return ExistingState::held;
    return ExistingState::recording;
}

}  // namespace

LockState lock_spool(int fd) {
    return try_lock(fd, LOCK_EX);
}

bool is_file_at(int fd, const std::string& path) {
    struct stat open_file = {};
    struct stat named = {};
    return fstat(fd, &open_file) == 0 && lstat(path.c_str(), &named) == 0 &&
           open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

ExistingState existing_spool(const std::string& path) {
    return state_of(OpenFile(path), LOCK_SH);
}

ExistingState remove_spool(const std::string& path, int& failed) {
    failed = 0;
    const OpenFile file(path);
    const ExistingState state = state_of(file, LOCK_EX);
    if (state != ExistingState::recording && state != ExistingState::empty) return state;
    if (!is_file_at(file.fd(), path)) return ExistingState::none;
    if (unlink(path.c_str()) != 0) failed = errno;
    return state;
}

}  // namespace lanescope

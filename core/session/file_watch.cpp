#include "core/session/file_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "core/session/file_changes.h"

namespace lanescope {

namespace {

constexpr int kRestMilliseconds = 500;
// Used if the system does not report changes, as on some networks.
constexpr int kLookMilliseconds = 2000;

// Empty if there is no such regular file.
std::optional<FileStamp> stamp_of(const std::string& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
    return FileStamp{found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

}  // namespace

struct FileWatch::State {
    std::string path;
    std::function<void()> changed;
    FileChanges changes;
    int stop = -1;    // an eventfd that ends the thread
    int events = -1;  // inotify on the folder; -1: refused
    std::thread thread;

    State(std::string watched, std::function<void()> report, FileChanges known)
        : path(std::move(watched)), changed(std::move(report)), changes(known) {}

    enum class Woken { by_end, by_event, by_clock };

    Woken wait(int milliseconds) const {
        std::array<pollfd, 2> fds = {{{stop, POLLIN, 0}, {events, POLLIN, 0}}};
        const int ready = poll(fds.data(), events >= 0 ? 2 : 1, milliseconds);
        if (fds[0].revents != 0) return Woken::by_end;
        if (fds[1].revents != 0) {
            // The file itself shows what happened.
            std::array<char, 4096> ignored{};
            while (read(events, ignored.data(), ignored.size()) > 0) {
            }
        }
        return ready > 0 ? Woken::by_event : Woken::by_clock;
    }

    void run() {
        for (;;) {
            const Woken woken = wait(changes.is_unsettled() ? kRestMilliseconds
                                     : events >= 0          ? -1
                                                            : kLookMilliseconds);
            if (woken == Woken::by_end) return;
            if (changes.look(stamp_of(path), woken == Woken::by_clock)) changed();
        }
    }
};

FileWatch::FileWatch(const std::string& path, std::function<void()> changed) {
    const std::optional<FileStamp> stamp = stamp_of(path);
    if (!stamp) return;
    state_ = std::make_unique<State>(path, std::move(changed), FileChanges(*stamp));
    state_->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    state_->events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    std::string folder = std::filesystem::path(path).parent_path().string();
    if (folder.empty()) folder = ".";
    constexpr uint32_t kWhat = IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ATTRIB;
    if (state_->events >= 0 &&
        inotify_add_watch(state_->events, folder.c_str(), kWhat | IN_ONLYDIR) < 0) {
        close(state_->events);
        state_->events = -1;
    }
    state_->thread = std::thread([state = state_.get()] { state->run(); });
}

FileWatch::~FileWatch() {
    if (!state_) return;
    eventfd_write(state_->stop, 1);
    state_->thread.join();
    close(state_->stop);
    if (state_->events >= 0) close(state_->events);
}

}  // namespace lanescope

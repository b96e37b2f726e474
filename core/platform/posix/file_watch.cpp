#include "core/session/file_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "core/session/file_changes.h"

namespace lanescope {

namespace {

using WatchClock = std::chrono::steady_clock;

// A change is complete when the file has not changed for this long.
constexpr std::chrono::milliseconds kRest(500);
// inotify does not report changes by another machine on a network file system, changes of a
// symbolic link's target, or changes in a folder that was deleted and created again. So the file is
// checked from time to time.
constexpr std::chrono::milliseconds kLook(2000);

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

    // Waits for an event or the time; returns false if the watch ends.
    bool wait(std::chrono::milliseconds most) const {
        std::array<pollfd, 2> fds = {{{stop, POLLIN, 0}, {events, POLLIN, 0}}};
        poll(fds.data(), events >= 0 ? 2 : 1, static_cast<int>(most.count()));
        if (fds[0].revents != 0) return false;
        if (fds[1].revents != 0) {
            // The file itself shows what happened.
            std::array<char, 4096> ignored{};
            while (read(events, ignored.data(), ignored.size()) > 0) {
            }
        }
        return true;
    }

    void run() {
        std::optional<FileStamp> last = stamp_of(path);
        WatchClock::time_point since = WatchClock::now();
        while (wait(changes.is_unsettled() ? kRest : kLook)) {
            const std::optional<FileStamp> now = stamp_of(path);
            if (now != last) since = WatchClock::now();
            last = now;
            if (changes.look(now, WatchClock::now() - since >= kRest)) changed();
        }
    }
};

FileWatch::FileWatch(const std::string& path, std::function<void()> changed) {
    const std::optional<FileStamp> stamp = stamp_of(path);
    if (!stamp) return;
    state_ = std::make_unique<State>(path, std::move(changed), FileChanges(*stamp));
    state_->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (state_->stop < 0) {  // without it, the thread could not be ended
        state_.reset();
        return;
    }
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

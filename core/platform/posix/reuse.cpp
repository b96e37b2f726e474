#include "core/session/reuse.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "core/session/reuse_message.h"

namespace lanescope {

namespace {

using ReuseClock = std::chrono::steady_clock;

constexpr std::string_view kTaken = "taken";
constexpr int kBacklog = 8;
constexpr auto kLookEvery = std::chrono::milliseconds(20);
constexpr int kSocketKind = SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK;

class Socket {
  public:
    explicit Socket(int fd = -1) : fd_(fd) {}
    ~Socket() {
        if (fd_ >= 0) close(fd_);
    }
    Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Socket& operator=(Socket&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }

  private:
    int fd_;
};

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
}

bool is_of_user(const Socket& socket, uid_t user) {
    ucred peer = {};
    socklen_t size = sizeof peer;
    return getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == user;
}

int milliseconds_until(ReuseClock::time_point due) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(due - ReuseClock::now());
    return static_cast<int>(std::max<int64_t>(0, left.count()));
}

// Waits until there is something to read; false at `due`, or once `stop` (-1: none) is readable.
bool await_readable(const Socket& socket, int stop, ReuseClock::time_point due) {
    for (;;) {
        std::array<pollfd, 2> ready = {{{socket.get(), POLLIN, 0}, {stop, POLLIN, 0}}};
        const int count = poll(ready.data(), ready.size(), milliseconds_until(due));
        if (count < 0 && errno == EINTR) continue;
        return count > 0 && ready[1].revents == 0 && (ready[0].revents & POLLIN) != 0;
    }
}

// One message; empty if it is missing, late or longer than allowed.
std::string read_message(const Socket& socket, int stop, ReuseClock::time_point due) {
    if (!await_readable(socket, stop, due)) return {};
    std::string bytes(kMaxReuseBytes + 1, '\0');
    const ssize_t got = recv(socket.get(), bytes.data(), bytes.size(), MSG_TRUNC);
    if (got <= 0 || static_cast<std::size_t>(got) > kMaxReuseBytes) return {};
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
}

// Returns whether the other process has closed the connection, as it does after one second.
bool has_left(const Socket& socket) {
    pollfd state = {socket.get(), POLLRDHUP, 0};
    return poll(&state, 1, 0) != 0;
}

bool send_message(const Socket& socket, std::string_view bytes) {
    return send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
}

}  // namespace

ReuseRules reuse_rules_here() {
    const uid_t user = geteuid();
    return {reuse_socket_path(user), user};
}

bool give_to_window(const std::vector<std::string>& paths, const ReuseRules& rules) {
    if (rules.socket_path.empty()) return false;
    const Result<std::string> message = reuse_message(paths);
    if (!message) return false;
    const auto due = ReuseClock::now() + rules.patience;
    const Socket socket(::socket(AF_UNIX, kSocketKind, 0));
    const sockaddr_un address = address_of(rules.socket_path);
    if (!socket ||
        connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return false;
    if (!is_of_user(socket, rules.user) || !send_message(socket, *message)) return false;
    return read_message(socket, -1, due) == kTaken;
}

struct ReuseListener::State {
    State(ReuseRules wanted, std::function<void()> wake_window)
        : rules(std::move(wanted)), wake(std::move(wake_window)) {}

    ReuseRules rules;
    std::function<void()> wake;
    Socket bell{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};  // rung by claim() and by the end
    std::atomic<bool> ending{false};
    std::atomic<bool> claimed{false};

    Socket listening;  // of the thread, and what the file system calls it
    dev_t device = 0;
    ino_t inode = 0;

    std::mutex mutex;  // guards what follows
    std::condition_variable changed;
    std::optional<std::vector<std::string>> waiting;  // for the window
    bool taken = false;

    std::thread thread;

    void ring() const {
        const uint64_t one = 1;
        const ssize_t put = write(bell.get(), &one, sizeof one);
        static_cast<void>(put);  // a full counter rings, too
    }
    bool has_name() const {
        struct stat facts = {};
        return listening && lstat(rules.socket_path.c_str(), &facts) == 0 &&
               facts.st_dev == device && facts.st_ino == inode;
    }
    bool take_name();
    void run();
    void serve();
    bool show(std::vector<std::string> paths, const Socket& peer, ReuseClock::time_point due);
};

// The socket gets its name when it is complete, so that the name always leads to a window, and
// replaces the socket of another one.
bool ReuseListener::State::take_name() {
    const std::string path = fmt::format("{}.{}", rules.socket_path, getpid());
    Socket fresh(::socket(AF_UNIX, kSocketKind, 0));
    const sockaddr_un address = address_of(path);
    unlink(path.c_str());
    struct stat facts = {};
    const bool ready =
        fresh &&
        bind(fresh.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        chmod(path.c_str(), 0600) == 0 && listen(fresh.get(), kBacklog) == 0 &&
        lstat(path.c_str(), &facts) == 0 &&
        std::rename(path.c_str(), rules.socket_path.c_str()) == 0;
    if (!ready) {
        unlink(path.c_str());
        return false;
    }
    listening = std::move(fresh);
    device = facts.st_dev;
    inode = facts.st_ino;
    return true;
}

void ReuseListener::State::run() {
    while (!ending) {
        std::array<pollfd, 2> ready = {{{bell.get(), POLLIN, 0}, {listening.get(), POLLIN, 0}}};
        if (poll(ready.data(), ready.size(), -1) < 0) continue;
        uint64_t rung = 0;
        if (ready[0].revents != 0 && read(bell.get(), &rung, sizeof rung) < 0) continue;
        if (ending) break;
        if (claimed.exchange(false) && !has_name()) take_name();
        if (ready[1].revents != 0) serve();
    }
    if (has_name()) unlink(rules.socket_path.c_str());
}

// Serves one connection: a message that is not sound, not ours or late is dropped without answer.
void ReuseListener::State::serve() {
    const Socket peer(accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!peer || !is_of_user(peer, rules.user)) return;
    const auto due = ReuseClock::now() + rules.patience;
    const Result<std::vector<std::string>> paths = parse_reuse_message(read_message(peer, -1, due));
    if (!paths || !are_files(*paths) || !show(*paths, peer, due)) return;
    send_message(peer, kTaken);
}

// False if the window does not take the paths in time, because it hangs or ends. The sender may
// leave earlier, and opens a window of its own: this one must not take the paths then.
bool ReuseListener::State::show(std::vector<std::string> paths, const Socket& peer,
                                ReuseClock::time_point due) {
    if (has_left(peer)) return false;
    std::unique_lock lock(mutex);
    waiting = std::move(paths);
    taken = false;
    lock.unlock();
    wake();
    lock.lock();
    while (!taken && !ending && ReuseClock::now() < due && !has_left(peer))
        changed.wait_for(lock, kLookEvery);
    waiting.reset();
    return taken;
}

ReuseListener::ReuseListener(std::unique_ptr<State> state) : state_(std::move(state)) {}

std::unique_ptr<ReuseListener> ReuseListener::open(const ReuseRules& rules,
                                                   std::function<void()> wake) {
    if (rules.socket_path.empty() || !make_reuse_folder(rules.socket_path, rules.user))
        return nullptr;
    auto state = std::make_unique<State>(rules, std::move(wake));
    if (!state->bell || !state->take_name()) return nullptr;
    State* const shared = state.get();
    state->thread = std::thread([shared] { shared->run(); });
    return std::unique_ptr<ReuseListener>(new ReuseListener(std::move(state)));
}

ReuseListener::~ReuseListener() {
    {
        const std::scoped_lock lock(state_->mutex);
        state_->ending = true;
    }
    state_->changed.notify_all();
    state_->ring();
    state_->thread.join();
}

void ReuseListener::claim() {
    state_->claimed = true;
    state_->ring();
}

std::vector<std::string> ReuseListener::take() {
    const std::scoped_lock lock(state_->mutex);
    if (!state_->waiting) return {};
    std::vector<std::string> paths = std::move(*state_->waiting);
    state_->waiting.reset();
    state_->taken = true;
    state_->changed.notify_all();
    return paths;
}

}  // namespace lanescope

#include "core/session/reuse.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "core/session/reuse_message.h"
#include "tests/core/temporary_file.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Sets a variable, or removes it, until the end of the scope.
class Variable {
  public:
    Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        set(value);
    }
    ~Variable() { set(before_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    void set(const std::optional<std::string>& value) {
        value ? setenv(name_, value->c_str(), 1) : unsetenv(name_);
    }
    const char* name_;
    std::optional<std::string> before_;
};

// A runtime folder with a file in it, and rules with little patience.
struct Runtime {
    TemporaryFile file{"trace"};
    ReuseRules rules;

    Runtime() {
        const std::string folder = file.folder() + "/run";
        fs::create_directory(folder);
        rules = {folder + "/lanescope/x-1.sock", geteuid(), std::chrono::milliseconds(500)};
    }
};

// A window: takes what it is offered, unless it hangs.
class FakeWindow {
  public:
    explicit FakeWindow(const ReuseRules& rules, bool hangs = false)
        : listener_(ReuseListener::open(rules,
                                        [this, hangs] {
                                            if (!hangs) woken_ = true;
                                        })),
          thread_([this] { run(); }) {}
    ~FakeWindow() {
        ending_ = true;
        thread_.join();
    }
    FakeWindow(const FakeWindow&) = delete;
    FakeWindow& operator=(const FakeWindow&) = delete;

    ReuseListener* listener() { return listener_.get(); }
    // All paths so far.
    std::vector<std::string> taken() {
        const std::scoped_lock lock(mutex_);
        return taken_;
    }

  private:
    void run() {
        while (!ending_) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            if (!listener_ || !woken_.exchange(false)) continue;
            // The sender may continue as soon as take() has returned.
            const std::scoped_lock lock(mutex_);
            const std::vector<std::string> paths = listener_->take();
            taken_.insert(taken_.end(), paths.begin(), paths.end());
        }
    }

    std::atomic<bool> woken_{false};
    std::atomic<bool> ending_{false};
    std::mutex mutex_;
    std::vector<std::string> taken_;
    std::unique_ptr<ReuseListener> listener_;
    std::thread thread_;
};

// A connection that sends any bytes.
class RawSender {
  public:
    explicit RawSender(const std::string& path)
        : fd_(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
        const timeval patience = {3, 0};
        setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    ~RawSender() { close(fd_); }
    RawSender(const RawSender&) = delete;
    RawSender& operator=(const RawSender&) = delete;

    bool connected() const { return connected_; }
    void send_bytes(const std::string& bytes) const {
        send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    // Returns all that the server answers before it closes the connection; "nothing" if the server
    // keeps the connection open.
    std::string answer() const {
        char bytes[64] = {};
        const ssize_t got = recv(fd_, bytes, sizeof bytes, 0);
        // A connection that is closed before everything was read is reset.
        if (got < 0) return errno == ECONNRESET ? "" : "nothing";
        return {bytes, static_cast<std::size_t>(got)};
    }

  private:
    int fd_;
    bool connected_ = false;
};

}  // namespace

TEST_CASE("a message has the paths, and only sound messages are parsed") {
    const std::vector<std::string> paths = {"/a", "/b c\n", "/\xC3\xBC"};
    const Result<std::string> message = reuse_message(paths);
    REQUIRE(message);
    REQUIRE(parse_reuse_message(*message));
    CHECK(*parse_reuse_message(*message) == paths);
    // Every prefix, and every change of one byte of the beginning, is refused or has other paths.
    for (std::size_t size = 0; size < message->size(); ++size) {
        const auto cut = parse_reuse_message(message->substr(0, size));
        CHECK((!cut || cut->size() < paths.size()));
    }
    for (std::size_t i = 0; i < 17; ++i) {
        std::string changed = *message;
        changed[i] ^= 1;
        CHECK_FALSE(parse_reuse_message(changed));
    }
}

TEST_CASE("relative paths, addresses, and too much of anything are refused on both sides") {
    for (const std::string path : {"", "a", "./a", "ssh://host/a", "-x", "~"}) {
        CHECK_FALSE(reuse_message({path}));
        CHECK_FALSE(parse_reuse_message(*reuse_message({"/a"}) + path + '\0'));
    }
    using namespace std::string_literals;
    CHECK_FALSE(reuse_message({"/a\0b"s}));
    CHECK_FALSE(reuse_message({}));
    const std::string magic = reuse_message({"/a"})->substr(0, 17);
    CHECK_FALSE(parse_reuse_message(magic));
    const std::string long_path = "/" + std::string(PATH_MAX, 'x');
    CHECK_FALSE(reuse_message({long_path}));
    CHECK_FALSE(parse_reuse_message(magic + long_path + '\0'));
    CHECK_FALSE(reuse_message(std::vector<std::string>(kMaxReusePaths + 1, "/a")));
    std::string many = magic;
    for (std::size_t i = 0; i <= kMaxReusePaths; ++i) many += "/a"s + '\0';
    CHECK_FALSE(parse_reuse_message(many));
    const std::string half = "/" + std::string(4000, 'x');
    CHECK_FALSE(reuse_message(std::vector<std::string>(20, half)));
    std::string big = magic;
    for (int i = 0; i < 20; ++i) big += half + '\0';
    CHECK_FALSE(parse_reuse_message(big));
}

TEST_CASE("only regular files are opened") {
    const TemporaryFile file("x");
    CHECK(are_files({file.path()}));
    CHECK_FALSE(are_files({file.path(), file.folder()}));
    CHECK_FALSE(are_files({"/dev/null"}));
    CHECK_FALSE(are_files({file.folder() + "/none"}));
    const std::string pipe = file.folder() + "/pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_FALSE(are_files({pipe}));
}

TEST_CASE("the socket is in the user's own runtime folder, one for each display") {
    const TemporaryFile file("x");
    const std::string folder = file.folder() + "/run";
    fs::create_directory(folder);
    chmod(folder.c_str(), 0700);
    const Variable runtime("XDG_RUNTIME_DIR", folder);
    const Variable wayland("WAYLAND_DISPLAY", std::nullopt);
    const Variable x("DISPLAY", ":1.0");
    const uid_t user = geteuid();
    CHECK(reuse_socket_path(user) == folder + "/lanescope/x-=3A1.sock");
    {
        const Variable other("DISPLAY", ":1");
        CHECK(reuse_socket_path(user) == folder + "/lanescope/x-=3A1.sock");
    }
    {
        const Variable far("DISPLAY", "10.0.0.1:2");
        CHECK(reuse_socket_path(user) == folder + "/lanescope/x-10=2E0=2E0=2E1=3A2.sock");
    }
    {
        const Variable path("WAYLAND_DISPLAY", "../../evil");
        CHECK(reuse_socket_path(user) == folder + "/lanescope/w-=2E=2E=2F=2E=2E=2Fevil.sock");
    }
    {
        const Variable none("DISPLAY", std::nullopt);
        CHECK(reuse_socket_path(user).empty());
    }
    CHECK(reuse_socket_path(user + 1).empty());  // the folder belongs to another user
    for (const std::optional<std::string>& wrong :
         {std::optional<std::string>(), std::optional<std::string>("relative"),
          std::optional<std::string>(folder + "/none"), std::optional<std::string>(file.path())}) {
        const Variable changed("XDG_RUNTIME_DIR", wrong);
        CHECK(reuse_socket_path(user).empty());
    }
    chmod(folder.c_str(), 0750);
    CHECK(reuse_socket_path(user).empty());
    chmod(folder.c_str(), 0700);
    const std::string deep = folder + "/" + std::string(90, 'x');
    fs::create_directory(deep);
    chmod(deep.c_str(), 0700);
    const Variable too_long("XDG_RUNTIME_DIR", deep);
    CHECK(reuse_socket_path(user).empty());
}

TEST_CASE("paths arrive in the window, and the sender knows") {
    const Runtime runtime;
    CHECK_FALSE(give_to_window({runtime.file.path()}, runtime.rules));  // nobody listens
    {
        FakeWindow window(runtime.rules);
        REQUIRE(window.listener());
        struct stat facts = {};
        REQUIRE(lstat(runtime.rules.socket_path.c_str(), &facts) == 0);
        CHECK((facts.st_mode & 0777) == 0600);
        REQUIRE(stat(fs::path(runtime.rules.socket_path).parent_path().c_str(), &facts) == 0);
        CHECK((facts.st_mode & 0777) == 0700);
        for (int i = 1; i <= 3; ++i) {
            CHECK(give_to_window({runtime.file.path()}, runtime.rules));
            CHECK(window.taken().size() == static_cast<std::size_t>(i));
        }
    }
    CHECK_FALSE(fs::exists(runtime.rules.socket_path));
    CHECK_FALSE(give_to_window({runtime.file.path()}, runtime.rules));
}

TEST_CASE("hostile messages are dropped without an answer, and the next one is served") {
    const Runtime runtime;
    FakeWindow window(runtime.rules);
    REQUIRE(window.listener());
    const std::string sound = *reuse_message({runtime.file.path()});
    for (const std::string& bytes :
         {std::string("x"), std::string(100'000, 'x'), sound.substr(0, sound.size() - 1),
          sound.substr(0, 17) + "relative" + '\0', *reuse_message({"/dev/zero"}),
          *reuse_message({runtime.file.folder()}), *reuse_message({"/none"}),
          sound.substr(0, 17) + "ssh://far/x" + '\0'}) {
        const RawSender sender(runtime.rules.socket_path);
        REQUIRE(sender.connected());
        sender.send_bytes(bytes);
        CHECK(sender.answer().empty());
    }
    CHECK(window.taken().empty());
    CHECK(give_to_window({runtime.file.path()}, runtime.rules));
}

TEST_CASE("a sender that says nothing is dropped after the patience, and the next one is served") {
    const Runtime runtime;
    FakeWindow window(runtime.rules);
    REQUIRE(window.listener());
    const RawSender silent(runtime.rules.socket_path);
    REQUIRE(silent.connected());
    const auto begin = Clock::now();
    CHECK(silent.answer().empty());
    CHECK(Clock::now() - begin < std::chrono::seconds(3));
    // A message in two parts is two messages.
    const RawSender slow(runtime.rules.socket_path);
    const std::string sound = *reuse_message({runtime.file.path()});
    slow.send_bytes(sound.substr(0, 5));
    slow.send_bytes(sound.substr(5));
    CHECK(slow.answer().empty());
    CHECK(give_to_window({runtime.file.path()}, runtime.rules));
    CHECK(window.taken().size() == 1);
}

TEST_CASE("processes of other users are not trusted, on either side") {
    const Runtime runtime;
    FakeWindow window(runtime.rules);
    REQUIRE(window.listener());
    ReuseRules other = runtime.rules;
    ++other.user;
    CHECK_FALSE(give_to_window({runtime.file.path()}, other));  // the window is of another user
    CHECK(window.taken().empty());
    // A window that expects another user: its folder is not that user's, so it does not listen.
    CHECK_FALSE(ReuseListener::open(other, [] {}));
    CHECK(give_to_window({runtime.file.path()}, runtime.rules));
}

TEST_CASE("a real process of another user is refused") {
    if (geteuid() != 0) {
        MESSAGE("only root can become another user");
        return;
    }
    const Runtime runtime;
    FakeWindow window(runtime.rules);
    REQUIRE(window.listener());
    // Everybody may reach the socket here, so that only SO_PEERCRED protects it.
    for (fs::path path = runtime.rules.socket_path; path != "/tmp" && path != "/";
         path = path.parent_path())
        chmod(path.c_str(), 0777);
    const std::string message = *reuse_message({runtime.file.path()});
    const pid_t child = fork();
    if (child == 0) {
        if (setuid(65534) != 0) _exit(9);
        const RawSender sender(runtime.rules.socket_path);
        if (!sender.connected()) _exit(8);
        sender.send_bytes(message);
        // The window closes the connection without reading the message.
        _exit(sender.answer().empty() ? 0 : 7);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(window.taken().empty());
}

TEST_CASE("a window that hangs does not answer, and does not take the paths later") {
    const Runtime runtime;
    FakeWindow window(runtime.rules, true);
    REQUIRE(window.listener());
    const auto begin = Clock::now();
    CHECK_FALSE(give_to_window({runtime.file.path()}, runtime.rules));
    CHECK(Clock::now() - begin < std::chrono::seconds(3));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    CHECK(window.listener()->take().empty());
}

TEST_CASE("the newest window listens; a window that gets the focus takes over") {
    const Runtime runtime;
    auto first = std::make_unique<FakeWindow>(runtime.rules);
    auto second = std::make_unique<FakeWindow>(runtime.rules);
    const std::vector<std::string> paths = {runtime.file.path()};
    CHECK(give_to_window(paths, runtime.rules));
    CHECK(first->taken().empty());
    CHECK(second->taken().size() == 1);
    first->listener()->claim();
    for (int i = 0; i < 200 && first->taken().empty(); ++i) {
        CHECK(give_to_window(paths, runtime.rules));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    CHECK(first->taken().size() == 1);
    // The end of a window that has lost the name leaves the name to the other.
    second.reset();
    CHECK(give_to_window(paths, runtime.rules));
    CHECK(first->taken().size() == 2);
    first.reset();
    CHECK_FALSE(fs::exists(runtime.rules.socket_path));
}

TEST_CASE("the socket of a window that was killed is replaced") {
    const Runtime runtime;
    const std::string& path = runtime.rules.socket_path;
    fs::create_directory(fs::path(path).parent_path());
    chmod(fs::path(path).parent_path().c_str(), 0700);
    {
        const int dead = socket(AF_UNIX, SOCK_SEQPACKET, 0);
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        REQUIRE(bind(dead, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        close(dead);
    }
    CHECK_FALSE(give_to_window({runtime.file.path()}, runtime.rules));
    FakeWindow window(runtime.rules);
    REQUIRE(window.listener());
    CHECK(give_to_window({runtime.file.path()}, runtime.rules));
    // A folder that others may enter, or a link, is not used.
    const Runtime open;
    const std::string folder = fs::path(open.rules.socket_path).parent_path();
    fs::create_directory(folder);
    chmod(folder.c_str(), 0755);
    CHECK_FALSE(ReuseListener::open(open.rules, [] {}));
    fs::remove(folder);
    fs::create_directory_symlink("/tmp", folder);
    CHECK_FALSE(ReuseListener::open(open.rules, [] {}));
}

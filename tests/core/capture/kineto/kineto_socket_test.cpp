#include "core/capture/kineto/kineto_socket.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string>

using namespace lanescope;

namespace {

namespace fs = std::filesystem;

struct Folder {
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "kineto-XXXXXX").string();
        path = mkdtemp(pattern.data());
    }
    ~Folder() { fs::remove_all(path); }
    std::string path;
};

// A client bound to `name`: a file, or an abstract name if it begins with a zero.
struct Client {
    explicit Client(const std::string& name) : handle(socket(AF_UNIX, SOCK_DGRAM, 0)) {
        if (name.empty()) return;
        const sockaddr_un address = address_of(name);
        REQUIRE(bind(handle, reinterpret_cast<const sockaddr*>(&address), length_of(name)) == 0);
    }
    ~Client() { close(handle); }

    static sockaddr_un address_of(const std::string& name) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        name.copy(address.sun_path, sizeof address.sun_path - 1);
        return address;
    }
    static socklen_t length_of(const std::string& name) {
        return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + 1);
    }
    bool send(const std::string& to, const std::string& bytes) const {
        const sockaddr_un address = address_of(to);
        return sendto(handle, bytes.data(), bytes.size(), 0,
                      reinterpret_cast<const sockaddr*>(&address), length_of(to)) >= 0;
    }
    std::string receive() const {
        std::string bytes(4096, '\0');
        const ssize_t size = recv(handle, bytes.data(), bytes.size(), MSG_DONTWAIT);
        bytes.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
        return bytes;
    }
    int handle;
};

}  // namespace

TEST_CASE("datagrams carry the sender's pid, and replies reach a socket in a folder") {
    const Folder folder;
    auto daemon = KinetoSocket::bind(folder.path);
    REQUIRE(daemon);
    struct stat facts {};
    REQUIRE(stat((folder.path + "/dynolog").c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777) == 0600);
    const Client client(folder.path + "/client");
    REQUIRE(client.send(folder.path + "/dynolog", "hello"));
    const auto datagram = daemon->receive(1000);
    REQUIRE(datagram);
    CHECK(datagram->bytes == "hello");
    CHECK(datagram->pid == getpid());
    CHECK(daemon->answer(*datagram, "and you"));
    CHECK(client.receive() == "and you");
    CHECK_FALSE(daemon->receive(0));
}

TEST_CASE("abstract names end with a zero byte that counts, as clients expect") {
    const std::string name = "lanescope-test-" + std::to_string(getpid());
    auto daemon = KinetoSocket::bind("", name);
    REQUIRE(daemon);
    const Client client(std::string(1, '\0') + "client-" + name);
    REQUIRE(client.send(std::string(1, '\0') + name, "hello"));
    const auto datagram = daemon->receive(1000);
    REQUIRE(datagram);
    CHECK(daemon->answer(*datagram, "and you"));
    CHECK(client.receive() == "and you");
}

TEST_CASE("senders that must not get a reply are dropped and counted") {
    const std::string name = "lanescope-refuse-" + std::to_string(getpid());
    const Folder folder;
    auto daemon = KinetoSocket::bind("", name);
    REQUIRE(daemon);
    const std::string to = std::string(1, '\0') + name;
    const Client nameless("");
    REQUIRE(nameless.send(to, "x"));
    CHECK_FALSE(daemon->receive(1000));
    const Client in_folder(folder.path + "/client");
    REQUIRE(in_folder.send(to, "x"));
    CHECK_FALSE(daemon->receive(1000));
    const Client abstract(std::string(1, '\0') + "endless-" + name);
    REQUIRE(abstract.send(to, std::string(5000, 'x')));
    CHECK_FALSE(daemon->receive(1000));
    CHECK(daemon->refused() == 3);
    REQUIRE(abstract.send(to, std::string(4096, 'x')));
    CHECK(daemon->receive(1000));
}

TEST_CASE("a running daemon keeps its name; a stale name is taken over") {
    const Folder folder;
    auto first = KinetoSocket::bind(folder.path);
    REQUIRE(first);
    const auto second = KinetoSocket::bind(folder.path);
    REQUIRE_FALSE(second);
    CHECK(second.error().code == ErrorCode::unsupported);
    { KinetoSocket gone = std::move(*first); }
    CHECK_FALSE(fs::exists(folder.path + "/dynolog"));
    {
        const Client dead(folder.path + "/dynolog");  // leaves its file
    }
    CHECK(fs::exists(folder.path + "/dynolog"));
    CHECK(KinetoSocket::bind(folder.path));

    const std::string name = "lanescope-twice-" + std::to_string(getpid());
    auto abstract = KinetoSocket::bind("", name);
    REQUIRE(abstract);
    CHECK(KinetoSocket::bind("", name).error().code == ErrorCode::unsupported);
}

TEST_CASE("a missing folder, a name that is too long and a file in the way are errors") {
    CHECK_FALSE(KinetoSocket::bind("/nowhere/at/all"));
    CHECK(KinetoSocket::bind("", std::string(107, 'x')).error().code == ErrorCode::usage);
    const Folder folder;
    fs::create_directory(folder.path + "/dynolog");
    CHECK_FALSE(KinetoSocket::bind(folder.path));
    CHECK(fs::is_directory(folder.path + "/dynolog"));
}

#include "core/capture/kineto/kineto_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/capture/kineto/kineto_message.h"

namespace lanescope {

namespace {

struct Address {
    sockaddr_un name{};
    socklen_t length = 0;

    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

// An abstract name includes a trailing zero, as Kineto's do: without it the address would be
// another one.
std::optional<Address> address_of(const std::string& folder, std::string_view name) {
    std::string path = folder.empty() ? std::string(1, '\0') : folder + "/";
    path.append(name).push_back('\0');
    Address address;
    if (path.size() > sizeof address.name.sun_path) return {};
    address.name.sun_family = AF_UNIX;
    path.copy(address.name.sun_path, path.size());
    address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    return address;
}

Error system_error(const std::string& what) {
    return {ErrorCode::io, Error::no_offset,
            fmt::format("{}: {}", what, std::generic_category().message(errno))};
}

Error taken(const std::string& address) {
    return {ErrorCode::unsupported, Error::no_offset,
            fmt::format("Another profiling daemon listens at {} already", address)};
}

// In a folder, the socket file of an ended daemon remains; that of a running daemon must not be
// replaced.
bool somebody_listens(const Address& address) {
    const int probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (probe < 0) return false;
    const bool listens = connect(probe, address.get(), address.length) == 0;
    close(probe);
    return listens;
}

}  // namespace

Result<KinetoSocket> KinetoSocket::bind(const std::string& folder, std::string_view name) {
    const std::string display_name =
        folder.empty() ? fmt::format("@{}", name) : fmt::format("{}/{}", folder, name);
    const auto address = address_of(folder, name);
    if (!address)
        return Error{ErrorCode::usage, Error::no_offset,
                     fmt::format("{} is too long for the name of a socket", display_name)};
    const int handle = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (handle < 0) return system_error("A socket");
    KinetoSocket result(handle, folder, "");
    if (!folder.empty()) {
        if (somebody_listens(*address)) return taken(display_name);
        struct stat facts {};
        if (lstat(display_name.c_str(), &facts) == 0 && S_ISSOCK(facts.st_mode))
            unlink(display_name.c_str());
    }
    const int on = 1;
    if (setsockopt(handle, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0)
        return system_error("The senders' names");
    if (::bind(handle, address->get(), address->length) != 0)
        return errno == EADDRINUSE ? taken(display_name) : system_error(display_name);
    if (!folder.empty()) {
        result.path_ = display_name;
        // Only processes of this user and of root may send.
        if (chmod(display_name.c_str(), 0600) != 0) return system_error(display_name);
    }
    return Result<KinetoSocket>(std::move(result));
}

KinetoSocket::KinetoSocket(KinetoSocket&& other) noexcept
    : handle_(std::exchange(other.handle_, -1)),
      folder_(std::move(other.folder_)),
      path_(std::exchange(other.path_, {})),
      refused_(other.refused_) {}

KinetoSocket& KinetoSocket::operator=(KinetoSocket&& other) noexcept {
    std::swap(handle_, other.handle_);
    folder_.swap(other.folder_);
    path_.swap(other.path_);
    std::swap(refused_, other.refused_);
    return *this;
}

KinetoSocket::~KinetoSocket() {
    if (!path_.empty()) unlink(path_.c_str());
    if (handle_ >= 0) close(handle_);
}

// A client aborts its process if the answer comes from a kind of address that it does not expect. A
// sender with that kind of address is not a Kineto client.
bool KinetoSocket::may_be_answered(std::string_view address) const {
    constexpr std::size_t kBefore = offsetof(sockaddr_un, sun_path);
    if (address.size() <= kBefore + 1) return false;
    const std::string_view path = address.substr(kBefore);
    if (folder_.empty()) return path[0] == '\0';
    return path.starts_with(folder_ + "/");
}

std::optional<KinetoDatagram> KinetoSocket::receive(int timeout_ms) {
    pollfd waiting{handle_, POLLIN, 0};
    if (poll(&waiting, 1, timeout_ms) <= 0) return {};
    KinetoDatagram datagram;
    datagram.bytes.resize(kMaxKinetoDatagram);
    sockaddr_un from{};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
    iovec place{datagram.bytes.data(), datagram.bytes.size()};
    msghdr message{};
    message.msg_name = &from;
    message.msg_namelen = sizeof from;
    message.msg_iov = &place;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t size = recvmsg(handle_, &message, MSG_DONTWAIT);
    if (size < 0) return {};
    const cmsghdr* head = CMSG_FIRSTHDR(&message);
    ucred sender{};
    const bool named = head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_CREDENTIALS;
    if (named) std::memcpy(&sender, CMSG_DATA(head), sizeof sender);
    datagram.from.assign(reinterpret_cast<const char*>(&from), message.msg_namelen);
    const bool ours = named && (sender.uid == geteuid() || sender.uid == 0) && sender.pid > 0;
    if (!ours || (message.msg_flags & MSG_TRUNC) || !may_be_answered(datagram.from)) {
        ++refused_;
        return {};
    }
    datagram.bytes.resize(static_cast<std::size_t>(size));
    datagram.pid = sender.pid;
    return datagram;
}

bool KinetoSocket::answer(const KinetoDatagram& to, std::string_view bytes) const {
    return sendto(handle_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                  reinterpret_cast<const sockaddr*>(to.from.data()),
                  static_cast<socklen_t>(to.from.size())) == static_cast<ssize_t>(bytes.size());
}

}  // namespace lanescope

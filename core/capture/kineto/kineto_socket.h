// The socket on which a daemon receives datagrams of PyTorch processes, and replies to them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lanescope {

struct KinetoDatagram {
    std::string bytes;
    std::string from;  // the sender's address, as the kernel reports it
    int32_t pid = 0;  // pid of the sender in this process's pid namespace, as the kernel reports it
};

class KinetoSocket {
  public:
    // Binds "dynolog" in the abstract namespace or, if `folder` is not empty, a file of that name
    // in it. Errors: ErrorCode::unsupported if a daemon already listens there; otherwise the
    // system's.
    static Result<KinetoSocket> bind(const std::string& folder, std::string_view name = "dynolog");

    KinetoSocket(KinetoSocket&& other) noexcept;
    KinetoSocket& operator=(KinetoSocket&& other) noexcept;
    ~KinetoSocket();

    // Waits up to `timeout_ms` for a datagram. Datagrams of users other than this one and root, and
    // those from addresses that must not be answered, are dropped and counted.
    std::optional<KinetoDatagram> receive(int timeout_ms);
    // False if the receiver is gone or does not accept more.
    bool answer(const KinetoDatagram& to, std::string_view bytes) const;

    uint64_t refused() const { return refused_; }

  private:
    KinetoSocket(int handle, std::string folder, std::string path)
        : handle_(handle), folder_(std::move(folder)), path_(std::move(path)) {}
    bool may_be_answered(std::string_view address) const;

    int handle_ = -1;
    std::string folder_;  // empty: abstract
    std::string path_;    // file to remove at the end
    uint64_t refused_ = 0;
};

}  // namespace lanescope

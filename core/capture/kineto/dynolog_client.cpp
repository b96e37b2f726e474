#include "core/capture/kineto/dynolog_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

namespace lanescope {

namespace {

using Json = nlohmann::json;

constexpr int32_t kMaxReply = 1 << 20;
constexpr int kProcessLimit = 1000;

Error dynolog_failed(const std::string& what) {
    return {ErrorCode::io, Error::no_offset, "dynolog: " + what};
}

Error failed_call() {
    return dynolog_failed(std::generic_category().message(errno));
}

bool send_all(int handle, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = send(handle, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool receive_all(int handle, char* to, std::size_t size) {
    while (size > 0) {
        const ssize_t got = recv(handle, to, size, 0);
        if (got <= 0) return false;
        to += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

// Exchanges one frame in each direction: a 32-bit length in native byte order, then JSON.
Result<std::string> exchange(int handle, uint16_t port, const std::string& text) {
    const timeval at_most{5, 0};
    setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &at_most, sizeof at_most);
    setsockopt(handle, SOL_SOCKET, SO_SNDTIMEO, &at_most, sizeof at_most);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return failed_call();
    auto length = static_cast<int32_t>(text.size());
    std::string frame(reinterpret_cast<const char*>(&length), sizeof length);
    if (!send_all(handle, frame + text)) return failed_call();
    std::array<char, sizeof length> head{};
    if (!receive_all(handle, head.data(), head.size())) return dynolog_failed("no answer");
    std::memcpy(&length, head.data(), sizeof length);
    if (length < 0 || length > kMaxReply)
        return dynolog_failed(fmt::format("a reply of {} bytes", length));
    std::string reply(static_cast<std::size_t>(length), '\0');
    if (!receive_all(handle, reply.data(), reply.size()))
        return dynolog_failed("an incomplete reply");
    return reply;
}

// Whether the value is an integer that fits int32_t; the JSON library's conversion would accept
// fractions and any size.
bool is_pid(const Json& value) {
    return value.is_number_integer() && value >= 0 && value <= std::numeric_limits<int32_t>::max();
}

// The process ids under a key: empty if the key is missing, no value if it is not a list of ids.
std::optional<std::vector<int32_t>> pids_of(const Json& reply, const char* key) {
    std::vector<int32_t> pids;
    const auto found = reply.find(key);
    if (found == reply.end()) return pids;
    if (!found->is_array()) return std::nullopt;
    for (const Json& value : *found) {
        if (!is_pid(value)) return std::nullopt;
        pids.push_back(value.get<int32_t>());
    }
    return pids;
}

}  // namespace

Result<DynologReply> read_dynolog_reply(std::string_view text) {
    const Json reply = Json::parse(text, nullptr, false);
    if (!reply.is_object()) return dynolog_failed("an invalid reply");
    if (reply.contains("status"))
        return dynolog_failed(reply["status"].is_string() ? reply["status"].get<std::string>()
                                                          : reply["status"].dump());
    auto matched = pids_of(reply, "processesMatched");
    auto triggered = pids_of(reply, "activityProfilersTriggered");
    const auto busy = reply.find("activityProfilersBusy");
    if (!matched || !triggered || (busy != reply.end() && !busy->is_number_integer()))
        return dynolog_failed("an invalid reply");
    return DynologReply{std::move(*matched), std::move(*triggered),
                        busy == reply.end() ? 0 : busy->get<int64_t>()};
}

Result<DynologReply> request_by_dynolog(uint16_t port, const std::string& config,
                                        const std::vector<int32_t>& pids) {
    const Json request = {{"fn", "setKinetOnDemandRequest"},  // sic
                          {"config", config},
                          {"job_id", 0},
                          {"pids", pids.empty() ? std::vector<int32_t>{0} : pids},
                          {"process_limit", kProcessLimit}};
    const int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (handle < 0) return failed_call();
    const Result<std::string> reply = exchange(handle, port, request.dump());
    close(handle);
    if (!reply) return reply.error();
    return read_dynolog_reply(*reply);
}

}  // namespace lanescope

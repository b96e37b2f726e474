#include "core/capture/kineto/kineto_message.h"

#include <fmt/format.h>

#include <cstring>

namespace lanescope {

namespace {

constexpr std::size_t kHead = 40;
constexpr std::size_t kTypeAt = 8;
constexpr std::size_t kBeforePids = 16;
constexpr int32_t kMaxPids = 64;  // clients send their own and up to ten ancestors' pids
constexpr int32_t kActivities = 2;

template <typename T>
T value_at(std::string_view bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

Error damaged(std::string text) {
    return {ErrorCode::damaged, Error::no_offset, "Kineto datagram: " + std::move(text)};
}

Result<KinetoMessage> read_request(std::string_view payload) {
    if (payload.size() < kBeforePids + sizeof(int32_t))
        return damaged(fmt::format("a request of {} bytes is too short", payload.size()));
    const auto count = value_at<int32_t>(payload, 4);
    if (count < 1 || count > kMaxPids ||
        payload.size() != kBeforePids + sizeof(int32_t) * static_cast<std::size_t>(count))
        return damaged(fmt::format("{} pids in a request of {} bytes", count, payload.size()));
    KinetoRequest request;
    request.takes_activities = (value_at<int32_t>(payload, 0) & kActivities) != 0;
    request.job_id = value_at<int64_t>(payload, 8);
    request.pids.resize(static_cast<std::size_t>(count));
    std::memcpy(request.pids.data(), payload.data() + kBeforePids, payload.size() - kBeforePids);
    return KinetoMessage(std::move(request));
}

std::string datagram(std::string_view type, std::string_view payload) {
    std::string bytes(kHead, '\0');
    const uint64_t size = payload.size();
    std::memcpy(bytes.data(), &size, sizeof size);
    type.copy(bytes.data() + kTypeAt, type.size());
    return bytes.append(payload);
}

}  // namespace

Result<KinetoMessage> read_kineto_message(std::string_view datagram) {
    if (datagram.size() < kHead)
        return damaged(fmt::format("{} bytes are fewer than its header has", datagram.size()));
    const std::string_view payload = datagram.substr(kHead);
    const auto size = value_at<uint64_t>(datagram, 0);
    if (size != payload.size())
        return damaged(fmt::format("it announces {} bytes and has {}", size, payload.size()));
    const std::string_view type = datagram.substr(kTypeAt, kHead - kTypeAt);
    // In the 32 characters of a type, the characters after the type itself are undefined.
    if (type.starts_with("req")) return read_request(payload);
    if (!type.starts_with("ctxt")) return damaged("its type is not known");
    if (payload.size() != 16)
        return damaged(fmt::format("a context of {} bytes instead of 16", payload.size()));
    return KinetoMessage(KinetoContext{value_at<int32_t>(payload, 0), value_at<int32_t>(payload, 4),
                                       value_at<int64_t>(payload, 8)});
}

std::string config_datagram(std::string_view config) {
    return datagram("req", config);
}

std::string context_datagram(int32_t registered) {
    return datagram("ctxt", {reinterpret_cast<const char*>(&registered), sizeof registered});
}

}  // namespace lanescope

// Fuzzes the daemon for Kineto's clients with arbitrary datagrams. Every reply must be valid for a
// client, and the daemon's state must stay small.
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/capture/kineto/dynolog_client.h"
#include "core/capture/kineto/kineto_targets.h"
#include "tests/fuzz/require.h"

using namespace lanescope;

// The input is a sequence of datagrams, each preceded by its length in one byte. Five processes
// send them in turn.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    (void)read_dynolog_reply(rest);
    KinetoTargets targets({[](int32_t pid) { return pid != 3; },
                           [](int32_t, const std::string& file) { return file; },
                           [&](const std::string& file) { return file.size() % 2 == 0; }});
    CapturePlan plan;
    plan.file = "/tmp/t.json";
    CaptureTime now;
    for (int32_t pid = 1; !rest.empty(); pid = pid % 5 + 1) {
        const auto length = static_cast<std::size_t>(static_cast<unsigned char>(rest[0]));
        const std::string_view datagram = rest.substr(1, length);
        rest.remove_prefix(1 + datagram.size());
        now += std::chrono::milliseconds(length * 20);
        const auto message = read_kineto_message(datagram);
        if (message) {
            const std::string reply = targets.answer(*message, pid, now);
            uint64_t payload_bytes = 0;
            require(reply.size() >= 40, "a reply is shorter than its header");
            std::memcpy(&payload_bytes, reply.data(), sizeof payload_bytes);
            require(payload_bytes == reply.size() - 40, "a reply's header has the wrong size");
            (void)targets.request(pid, plan);
        } else {
            require(!message.error().text.empty(), "an error has no text");
        }
        targets.update(now);
        require(targets.targets().size() <= 5, "more targets than processes");
    }
    return 0;
}

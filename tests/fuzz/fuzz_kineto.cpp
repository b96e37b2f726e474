// Datagrams that claim to be Kineto's: whatever arrives, the answer is valid for a client, and the
// followed state stays within bounds.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "core/capture/dynolog_client.h"
#include "core/capture/kineto_targets.h"

namespace {

using namespace lanescope;

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

}  // namespace

// A length in one byte, then that many bytes of a datagram, and so on; all from a few processes.
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
            const std::string answer = targets.answer(*message, pid, now);
            uint64_t told = 0;
            require(answer.size() >= 40, "an answer is shorter than its head");
            std::memcpy(&told, answer.data(), sizeof told);
            require(told == answer.size() - 40, "an answer's size is not its own");
            (void)targets.request(pid, plan);
        } else {
            require(!message.error().text.empty(), "an error says nothing");
        }
        targets.update(now);
        require(targets.targets().size() <= 5, "more processes than there are");
    }
    return 0;
}

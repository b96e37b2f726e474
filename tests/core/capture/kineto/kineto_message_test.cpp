#include "core/capture/kineto/kineto_message.h"

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <string>

using namespace lanescope;

namespace {

// Byte for byte as a client with pid 4242 and parent 4200 sends it.
std::string request_bytes() {
    std::string bytes("\x18\0\0\0\0\0\0\0req", 11);
    bytes.resize(40);
    bytes.append("\x02\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0\x92\x10\0\0\x68\x10\0\0", 24);
    return bytes;
}

}  // namespace

TEST_CASE("a request in its wire format is read") {
    const auto message = read_kineto_message(request_bytes());
    REQUIRE(message);
    const auto& request = std::get<KinetoRequest>(*message);
    CHECK(request.takes_activities);
    CHECK(request.job_id == 0);
    CHECK(request.pids == std::vector<int32_t>{4242, 4200});
}

TEST_CASE("a request while profiling gets no activities; an older client's does") {
    std::string bytes = request_bytes();
    bytes[40] = 0;
    CHECK_FALSE(std::get<KinetoRequest>(*read_kineto_message(bytes)).takes_activities);
    bytes[40] = 3;
    CHECK(std::get<KinetoRequest>(*read_kineto_message(bytes)).takes_activities);
    bytes[40] = 1;
    CHECK_FALSE(std::get<KinetoRequest>(*read_kineto_message(bytes)).takes_activities);
}

TEST_CASE("a context is read, whatever its padding") {
    std::string bytes("\x10\0\0\0\0\0\0\0ctxt\0rest", 17);
    bytes.resize(40, '\x7f');
    bytes.append("\x01\0\0\0\x92\x10\0\0\x07\0\0\0\0\0\0\0", 16);
    const auto message = read_kineto_message(bytes);
    REQUIRE(message);
    const auto& context = std::get<KinetoContext>(*message);
    CHECK(context.gpu == 1);
    CHECK(context.pid == 4242);
    CHECK(context.job_id == 7);
}

TEST_CASE("a truncated datagram is refused at any length") {
    const std::string whole = request_bytes();
    for (std::size_t length = 0; length < whole.size(); ++length)
        CHECK_FALSE(read_kineto_message(std::string_view(whole).substr(0, length)));
    CHECK_FALSE(read_kineto_message(whole + '\0'));
}

TEST_CASE("missing, negative and unterminated pids are refused") {
    for (const int32_t count : {0, -1, 1, 3, 65, INT32_MAX, INT32_MIN}) {
        std::string bytes = request_bytes();
        std::memcpy(&bytes[44], &count, sizeof count);
        CHECK_FALSE(read_kineto_message(bytes));
    }
    for (const int32_t count : {64, 65}) {
        std::string bytes = request_bytes();
        bytes.resize(40 + 16 + 4 * static_cast<std::size_t>(count));
        bytes[0] = static_cast<char>(bytes.size() - 40 - 256);
        bytes[1] = 1;
        std::memcpy(&bytes[44], &count, sizeof count);
        CHECK(static_cast<bool>(read_kineto_message(bytes)) == (count == 64));
    }
    std::string types = request_bytes();
    types[8] = 'x';
    CHECK_FALSE(read_kineto_message(types));
    std::string sizes = request_bytes();
    std::memset(sizes.data(), 0xff, 8);
    CHECK_FALSE(read_kineto_message(sizes));
}

TEST_CASE("replies have a head of 40 bytes and the size of the rest") {
    const std::string nothing = config_datagram("");
    CHECK(nothing.size() == 40);
    CHECK(nothing == std::string("\0\0\0\0\0\0\0\0req", 11) + std::string(29, '\0'));
    const std::string config = config_datagram("A=1\n");
    CHECK(config.size() == 44);
    CHECK(config[0] == 4);
    CHECK(config.substr(40) == "A=1\n");
    const std::string count = context_datagram(3);
    CHECK(count.size() == 44);
    CHECK(count.substr(8, 4) == "ctxt");
    CHECK(count[40] == 3);
}

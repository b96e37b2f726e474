// Tests the XSpace reader: messages, truncated fields, and a small profile.
#include <array>

#include "core/ingest/xspace/xspace_messages.h"
#include "core/ingest/xspace/xspace_text.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/protobuf_bytes.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

std::string stat(uint64_t id, const std::string& value) {
    return number_field(1, id) + value;
}

// A map entry of a plane.
std::string described(uint32_t field, uint64_t id, std::string_view name) {
    return bytes_field(
        field, number_field(1, id) + bytes_field(2, number_field(1, id) + bytes_field(2, name)));
}

std::string xspace_event(uint64_t metadata, uint64_t offset_ps, uint64_t duration_ps,
                         const std::string& stats = "") {
    return bytes_field(4, number_field(1, metadata) + number_field(2, offset_ps) +
                              number_field(3, duration_ps) + stats);
}

// A kernel on a GPU stream, and the call that launched it.
std::string small_profile() {
    const std::string correlation = bytes_field(4, stat(1, number_field(3, 77)));
    const std::string names = described(5, 1, "correlation_id") + described(4, 1, "gemm") +
                              described(4, 2, "cuLaunchKernel");
    const auto line = [](uint64_t id, std::string_view name, const std::string& events) {
        return bytes_field(
            3, number_field(1, id) + bytes_field(2, name) + number_field(3, 1000) + events);
    };
    return bytes_field(1, bytes_field(2, "/device:GPU:0") + names +
                              line(7, "Stream #7(Kernel)",
                                   xspace_event(1, 5'000'600, 2'000'600, correlation))) +
           bytes_field(1, bytes_field(2, "/host:CPU") + names +
                              line(9, "python", xspace_event(2, 1'000'000, 500'000, correlation)));
}

}  // namespace

TEST_CASE("numbers of stats are read from every kind of value") {
    XspaceStatNames names;
    names.add(5, "correlation_id");
    names.add(6, "a reference");
    int64_t id = 0;
    XspaceValue value;
    const auto read = [&](const std::string& raw) {
        value = {};
        return read_xspace_stat(stat(5, raw), names, id, value) ? value.as_number() : std::nullopt;
    };
    CHECK(read(number_field(3, 77)) == 77);
    CHECK(id == 5);
    CHECK(read(number_field(4, ~uint64_t{0})) == -1);  // ten bytes
    CHECK(read(real_field(2, 3.0)) == 3);
    CHECK(read(bytes_field(5, "18446744073709551615")) == -1);
    CHECK(read(bytes_field(5, "12x")) == std::nullopt);
    CHECK(read(number_field(7, 6)) == std::nullopt);
    CHECK(value.text == "a reference");
    CHECK(names.key(5) == XspaceKey::correlation);
    CHECK(names.key(6) == XspaceKey::none);
    CHECK_FALSE(read_xspace_stat("\xff\xff", names, id, value));
}

TEST_CASE("an event without fields starts at zero; an event with a count has no time") {
    XspaceEvent event;
    REQUIRE(read_xspace_event(number_field(1, 4), nullptr, event));
    CHECK(event.metadata_id == 4);
    CHECK(event.offset_ps == 0);
    CHECK_FALSE(event.is_sum);
    event = {};
    REQUIRE(read_xspace_event(number_field(1, 4) + number_field(5, 9), nullptr, event));
    CHECK(event.is_sum);
    CHECK_FALSE(read_xspace_event("\x08", nullptr, event));
}

TEST_CASE("truncated fields are distinguished from invalid fields") {
    XspaceField field;
    const std::string text = bytes_field(3, "abc");
    CHECK(read_xspace_field(text, 100, text.size(), field) == XspaceEnd::whole);
    CHECK(field.is_bytes(3));
    CHECK(field.begin == 102);
    CHECK(field.end == 105);
    CHECK(read_xspace_field(text.substr(0, 1), 0, 5, field) == XspaceEnd::cut);
    CHECK(read_xspace_field(text.substr(0, 1), 0, 1, field) == XspaceEnd::damaged);
    CHECK(read_xspace_field("\x1a\x7f", 0, 2, field) == XspaceEnd::damaged);  // longer than all
    CHECK(read_xspace_field(std::string(11, '\xff'), 0, 11, field) == XspaceEnd::damaged);
    CHECK(read_xspace_field(std::string("\x00\x01", 2), 0, 2, field) == XspaceEnd::damaged);
}

TEST_CASE("a kernel has the call of its correlation, and whole nanoseconds of begin and end") {
    const TracePtr trace = loaded(small_profile());
    REQUIRE(trace->gpu_activities.rows() == 1);
    const SliceRef kernel = trace->gpu_activities.slice[0];
    CHECK(trace->name(kernel) == "gemm");
    CHECK(trace->gpu_activities.correlation[0] == 77);
    CHECK(trace->duration(kernel) == 2001);  // 6000.6 … 8001.2 ns
    REQUIRE(trace->links.size() == 1);
    CHECK(trace->name(trace->links[0].from) == "cuLaunchKernel");
    CHECK(trace->links[0].to == kernel);
}

TEST_CASE("a profile that is cut keeps the events before the cut") {
    const std::string whole = small_profile();
    const std::size_t first_plane = whole.find("/host:CPU") - 4;  // two tags and two lengths
    for (std::size_t size = 1; size < whole.size(); ++size) {
        const Result<TracePtr> trace = load_bytes(whole.substr(0, size));
        if (!trace || size == first_plane) continue;
        CHECK(find_warning(**trace, "truncated_file") != nullptr);
        CHECK((*trace)->gpu_activities.rows() <= 1);
    }
}

// Programs of XLA, and what they may need in memory.
#include "core/compile/hlo_program.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/core/protobuf_bytes.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

std::string instruction(const std::string& name, const std::string& opcode,
                        const std::string& more = {}) {
    return bytes_field(2, bytes_field(1, name) + bytes_field(2, opcode) + more);
}

std::string proto_of(uint64_t program, const std::string& computations) {
    return bytes_field(1, bytes_field(1, "jit_f") + number_field(5, program) + computations);
}

std::string computation(uint64_t id, const std::string& instructions) {
    return bytes_field(3, instructions + number_field(5, id));
}

}  // namespace

TEST_CASE("programs beyond the memory that all may need are not read, and others stay") {
    std::string many;
    for (int i = 0; i < 1000; ++i) many += instruction("add." + std::to_string(i), "add");
    HloPrograms programs(1'200'000);
    CHECK(programs.add(proto_of(1, computation(1, many))) == HloAdded::added);
    CHECK(programs.add("damaged") == HloAdded::damaged);
    CHECK(programs.add(proto_of(2, computation(1, many))) == HloAdded::too_much);
    programs.link(5, 1, "add.7");
    const CompiledCode code = programs.finish();
    REQUIRE(code.graphs.size() == 1);
    CHECK(code.graphs[0].sites.size() == 1000);
    CHECK(code.links.size() == 1);
}

TEST_CASE("a small program cannot stand for much memory") {
    // Empty instructions, of two bytes each, and an index of empty frames.
    std::string empty;
    for (int i = 0; i < 200'000; ++i) empty += bytes_field(2, "");
    CHECK(HloPrograms(20'000'000).add(proto_of(1, computation(1, empty))) == HloAdded::too_much);
    std::string frames;
    for (int i = 0; i < 200'000; ++i) frames += bytes_field(3, "");
    CHECK(HloPrograms(10'000'000).add(proto_of(1, bytes_field(17, frames))) == HloAdded::too_much);
    // Many fusions that name the same computation, whose instructions have long origins.
    const std::string origin = bytes_field(7, bytes_field(2, std::string(10'000, 'x')));
    std::string parts;
    for (int i = 0; i < 200; ++i)
        parts += instruction("p" + std::to_string(i), "op" + std::to_string(i), origin);
    std::string fusions;
    for (int i = 0; i < 1000; ++i)
        fusions += instruction("f" + std::to_string(i), "fusion", number_field(38, 2));
    const std::string proto = proto_of(1, computation(2, parts) + computation(3, fusions));
    CHECK(proto.size() < 3'000'000);
    CHECK(HloPrograms(50'000'000).add(proto) == HloAdded::too_much);
}

#include "core/ingest/kineto/call_sequence.h"

#include <doctest/doctest.h>

#include "core/trace/schema.h"
#include "tests/core/ingest/loaded_text.h"

using namespace lanescope;

TEST_CASE("The number of a call is its first input, or follows a tensor") {
    // Of a call with a tensor, and of one without.
    CHECK(call_sequence(R"(["TensorList", "Scalar", "", "Scalar"])", R"(["", "66", "", "0"])") ==
          66);
    CHECK(call_sequence(R"(["Scalar", "", "Scalar"])", R"(["67", "", "0"])") == 67);
    CHECK(call_sequence(R"(["Scalar","Scalar","Scalar",""])", R"(["5","94","0",""])") == 5);
}

TEST_CASE("A number in a tuple is not in the inputs") {
    CHECK(!call_sequence(R"(["c10::BFloat16", "", "", "Scalar"])", R"(["", "", "", "0"])"));
    CHECK(!call_sequence(R"(["", "", "Scalar"])", R"(["", "", "3"])"));
}

TEST_CASE("Damaged inputs have no number") {
    for (const char* types : {"", "[", "3", R"(["Scalar"])", R"([1, 2])", R"(["Scalar", 1])"})
        for (const char* values : {"", "]", "{}", R"(["x", "1"])", R"([7, 8])"})
            CHECK(!call_sequence(types, values));
}

TEST_CASE("A recorded number and a peer come from the arguments of events") {
    const TracePtr trace = testing::loaded(R"([
        {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": 1,
         "dur": 2, "args": {"Collective name": "send", "Seq": 9, "Dst Rank": 3}},
        {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": 4,
         "dur": 2, "args": {"Collective name": "recv", "Src Rank": 2,
         "Input type": ["Scalar", ""], "Concrete Inputs": ["11", ""]}},
        {"ph": "X", "cat": "cpu_op", "name": "another", "pid": 1, "tid": 1, "ts": 8, "dur": 2,
         "args": {"Collective name": "wait", "Input type": ["Scalar"],
         "Concrete Inputs": ["12"]}}])");
    const Collectives& calls = trace->collectives;
    REQUIRE(calls.rows() == 3);
    CHECK(calls.sequence[0] == 9);
    CHECK(calls.peer[0] == 3);
    CHECK(calls.sequence[1] == 11);
    CHECK(calls.peer[1] == 2);
    CHECK(calls.sequence[2] == kNoValue);
}

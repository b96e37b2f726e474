#include "core/capture/kineto/dynolog_client.h"

#include <doctest/doctest.h>

using namespace lanescope;

TEST_CASE("dynolog's reply names the processes that will record") {
    const auto reply = read_dynolog_reply(
        R"({"activityProfilersBusy":1,"activityProfilersTriggered":[4242],"eventProfilersBusy":0,)"
        R"("eventProfilersTriggered":[4242],"processesMatched":[4242,4243]})");
    REQUIRE(reply);
    CHECK(reply->triggered == std::vector<int32_t>{4242});
    CHECK(reply->matched == std::vector<int32_t>{4242, 4243});
    CHECK(reply->busy == 1);
}

TEST_CASE("dynolog's refusals and invalid replies are errors") {
    const auto refusal = read_dynolog_reply(R"({"status":"failed with exception"})");
    REQUIRE_FALSE(refusal);
    CHECK(refusal.error().text.find("failed with exception") != std::string::npos);
    for (const char* text :
         {"", "[]", "7", "{", R"({"processesMatched":"all"})",
          R"({"activityProfilersTriggered":[{}]})", R"({"processesMatched":[4E42]})",
          R"({"processesMatched":[2147483648]})", R"({"processesMatched":[-1]})",
          R"({"processesMatched":[1.5]})", R"({"activityProfilersBusy":4E42})", "\xff\xfe"})
        CHECK_FALSE(read_dynolog_reply(text));
    CHECK(read_dynolog_reply("{}")->triggered.empty());
}

TEST_CASE("a connection without a server is an error that names the address") {
    CHECK_FALSE(request_by_dynolog(1, "A=1\n", {1}));
}

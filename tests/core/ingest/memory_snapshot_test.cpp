// Tests the restricted pickle reader.
#include <doctest/doctest.h>

#include <string>

#include "core/ingest/memory_snapshot/pickle.h"

using namespace lanescope;
using namespace std::string_literals;

namespace {

Result<Pickle> pickled(const std::string& bytes) {
    return Pickle::decode(bytes);
}

}  // namespace

TEST_CASE("numbers of all forms have their value") {
    // [1, -1, 65535, -2**31, 2**40, -1 as a one-byte long, 0 as an empty long, 1.5, True, "7L"]
    const std::string bytes =
        "\x80\x04](K\x01J\xff\xff\xff\xffM\xff\xffJ\0\0\0\x80"
        "\x8a\x06\0\0\0\0\0\x01\x8a\x01\xff\x8a\x00G\x3f\xf8\0\0\0\0\0\0"
        "\x88L7L\ne."s;
    const Result<Pickle> pickle = pickled(bytes);
    REQUIRE(pickle);
    const auto items = pickle->items(pickle->root());
    REQUIRE(items.size() == 10);
    const int64_t expected[] = {1, -1, 65535, INT32_MIN, int64_t{1} << 40, -1, 0, 2, 1, 7};
    for (std::size_t i = 0; i < items.size(); ++i) CHECK(Pickle::integer(items[i]) == expected[i]);
    CHECK(items[7].kind == PickleKind::real);
    CHECK_FALSE(pickle->cut_at());
}

TEST_CASE("memoised containers are shared") {
    // {"a": [1], "b": the same list, extended by 2}
    const std::string bytes =
        "\x80\x04}(\x8c\x01"
        "a](K\x01"
        "eq\x05\x8c\x01"
        "bh\x05K\x02"
        "au."s;
    const Result<Pickle> pickle = pickled(bytes);
    REQUIRE(pickle);
    CHECK(pickle->items_of(pickle->root(), "a").size() == 2);
    CHECK(pickle->items_of(pickle->root(), "b").size() == 2);
    CHECK(pickle->find(pickle->root(), "c") == nullptr);
}

TEST_CASE("instructions that name or call something are refused by name") {
    for (const auto& [bytes, name] : {std::pair{"\x80\x02"
                                                "cos\nsystem\n."s,
                                                "GLOBAL"},
                                      std::pair{"\x80\x04K\x01R."s, "REDUCE"},
                                      std::pair{"\x80\x04\x8c\x01x\x8c\x01y\x93."s, "STACK_GLOBAL"},
                                      std::pair{"\x80\x04K\x01"
                                                "b."s,
                                                "BUILD"}}) {
        const Result<Pickle> pickle = pickled(bytes);
        REQUIRE_FALSE(pickle);
        CHECK(pickle.error().code == ErrorCode::unsupported);
        CHECK(pickle.error().text.find(name) != std::string::npos);
    }
}

TEST_CASE("a pickle that ends early keeps what was read") {
    const std::string whole =
        "\x80\x04}(\x8c\x01"
        "a](K\x01K\x02K\x03"
        "e\x8c\x01"
        "bK\x05u."s;
    for (std::size_t size = 4; size < whole.size(); ++size) {
        const Result<Pickle> pickle = pickled(whole.substr(0, size));
        REQUIRE(pickle);
        CHECK(pickle->cut_at());
        CHECK(pickle->root().kind == PickleKind::dictionary);
    }
    const std::string cut = whole.substr(0, whole.find("K\x03"));
    const Result<Pickle> pickle = pickled(cut);
    REQUIRE(pickle);
    CHECK(pickle->items_of(pickle->root(), "a").size() == 2);
}

TEST_CASE("damage is an error with its position") {
    for (const std::string& bytes : {"\x80\x04h\x05."s,
                                     "\x80\x04K\x01"
                                     "a."s,
                                     "\x80\x04u."s, "\x80\x04."s,
                                     "\x80\x04\x8a\x09"
                                     "123456789."s,
                                     "\x80\x04]r\xff\xff\xff\x7f."s}) {
        const Result<Pickle> pickle = pickled(bytes);
        REQUIRE_FALSE(pickle);
        CHECK(pickle.error().byte_offset != Error::no_offset);
    }
}

TEST_CASE("a small pickle cannot ask for much memory") {
    for (const char one : {']', 'N', '}', ')'}) {
        const Result<Pickle> pickle = pickled("\x80\x04("s + std::string(1'000'000, one));
        CHECK_FALSE(pickle);
    }
}

// Tests the restricted pickle reader.
#include <doctest/doctest.h>

#include <chrono>
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
                                     "\x80\x04u."s, "\x80\x04."s, "\x80\x04]r\xff\xff\xff\x7f."s}) {
        const Result<Pickle> pickle = pickled(bytes);
        REQUIRE_FALSE(pickle);
        CHECK(pickle.error().byte_offset != Error::no_offset);
    }
}

TEST_CASE("a pickle cannot ask for more memory than is allowed") {
    for (const char one : {']', 'N', '}', ')', '\x85'}) {
        const std::string bytes = "\x80\x04(N"s + std::string(1'000'000, one);
        const Result<Pickle> pickle = Pickle::decode(bytes, 4 << 20);
        REQUIRE_FALSE(pickle);
        CHECK(pickle.error().code == ErrorCode::no_memory);
        CHECK(pickle.error().text.find("of memory that are allowed") != std::string::npos);
    }
    // Nor for very many containers that no snapshot has.
    for (const char one : {']', '}', ')'}) {
        const Result<Pickle> pickle = pickled("\x80\x04("s + std::string(6'000'000, one));
        REQUIRE_FALSE(pickle);
        CHECK(pickle.error().code == ErrorCode::unsupported);
        CHECK(pickle.error().text.find("no snapshot of its size has so many") != std::string::npos);
    }
}

TEST_CASE("numbers of any length are read") {
    // [2**63 - 1, -2**63, 2**63, 2**64 - 1, 2**64, -2**63 - 1, 2**70 as LONG4, 9 bytes of 5]
    const std::string bytes =
        "\x80\x04](\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x8a\x08\0\0\0\0\0\0\0\x80"
        "\x8a\x09\0\0\0\0\0\0\0\x80\0\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\0"
        "\x8a\x09\0\0\0\0\0\0\0\0\x01\x8a\x09\xff\xff\xff\xff\xff\xff\xff\x7f\xff"
        "\x8b\x09\0\0\0\0\0\0\0\0\0\0\0\x40\x8a\x09\x05\0\0\0\0\0\0\0\0"
        "e."s;
    const Result<Pickle> pickle = pickled(bytes);
    REQUIRE(pickle);
    const auto items = pickle->items(pickle->root());
    REQUIRE(items.size() == 8);
    CHECK(Pickle::integer(items[0]) == INT64_MAX);
    CHECK(Pickle::integer(items[1]) == INT64_MIN);
    CHECK(Pickle::integer(items[2]) == std::nullopt);
    CHECK(Pickle::address(items[2]) == INT64_MIN);  // its bits
    CHECK(Pickle::integer(items[3]) == std::nullopt);
    CHECK(Pickle::address(items[3]) == -1);
    CHECK(Pickle::address(items[0]) == INT64_MAX);
    CHECK(items[4].kind == PickleKind::real);
    CHECK(items[4].real == 0x1p64);
    CHECK(items[5].kind == PickleKind::real);
    CHECK(items[5].real == -0x1p63);
    CHECK(items[6].real == 0x1p70);
    CHECK(Pickle::integer(items[7]) == 5);
}

TEST_CASE("instructions that other writers use for plain data are read") {
    // A text of Python 2 in both lengths, memo by lines, DUP, POP, POP_MARK, FLOAT, a set.
    const std::string bytes =
        "\x80\x02](U\x02"
        "abp3\nT\x03\0\0\0cdeg3\n2N0(NN1F-1.5\n\x8f(K\x01K\x02\x90(K\x03\x91I01\ne."s;
    const Result<Pickle> pickle = pickled(bytes);
    REQUIRE(pickle);
    const auto items = pickle->items(pickle->root());
    REQUIRE(items.size() == 8);
    CHECK(Pickle::text(items[0]) == "ab");
    CHECK(Pickle::text(items[1]) == "cde");
    CHECK(Pickle::text(items[2]) == "ab");
    CHECK(Pickle::text(items[3]) == "ab");
    CHECK(items[4].real == -1.5);
    CHECK(pickle->items(items[5]).size() == 2);
    CHECK(pickle->items(items[6]).size() == 1);
    CHECK(items[7].kind == PickleKind::boolean);
}

TEST_CASE("a list of very many None is sound") {
    const Result<Pickle> pickle = pickled("\x80\x04]("s + std::string(300'000, 'N') + "e.");
    REQUIRE(pickle);
    CHECK(pickle->items(pickle->root()).size() == 300'000);
    CHECK_FALSE(pickle->cut_at());
}

TEST_CASE("keys of large dictionaries are found at once, and the last of equal keys counts") {
    std::string bytes = "\x80\x04}("s;
    const auto add = [&](const std::string& key, char value) {
        bytes += '\x8c';
        bytes += static_cast<char>(key.size());
        bytes += key;
        bytes += {'K', value};
    };
    constexpr int keys = 200'000;
    add("first", 1);
    for (int i = 0; i < keys; ++i) add("key" + std::to_string(i), static_cast<char>(i % 100));
    add("first", 2);
    bytes += "u.";
    const Result<Pickle> pickle = pickled(bytes);
    REQUIRE(pickle);
    const PickleValue& root = pickle->root();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < keys; ++i)
        REQUIRE(pickle->integer_of(root, "key" + std::to_string(i)) == i % 100);
    CHECK(pickle->integer_of(root, "first") == 2);
    CHECK(pickle->find(root, "none") == nullptr);
    // From end to end it would take minutes.
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
    const std::string twice =
        "\x80\x04}(\x8c\x01"
        "aK\x01\x8c\x01"
        "aK\x02u."s;
    const Result<Pickle> small = pickled(twice);
    REQUIRE(small);
    CHECK(small->integer_of(small->root(), "a") == 2);
}

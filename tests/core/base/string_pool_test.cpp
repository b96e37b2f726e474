#include "core/base/string_pool.h"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>
#include <unordered_map>

using namespace lanescope;

TEST_CASE("the empty text is id 0") {
    StringPool pool;
    CHECK(pool.size() == 1);
    CHECK(pool.intern("") == 0);
    CHECK(pool[0].empty());
    CHECK(pool.find("") == 0);
}

TEST_CASE("a text keeps one id; ids follow the order of first use") {
    StringPool pool;
    CHECK(pool.intern("aten::mm") == 1);
    CHECK(pool.intern("aten::add") == 2);
    CHECK(pool.intern("aten::mm") == 1);
    CHECK(pool.size() == 3);
    CHECK(pool[1] == "aten::mm");
    CHECK(pool[2] == "aten::add");
}

TEST_CASE("find does not add") {
    StringPool pool;
    CHECK(pool.find("absent") == StringPool::none);
    CHECK(pool.size() == 1);
    const StringId id = pool.intern("present");
    CHECK(pool.find("present") == id);
}

TEST_CASE("the pool keeps its own copy") {
    StringPool pool;
    std::string text = "temporary name";
    const StringId id = pool.intern(text);
    text.assign(text.size(), '#');
    CHECK(pool[id] == "temporary name");
}

TEST_CASE("texts keep their address and id while the pool grows") {
    StringPool pool;
    std::unordered_map<std::string, StringId> ids;
    const StringId first = pool.intern("first");
    const char* first_bytes = pool[first].data();
    for (int i = 0; i < 20'000; ++i) {
        const std::string text = "kernel_" + std::to_string(i);
        ids[text] = pool.intern(text);
    }
    REQUIRE(pool.size() == 20'002);
    CHECK(pool[first].data() == first_bytes);
    for (const auto& [text, id] : ids) {
        if (pool[id] != text || pool.find(text) != id) FAIL("lost ", text);
    }
}

TEST_CASE("texts with equal hashes stay separate") {
    // Of 400,000 texts, some twenty pairs share a 32-bit hash.
    constexpr int texts = 400'000;
    StringPool pool;
    std::unordered_map<uint32_t, std::string> by_hash;
    int shared = 0;
    for (int i = 0; i < texts; ++i) {
        const std::string text = "name " + std::to_string(i);
        const StringId id = pool.intern(text);
        const auto [other, is_new] = by_hash.try_emplace(hash_text(text), text);
        if (is_new) continue;
        ++shared;
        CHECK(pool.find(other->second) != id);
        CHECK(pool.find(text) == id);
        CHECK(pool[id] == text);
    }
    CHECK(shared > 0);
    CHECK(pool.size() == texts + 1);
}

TEST_CASE("a text longer than a block, with zero bytes, comes back whole") {
    StringPool pool;
    std::string text(200'000, 'q');
    text[100'000] = '\0';
    const StringId id = pool.intern(text);
    const StringId after = pool.intern("after");
    CHECK(pool[id] == text);
    CHECK(pool[after] == "after");
    CHECK(pool.bytes() >= text.size());
    CHECK(pool.bytes() < 2 * text.size());
}

TEST_CASE("a clone has the same ids, outlives the pool, and grows on its own") {
    auto original = std::make_unique<StringPool>();
    StringPool& pool = *original;
    for (int i = 0; i < 3'000; ++i) pool.intern("n" + std::to_string(i));
    StringPool copy = pool.clone();
    REQUIRE(copy.size() == pool.size());
    for (StringId id = 0; id < pool.size(); ++id) {
        if (copy[id] != pool[id]) FAIL("id ", id, " differs");
    }
    CHECK(copy[1].data() == pool[1].data());
    copy.intern("only in the copy");
    pool.intern("only in the original");
    CHECK(pool.find("only in the copy") == StringPool::none);
    CHECK(copy.find("only in the original") == StringPool::none);
    CHECK(pool[pool.size() - 1] == "only in the original");
    CHECK(copy[copy.size() - 1] == "only in the copy");
    original.reset();
    CHECK(copy.find("n2999") == 3'000);
    CHECK(copy[3'000] == "n2999");
}

TEST_CASE("long names that differ only inside rarely share a hash") {
    std::set<uint32_t> hashes;
    std::size_t texts = 0;
    for (int i = 0; i < 300; ++i) {
        for (int j = 0; j < 100; ++j, ++texts) {
            hashes.insert(hash_text("void at::native::vectorized_elementwise_kernel<" +
                                    std::to_string(i) + ", add>(int, " + std::to_string(j) + ")"));
        }
    }
    CHECK(hashes.size() > texts * 99 / 100);
}

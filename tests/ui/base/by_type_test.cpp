#include "ui/base/by_type.h"

#include <doctest/doctest.h>

#include <string>

using namespace lanescope;

namespace {

struct Count {
    int value = 0;
};

struct Counted {
    static inline int alive = 0;
    Counted() { ++alive; }
    ~Counted() { --alive; }
};

}  // namespace

TEST_CASE("there is one object of each type, created on first use") {
    ByType objects;
    CHECK(objects.find<Count>() == nullptr);
    objects.get<Count>().value = 3;
    CHECK(objects.get<Count>().value == 3);
    REQUIRE(objects.find<Count>());
    CHECK(objects.find<Count>()->value == 3);
    CHECK(objects.get<std::string>().empty());
    // References stay valid while other objects are added.
    Count& count = objects.get<Count>();
    objects.get<std::u32string>();
    objects.get<std::u16string>();
    CHECK(&count == &objects.get<Count>());
}

TEST_CASE("the objects are destroyed with their owner") {
    {
        ByType objects;
        objects.get<Counted>();
        CHECK(Counted::alive == 1);
    }
    CHECK(Counted::alive == 0);
}

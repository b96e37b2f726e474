#include "core/analysis/evidence.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "core/analysis/context.h"
#include "core/models/device_specs.h"
#include "tests/core/some_peaks.h"

using namespace lanescope;

namespace {

struct NamedPiece {
    std::string name;
    static const NamedPiece& built_in() {
        static const NamedPiece piece{"built in"};
        return piece;
    }
};
struct NumberedPiece {
    int number = 0;
};

// A result that follows from evidence.
struct NameOfPiece {
    std::string name;
    static NameOfPiece compute(const TraceContext& context) {
        return {context.evidence().get<NamedPiece>().name};
    }
};

std::shared_ptr<const NamedPiece> named(const char* name) {
    return std::make_shared<const NamedPiece>(NamedPiece{name});
}

}  // namespace

TEST_CASE("Evidence finds its pieces by type, and built-in ones otherwise") {
    const Evidence none;
    CHECK(none.find<NamedPiece>() == nullptr);
    CHECK(none.find<NumberedPiece>() == nullptr);
    CHECK(&none.get<NamedPiece>() == &NamedPiece::built_in());

    const auto piece = named("given");
    const auto number = std::make_shared<const NumberedPiece>(NumberedPiece{3});
    const Evidence both(piece, number);
    CHECK(both.find<NamedPiece>() == piece.get());
    CHECK(&both.get<NamedPiece>() == piece.get());
    CHECK(both.find<NumberedPiece>()->number == 3);
}

TEST_CASE("Evidence with another piece leaves the first as it was, and shares the rest") {
    const auto number = std::make_shared<const NumberedPiece>(NumberedPiece{3});
    const Evidence first = Evidence(named("first")).with(number);
    const Evidence second = first.with(named("second"));
    CHECK(first.get<NamedPiece>().name == "first");
    CHECK(second.get<NamedPiece>().name == "second");
    CHECK(second.find<NumberedPiece>() == number.get());
    CHECK(first.with(std::shared_ptr<const NamedPiece>()).get<NamedPiece>().name == "first");
}

TEST_CASE("Contexts of one trace with different evidence compute their own results") {
    const auto trace = std::make_shared<const Trace>();
    const TraceContext plain(trace);
    const TraceContext given(trace, Evidence(named("given")));
    CHECK(plain.get<NameOfPiece>().name == "built in");
    CHECK(given.get<NameOfPiece>().name == "given");
    CHECK(plain.get<NameOfPiece>().name == "built in");
}

TEST_CASE("The built-in sheet of devices stands beside every trace") {
    const TraceContext plain(std::make_shared<const Trace>());
    CHECK(&plain.evidence().get<SpecsBook>() == built_in_specs().get());
    const TraceContext own(std::make_shared<const Trace>(), testing::some_peaks());
    CHECK(own.evidence().get<SpecsBook>().own.size() == 1);
}

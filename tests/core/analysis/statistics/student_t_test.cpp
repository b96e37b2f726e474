#include "core/analysis/statistics/student_t.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <utility>

using namespace lanescope;

// Values of Boost.Math 1.74: quantile(students_t(n), 0.975).
TEST_CASE("quantiles of Student's t are exact to 13 digits") {
    constexpr std::array<std::pair<uint64_t, double>, 13> kKnown = {{
        {1, 12.706204736175},
        {2, 4.3026527297495},
        {3, 3.1824463052837},
        {4, 2.7764451051978},
        {9, 2.2621571627982},
        {10, 2.2281388519863},
        {99, 1.9842169515864},
        {500, 1.9647198374674},
        {999, 1.9623414611334},
        {1000, 1.9623390808264},
        {1001, 1.9623367052809},
        {5000, 1.9604385517065},
        {1000000, 1.9599663568141},
    }};
    for (const auto& known : kKnown) {
        CAPTURE(known.first);
        CHECK(std::abs(student_t(known.first) / known.second - 1) < 1e-13);
    }
}

TEST_CASE("the probability outside of Student's t belongs to its quantile") {
    for (const uint64_t freedom : {1, 2, 3, 4, 9, 10, 99, 500, 1000}) {
        CAPTURE(freedom);
        CHECK(std::abs(student_t_outside(student_t(freedom), freedom) - 0.05) < 1e-9);
        CHECK(student_t_outside(0, freedom) == 1);
    }
    // 2 degrees: 1 - t / sqrt(2 + t^2).
    CHECK(std::abs(student_t_outside(3, 2) - (1 - 3 / std::sqrt(11.0))) < 1e-12);
}

TEST_CASE("quantiles of Student's t decrease towards that of the normal distribution") {
    double previous = INFINITY;
    for (uint64_t freedom = 1; freedom < 3000; ++freedom) {
        CAPTURE(freedom);
        const double t = student_t(freedom);
        CHECK(t < previous);
        CHECK(t > 1.959963984540054);
        previous = t;
    }
}

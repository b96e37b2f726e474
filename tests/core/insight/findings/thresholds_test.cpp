#include "core/insight/findings/thresholds.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>
#include <string>
#include <string_view>

#include "core/insight/findings/rule.h"

using namespace lanescope;

namespace {

// NaN: there is no such threshold.
double value_of(const Thresholds& thresholds, std::string_view rule, std::string_view name) {
    for (const FindingRule& one : rules())
        for (const ThresholdSpec& spec : one.thresholds)
            if (one.id == rule && spec.name == name) return thresholds.of(rule, spec);
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

TEST_CASE("a threshold's text is read back as its value") {
    for (const FindingRule& rule : rules())
        for (const ThresholdSpec& spec : rule.thresholds) {
            const std::string key = fmt::format("{}.{}", rule.id, spec.name);
            CAPTURE(key);
            Thresholds thresholds;
            REQUIRE(thresholds.set(key, threshold_text(spec.unit, spec.usual)));
            CHECK(thresholds.are_usual());
            REQUIRE(thresholds.set(key, threshold_text(spec.unit, spec.usual * 1.5)));
            CHECK(thresholds.of(rule.id, spec) == doctest::Approx(spec.usual * 1.5));
        }
    CHECK(threshold_text(ThresholdUnit::ratio, 0.15) == "15%");
    CHECK(threshold_text(ThresholdUnit::duration, 10'000) == "10us");
    CHECK(threshold_text(ThresholdUnit::duration, 1'500'000) == "1.5ms");
    CHECK(threshold_text(ThresholdUnit::number, 1.5) == "1.5");
}

TEST_CASE("thresholds are checked") {
    Thresholds thresholds;
    CHECK(thresholds.are_usual());
    CHECK(value_of(thresholds, "tiny-kernels", "max_duration") == 10'000);
    CHECK(thresholds.set("overhead-bound.min_share=30%"));
    CHECK(value_of(thresholds, "overhead-bound", "min_share") == doctest::Approx(0.3));
    CHECK(thresholds.set_from_json(
        R"({"tiny-kernels.max_duration": "5us", "step-outlier.min_ratio": 2})"));
    CHECK(value_of(thresholds, "tiny-kernels", "max_duration") == 5'000);
    CHECK(value_of(thresholds, "step-outlier", "min_ratio") == 2);
    for (const std::string_view wrong :
         {"overhead-bound=1", "min_share=1", "overhead-bound.min_share=often",
          "overhead-bound.min_share=-1", "tiny-kernels.max_duration=5", "nothing.at_all=1"})
        CHECK_FALSE(thresholds.set(wrong));
    for (const std::string_view wrong : {"[]", "{", R"({"overhead-bound.min_share": []})"})
        CHECK_FALSE(thresholds.set_from_json(wrong));
}

TEST_CASE("numbers of JSON are ratios, and no durations") {
    Thresholds thresholds;
    REQUIRE(thresholds.set_from_json(
        R"({"tiny-kernels.max_duration": "5us", "comm-exposed.min_share": 0.2})"));
    CHECK(value_of(thresholds, "tiny-kernels", "max_duration") == 5000);
    CHECK(value_of(thresholds, "comm-exposed", "min_share") == 0.2);
    const auto read = thresholds.set_from_json(R"({"tiny-kernels.max_duration": 10000})");
    REQUIRE(!read);
    CHECK(read.error().text.find("such as 10us") != std::string::npos);
}

TEST_CASE("written thresholds count as far as they can be read") {
    const WrittenThresholds read = read_thresholds({{"tiny-kernels.max_duration", "5us"},
                                                    {"tiny-kernels.min_share", "a lot"},
                                                    {"no-rule.min_share", "0.2"}});
    CHECK(value_of(read.thresholds, "tiny-kernels", "max_duration") == 5000);
    REQUIRE(read.problems.size() == 2);
    CHECK(read.problems[0].find("no threshold no-rule.min_share") != std::string::npos);
    CHECK(read.problems[1].find("a lot does not fit tiny-kernels.min_share") != std::string::npos);
    Thresholds same;
    REQUIRE(same.set("tiny-kernels.max_duration=5us"));
    CHECK(read.thresholds == same);
    // The default is no change.
    REQUIRE(same.set("tiny-kernels.max_duration=10us"));
    CHECK(same == Thresholds());
}

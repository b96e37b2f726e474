// How rules are declared, called and documented.
#include "core/insight/findings/rule_class.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <type_traits>

#include "tests/core/insight/trace_events.h"

using namespace lanescope;
using lanescope::testing::Events;

namespace {

namespace fs = std::filesystem;

const fs::path kDocs = fs::path(LANESCOPE_ROOT) / "docs";

// A rule for these tests. Its id is that of a listed rule, because Thresholds::set() refuses
// others.
struct SampleRule : RuleBase {
    static constexpr RuleText kText = {"tiny-kernels", "A title", "anything"};
    Nanos max_duration = duration("max_duration", 3'000, "a duration");
    double min_share = ratio("min_share", 0.25, "a ratio");
    double max_distance = number("max_distance", 6, "a number");
    static_assert(std::is_convertible_v<Real, double> && !std::is_convertible_v<Real, Nanos>);

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput&, const DeviceWindow& device) const {
        if (device.place == 1) return {};
        Finding finding = finding_on(device, max_duration);
        finding.share = min_share;
        return finding;
    }
    std::optional<Finding> without_device(const RuleInput&) const { return Finding(); }
};

struct WholeRule : RuleBase {
    static constexpr RuleText kText = {"whole", "A title", ""};

    using RuleBase::RuleBase;
    std::vector<Finding> find(const RuleInput&) const { return {Finding(), Finding()}; }
};

// A threshold cannot be read by its name, and the compiler knows which rules are listed.
template <typename Values>
concept TakesNames = requires(const Values& values) {
    values.of("tiny-kernels", "max_duration");
};
static_assert(!TakesNames<Thresholds>);
static_assert(AllRules::contains<TinyKernelsRule>);
static_assert(!AllRules::contains<SampleRule>);

template <typename Rule>
std::vector<Finding> run_on(std::size_t devices, const Thresholds& values) {
    const TraceContext context(Events().step(0, 0, 1000).load());
    const TableQuery query;
    const Summary summary;
    std::vector<DeviceWindow> windows(devices);
    for (std::size_t i = 0; i < devices; ++i) windows[i].place = static_cast<uint32_t>(i);
    return run_rule<Rule>(RuleInput{context, query, summary, windows}, values);
}

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The required beginning of a rule's page: title, id, and what a trace must contain.
std::string head_of(const FindingRule& rule) {
    std::string head = fmt::format("# {}\n\n`{}`\n\n", rule.title, rule.id);
    if (rule.needs.empty()) return head;
    std::string needs(rule.needs);
    needs[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(needs[0])));
    return head + fmt::format("**Needs.** {}.\n\n", needs);
}

constexpr std::string_view kThresholdsHead = "\n**Thresholds.** ";

// The required end of a rule's page: the list of its thresholds.
std::string thresholds_of(const FindingRule& rule) {
    if (rule.thresholds.empty()) return {};
    std::string text =
        fmt::format("{}`--threshold {}.NAME=VALUE` changes them:\n\n", kThresholdsHead, rule.id);
    for (const ThresholdSpec& spec : rule.thresholds)
        text += fmt::format("- `{}`, {}: {}\n", spec.name, threshold_text(spec.unit, spec.usual),
                            spec.about);
    return text;
}

}  // namespace

TEST_CASE("a threshold is a member of its rule, with its present value") {
    const SampleRule usual(SampleRule::kText.id, Thresholds());
    CHECK(usual.max_duration == 3'000);
    CHECK(usual.min_share == 0.25);
    CHECK(usual.max_distance == 6);
    REQUIRE(usual.thresholds().size() == 3);
    CHECK(usual.thresholds()[0].name == "max_duration");
    CHECK(usual.thresholds()[0].unit == ThresholdUnit::duration);
    CHECK(usual.thresholds()[0].usual == 3'000);
    CHECK(usual.thresholds()[1].unit == ThresholdUnit::ratio);
    CHECK(usual.thresholds()[2].unit == ThresholdUnit::number);
    CHECK(usual.thresholds()[2].about == "a number");

    Thresholds values;
    REQUIRE(values.set("tiny-kernels.max_duration=5us"));
    const SampleRule changed(SampleRule::kText.id, values);
    CHECK(changed.max_duration == 5'000);
    CHECK(changed.min_share == 0.25);
    CHECK(changed.thresholds()[0].usual == 3'000);
}

TEST_CASE("a rule is asked for each device, or once if there is none") {
    const std::vector<Finding> found = run_on<SampleRule>(3, Thresholds());
    REQUIRE(found.size() == 2);
    CHECK(found[0].rule == "tiny-kernels");
    CHECK(found[0].device == 0);
    CHECK(found[0].cost == 3'000);
    CHECK(found[1].device == 2);

    Thresholds values;
    REQUIRE(values.set("tiny-kernels.min_share=50%"));
    CHECK(run_on<SampleRule>(1, values).at(0).share == 0.5);

    const std::vector<Finding> of_host = run_on<SampleRule>(0, Thresholds());
    REQUIRE(of_host.size() == 1);
    CHECK(of_host[0].rule == "tiny-kernels");
    CHECK(of_host[0].device == Finding::kNoDevice);

    for (const std::size_t devices : {0, 3}) {
        const std::vector<Finding> of_program = run_on<WholeRule>(devices, Thresholds());
        REQUIRE(of_program.size() == 2);
        CHECK(of_program[1].rule == "whole");
    }
}

TEST_CASE("rules and their thresholds have names of their own, and texts") {
    std::set<std::string_view> ids;
    for (const FindingRule& rule : rules()) {
        CAPTURE(rule.id);
        CHECK(ids.insert(rule.id).second);
        CHECK_FALSE(rule.title.empty());
        std::set<std::string_view> names;
        for (const ThresholdSpec& spec : rule.thresholds) {
            CAPTURE(spec.name);
            CHECK(names.insert(spec.name).second);
            CHECK_FALSE(spec.about.empty());
        }
    }
}

TEST_CASE("a rule's page has the words of its declaration, and the guide a link to it") {
    const std::string guide = text_of(kDocs / "guide.md");
    std::set<std::string> pages;
    for (const FindingRule& rule : rules()) {
        const std::string page = fmt::format("findings/{}.md", rule.id);
        pages.insert(fs::path(page).filename());
        const std::string text = text_of(kDocs / page);
        const std::string head = head_of(rule);
        const std::string thresholds = thresholds_of(rule);
        const std::size_t at = text.find(kThresholdsHead);
        INFO("docs/", page, " must begin with:\n", head, "and end with:\n", thresholds);
        CHECK(text.starts_with(head));
        CHECK((at == std::string::npos ? std::string() : text.substr(at)) == thresholds);
        const std::string link = fmt::format("[{}]({})", rule.id, page);
        INFO("docs/guide.md must have a row with ", link);
        CHECK(guide.find(link) != std::string::npos);
    }
    for (const auto& entry : fs::directory_iterator(kDocs / "findings")) {
        INFO("no rule belongs to ", entry.path().string());
        CHECK(pages.contains(entry.path().filename()));
    }
}

// How to write a rule: a struct with its texts, its thresholds and the function that looks for the
// cause, in a source of its own.
//
//     struct TinyKernelsRule : RuleBase {
//         static constexpr RuleText kText = {"tiny-kernels", "Many kernels are very short",
//                                            "kernels and their launches"};
//         Nanos max_duration = duration("max_duration", 10'000, "a kernel is tiny below this");
//
//         using RuleBase::RuleBase;
//         std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device)
//         const;
//     };
//     template FindingRule rule_of<TinyKernelsRule>();
//
// A threshold is a member, which has the present value. run_rule() calls on_device() for each
// device. A rule may also have without_device(), which run_rule() calls if the trace has no device.
// A rule that compares devices, or that concerns the whole program, has only
//
//     std::vector<Finding> find(const RuleInput& input) const;
//
// run_rule() sets Finding::rule, and Finding::device of findings from on_device().
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/insight/findings/rule_list.h"

namespace lanescope {

// The subject of a rule. Rules about idle time, or about work that runs alone, are skipped for a
// device of which too much work was not recorded (MissingWork::hides_idle()).
enum class RuleAbout : uint8_t { work, idle_time };

struct RuleText {
    std::string_view id;  // "tiny-kernels"; the page docs/findings/tiny-kernels.md belongs to it
    std::string_view title;
    std::string_view needs;  // what a trace must contain, in words; empty: nothing
    RuleAbout about = RuleAbout::work;
};

class RuleBase {
  public:
    RuleBase(std::string_view id, const Thresholds& values) : id_(id), values_(values) {}

    // In the order of the members.
    const std::vector<ThresholdSpec>& thresholds() const { return thresholds_; }

  protected:
    // Converts to double only, because a ratio in a member of type Nanos would be cut to 0.
    struct Real {
        double value;
        template <std::same_as<double> T>
        operator T() const {
            return value;
        }
    };

    // Each declares a threshold and returns its present value. `usual`: the default.
    Real ratio(std::string_view name, double usual, std::string_view about) {
        return {declare({name, usual, ThresholdUnit::ratio, about})};
    }
    Real number(std::string_view name, double usual, std::string_view about) {
        return {declare({name, usual, ThresholdUnit::number, about})};
    }
    Nanos duration(std::string_view name, Nanos usual, std::string_view about) {
        return static_cast<Nanos>(
            declare({name, static_cast<double>(usual), ThresholdUnit::duration, about}));
    }

  private:
    double declare(const ThresholdSpec& spec) {
        thresholds_.push_back(spec);
        return values_.of(id_, spec);
    }

    std::string_view id_;
    const Thresholds& values_;  // only read while the rule is constructed
    std::vector<ThresholdSpec> thresholds_;
};

template <typename Rule>
std::vector<Finding> run_rule(const RuleInput& input, const Thresholds& values) {
    const Rule rule(Rule::kText.id, values);
    std::vector<Finding> findings;
    const auto add = [&](std::optional<Finding> finding, uint32_t device) {
        if (!finding) return;
        finding->device = device;
        findings.push_back(std::move(*finding));
    };
    if constexpr (requires { rule.find(input); }) {
        findings = rule.find(input);
    } else {
        for (const DeviceWindow& device : input.devices)
            if (Rule::kText.about != RuleAbout::idle_time || !device.missing.hides_idle())
                add(rule.on_device(input, device), device.place);
        if constexpr (requires { rule.without_device(input); })
            if (input.devices.empty()) add(rule.without_device(input), Finding::kNoDevice);
    }
    for (Finding& finding : findings) finding.rule = Rule::kText.id;
    return findings;
}

template <typename Rule>
FindingRule rule_of() {
    static_assert(AllRules::contains<Rule>, "this rule has no line in rule_list.h");
    return {Rule::kText.id, Rule::kText.title, Rule::kText.needs,
            Rule(Rule::kText.id, Thresholds()).thresholds(), run_rule<Rule>};
}

}  // namespace lanescope

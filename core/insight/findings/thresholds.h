// The thresholds of findings' rules: named numbers with defaults that people can change.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

enum class ThresholdUnit : uint8_t {
    ratio,     // "5%" or 0.05
    duration,  // "10us"; nanoseconds
    number,    // "1.5"
};
std::string_view threshold_unit_name(ThresholdUnit unit);  // "ratio", "ns", "number"

struct ThresholdSpec {
    std::string_view name;  // "max_duration"
    double usual;
    ThresholdUnit unit;
    std::string_view about;
};

class Thresholds {
  public:
    // "RULE.NAME=VALUE". Errors: unknown names, and values that do not fit; with the possibilities.
    Result<void> set(std::string_view assignment);
    // Likewise, of "RULE.NAME".
    Result<void> set(std::string_view key, std::string_view value);
    // The text of a JSON object: {"RULE.NAME": "VALUE", …}. Ratios and numbers may also be numbers
    // of JSON; a duration needs its unit.
    Result<void> set_from_json(std::string_view text);

    // The present value of a rule's threshold.
    double of(std::string_view rule, const ThresholdSpec& spec) const;
    bool are_usual() const { return changed_.empty(); }

    friend bool operator==(const Thresholds&, const Thresholds&) = default;

  private:
    std::map<std::string, double, std::less<>> changed_;  // by "rule.name"
};

// A value as set() reads it: "5%", "10us", "1.5".
std::string threshold_text(ThresholdUnit unit, double value);

// Thresholds written by a user, by "RULE.NAME". What cannot be read is left out and reported, in
// one sentence each.
struct WrittenThresholds {
    Thresholds thresholds;
    std::vector<std::string> problems;
};
WrittenThresholds read_thresholds(const std::map<std::string, std::string>& written);

}  // namespace lanescope

#include "core/insight/findings/thresholds.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/analysis/structure/time_range.h"
#include "core/base/read_double.h"
#include "core/insight/findings/rule.h"

namespace lanescope {

namespace {

Error threshold_error(std::string text) {
    return {ErrorCode::usage, Error::no_offset, std::move(text)};
}

constexpr double kLargestThreshold = 1e15;

std::optional<double> number_of(std::string_view text) {
    double number = 0;
    const auto [end, failed] = read_double(text.data(), text.data() + text.size(), number);
    if (failed != std::errc() || end != text.data() + text.size() || !(number >= 0) ||
        number > kLargestThreshold)
        return std::nullopt;
    return number;
}

std::optional<double> value_of(ThresholdUnit unit, std::string_view text) {
    if (unit == ThresholdUnit::duration) {
        const std::optional<Nanos> duration = parse_duration(text);
        if (!duration || *duration < 0) return std::nullopt;
        return static_cast<double>(*duration);
    }
    if (unit == ThresholdUnit::ratio && text.ends_with('%')) {
        text.remove_suffix(1);
        const std::optional<double> percent = number_of(text);
        if (!percent) return std::nullopt;
        return *percent / 100;
    }
    return number_of(text);
}

std::string_view example_of(ThresholdUnit unit) {
    switch (unit) {
        case ThresholdUnit::ratio:
            return "5% or 0.05";
        case ThresholdUnit::duration:
            return "10us";
        case ThresholdUnit::number:
            return "1.5";
    }
    return "";
}

const ThresholdSpec* find_threshold(std::string_view rule, std::string_view name) {
    for (const FindingRule& one : rules())
        for (const ThresholdSpec& spec : one.thresholds)
            if (one.id == rule && spec.name == name) return &spec;
    return nullptr;
}

}  // namespace

std::string_view threshold_unit_name(ThresholdUnit unit) {
    switch (unit) {
        case ThresholdUnit::ratio:
            return "ratio";
        case ThresholdUnit::duration:
            return "ns";
        case ThresholdUnit::number:
            return "number";
    }
    return "";
}

Result<void> Thresholds::set(std::string_view key, std::string_view value) {
    const std::size_t dot = key.find('.');
    const ThresholdSpec* const spec = dot == std::string_view::npos
                                          ? nullptr
                                          : find_threshold(key.substr(0, dot), key.substr(dot + 1));
    if (!spec)
        return threshold_error(fmt::format(
            "there is no threshold {}; lanescope findings --list-thresholds lists them", key));
    const std::optional<double> number = value_of(spec->unit, value);
    if (!number)
        return threshold_error(fmt::format("{} does not fit {}; write a value such as {}", value,
                                           key, example_of(spec->unit)));
    if (*number == spec->usual)
        changed_.erase(std::string(key));
    else
        changed_[std::string(key)] = *number;
    return {};
}

Result<void> Thresholds::set(std::string_view assignment) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos)
        return threshold_error(fmt::format(
            "{} is not RULE.NAME=VALUE, such as tiny-kernels.max_duration=5us", assignment));
    return set(assignment.substr(0, equals), assignment.substr(equals + 1));
}

Result<void> Thresholds::set_from_json(std::string_view text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object())
        return threshold_error("it is not a JSON object such as {\"tiny-kernels.min_share\": 0.2}");
    for (const auto& [key, value] : json.items()) {
        if (!value.is_string() && !value.is_number())
            return threshold_error(fmt::format("the value of {} is neither text nor number", key));
        const std::string written = value.is_string() ? value.get<std::string>() : value.dump();
        if (Result<void> done = set(key, written); !done) return done;
    }
    return {};
}

std::string threshold_text(ThresholdUnit unit, double value) {
    switch (unit) {
        case ThresholdUnit::ratio:
            return fmt::format("{:.10g}%", value * 100);
        case ThresholdUnit::duration: {
            const bool milliseconds = value >= 1e6;
            const bool microseconds = value >= 1e3;
            return milliseconds   ? fmt::format("{:.12g}ms", value / 1e6)
                   : microseconds ? fmt::format("{:.12g}us", value / 1e3)
                                  : fmt::format("{:.12g}ns", value);
        }
        case ThresholdUnit::number:
            break;
    }
    return fmt::format("{:.10g}", value);
}

WrittenThresholds read_thresholds(const std::map<std::string, std::string>& written) {
    WrittenThresholds read;
    for (const auto& [key, value] : written)
        if (const Result<void> set = read.thresholds.set(key, value); !set)
            read.problems.push_back(fmt::format("Settings: {}. It is ignored.", set.error().text));
    return read;
}

double Thresholds::of(std::string_view rule, const ThresholdSpec& spec) const {
    const auto changed = changed_.find(fmt::format("{}.{}", rule, spec.name));
    return changed == changed_.end() ? spec.usual : changed->second;
}

}  // namespace lanescope

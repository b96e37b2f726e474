#include "core/capture/spool/spool_name.h"

#include <fmt/format.h>

#include <utility>

namespace lanescope {

namespace {

Error wrong(std::string text) {
    return {ErrorCode::usage, Error::no_offset, std::move(text)};
}

std::string time_text(std::time_t start) {
    struct tm local = {};
    char text[32] = {};
    localtime_r(&start, &local);
    const std::size_t length = std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
    return {text, length};
}

}  // namespace

Result<SpoolName> SpoolName::parse(std::string_view pattern, const SpoolNameFacts& facts) {
    SpoolName name;
    std::string text;
    const auto add = [&](Part::Kind kind) {
        name.parts_.push_back({Part::Kind::text, std::exchange(text, "")});
        name.parts_.push_back({kind, ""});
    };
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            text += pattern[i];
            continue;
        }
        const char letter = ++i < pattern.size() ? pattern[i] : '\0';
        if (letter == '%') {
            text += '%';
        } else if (letter == 'p') {
            add(Part::Kind::pid);
        } else if (letter == 'n') {
            add(Part::Kind::number);
            name.is_numbered_ = true;
        } else if (letter == 'h') {
            text += facts.host;
        } else if (letter == 't') {
            text += time_text(facts.start);
        } else if (letter == 'q' && pattern.substr(i + 1).starts_with('{')) {
            const std::size_t close = pattern.find('}', i);
            if (close == std::string_view::npos || close == i + 2)
                return wrong("write %q{NAME}, with the name of an environment variable");
            const std::string variable(pattern.substr(i + 2, close - i - 2));
            const std::optional<std::string> value = facts.variable(variable);
            if (!value) return wrong(fmt::format("the variable {} is not set", variable));
            text += *value;
            i = close;
        } else {
            return wrong(
                fmt::format("%{} is no placeholder: there are %p (pid), %h (host), %n (number), %t "
                            "(time), %q{{NAME}} (variable) and %% (a percent sign)",
                            letter == '\0' ? "" : std::string(1, letter)));
        }
    }
    name.parts_.push_back({Part::Kind::text, text});
    if (name.parts_.size() == 1 && text.empty()) return wrong("the name of the file is empty");
    return name;
}

SpoolName SpoolName::of_program(const std::string& program) {
    SpoolName name;
    name.parts_ = {
        {Part::Kind::text, program}, {Part::Kind::later_number, ""}, {Part::Kind::text, ".spool"}};
    name.is_numbered_ = true;
    return name;
}

std::string SpoolName::path(uint32_t pid, uint32_t number) const {
    std::string path;
    for (const Part& part : parts_) {
        switch (part.kind) {
            case Part::Kind::text:
                path += part.text;
                break;
            case Part::Kind::pid:
                path += std::to_string(pid);
                break;
            case Part::Kind::number:
                path += std::to_string(number);
                break;
            case Part::Kind::later_number:
                if (number > 1) path += fmt::format(".{}", number);
                break;
        }
    }
    return path;
}

}  // namespace lanescope

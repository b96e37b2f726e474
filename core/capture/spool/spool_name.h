// The file name of a recording, with placeholders such as %p and %n.
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

struct SpoolNameFacts {
    std::string host;
    std::time_t start = 0;
    // A variable of the environment; empty if it is not set.
    std::function<std::optional<std::string>(const std::string& name)> variable;
};

class SpoolName {
  public:
    // %p the program's pid, %h host, %n the smallest free number from 1, %t start as
    // YYYYMMDD-HHMMSS, %q{NAME} a variable of the environment, %% a percent sign. Errors: another
    // placeholder, a variable that is not set, or an empty name.
    static Result<SpoolName> parse(std::string_view pattern, const SpoolNameFacts& facts);
    // PROGRAM.spool, and with the numbers from 2 on PROGRAM.2.spool and so on.
    static SpoolName of_program(const std::string& program);

    bool is_numbered() const { return is_numbered_; }
    // Numbers begin at 1, and are ignored if the name is not numbered.
    std::string path(uint32_t pid, uint32_t number) const;

  private:
    struct Part {
        enum class Kind { text, pid, number, later_number } kind;
        std::string text;
    };

    std::vector<Part> parts_;
    bool is_numbered_ = false;
};

}  // namespace lanescope

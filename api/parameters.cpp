#include "api/parameters.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "api/failure.h"

namespace lanescope {

namespace {

using Json = nlohmann::json;

constexpr const char* kNoParameters = "Parameters are no JSON array or object";

// Takes the values of an array or object while it is parsed. A tree of the text would not tell a
// whole number of more than 64 bits from a number with a fraction.
class ParameterReader final : public nlohmann::json_sax<Json> {
  public:
    bool null() override { return take(std::monostate()); }
    bool boolean(bool value) override { return take(int64_t{value}); }
    bool number_integer(number_integer_t value) override { return take(int64_t{value}); }
    bool number_unsigned(number_unsigned_t value) override {
        constexpr auto most = static_cast<number_unsigned_t>(INT64_MAX);
        return value > most ? fail_at_value("has more than 64 bits")
                            : take(static_cast<int64_t>(value));
    }
    bool number_float(number_float_t value, const string_t& written) override {
        return written.find_first_of(".eE") == string_t::npos
                   ? fail_at_value("has more than 64 bits")
                   : take(value);
    }
    bool string(string_t& value) override { return take(std::move(value)); }
    bool binary(binary_t&) override { return fail_at_value("is not text"); }
    bool start_object(std::size_t) override { return begin(false); }
    bool start_array(std::size_t) override { return begin(true); }
    bool end_object() override { return true; }
    bool end_array() override { return true; }
    bool key(string_t& name) override {
        name_ = name;
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
        return fail(kNoParameters);
    }

    const std::string& problem() const { return problem_; }
    SqlParameters& values() { return values_; }

  private:
    bool begin(bool is_list) {
        if (depth_ == 1) return fail_at_value("is a list or an object");
        ++depth_;
        is_list_ = is_list;
        return true;
    }

    bool take(SqlParameter value) {
        if (depth_ == 0) return fail(kNoParameters);
        if (is_list_) name_ = std::to_string(values_.size() + 1);
        return values_.emplace(name_, std::move(value)).second ||
               fail(fmt::format("Parameter {} has two values", name_));
    }

    bool fail_at_value(std::string_view what) {
        if (is_list_) name_ = std::to_string(values_.size() + 1);
        return fail(fmt::format("The value of parameter {} {}", name_, what));
    }

    bool fail(std::string text) {
        problem_ = std::move(text);
        return false;
    }

    SqlParameters values_;
    std::string name_;
    std::string problem_;
    int depth_ = 0;
    bool is_list_ = false;
};

}  // namespace

Result<SqlParameters> read_parameters(const char* json) {
    if (!json || !*json) return SqlParameters();
    ParameterReader reader;
    const std::string_view text(json);
    if (!Json::sax_parse(text.begin(), text.end(), &reader)) return misuse(reader.problem());
    return std::move(reader.values());
}

}  // namespace lanescope

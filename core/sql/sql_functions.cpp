// Functions: Perfetto's that queries use, and percentiles.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "core/base/format.h"
#include "core/sql/modules.h"
#include "core/sql/source.h"
#include "core/sql/sql_allocator.h"
#include "core/sql/sql_values.h"
#include "core/sql/vtab.h"

namespace lanescope {

namespace {

constexpr int kPure = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

SqlSource& source_of(sqlite3_context* context) {
    return *static_cast<SqlSource*>(sqlite3_user_data(context));
}

void give_error(sqlite3_context* context, const std::string& text) {
    sqlite3_result_error(context, text.data(), static_cast<int>(text.size()));
}

template <typename Work>
void guarded_function(sqlite3_context* context, const Work& work) {
    const int result = guarded([&] {
        work();
        return SQLITE_OK;
    });
    if (result == SQLITE_NOMEM) sqlite3_result_error_nomem(context);
    if (result == SQLITE_INTERNAL) sqlite3_result_error_code(context, result);
}

void give_error(sqlite3_context* context, const Error& error) {
    if (error.code == ErrorCode::cancelled)
        sqlite3_result_error_code(context, SQLITE_INTERRUPT);
    else
        give_error(context, error.text);
}

void give_value(sqlite3_context* context, const SqlValue& value) {
    if (const auto* const whole = std::get_if<int64_t>(&value))
        sqlite3_result_int64(context, *whole);
    else if (const auto* const real = std::get_if<double>(&value))
        sqlite3_result_double(context, *real);
    else if (const auto* const text = std::get_if<std::string_view>(&value))
        sqlite3_result_text(context, text->data() ? text->data() : "",
                            static_cast<int>(text->size()), SQLITE_STATIC);
}

void give_value(sqlite3_context* context, const ArgumentValue& value) {
    if (const auto* const whole = std::get_if<int64_t>(&value))
        sqlite3_result_int64(context, *whole);
    else if (const auto* const real = std::get_if<double>(&value))
        sqlite3_result_double(context, *real);
    else if (const auto* const text = std::get_if<std::string>(&value))
        give_copy(context, *text);
}

// extract_arg(arg_set_id, key)
void extract_arg(sqlite3_context* context, int, sqlite3_value** values) {
    guarded_function(context, [&] {
        SqlSource& source = source_of(context);
        const auto id = whole_number(values[0]);
        if (!id || *id < 0 || *id >= source.slices.count()) return;
        const auto row = static_cast<uint32_t>(*id);
        ArgumentValues& arguments = source.arguments;
        auto* key = static_cast<ArgumentValues::Key*>(sqlite3_get_auxdata(context, 1));
        if (!key) {
            key = arguments.key(text_of(values[1]));
            if (key) sqlite3_set_auxdata(context, 1, key, nullptr);
        }
        if (key) {
            const Result<SqlValue> value = arguments.value(*key, row);
            if (!value) return give_error(context, value.error());
            give_value(context, *value);
        } else {
            const Result<ArgumentValue> value = arguments.value(text_of(values[1]), row);
            if (!value) return give_error(context, value.error());
            give_value(context, *value);
        }
    });
}

// time_to_us(ns) and the like: whole units, truncated towards zero as Perfetto does.
template <Nanos unit>
void time_to(sqlite3_context* context, int, sqlite3_value** values) {
    if (!is_null(values[0])) sqlite3_result_int64(context, sqlite3_value_int64(values[0]) / unit);
}

template <Nanos unit>
void time_from(sqlite3_context* context, int, sqlite3_value** values) {
    if (is_null(values[0])) return;
    int64_t nanos = 0;
    if (__builtin_mul_overflow(sqlite3_value_int64(values[0]), unit, &nanos))
        return sqlite3_result_error(context, "the time is too long", -1);
    sqlite3_result_int64(context, nanos);
}

// to_us(ns), to_ms(ns), to_s(ns): with a fraction.
template <Nanos unit>
void to_unit(sqlite3_context* context, int, sqlite3_value** values) {
    if (!is_null(values[0]))
        sqlite3_result_double(context, sqlite3_value_double(values[0]) / static_cast<double>(unit));
}

void trace_start(sqlite3_context* context, int, sqlite3_value**) {
    sqlite3_result_int64(context, source_of(context).trace.origin);
}
void trace_end(sqlite3_context* context, int, sqlite3_value**) {
    sqlite3_result_int64(context, source_of(context).trace.end);
}
void trace_dur(sqlite3_context* context, int, sqlite3_value**) {
    const Trace& trace = source_of(context).trace;
    sqlite3_result_int64(context, trace.end - trace.origin);
}

// slice_is_ancestor(ancestor, descendant)
void slice_is_ancestor(sqlite3_context* context, int, sqlite3_value** values) {
    const SliceRows& rows = source_of(context).slices;
    const auto above = whole_number(values[0]);
    const auto below = whole_number(values[1]);
    if (!above || !below || *below < 0 || *below >= rows.count()) return;
    bool found = false;
    for (auto around = rows.parent(static_cast<uint32_t>(*below)); around && !found;
         around = rows.parent(*around))
        found = *around == *above;
    sqlite3_result_int(context, found);
}

// The compiled pattern of an argument that is the same for all rows.
const re2::RE2* pattern_of(sqlite3_context* context, int argument, sqlite3_value* value) {
    if (auto* const known = sqlite3_get_auxdata(context, argument))
        return static_cast<const re2::RE2*>(known);
    const std::string_view text = text_of(value);
    re2::RE2::Options options;
    options.set_log_errors(false);
    auto pattern = std::make_unique<re2::RE2>(re2::StringPiece(text.data(), text.size()), options);
    if (!pattern->ok()) {
        give_error(context, fmt::format("{}: {}", text, pattern->error()));
        return nullptr;
    }
    sqlite3_set_auxdata(context, argument, pattern.release(),
                        [](void* old) { delete static_cast<re2::RE2*>(old); });
    return static_cast<const re2::RE2*>(sqlite3_get_auxdata(context, argument));
}

// text REGEXP pattern, which SQLite calls as regexp(pattern, text).
void regexp(sqlite3_context* context, int, sqlite3_value** values) {
    guarded_function(context, [&] {
        if (is_null(values[0]) || is_null(values[1])) return;
        const re2::RE2* const pattern = pattern_of(context, 0, values[0]);
        if (!pattern) return;
        const std::string_view text = text_of(values[1]);
        sqlite3_result_int(
            context, re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *pattern));
    });
}

// regexp_extract(text, pattern): the first group, or the whole match if there is none.
void regexp_extract(sqlite3_context* context, int, sqlite3_value** values) {
    guarded_function(context, [&] {
        if (is_null(values[0]) || is_null(values[1])) return;
        const re2::RE2* const pattern = pattern_of(context, 1, values[1]);
        if (!pattern) return;
        if (pattern->NumberOfCapturingGroups() > 1)
            return give_error(context, "the pattern has more than one group");
        const std::string_view text = text_of(values[0]);
        re2::StringPiece found[2];
        const bool matches =
            pattern->Match(re2::StringPiece(text.data(), text.size()), 0, text.size(),
                           re2::RE2::UNANCHORED, found, pattern->NumberOfCapturingGroups() + 1);
        const re2::StringPiece& part = found[pattern->NumberOfCapturingGroups()];
        if (matches && part.data()) give_copy(context, {part.data(), part.size()});
    });
}

// str_split(text, separator, n): part n, counted from 0; null if there are fewer.
void str_split(sqlite3_context* context, int, sqlite3_value** values) {
    const std::string_view text = text_of(values[0]);
    const std::string_view separator = text_of(values[1]);
    const auto wanted = whole_number(values[2]);
    if (is_null(values[0]) || separator.empty() || !wanted || *wanted < 0) return;
    std::size_t begin = 0;
    for (int64_t part = 0; part < *wanted; ++part) {
        begin = text.find(separator, begin);
        if (begin == std::string_view::npos) return;
        begin += separator.size();
    }
    give_copy(context, text.substr(begin, text.find(separator, begin) - begin));
}

// format_duration(ns): "1.234 ms".
void format_time(sqlite3_context* context, int, sqlite3_value** values) {
    guarded_function(context, [&] {
        if (!is_null(values[0]))
            give_copy(context, format_duration(Nanos{sqlite3_value_int64(values[0])}));
    });
}

using SqlDoubles = SqlVector<double>;

// percentile(x, p): with p from 0 to 100, interpolated between neighbours as SQLite's extension
// does; null values of x are left out.
struct Percentile {
    SqlDoubles* values = nullptr;
    double part = 0;
};

void percentile_step(sqlite3_context* context, int count, sqlite3_value** values) {
    guarded_function(context, [&] {
        auto* const state =
            static_cast<Percentile*>(sqlite3_aggregate_context(context, sizeof(Percentile)));
        if (!state) return sqlite3_result_error_nomem(context);
        state->part = count > 1 ? sqlite3_value_double(values[1]) / 100 : 0.5;
        if (!(state->part >= 0 && state->part <= 1))
            return give_error(context, "a percentile is from 0 to 100");
        if (is_null(values[0])) return;
        if (!state->values) state->values = new SqlDoubles();
        state->values->push_back(sqlite3_value_double(values[0]));
    });
}

void percentile_final(sqlite3_context* context) {
    auto* const state = static_cast<Percentile*>(sqlite3_aggregate_context(context, 0));
    if (!state || !state->values) return;
    const std::unique_ptr<SqlDoubles> values(state->values);
    std::sort(values->begin(), values->end());
    const double place = state->part * static_cast<double>(values->size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, values->size() - 1);
    const double between = place - std::floor(place);
    sqlite3_result_double(context, (*values)[low] + between * ((*values)[high] - (*values)[low]));
}

struct ScalarFunction {
    const char* name;
    int arguments;
    void (*call)(sqlite3_context*, int, sqlite3_value**);
};

constexpr Nanos kMicro = 1000;
constexpr Nanos kMilli = 1000 * kMicro;
constexpr Nanos kSecond = 1000 * kMilli;
constexpr Nanos kMinute = 60 * kSecond;
constexpr Nanos kHour = 60 * kMinute;
constexpr Nanos kDay = 24 * kHour;

constexpr ScalarFunction kFunctions[] = {
    {"extract_arg", 2, extract_arg},
    {"to_us", 1, to_unit<kMicro>},
    {"to_ms", 1, to_unit<kMilli>},
    {"to_s", 1, to_unit<kSecond>},
    {"time_to_ns", 1, time_to<1>},
    {"time_to_us", 1, time_to<kMicro>},
    {"time_to_ms", 1, time_to<kMilli>},
    {"time_to_s", 1, time_to<kSecond>},
    {"time_to_min", 1, time_to<kMinute>},
    {"time_to_hours", 1, time_to<kHour>},
    {"time_to_days", 1, time_to<kDay>},
    {"time_from_ns", 1, time_from<1>},
    {"time_from_us", 1, time_from<kMicro>},
    {"time_from_ms", 1, time_from<kMilli>},
    {"time_from_s", 1, time_from<kSecond>},
    {"time_from_min", 1, time_from<kMinute>},
    {"time_from_hours", 1, time_from<kHour>},
    {"time_from_days", 1, time_from<kDay>},
    {"trace_start", 0, trace_start},
    {"trace_end", 0, trace_end},
    {"trace_dur", 0, trace_dur},
    {"slice_is_ancestor", 2, slice_is_ancestor},
    {"regexp", 2, regexp},
    {"regexp_extract", 2, regexp_extract},
    {"str_split", 3, str_split},
    {"format_duration", 1, format_time},
};

}  // namespace

int add_sql_functions(sqlite3* db, SqlSource& source) {
    for (const ScalarFunction& function : kFunctions)
        if (const int failed =
                sqlite3_create_function_v2(db, function.name, function.arguments, kPure, &source,
                                           function.call, nullptr, nullptr, nullptr))
            return failed;
    for (const auto& [name, count] : {std::pair("percentile", 2), std::pair("median", 1)})
        if (const int failed =
                sqlite3_create_function_v2(db, name, count, kPure, nullptr, nullptr,
                                           percentile_step, percentile_final, nullptr))
            return failed;
    return SQLITE_OK;
}

}  // namespace lanescope

// Reads an event's arguments: those that the trace stores, and the positions of their values.
#include "core/base/json_line.h"
#include "core/ingest/json/json_number.h"
#include "core/ingest/json/json_scanner.h"

namespace lanescope {

JsonScanner::Parse JsonScanner::parse_arguments() {
    return parse_members([&](std::string_view name) { return parse_argument(argument_key(name)); });
}

JsonScanner::Parse JsonScanner::parse_argument(ArgumentKey key) {
    std::string_view raw;
    if (!at_.read_value(raw)) return Parse::cut;
    if (raw.empty()) return Parse::bad;
    if (key == ArgumentKey::none) {
        add_skipped(raw);
        return Parse::ok;
    }
    if (key < ArgumentKey::input_dims) {
        has_shape_ &= raw.front() != '"' && raw.front() != '[' && raw.front() != '{';
        add_value(ValueKind::number, raw, key);
        store_number(key, without_quotes(raw));
        return Parse::ok;
    }
    const bool is_list = raw.front() == '[' || raw.front() == '{';
    has_shape_ &= is_list || raw.front() == '"';
    add_value(is_list ? ValueKind::list : ValueKind::text, without_quotes(raw), key);
    if (key < ArgumentKey::grid) {
        // Lists keep their JSON text, on one line; strings are stored without quotes.
        arguments_.set_text(key, has_line_breaks(raw) ? names_.text(json_on_one_line(raw))
                                                      : names_.text(without_quotes(raw)));
    } else if (read_triple(raw, key == ArgumentKey::grid ? arguments_.grid : arguments_.block)) {
        arguments_.mark(key);
    }
    return Parse::ok;
}

// Ignores a token that is not a number. False if there is no token.
bool JsonScanner::store_number(ArgumentKey key, std::string_view token) {
    if (token.empty()) return false;
    int64_t value = 0;
    if (!read_digits(token, value)) {
        const auto number = parse_integer(token);
        if (!number) return true;
        value = *number;
    }
    arguments_.set_number(key, value);
    return true;
}

}  // namespace lanescope

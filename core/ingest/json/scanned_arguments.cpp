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
    const auto index = static_cast<std::size_t>(key);
    const uint64_t bit = uint64_t{1} << index;
    if (key < ArgumentKey::grid) {
        // Lists keep their JSON text, on one line; strings are stored without quotes.
        arguments_.text[index] = has_line_breaks(raw) ? names_.text(json_on_one_line(raw))
                                                      : names_.text(without_quotes(raw));
        arguments_.present |= bit;
    } else if (parse_triple(raw, key == ArgumentKey::grid ? arguments_.grid : arguments_.block)) {
        arguments_.present |= bit;
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
    set_number(key, value);
    return true;
}

bool JsonScanner::parse_triple(std::string_view list, uint32_t (&out)[3]) {
    const char* p = list.data();
    const char* const end = p + list.size();
    for (uint32_t& value : out) {
        while (p < end && (*p < '0' || *p > '9')) ++p;
        if (p == end) return false;
        uint64_t number = 0;
        for (; p < end && *p >= '0' && *p <= '9' && number <= UINT32_MAX; ++p)
            number = number * 10 + static_cast<uint64_t>(*p - '0');
        if (number > UINT32_MAX) return false;
        value = static_cast<uint32_t>(number);
    }
    return true;
}

}  // namespace lanescope

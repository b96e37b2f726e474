#include "core/analysis/structure/short_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/analysis/context.h"
#include "core/trace/cpp_name.h"
#include "core/trace/kernel_label.h"
#include "core/trace/short_name.h"

namespace lanescope {

namespace {

using Tokens = std::vector<std::string_view>;

bool is_token(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

Tokens tokens_of(std::string_view name) {
    Tokens tokens;
    for (std::size_t i = 0; i < name.size();) {
        const std::size_t begin = i;
        while (i < name.size() && is_token(name[i])) ++i;
        if (i > begin)
            tokens.push_back(name.substr(begin, i - begin));
        else
            ++i;
    }
    return tokens;
}

// For each name, the tokens at the positions where the names differ. If their numbers of tokens
// differ, the part between the common beginning and the common end.
std::vector<std::string> differences_of(std::span<const Tokens> names) {
    std::vector<std::string> result(names.size());
    const auto shortest = std::ranges::min(names, {}, &Tokens::size).size();
    const bool aligned = std::ranges::max(names, {}, &Tokens::size).size() == shortest;
    const auto all_equal = [&](const auto& token_of) {
        return std::ranges::all_of(
            names, [&](const Tokens& name) { return token_of(name) == token_of(names[0]); });
    };
    std::size_t head = 0;
    while (head < shortest && all_equal([&](const Tokens& name) { return name[head]; })) ++head;
    std::size_t tail = 0;
    while (head + tail < shortest &&
           all_equal([&](const Tokens& name) { return name[name.size() - 1 - tail]; }))
        ++tail;
    std::vector<bool> same(shortest, false);  // equal in all names, if they are aligned
    for (std::size_t t = head; aligned && t + tail < shortest; ++t)
        same[t] = all_equal([&](const Tokens& name) { return name[t]; });
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::string_view last;
        for (std::size_t t = head; t + tail < names[i].size(); ++t) {
            if (aligned && same[t]) continue;
            if (names[i][t] == last) continue;  // function parameters repeat template arguments
            last = names[i][t];
            result[i] += (result[i].empty() ? "" : " ") + std::string(last);
        }
    }
    return result;
}

std::string number_of_name(std::string_view name) {
    uint32_t hash = 2166136261U;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return fmt::format("#{:06x}", hash & 0xffffffU);
}

std::string with_suffix(std::string_view label, std::string_view suffix) {
    const std::size_t more = characters_of(suffix) + 1;
    return cut_in_middle(label, kLongestLabel - more) + " " + std::string(suffix);
}

std::string_view path_of_function(std::string_view name) {
    return name.ends_with(')') ? parse_cpp_name(name).path : name;
}

void tell_group_apart(std::span<const std::string_view> names, std::span<std::string> labels,
                      std::span<const std::size_t> group) {
    constexpr std::size_t kLongestSuffix = 24;
    std::vector<std::string> plain;
    for (const std::size_t i : group) plain.push_back(plain_cpp_name(names[i]));
    std::vector<std::string> suffixes;
    bool enough = false;
    // Function parameters repeat template arguments, but some functions differ only in parameters.
    for (const bool whole : {false, true}) {
        if (enough) break;
        std::vector<Tokens> tokens;
        for (const std::string& name : plain)
            tokens.push_back(tokens_of(whole ? name : path_of_function(name)));
        suffixes = differences_of(tokens);
        for (std::string& suffix : suffixes) suffix = cut_in_middle(suffix, kLongestSuffix);
        std::vector<std::string> sorted = suffixes;
        std::ranges::sort(sorted);
        enough = std::ranges::adjacent_find(sorted) == sorted.end();
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
        const std::string suffix = enough ? suffixes[i] : number_of_name(names[group[i]]);
        if (!suffix.empty()) labels[group[i]] = with_suffix(labels[group[i]], suffix);
    }
}

// The label with the number; with a counter if another name has the same number.
std::string unseen_label(std::string_view label, const std::string& number,
                         const std::unordered_set<std::string>& seen,
                         std::unordered_map<std::string, int>& counts) {
    if (label.ends_with(" " + number)) label.remove_suffix(number.size() + 1);
    const std::string first = with_suffix(label, number);
    int& count = counts[first];  // number of labels made from this label
    while (true) {
        ++count;
        std::string next =
            count == 1 ? first : with_suffix(label, fmt::format("{}-{}", number, count));
        if (!seen.contains(next)) return next;
    }
}

}  // namespace

void tell_apart(std::span<const std::string_view> names, std::span<std::string> labels) {
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < labels.size(); ++i) groups[labels[i]].push_back(i);
    for (const auto& [label, group] : groups)
        if (group.size() > 1) tell_group_apart(names, labels, group);
    // A label with a suffix may equal another name's label. Processes names in sorted order, so
    // that labels do not depend on the order in the trace.
    std::vector<std::size_t> order(labels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return names[i]; });
    std::unordered_set<std::string> seen;
    std::unordered_map<std::string, int> counts;
    for (const std::size_t i : order)
        if (!seen.insert(labels[i]).second) {
            labels[i] = unseen_label(labels[i], number_of_name(names[i]), seen, counts);
            seen.insert(labels[i]);
        }
}

ShortNames ShortNames::compute(const TraceContext& context) {
    const Trace& trace = context.trace();
    std::vector<bool> is_work(trace.strings.size(), false);
    for (const SliceRef slice : trace.gpu_activities.slice) is_work[trace.name_id(slice)] = true;
    ShortNames result;
    std::vector<StringId> work;
    std::vector<std::string_view> names;
    std::vector<std::string> labels;
    for (StringId id = 0; id < trace.strings.size(); ++id) {
        const std::string_view whole = trace.strings[id];
        if (is_work[id]) {
            work.push_back(id);
            names.push_back(whole);
            labels.push_back(kernel_label(whole));
        } else if (std::string compact = compact_name(whole); compact != whole) {
            result.shortened.emplace(id, std::move(compact));
        }
    }
    tell_apart(names, labels);
    for (std::size_t i = 0; i < work.size(); ++i)
        if (labels[i] != names[i]) result.shortened.emplace(work[i], std::move(labels[i]));
    return result;
}

}  // namespace lanescope

#include "core/export/traces/scrub.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace lanescope {

namespace {

using ScrubJson = nlohmann::ordered_json;

// Shorter names are words of programs too ("max", "add", "ml"): they are replaced only between
// blanks, quotes and the like, as in "for bob".
constexpr std::size_t kShortestWord = 4;
constexpr std::size_t kShortestKnown = 2;

// Arguments whose texts describe work: what was computed, on what, and by which library.
constexpr std::array kWorkArguments = std::to_array<std::string_view>({"Call stack",
                                                                       "CallFrom",
                                                                       "Collective name",
                                                                       "Input Dims",
                                                                       "Input Strides",
                                                                       "Input dims",
                                                                       "Input type",
                                                                       "Module Hierarchy",
                                                                       "Output dims",
                                                                       "Output type",
                                                                       "Process Group Description",
                                                                       "Process Group Name",
                                                                       "Process Group Ranks",
                                                                       "In split size",
                                                                       "Out split size",
                                                                       "category",
                                                                       "color",
                                                                       "cuda_sync_kind",
                                                                       "device",
                                                                       "direction",
                                                                       "domain",
                                                                       "dtype",
                                                                       "hlo_module",
                                                                       "hlo_op",
                                                                       "input_type_shape",
                                                                       "kernel",
                                                                       "kernel_backend",
                                                                       "kernel_kwargs",
                                                                       "kernel_name",
                                                                       "kind",
                                                                       "mem size",
                                                                       "memory kind",
                                                                       "module",
                                                                       "op_name",
                                                                       "output_type_shape",
                                                                       "provider",
                                                                       "stream"});

// Members of the file, and of objects in them, that describe machines and versions.
constexpr std::array kKeptMembers = std::to_array<std::string_view>({"backend",
                                                                     "backend_config",
                                                                     "cuda_driver_version",
                                                                     "cuda_runtime_version",
                                                                     "cupti_version",
                                                                     "deviceProperties",
                                                                     "displayTimeUnit",
                                                                     "distributedInfo",
                                                                     "hip_driver_version",
                                                                     "hip_runtime_version",
                                                                     "nccl_version",
                                                                     "pg_config",
                                                                     "pg_count",
                                                                     "pg_desc",
                                                                     "pg_name",
                                                                     "pg_size",
                                                                     "profile_memory",
                                                                     "rank",
                                                                     "ranks",
                                                                     "record_shapes",
                                                                     "roctracer_version",
                                                                     "schemaVersion",
                                                                     "with_flops",
                                                                     "with_modules",
                                                                     "with_stack",
                                                                     "world_size"});

bool is_among(std::span<const std::string_view> words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

std::string dumped(const ScrubJson& json) {
    return json.dump(-1, ' ', false, ScrubJson::error_handler_t::replace);
}

bool has_texts(const ScrubJson& value) {
    if (value.is_string()) return !is_plain_value(value.get_ref<const std::string&>());
    return value.is_structured() &&
           (std::ranges::any_of(value, has_texts) || (value.is_object() && !value.empty()));
}

// Keeps numbers, and texts under known names. Returns false if nothing is left.
bool keep_known(ScrubJson& value, bool is_known, Scrubber& scrubber) {
    if (value.is_string()) {
        if (!is_known) return false;
        value = scrubber.text(value.get_ref<const std::string&>());
        return true;
    }
    if (value.is_array()) {
        ScrubJson kept = ScrubJson::array();
        for (ScrubJson& item : value)
            if (keep_known(item, is_known, scrubber)) kept.push_back(std::move(item));
        value = std::move(kept);
    } else if (value.is_object()) {
        ScrubJson kept = ScrubJson::object();
        for (auto& [key, item] : value.items())
            if (keep_known(item, key == "name" || is_among(kKeptMembers, key), scrubber))
                kept[scrubber.text(key)] = std::move(item);
        value = std::move(kept);
    }
    return true;
}

// Digits in several parts, or with a sign in front: an address or a telephone number. Lists in
// brackets are shapes.
bool is_number_with_parts(std::string_view text) {
    const bool has_letters =
        std::ranges::any_of(text, [](unsigned char c) { return std::isalpha(c) != 0; });
    if (text.empty() || has_letters || text.front() == '[' || text.front() == '(') return false;
    const auto dots = std::ranges::count(text, '.');
    return dots > 1 || text.front() == '+' || text.find(':') != std::string_view::npos ||
           text.find(' ') != std::string_view::npos;
}

bool is_alphanumeric(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Returns whether a character next to a short word shows that the word is a user's name and not a
// part of an identifier.
bool parts_names(char c) {
    return std::string_view(" \t\n\"'=@/\\").find(c) != std::string_view::npos;
}

// Replaces whole words.
bool replace_word(std::string& text, std::string_view word, std::string_view by) {
    bool found = false;
    const auto ends_word = [&](char c) {
        return word.size() < kShortestWord ? parts_names(c) : !is_alphanumeric(c);
    };
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
        const std::size_t end = at + word.size();
        const bool is_all = word.size() < kShortestWord && at == 0 && end == text.size();
        const bool whole = !is_all && (at == 0 || ends_word(text[at - 1])) &&
                           (end == text.size() || ends_word(text[end]));
        if (whole) text.replace(at, word.size(), by);
        at += whole ? by.size() : 1;
        found |= whole;
    }
    return found;
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

}  // namespace

Scrubber::Scrubber(const Trace& trace) {
    for (const auto& [name, json] : trace.metadata) {
        learn_users_of_paths(json);
        const ScrubJson value = ScrubJson::parse(json, nullptr, false);
        if (!value.is_string()) continue;
        const auto& text = value.get_ref<const std::string&>();
        const std::string key = lower(name);
        if (key.find("host") != std::string::npos) {
            learn(text, "host");
            learn(text.substr(0, text.find('.')), "host");
        } else if (key.find("user") != std::string::npos) {
            learn(text, "user");
        }
    }
    for (StringId id = 0; id < trace.strings.size(); ++id) learn_users_of_paths(trace.strings[id]);
}

void Scrubber::learn(std::string_view word, std::string_view kind) {
    constexpr std::array shared =
        std::to_array<std::string_view>({"root", "Shared", "Public", "localhost", "user"});
    if (word.size() < kShortestKnown || is_among(shared, word) || is_plain_value(word)) return;
    const auto [known, is_new] = known_.try_emplace(std::string(word));
    if (is_new) known->second = fmt::format("<{} {}>", kind, ++kinds_[std::string(kind)]);
}

void Scrubber::learn_users_of_paths(std::string_view text) {
    if (text.find("home") == std::string_view::npos && text.find("Users") == std::string_view::npos)
        return;
    for (const std::string& user : patterns_.users_in(text)) learn(user, "user");
}

std::string Scrubber::text(std::string_view plain) {
    const auto [known, is_new] = done_.try_emplace(std::string(plain));
    if (!is_new) return known->second;
    std::string text = patterns_.without_paths(plain, counts_);
    // From the last one backwards: "node.example.org" precedes "node", of which it is more.
    for (auto word = known_.rbegin(); word != known_.rend(); ++word)
        if (replace_word(text, word->first, word->second))
            ++counts_[word->second.starts_with("<host") ? "host name" : "user name"];
    known->second = patterns_.without_secrets(text, counts_);
    return known->second;
}

std::string Scrubber::process_name(std::string_view plain) {
    const std::size_t space = plain.find(' ');
    const std::string_view program = plain.substr(0, space);
    const std::string_view rest = space == std::string_view::npos ? "" : plain.substr(space);
    const bool is_command = program.find('/') != std::string_view::npos ||
                            rest.find_first_of("/\\=") != std::string_view::npos ||
                            rest.find(" -") != std::string_view::npos ||
                            rest.find(".py") != std::string_view::npos;
    if (!is_command) return text(plain);
    ++counts_["command line"];
    return text(last_component(program));
}

std::vector<Argument> Scrubber::arguments(std::vector<Argument> all) {
    std::vector<Argument> kept;
    for (Argument& argument : all) {
        if (argument.name == "module") argument.value = last_component(argument.value);
        const bool is_plain = is_plain_value(argument.value) &&
                              !(argument.is_string && is_number_with_parts(argument.value));
        const bool stays = is_plain || keep_work(argument);
        if (!stays) {
            ++dropped_arguments_[argument.name];
            continue;
        }
        argument.name = text(argument.name);
        kept.push_back(std::move(argument));
    }
    return kept;
}

bool Scrubber::keep_work(Argument& argument) {
    const bool is_work = is_among(kWorkArguments, argument.name);
    if (argument.is_string) {
        if (is_work) argument.value = text(argument.value);
        return is_work;
    }
    ScrubJson value = ScrubJson::parse(argument.value, nullptr, false);
    if (argument.name == "Concrete Inputs" && value.is_array()) {
        for (ScrubJson& input : value) {
            if (!has_texts(input)) continue;
            input = "";
            ++dropped_arguments_[argument.name];
        }
    } else if (!is_work || value.is_discarded() || !keep_known(value, true, *this)) {
        return false;
    }
    argument.value = dumped(value);
    return true;
}

std::string Scrubber::metadata(std::string_view name, const std::string& json) {
    ScrubJson value = ScrubJson::parse(json, nullptr, false);
    const bool is_known = is_among(kKeptMembers, name) && !value.is_discarded();
    if (is_known && keep_known(value, true, *this)) return dumped(value);
    dropped_members_.insert(std::string(name));
    // python_is_in_tree() depends on whether the file names a host, so the member stays.
    return name == "host_name" ? R"("<host>")" : "";
}

std::string Scrubber::report() const {
    std::vector<std::string> parts;
    const auto plural = [](std::string_view word) {
        return fmt::format("{}{}", word, word.ends_with('s') ? "es" : "s");
    };
    const auto several = [&](uint64_t count, std::string_view word) {
        return fmt::format("{} {}", count, count == 1 ? std::string(word) : plural(word));
    };
    for (const auto& [kind, count] : counts_)
        parts.push_back(fmt::format("{} in {}", plural(kind), several(count, "text")));
    if (!dropped_arguments_.empty()) {
        uint64_t sum = 0;
        std::vector<std::string> names;
        for (const auto& [name, count] : dropped_arguments_) {
            sum += count;
            names.push_back(name);
        }
        parts.push_back(
            fmt::format("texts of {} ({})", several(sum, "argument"), fmt::join(names, ", ")));
    }
    if (!dropped_members_.empty())
        parts.push_back(fmt::format("{} of the file ({})",
                                    several(dropped_members_.size(), "member"),
                                    fmt::join(dropped_members_, ", ")));
    if (parts.empty()) return "nothing had to be removed";
    return fmt::format("removed: {}", fmt::join(parts, "; "));
}

}  // namespace lanescope

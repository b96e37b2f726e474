// lanescope complete: for the shells' completion, the words that may follow on a command line.
// The commands, options and values come from the parser, so they are always the program's own.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/completion.h"
#include "core/capture/process/process_facts.h"
#include "core/registry/tables.h"

namespace lanescope {

namespace {

constexpr const char* kFiles = ":files";

// The words of "FORMAT:{text,csv}", which CLI11 makes of a list of allowed values.
std::vector<std::string> allowed_values(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::size_t begin = type.find('{');
    const std::size_t end = type.find('}');
    std::vector<std::string> words;
    if (begin == std::string::npos || end == std::string::npos) return words;
    for (std::size_t at = begin + 1; at < end;) {
        const std::size_t next = std::min(type.find(',', at), end);
        words.push_back(type.substr(at, next - at));
        at = next + 1;
    }
    return words;
}

std::vector<std::string> columns_of(const CLI::App& command) {
    std::vector<std::string> keys;
    if (const TableSpec* table = find_table(command.get_name()))
        for (const ColumnSpec& column : table->columns) keys.emplace_back(column.key);
    return keys;
}

std::vector<std::string> values_of_option(const CLI::App& command, const CLI::Option& option) {
    const std::string name = option.get_lnames().empty() ? "" : option.get_lnames().front();
    if (name == "sort" || name == "group-by") return columns_of(command);
    if (name == "align") return {"start", "clock", "step:", "event:"};
    const std::string type = option.get_type_name();
    if (type == "FILE" || type == "SPOOL" || type == "DIR") return {kFiles};
    return allowed_values(option);
}

std::vector<std::string> arguments_of(const CLI::App& command) {
    const auto has = [&](const char* name) { return command.get_option_no_throw(name) != nullptr; };
    if (has("PID")) {
        std::vector<std::string> pids;
        for (const int32_t pid : attachable_processes()) pids.push_back(std::to_string(pid));
        return pids;
    }
    if (command.get_name() == "columns") {
        std::vector<std::string> names;
        for (const TableSpec* table : all_tables())
            if (table->by.empty()) names.emplace_back(table->name);
        return names;
    }
    if (has("TRACE") || has("COMMAND")) return {kFiles};
    return {};
}

std::vector<std::string> options_of(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
        if (!option->get_positional() || !option->get_lnames().empty())
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    // Options of which one is required are in a group of their own.
    for (const CLI::App* group :
         command.get_subcommands([](const CLI::App* sub) { return sub->get_name().empty(); }))
        for (const std::string& name : options_of(*group)) names.push_back(name);
    return names;
}

std::vector<std::string> commands_of(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::App* sub : command.get_subcommands([](const CLI::App* named) {
             return !named->get_name().empty() && !named->get_group().empty();
         }))
        names.push_back(sub->get_name());
    return names;
}

const CLI::App* command_called(const CLI::App& in, const std::string& name) {
    for (const CLI::App* sub : in.get_subcommands([](const CLI::App*) { return true; }))
        if (!name.empty() && sub->get_name() == name) return sub;
    return nullptr;
}

// Where the last word stands: in which command, and after which words.
struct Place {
    const CLI::App* command = nullptr;
    const CLI::Option* value_of = nullptr;  // the word is the value of this option
    bool after_unknown = false;             // the word may be the value of an unknown option
    bool after_arguments = false;           // an argument came before
    bool is_helped = false;                 // after `help`
};

Place place_of(const CLI::App& app, const std::vector<std::string>& words) {
    Place place;
    place.command = &app;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const std::string& word = words[i];
        const bool takes_value = place.value_of != nullptr;
        place.value_of = nullptr;
        place.after_unknown = false;
        if (takes_value) continue;
        if (word.size() > 1 && word[0] == '-') {
            const CLI::Option* option = place.command->get_option_no_throw(word);
            if (option && option->get_items_expected_min() > 0) place.value_of = option;
            place.after_unknown = !option && word.find('=') == std::string::npos;
            continue;
        }
        const CLI::App* const sub = command_called(*place.command, word);
        if (sub && sub->get_name() == "help" && place.command == &app)
            place.is_helped = true;
        else if (sub && !place.after_arguments)
            place.command = sub;
        else
            place.after_arguments = true;
    }
    return place;
}

}  // namespace

std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words) {
    if (words.empty()) return {};
    const Place place = place_of(app, words);
    const CLI::App& command = *place.command;
    std::vector<std::string> found;
    if (place.value_of)
        found = values_of_option(command, *place.value_of);
    else if (place.after_unknown)
        return {};
    else if (words.back().starts_with("-") && !place.is_helped)
        found = options_of(command);
    else if (place.after_arguments)
        found = arguments_of(command);
    else {
        found = commands_of(command);
        const std::vector<std::string> more =
            place.is_helped ? std::vector<std::string>() : arguments_of(command);
        found.insert(found.end(), more.begin(), more.end());
    }
    std::erase_if(found, [&](const std::string& word) {
        return word != kFiles && !word.starts_with(words.back());
    });
    return found;
}

void add_complete_command(CLI::App& app, int& status) {
    auto words = std::make_shared<std::vector<std::string>>();
    CLI::App* command = app.add_subcommand("complete", "For the completion of shells");
    command->group("");  // hidden
    command->add_option("WORDS", *words, "The words after lanescope; the last one is completed")
        ->allow_extra_args();
    command->callback([&app, words, &status] {
        for (const std::string& word : completions(app, *words)) fmt::print("{}\n", word);
        status = 0;
    });
}

void add_help_command(CLI::App& app, int& status) {
    auto words = std::make_shared<std::vector<std::string>>();
    CLI::App* command = app.add_subcommand("help", "The same as --help after a command");
    command->add_option("COMMAND", *words, "The command, such as record or table lanes");
    command->footer("Example:\n  lanescope help table lanes");
    command->callback([&app, words, &status] {
        const CLI::App* about = &app;
        std::string prefix = "lanescope";
        for (const std::string& word : *words) {
            const CLI::App* const sub = command_called(*about, word);
            if (!sub) {
                fmt::print(stderr, "lanescope: {} has no command {}\nSee {} --help.\n", prefix,
                           word, prefix);
                status = kWrongUsage;
                return;
            }
            about = sub;
            prefix += " " + word;
        }
        // App::help() would describe this command, which was called.
        fmt::print("{}", app.get_formatter()->make_help(about, prefix, CLI::AppFormatMode::Normal));
        status = 0;
    });
}

}  // namespace lanescope

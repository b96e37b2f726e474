#include "app/commands/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "app/commands/commands.h"

namespace lanescope {

namespace {

// Whether the next word is the value of this one.
bool takes_next_word(const CLI::App& command, const std::string& word) {
    const bool is_short = word.size() == 2;
    if (!is_short && word.find('=') != std::string::npos) return false;
    const CLI::Option* option = command.get_option_no_throw(word);
    return option && option->get_items_expected_min() > 0;
}

bool is_option(const std::string& word) {
    return word.size() > 1 && word[0] == '-';
}

// The command that was named last: `table lanes` in `table lanes x.json`.
const CLI::App& innermost(const CLI::App& app) {
    const CLI::App* command = &app;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
    return *command;
}

std::string full_name(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    if (!parent) return "lanescope";
    return full_name(*parent) + " " + command.get_name();
}

std::string about_unexpected(const CLI::App& command, const std::string& word) {
    if (is_option(word))
        return fmt::format("{} has no option {}", full_name(command),
                           word.substr(0, word.find('=')));
    const CLI::Option* trace = command.get_option_no_throw("TRACE");
    if (!trace) return fmt::format("{} takes no argument {}", full_name(command), word);
    return fmt::format(
        "{} takes one trace, and not {}; the window, screenshot and table traces take several",
        full_name(command), word);
}

}  // namespace

std::vector<std::string> words_of(const CLI::App& app, int argc, char** argv) {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    if (words.empty() || words.front() != "record") return words;
    const CLI::App& record = *app.get_subcommand("record");
    for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
        if (!is_option(words[i])) {
            words.insert(words.begin() + static_cast<std::ptrdiff_t>(i), "--");
            break;
        }
        if (takes_next_word(record, words[i])) ++i;
    }
    return words;
}

int explain(const CLI::App& app, const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    if (dynamic_cast<const CLI::RuntimeError*>(&error)) {
        fmt::print(stderr, "lanescope: {}\n", error.what());
        return error.get_exit_code();
    }
    const CLI::App& command = innermost(app);
    // An unknown option may be why something else is missing.
    std::vector<std::string> left = command.remaining();
    left.erase(std::ranges::find(left, "--"), left.end());  // a program, and its own options
    const auto option = std::ranges::find_if(left, is_option);
    std::string message = error.what();
    if (option != left.end())
        message = about_unexpected(command, *option);
    else if (!left.empty() && dynamic_cast<const CLI::ExtrasError*>(&error))
        message = about_unexpected(command, left.front());
    fmt::print(stderr, "lanescope: {}\nSee {} --help.\n", message, full_name(command));
    return kWrongUsage;
}

}  // namespace lanescope

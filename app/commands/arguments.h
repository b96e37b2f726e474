// Words of the command line: where the arguments of a recorded program begin, and what is wrong
// with the others.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lanescope {

// The words after the program's name. In those of `record`, "--" precedes the recorded program, so
// that its options are not taken for ours.
std::vector<std::string> words_of(const CLI::App& app, int argc, char** argv);

// Prints help and version on stdout, or reports an error; returns the exit status.
int explain(const CLI::App& app, const CLI::ParseError& error);

}  // namespace lanescope

#include "app/commands/python_module.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "app/commands/commands.h"

namespace lanescope {

namespace {

// Runs a module of the package, or prints what is missing. The module's name and all words are
// passed as arguments, never as code. Nothing is imported from the current folder, because its
// files are not trusted.
constexpr const char* kRunModule =
    "import sys\n"
    "if sys.path[0] == '': del sys.path[0]\n"
    "import importlib.util, runpy\n"
    "name = sys.argv.pop(1)\n"
    "extra, command = name.partition('.')[0], name.replace('.', ' ')\n"
    "if importlib.util.find_spec('lanescope') is None:\n"
    "    sys.exit(f'lanescope: {command} needs the Python package: pip install "
    "\"lanescope[{extra}]\"')\n"
    "sys.argv[0] = f'lanescope {command}'\n"
    "runpy.run_module(f'lanescope.{name}', run_name='__main__')\n";

}  // namespace

int run_python_module(const std::string& name, const std::vector<std::string>& words) {
    const char* const chosen = std::getenv("LANESCOPE_PYTHON");
    const std::string python = chosen && *chosen ? chosen : "python3";
    std::vector<std::string> all = {python, "-c", kRunModule, name};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> argv(all.size() + 1, nullptr);
    for (std::size_t i = 0; i < all.size(); ++i) argv[i] = all[i].data();
    execvp(python.c_str(), argv.data());
    fmt::print(stderr, "lanescope: {} needs Python: {} cannot be started: {}\n", name, python,
               std::strerror(errno));
    return kFailed;
}

}  // namespace lanescope

// lanescope-viewer: the window, or a picture of it without a screen.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "app/commands/number_checks.h"
#include "core/base/printable.h"
#include "core/base/url.h"
#include "core/coloring/color_modes.h"
#include "core/session/companions.h"
#include "core/session/remote_trace.h"
#include "core/session/settings.h"
#include "core/session/specs_file.h"
#include "ui/app/run_window.h"
#include "ui/platform/desktop_theme.h"

namespace {

using namespace lanescope;

bool parse_size(const std::string& text, int& width, int& height) {
    char after = 0;
    return std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &after) == 2 && width >= 320 &&
           height >= 240 && width <= 16384 && height <= 16384;
}

// The sample that is installed or built beside the program.
std::string find_sample(const char* program) {
    std::error_code code;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", code);
    const std::filesystem::path bin = (code ? std::filesystem::path(program) : self).parent_path();
    for (const char* place : {"../share/lanescope/samples", "../../../assets/samples"}) {
        const auto sample = bin / place / "synthetic_step.json.gz";
        if (std::filesystem::exists(sample, code)) return sample.lexically_normal().string();
    }
    return {};
}

int usage(const char* text) {
    std::fprintf(stderr, "lanescope-viewer: %s\n", text);
    return 2;
}

int report(const Result<void>& result) {
    if (result) return 0;
    std::fprintf(stderr, "lanescope-viewer: %s\n", printable_lines(result.error().text).c_str());
    return result.error().code == ErrorCode::usage ? 2 : 1;
}

// Prints on stdout what was found, or why nothing was found: for `lanescope doctor`.
int report_probe(const Result<std::string>& found) {
    std::printf("%s\n", found ? found->c_str() : found.error().text.c_str());
    return found ? 0 : 1;
}

// The values of the command line.
struct Wishes {
    std::vector<std::string> files;
    std::string alignment;
    std::string size = "1920x1080";
    std::string theme;
    std::string color;
    std::string state;
    std::string specs_file;
    std::string probe;
    bool follow = false;
    PictureOptions picture;
    AttachOptions attach;
};

void add_view_options(CLI::App& cli, Wishes& wishes) {
    PictureOptions& picture = wishes.picture;
    cli.add_option("TRACE", wishes.files,
                   "The file to open; several files are shown below each other");
    cli.add_option("--align", wishes.alignment,
                   "How to align several files: start, clock, step:N or event:NAME");
    cli.add_option("--graph-capture", picture.companions.graph_captures,
                   "A trace of the capture of graphs that the file replays; repeatable")
        ->allow_extra_args(false);
    cli.add_option("--compile-artifacts", picture.companions.compile_artifacts,
                   "A log of TORCH_TRACE, or a folder with logs or caches; repeatable")
        ->allow_extra_args(false);
    cli.add_option("--classes", picture.companions.classes, "A file with classes of kernels");
    cli.add_option("--screenshot", picture.out,
                   "Write a PNG of the window and end; no display needed");
    cli.add_option("--size", wishes.size, "Of the picture, in pixels")->capture_default_str();
    cli.add_option("--range", picture.range,
                   "Times to show: 1.2ms..3ms from the trace's origin, or step:N");
    cli.add_option("--select", picture.select,
                   "Select the first slice with this name, or whose name contains it");
    cli.add_option("--lanes", picture.lanes,
                   "Only lanes whose name or group name matches this regular expression");
    cli.add_option("--panel", picture.panel, "Bring this panel to the front: Steps, Statistics, …");
    cli.add_option("--theme", wishes.theme, "dark or light")
        ->check(CLI::IsMember({"dark", "light"}));
    cli.add_option("--scale", picture.scale, "Of the interface, 1 to 3")->check(check_number(1, 3));
    std::vector<std::string> modes;
    for (const ColorModeName& mode : color_modes()) modes.emplace_back(mode.word);
    cli.add_option("--color", wishes.color,
                   "Colour mode of slices; by default the one that fits the trace")
        ->check(CLI::IsMember(modes));
    cli.add_option("--specs", wishes.specs_file, "A file with figures of devices");
    cli.add_flag("--critical-path", picture.critical_path,
                 "In the picture: draw the critical path of each step");
    cli.add_flag("--flows", picture.flows, "In the picture: draw the flows of all slices in view");
}

void add_other_options(CLI::App& cli, Wishes& wishes) {
    AttachOptions& attach = wishes.attach;
    if (const char* folder = std::getenv("KINETO_IPC_SOCKET_DIR")) attach.socket_folder = folder;
    cli.add_option("--dynolog-port", attach.dynolog_port,
                   "Port of a dynolog on this machine, which then starts captures")
        ->check(check_whole_number(1, std::numeric_limits<uint16_t>::max()))
        ->capture_default_str();
    cli.add_flag("--follow", wishes.follow, "The file is a recording: wait for it, and follow it");
    cli.add_option("--probe", wishes.probe,
                   "Test a window, a picture or the portal, print the result, and exit")
        ->check(CLI::IsMember({"window", "picture", "portal"}));
    cli.add_option("--state", wishes.state,
                   "Write the window's state to this file as JSON whenever it changes (for tests)");
}

int write_picture(Wishes& wishes) {
    PictureOptions& picture = wishes.picture;
    if (wishes.files.empty()) return usage("--screenshot needs a trace.");
    if (!parse_size(wishes.size, picture.width, picture.height))
        return usage("--size is WIDTHxHEIGHT, from 320x240.");
    picture.theme = wishes.theme == "light" ? Theme::light : Theme::dark;
    return report(save_picture(picture, wishes.files));
}

// `problem`: a message for the window; empty: none.
AppOptions window_options(const Wishes& wishes, const std::string& problem, const char* program) {
    AppOptions options;
    if (const std::string folder = config_folder(); !folder.empty()) {
        options.settings_path = folder + "/settings.json";
        options.layout_path = folder + "/layout.json";
        options.lanes_folder = folder + "/lanes";
    }
    LoadedSettings loaded = load_settings(options.settings_path);
    options.settings = std::move(loaded.settings);
    options.greeting = std::move(loaded.message);
    options.evidence = wishes.picture.evidence;
    options.companions = wishes.picture.companions;
    options.attach = wishes.attach;
    if (options.greeting.empty()) options.greeting = problem;
    if (!loaded.may_save) options.settings_path.clear();
    if (!wishes.theme.empty())
        options.settings.theme = wishes.theme == "light" ? ThemeChoice::light : ThemeChoice::dark;
    if (wishes.picture.scale != 1)
        options.settings.scale = static_cast<double>(wishes.picture.scale);
    options.sample_path = find_sample(program);
    options.state_path = wishes.state;
    options.takes_offers = wishes.state.empty();  // a window under test is alone
    options.color = wishes.picture.color;
    return options;
}

int run(int argc, char** argv) {
    CLI::App cli("Opens a trace in a window, or saves a picture of it.");
    cli.footer(
        "Examples:\n  lanescope-viewer run.pt.trace.json.gz\n"
        "  lanescope-viewer run.json --screenshot run.png --range 1.2ms..3ms --theme light");
    Wishes wishes;
    add_view_options(cli, wishes);
    add_other_options(cli, wishes);
    try {
        cli.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int code = cli.exit(error);
        return code == 0 ? 0 : 2;
    }
    if (!wishes.probe.empty())
        return report_probe(wishes.probe == "window"    ? probe_window()
                            : wishes.probe == "picture" ? probe_picture()
                                                        : probe_portal());
    // Words of the command line may be addresses of other machines: run_window() and save_picture()
    // admit those. Here, they are only checked.
    for (const std::string& file : wishes.files) {
        if (!is_url(file)) continue;
        if (const Result<void> sound = TypedAddresses().admit(file); !sound)
            return usage(sound.error().text.c_str());
        if (wishes.follow) return usage("--follow needs a recording on this machine.");
    }
    PictureOptions& picture = wishes.picture;
    picture.color = find_color_mode(wishes.color);
    if (!wishes.alignment.empty()) {
        const Result<Alignment> parsed = parse_alignment(wishes.alignment);
        if (!parsed) return usage(parsed.error().text.c_str());
        picture.alignment = *parsed;
    }
    const Result<SpecsBookPtr> specs = load_specs(wishes.specs_file);
    // If a broken file was not requested by the user, the window opens anyway and reports the file.
    if (!specs && (!wishes.specs_file.empty() || !picture.out.empty()))
        return report(specs.error());
    if (specs) picture.evidence = Evidence(*specs);
    if (!picture.out.empty()) return write_picture(wishes);
    if (wishes.follow && wishes.files.size() != 1) return usage("--follow needs one recording.");
    std::string problem = specs ? "" : specs.error().text;
    if (const Result<KernelClassesPtr> own = load_classes(""); !own && problem.empty())
        problem = own.error().text;
    AppOptions options = window_options(wishes, problem, argv[0]);
    return report(run_window(std::move(options), wishes.files, picture.alignment, wishes.follow));
}

}  // namespace

int main(int argc, char** argv) {
    // If the parent process ignored SIGCHLD, this process would ignore it too, and the system would
    // discard the exit status of child processes.
    std::signal(SIGCHLD, SIG_DFL);
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {  // above all std::bad_alloc
        std::fprintf(stderr, "lanescope-viewer: %s\n", error.what());
        return 1;
    }
}

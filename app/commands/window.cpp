// Starts the viewer: a window for traces, or `lanescope screenshot`, which needs no display.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/load.h"
#include "app/commands/number_checks.h"
#include "app/commands/output.h"
#include "app/commands/timeline_svg.h"
#include "core/base/printable.h"
#include "core/base/url.h"
#include "core/coloring/color_modes.h"
#include "core/session/alignment.h"
#include "core/session/reuse.h"
#include "core/source/archive.h"
#include "core/source/remote_address.h"
#include "core/view/slice_classes.h"

namespace lanescope {

namespace {

namespace fs = std::filesystem;

struct ScreenshotOptions {
    std::vector<std::string> traces;
    Companions companions;
    std::string alignment;
    OutputOptions output;
    std::string range;
    std::string size;
    std::string theme;
    std::string select;
    std::string lanes;
    std::string panel;
    std::string scale;
    std::string color;
    std::string specs;
    bool flows = false;
    bool critical_path = false;
};

std::string check_size(const std::string& text) {
    unsigned width = 0;
    unsigned height = 0;
    char after = 0;
    const bool read = std::sscanf(text.c_str(), "%5ux%5u%c", &width, &height, &after) == 2;
    if (read && width >= 320 && height >= 240 && width <= 16384 && height <= 16384) return "";
    return "write WIDTHxHEIGHT in pixels, as 1920x1080: from 320x240 to 16384x16384";
}

// A word that is not a file is probably a mistyped command.
int missing_file(const std::string& path) {
    const bool bare = path.find_first_of("./") == std::string::npos;
    fmt::print(stderr, "lanescope: {}: {}\n{}\n", printable(path),
               bare ? "no such command or file" : "no such file",
               bare ? "See lanescope --help." : "Check the path.");
    return bare ? kWrongUsage : kFailed;
}

int check_traces(const std::vector<std::string>& paths) {
    std::error_code error;
    for (const std::string& path : paths) {
        if (is_url(path)) {
            if (const auto address = parse_remote_address(path); !address)
                return report(address.error(), path);
        } else if (!fs::exists(path, error) && !path_in_archive(path)) {
            return missing_file(path);
        }
    }
    return 0;
}

int run_screenshot(const ScreenshotOptions& options) {
    if (const int status = check_traces(options.traces); status != 0) return status;
    if (fs::path(options.output.path).extension() == ".svg") {
        if (!options.panel.empty() || options.flows || options.critical_path)
            return report({ErrorCode::usage, Error::no_offset,
                           "An SVG shows the timeline alone: --panel, --flows and --critical-path "
                           "are for a PNG."},
                          "");
        SvgRequest svg;
        svg.traces = options.traces;
        svg.companions = options.companions;
        svg.alignment = options.alignment;
        svg.output = options.output;
        svg.picture.range = options.range;
        svg.picture.select = options.select;
        svg.picture.lanes = options.lanes;
        svg.picture.theme = options.theme == "light" ? Theme::light : Theme::dark;
        svg.picture.color = options.color;
        svg.specs = options.specs;
        if (!options.size.empty()) svg.picture.width = std::atof(options.size.c_str());
        if (!options.scale.empty()) svg.picture.scale = std::atof(options.scale.c_str());
        return write_timeline_svg(svg);
    }
    constexpr std::string_view kOtherEnds[] = {".jpg", ".jpeg", ".pdf", ".webp", ".gif", ".bmp"};
    const std::string end = fs::path(options.output.path).extension().string();
    if (std::ranges::find(kOtherEnds, end) != std::end(kOtherEnds))
        return report({ErrorCode::usage, Error::no_offset,
                       options.output.path + ": a picture is a .png or an .svg"},
                      "");
    const Result<void> allowed =
        check_output(options.output.path, output_rules(options.output, true));
    if (!allowed) return report_output(allowed.error());
    std::vector<std::string> arguments = {"--screenshot", options.output.path};
    const auto pass = [&](const char* name, const std::string& value) {
        if (!value.empty()) arguments.insert(arguments.end(), {name, value});
    };
    pass("--range", options.range);
    pass("--size", options.size);
    pass("--theme", options.theme);
    pass("--lanes", options.lanes);
    pass("--select", options.select);
    pass("--panel", options.panel);
    pass("--scale", options.scale);
    pass("--color", options.color);
    pass("--specs", options.specs);
    pass("--align", options.alignment);
    for (std::string& word : arguments_of(options.companions)) arguments.push_back(std::move(word));
    if (options.flows) arguments.emplace_back("--flows");
    if (options.critical_path) arguments.emplace_back("--critical-path");
    arguments.emplace_back("--");
    std::string failed;
    const Result<std::vector<std::string>> traces = given_traces(options.traces, failed);
    if (!traces) return report(traces.error(), failed);
    arguments.insert(arguments.end(), traces->begin(), traces->end());
    return run_viewer(arguments);
}

}  // namespace

int run_viewer(const std::vector<std::string>& arguments) {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    const std::string viewer = (self.parent_path() / "lanescope-viewer").string();
    std::vector<std::string> words = {viewer};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv(words.size() + 1, nullptr);
    for (std::size_t i = 0; i < words.size(); ++i) argv[i] = words[i].data();
    execv(viewer.c_str(), argv.data());
    if (errno == ENOENT)
        fmt::print(stderr,
                   "lanescope: the window is not built: there is no {}\n"
                   "Build it with scripts/build (CMake option LANESCOPE_WINDOW=ON).\n",
                   viewer);
    else
        fmt::print(stderr, "lanescope: cannot start {}: {}\n", viewer, std::strerror(errno));
    return kFailed;
}

std::string check_alignment(const std::string& text) {
    const Result<Alignment> alignment = parse_alignment(text);
    return alignment ? "" : alignment.error().text;
}

int open_window(const std::vector<std::string>& traces, const WindowWishes& wishes) {
    if (const int status = check_traces(traces); status != 0) return status;
    std::vector<std::string> arguments;
    if (!wishes.alignment.empty()) arguments = {"--align", wishes.alignment};
    if (!wishes.specs.empty()) arguments.insert(arguments.end(), {"--specs", wishes.specs});
    for (std::string& word : arguments_of(wishes.companions)) arguments.push_back(std::move(word));
    arguments.emplace_back("--");
    // For a single folder or archive, the window shows a list to choose from.
    std::string failed;
    const Result<std::vector<std::string>> paths =
        traces.size() > 1 ? given_traces(traces, failed) : traces;
    if (!paths) return report(paths.error(), failed);
    arguments.insert(arguments.end(), paths->begin(), paths->end());
    return run_viewer(arguments);
}

int reuse_window(const std::vector<std::string>& traces) {
    if (const int status = check_traces(traces); status != 0) return status;
    std::vector<std::string> paths;
    paths.reserve(traces.size());
    for (const std::string& trace : traces) {
        std::error_code error;
        const fs::path path = fs::absolute(trace, error).lexically_normal();
        // A window takes only files; addresses of other machines must be typed, and are for this
        // process alone.
        if (error || is_url(trace) || !fs::is_regular_file(path, error))
            return open_window(traces, {});
        paths.push_back(path.string());
    }
    return give_to_window(paths, reuse_rules_here()) ? 0 : open_window(traces, {});
}

int open_recording(const std::string& path, const std::string& specs) {
    if (is_url(path)) {
        fmt::print(stderr, "lanescope: {}: --follow needs a recording on this machine\n", path);
        return kWrongUsage;
    }
    std::vector<std::string> arguments;
    if (!specs.empty()) arguments = {"--specs", specs};
    arguments.insert(arguments.end(), {"--follow", "--", path});
    return run_viewer(arguments);
}

void add_screenshot_command(CLI::App& app, int& status) {
    auto options = std::make_shared<ScreenshotOptions>();
    CLI::App* command = app.add_subcommand(
        "screenshot", "A picture of the window or the timeline; needs no display");
    command
        ->add_option("TRACE", options->traces, "The file; several files are shown below each other")
        ->required();
    add_companions(*command, options->companions);
    command->add_option("--align", options->alignment, kAlignHelp)
        ->type_name("HOW")
        ->check(check_alignment);
    add_output_path(
        *command, options->output,
        "The picture: a PNG of the window, or an SVG of the timeline (vectors, for papers)")
        ->required();
    command
        ->add_option("--range", options->range,
                     "Only this time range: A..B, such as 1.2ms..3ms, or step:N")
        ->type_name("RANGE");
    command
        ->add_option("--size", options->size,
                     "WIDTHxHEIGHT in pixels; an SVG is as high as its lanes")
        ->type_name("SIZE")
        ->check(check_size);
    command->add_option("--theme", options->theme, "dark or light")
        ->type_name("THEME")
        ->check(CLI::IsMember({"dark", "light"}));
    command
        ->add_option("--panel", options->panel,
                     "Bring this panel to the front: Steps, Statistics, …")
        ->type_name("NAME");
    command
        ->add_option("--lanes", options->lanes,
                     "Only lanes whose name or group name matches this regular expression")
        ->type_name("RE");
    command
        ->add_option("--select", options->select,
                     "Select the first slice with this name, or whose name contains it")
        ->type_name("NAME");
    command->add_option("--scale", options->scale, "Of the interface, 1 to 3")
        ->type_name("SCALE")
        ->check(check_number(1, 3));
    std::vector<std::string> modes;
    for (const ColorModeName& mode : color_modes()) modes.emplace_back(mode.word);
    command
        ->add_option(
            "--color", options->color,
            "Colour mode of slices: category, name, …; by default the one that fits the trace")
        ->type_name("MODE")
        ->check(CLI::IsMember(modes));
    command->add_option("--specs", options->specs, kSpecsHelp)->type_name("FILE");
    command->add_flag("--critical-path", options->critical_path,
                      "Draw the critical path of each step");
    command->add_flag("--flows", options->flows, "Draw the flows of all slices in view");
    command->footer(
        "Example:\n"
        "  lanescope screenshot trace.json.gz -o step.png --range step:4 --size 1920x1080 --theme "
        "light\n"
        "  lanescope screenshot trace.json.gz -o step.svg --range step:4 --theme light\n"
        "  lanescope screenshot rank0.json rank1.json -o ranks.png --align step:4");
    command->callback([options, &status] { status = run_screenshot(*options); });
}

}  // namespace lanescope

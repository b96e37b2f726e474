// lanescope doctor: what this machine can do, and how to improve it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/number_checks.h"
#include "app/commands/output.h"
#include "core/capture/kineto/dynolog_client.h"
#include "core/capture/machine/machine_checks.h"
#include "core/capture/process/contained.h"
#include "core/export/tables/text_grid.h"
#include "core/session/settings.h"
#include "core/table/cells.h"
#include "core/table/table.h"

namespace lanescope {

namespace {

struct DoctorOptions {
    std::string socket_folder;
    uint16_t dynolog_port = kDynologPort;
    OutputOptions output;
};

constexpr auto kColumns = columns<MachineCheck>({
    {{"area", Unit::none, kDistinct, "", "window, files, gpu, cpu, record or pytorch."},
     [](const MachineCheck& row) { return std::string_view(row.area); }},
    {{"check", Unit::none, kDistinct, "", "What was checked."},
     [](const MachineCheck& row) { return std::string_view(row.name); }},
    {{"state", Unit::none, kDistinct, "",
      "works, missing (not every machine has it), or fails (Lanescope needs it)."},
     [](const MachineCheck& row) { return std::string_view(name_of(row.state)); }},
    {{"found", Unit::none, kDistinct, "", "What is there, or why it does not work."},
     [](const MachineCheck& row) { return std::string_view(row.found); }},
    {{"advice", Unit::none, kDistinct, "it works", "What to do about it."},
     [](const MachineCheck& row) { return known_text(row.advice); }},
    {{"command", Unit::none, kDistinct, "there is none, or it works",
      "A shell command that fixes it."},
     [](const MachineCheck& row) { return known_text(row.command); }},
});
constexpr TableOf<MachineCheck> kDoctorTable = {{"doctor", "What this machine can do."}, kColumns};

std::string from_environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::string viewer_path() {
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    return (self.parent_path() / "lanescope-viewer").string();
}

// The viewer runs the test in a process of its own: a driver may crash or hang.
Probed probe(const char* what) {
    constexpr std::chrono::seconds at_most(10);
    const std::string viewer = viewer_path();
    Contained run = run_program({viewer, "--probe", what}, at_most);
    while (run.output.ends_with('\n')) run.output.pop_back();
    switch (run.end) {
        case Contained::End::exited:
            if (!run.output.empty()) return {run.status == 0, run.output};
            return {false,
                    fmt::format("{} exited with {} and reported nothing", viewer, run.status)};
        case Contained::End::crashed:
            return {false, fmt::format("trying it crashed (signal {})", run.status)};
        case Contained::End::took_too_long:
            return {false, fmt::format("it did not answer within {} s", at_most.count())};
        case Contained::End::not_started:
            break;
    }
    return {false, "it could not be tried"};
}

ScreenFacts screen_facts() {
    ScreenFacts facts;
    facts.x11 = from_environment("DISPLAY");
    facts.wayland = from_environment("WAYLAND_DISPLAY");
    std::error_code error;
    if (!std::filesystem::exists(viewer_path(), error)) {
        facts.no_viewer = fmt::format("it is not built: there is no {}", viewer_path());
        return facts;
    }
    facts.picture = probe("picture");
    if (facts.x11.empty() && facts.wayland.empty()) return facts;
    facts.window = probe("window");
    facts.portal = probe("portal");
    facts.xclip = is_installed("xclip");
    facts.wl_copy = is_installed("wl-copy");
    return facts;
}

StorageFacts file_facts() {
    StorageFacts facts;
    facts.settings = folder_facts(config_folder());
    facts.data = folder_facts(data_folder());
    if (!facts.settings.path.empty())
        facts.settings_problem = settings_problem(facts.settings.path + "/settings.json");
    add_limits(facts);
    return facts;
}

Table table_of(const std::vector<MachineCheck>& checks) {
    TableBuilder table(kDoctorTable);
    for (const MachineCheck& check : checks) table.add(check);
    return table.take();
}

const char* heading_of(std::string_view area) {
    if (area == "window") return "Window and pictures";
    if (area == "files") return "Files and limits";
    if (area == "gpu") return "GPU";
    if (area == "cpu") return "CPU";
    if (area == "record") return "Recording programs";
    return "Running PyTorch";
}

const char* sign_of(CheckState state) {
    switch (state) {
        case CheckState::works:
            return "✓";
        case CheckState::missing:
            return "–";
        case CheckState::fails:
            return "✗";
    }
    return "";
}

std::size_t count_of(const std::vector<MachineCheck>& checks, CheckState state) {
    return static_cast<std::size_t>(std::ranges::count(checks, state, &MachineCheck::state));
}

// The commands that fix what does not work; empty if there are none.
std::string commands_text(const std::vector<MachineCheck>& checks) {
    std::string text;
    for (const MachineCheck& check : checks)
        if (!check.command.empty()) text += fmt::format("  {}  # {}\n", check.command, check.name);
    return text.empty() ? text : "\nTo fix this:\n" + text;
}

std::string text_of(const std::vector<MachineCheck>& checks, const TextStyle& style) {
    std::string text;
    for (auto from = checks.begin(); from != checks.end();) {
        const auto to = std::find_if(from, checks.end(), [&](const MachineCheck& check) {
            return check.area != from->area;
        });
        std::vector<std::vector<std::string>> lines;
        for (auto check = from; check != to; ++check) {
            std::string line = check->found;
            if (check->state != CheckState::works)
                line = fmt::format("{}: {}. {}", name_of(check->state), line, check->advice);
            lines.push_back(
                {fmt::format("{} {:<15}", sign_of(check->state), check->name), printable(line)});
        }
        text += bold(heading_of(from->area), style) + "\n" + labelled_lines(lines, style) + "\n";
        from = to;
    }
    const std::size_t failing = count_of(checks, CheckState::fails);
    return text +
           fmt::format("{} work, {} missing, {} fail. {}\n", count_of(checks, CheckState::works),
                       count_of(checks, CheckState::missing), failing,
                       failing == 0 ? "Everything that Lanescope needs works here."
                                    : "Lanescope needs the checks that failed.") +
           commands_text(checks);
}

int run_doctor(const DoctorOptions& options) {
    MachineFacts facts;
    facts.screen = screen_facts();
    facts.files = file_facts();
    facts.nvidia = nvidia_facts();
    facts.sampling = sampling_facts();
    facts.recording = recording_facts(find_injected_library().value_or(""));
    facts.kineto = kineto_facts(options.socket_folder, options.dynolog_port);
    const std::vector<MachineCheck> checks = check_machine(facts);
    const bool for_people = options.output.format == TableFormat::text;
    const int status =
        write_output(for_people ? text_of(checks, text_style(options.output))
                                : write_table(table_of(checks), options.output.format),
                     options.output);
    if (status != 0) return status;
    return count_of(checks, CheckState::fails) == 0 ? 0 : kFailed;
}

}  // namespace

void add_doctor_command(CLI::App& app, int& status) {
    auto options = std::make_shared<DoctorOptions>();
    options->socket_folder = from_environment("KINETO_IPC_SOCKET_DIR");
    CLI::App* command =
        app.add_subcommand("doctor", "What this machine can do, and how to fix the rest");
    command
        ->add_option("--socket-dir", options->socket_folder,
                     "Where processes look for a daemon; their KINETO_IPC_SOCKET_DIR")
        ->type_name("DIR");
    command->add_option("--dynolog-port", options->dynolog_port, "Port of a dynolog daemon")
        ->check(check_whole_number(1, std::numeric_limits<uint16_t>::max()))
        ->capture_default_str();
    add_output_options(*command, options->output);
    command->footer(
        "Exit status: 0 if everything works that Lanescope needs on every machine; 1 if a check "
        "fails.\nA missing part (such as a GPU or a display) does not count as a failure.\n\n"
        "Example:\n"
        "  lanescope doctor --format json | jq '.[] | select(.state != \"works\")'");
    command->callback([options, &status] { status = run_doctor(*options); });
}

}  // namespace lanescope

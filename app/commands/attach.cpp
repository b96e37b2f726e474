// lanescope attach: makes running PyTorch processes record a trace.
#include "core/capture/kineto/attach.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/attach_table.h"
#include "app/commands/commands.h"
#include "app/commands/number_checks.h"
#include "app/commands/output.h"
#include "app/commands/time_option.h"
#include "core/capture/kineto/dynolog_client.h"
#include "core/capture/kineto/kineto_daemon.h"
#include "core/capture/machine/machine_checks.h"
#include "core/capture/machine/machine_facts.h"
#include "core/capture/process/process_facts.h"
#include "core/export/tables/text_file.h"
#include "core/source/sniff.h"

namespace lanescope {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kStepMs = 50;
struct AttachOptions {
    std::vector<int32_t> pids;
    bool list = false;
    bool open = false;
    Nanos wait = 6'000'000'000;
    Nanos duration = 500'000'000;
    Nanos warm_up = 1'000'000'000;
    CaptureOptions capture;
    std::string socket_folder;
    uint16_t dynolog_port = kDynologPort;
    OutputOptions output;
};

volatile std::sig_atomic_t interrupted = 0;

// An error for messages that already say what to do.
int complain(const std::string& text) {
    fmt::print(stderr, "lanescope: {}\n", text);
    return kFailed;
}

bool knows_all(const KinetoTargets& targets, const std::vector<int32_t>& pids) {
    return !pids.empty() &&
           std::ranges::all_of(pids, [&](int32_t pid) { return targets.find(pid) != nullptr; });
}

// Returns when all named processes have asked for a daemon, or time is up.
void listen(KinetoDaemon& daemon, const AttachOptions& options) {
    const auto end = Clock::now() + std::chrono::nanoseconds(options.wait);
    while (!interrupted && Clock::now() < end && !knows_all(daemon.targets(), options.pids))
        daemon.step(kStepMs);
}

std::string no_process(int32_t pid) {
    return fmt::format("There is no process {}.", pid);
}

// Explains why a process did not ask for a daemon; 0: why none did.
std::string explain_silence(const AttachOptions& options, const KinetoDaemon& daemon, int32_t pid) {
    if (pid != 0 && !is_alive(pid)) return no_process(pid);
    const std::string who = pid == 0 ? "None of your PyTorch processes asked"
                                     : fmt::format("Process {} did not ask", pid);
    const std::string refused =
        daemon.refused() == 0
            ? ""
            : fmt::format(" {} messages of other users, or invalid ones, were not answered.",
                          daemon.refused());
    return fmt::format("{} for a profiling daemon within {:g} s.{} {}", who,
                       static_cast<double>(options.wait) * 1e-9, refused, kHowToStart);
}

// Prints state changes on a terminal.
void print_states(const KinetoTargets& targets, std::vector<CaptureState>& last) {
    if (!isatty(STDERR_FILENO)) return;
    const auto now = targets.targets();
    last.resize(now.size(), CaptureState::idle);
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (last[i] != now[i].state)
            fmt::print(stderr, "{}: {}\n", now[i].pid, name_of(now[i].state));
        last[i] = now[i].state;
    }
}

// Prints the table, opens the window, and reports the results.
int finish(const std::vector<CaptureOutcome>& outcomes, const AttachOptions& options) {
    OutputOptions table = options.output;
    table.path = is_stdout(options.output.path) ? "/dev/stderr" : "";  // -o names the trace
    const int status =
        write_output(write_table(captures_table(outcomes), table.format, text_style(table)), table);
    if (status != 0) return status;
    std::vector<std::string> files;
    for (const CaptureOutcome& outcome : outcomes) {
        if (!outcome.file.empty()) files.push_back(outcome.file);
    }
    if (options.open && !files.empty())
        return open_window(files, {files.size() > 1 ? "clock" : ""});
    const auto unused = std::ranges::count(outcomes, kUnused, &CaptureOutcome::state);
    const bool all_captured = files.size() + static_cast<std::size_t>(unused) == outcomes.size();
    return all_captured && !files.empty() ? 0 : kFailed;
}

// Moves a trace that a process wrote, by the rules of all outputs; compressed if its name asks for
// it.
Result<void> move_trace(const std::string& from, const std::string& to,
                        const OutputOptions& options) {
    std::unique_ptr<TextFile> file;
    const auto write = [&](std::string_view text) -> Result<void> {
        if (!file) {
            const bool packed = sniff_compression(text) != Compression::none;
            auto opened = packed ? TextFile::create_as_is(to, output_rules(options))
                                 : TextFile::create(to, output_rules(options));
            if (!opened) return opened.error();
            file = std::move(*opened);
        }
        return file->write(text);
    };
    Result<void> taken = take_trace(from, write, [&]() -> Result<void> {
        if (const Result<void> opened = write(""); !opened) return opened.error();
        return file->finish();
    });
    if (taken) report_remark(file->remark());
    return taken;
}

CaptureOutcome take_capture_to(const KinetoTarget& target, const AttachOptions& options,
                               bool several) {
    return take_capture(target, trace_name(options.output.path, target.pid, several),
                        [&](const std::string& from, const std::string& to) {
                            return move_trace(from, to, options.output);
                        });
}

// Before anything is captured: whether the traces of these processes can be written.
Result<void> check_traces_of(const std::vector<int32_t>& pids, const AttachOptions& options) {
    for (const int32_t pid : pids) {
        OutputOptions output = options.output;
        output.path = trace_name(options.output.path, pid, pids.size() > 1);
        const Result<void> allowed = check_output(output.path, output_rules(output));
        if (!allowed) return allowed.error();
    }
    return {};
}

int capture(KinetoDaemon& daemon, const AttachOptions& options) {
    KinetoTargets& targets = daemon.targets();
    std::vector<int32_t> pids = options.pids;
    if (pids.empty()) {
        for (const KinetoTarget& target : targets.targets()) pids.push_back(target.pid);
    }
    if (const Result<void> allowed = check_traces_of(pids, options); !allowed)
        return report_output(allowed.error());
    const Result<void> begun =
        begin_captures(targets, pids, options.capture, std::chrono::system_clock::now());
    if (!begun) return complain(begun.error().text + ".");
    std::vector<CaptureState> printed;
    while (!interrupted && any_under_way(targets, pids)) {
        daemon.step(kStepMs);
        print_states(targets, printed);
    }
    std::vector<CaptureOutcome> outcomes;
    outcomes.reserve(pids.size());
    for (const int32_t pid : pids)
        outcomes.push_back(take_capture_to(*targets.find(pid), options, pids.size() > 1));
    return finish(outcomes, options);
}

int capture_by_dynolog(const AttachOptions& options, const Error& why) {
    if (options.list)
        return complain(
            why.text +
            ", and does not list the processes that it knows. Name the PIDs to capture.");
    auto targets = begin_by_dynolog(options.dynolog_port, options.pids, options.capture,
                                    std::chrono::system_clock::now());
    if (!targets) {
        const MachineCheck socket =
            check_daemon_socket(kineto_facts(options.socket_folder, options.dynolog_port));
        if (socket.state == CheckState::works)
            return complain(fmt::format("{}. {}. {}", why.text, targets.error().text, kHowToStart));
        return complain(fmt::format("The daemon's socket {}. {}", socket.found, socket.advice));
    }
    const auto under_way = [&] {
        return std::ranges::any_of(*targets, [](const auto& one) { return one.under_way(); });
    };
    while (!interrupted && under_way()) {
        for (KinetoTarget& target : *targets)
            follow_by_file(target, std::chrono::system_clock::now());
        if (under_way()) usleep(kStepMs * 1000);
    }
    std::vector<CaptureOutcome> outcomes;
    for (const KinetoTarget& target : *targets)
        outcomes.push_back(take_capture_to(target, options, targets->size() > 1));
    return finish(outcomes, options);
}

int run_attach(AttachOptions options) {
    options.capture.duration =
        std::chrono::duration_cast<milliseconds>(std::chrono::nanoseconds(options.duration));
    options.capture.warm_up =
        std::chrono::ceil<std::chrono::seconds>(std::chrono::nanoseconds(options.warm_up));
    if (const auto allowed = check_traces_of(options.pids, options); !allowed && !options.list)
        return report_output(allowed.error());
    std::signal(SIGINT, [](int) { interrupted = 1; });
    std::signal(SIGTERM, [](int) { interrupted = 1; });
    for (const int32_t pid : options.pids) {
        if (!is_alive(pid)) return complain(no_process(pid));
    }
    if (!options.list) {
        const Result<void> writable = check_trace_folder(options.output.path);
        if (!writable) return complain(writable.error().text + ".");
    }
    Result<KinetoDaemon> daemon = KinetoDaemon::start(options.socket_folder);
    if (!daemon) {
        if (daemon.error().code == ErrorCode::unsupported)
            return capture_by_dynolog(options, daemon.error());
        return complain(daemon.error().text + ".");
    }
    listen(*daemon, options);
    const KinetoTargets& targets = daemon->targets();
    for (const int32_t pid : options.pids) {
        if (!targets.find(pid)) return complain(explain_silence(options, *daemon, pid));
    }
    if (options.list)
        return write_output(write_table(processes_table(targets.targets()), options.output.format,
                                        text_style(options.output)),
                            options.output);
    if (targets.targets().empty()) return complain(explain_silence(options, *daemon, 0));
    return capture(*daemon, options);
}

}  // namespace

void add_attach_command(CLI::App& app, int& status) {
    auto options = std::make_shared<AttachOptions>();
    if (const char* folder = std::getenv("KINETO_IPC_SOCKET_DIR")) options->socket_folder = folder;
    CLI::App* command = app.add_subcommand("attach", "Capture from running PyTorch processes");
    command->add_option("PID", options->pids, "The processes (default: all that ask for a daemon)")
        ->check(check_whole_number(1, std::numeric_limits<int32_t>::max()));
    command->add_flag("--list", options->list, "Only list the processes that can be captured");
    add_time_option(*command, "--duration", options->duration, "Duration of the recording (500ms)");
    command
        ->add_option("--iterations", options->capture.iterations,
                     "Capture this number of optimizer steps instead")
        ->type_name("N")
        ->check(check_whole_number(1, std::numeric_limits<int32_t>::max()))
        ->excludes(command->get_option("--duration"));
    add_time_option(*command, "--warm-up", options->warm_up,
                    "How long the profiler warms up before it collects, in whole seconds (1s)");
    command->add_flag("--shapes", options->capture.shapes, "Record the shapes of inputs");
    command->add_flag("--stack", options->capture.stack, "Record Python's stacks");
    command->add_flag("--memory", options->capture.memory, "Record allocations");
    command->add_flag("--flops", options->capture.flops, "Record FLOPs");
    command->add_flag("--modules", options->capture.modules, "Record modules");
    add_time_option(*command, "--wait", options->wait,
                    "How long to wait for processes, which ask every 5s (6s)");
    command->add_flag("--open", options->open, "Open the traces in the window");
    command
        ->add_option("--socket-dir", options->socket_folder,
                     "The socket's folder: KINETO_IPC_SOCKET_DIR of the processes")
        ->type_name("DIR");
    command
        ->add_option("--dynolog-port", options->dynolog_port,
                     "Port of a dynolog on this machine, which then starts the capture")
        ->check(check_whole_number(1, std::numeric_limits<uint16_t>::max()))
        ->capture_default_str();
    add_output_options(*command, options->output);
    command->get_option("--output")
        ->description("The trace, compressed if it ends in .gz or .zst; with --list, the table");
    command->parse_complete_callback({});  // each process has a file of its own
    command->footer(
        "The trace is written to -o, or to trace_PID.json; for several processes, each with its "
        "pid.\n"
        "Processes must have been started with KINETO_USE_DAEMON=1.\n\n"
        "Examples:\n"
        "  lanescope attach --list\n"
        "  lanescope attach 4242 --duration 2s --shapes -o step.json --open\n"
        "  lanescope attach --iterations 3 --stack          all ranks, starting together");
    command->callback([options, &status] { status = run_attach(*options); });
}

}  // namespace lanescope

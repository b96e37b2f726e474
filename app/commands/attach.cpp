// lanescope attach: has running PyTorch processes record a trace.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "app/commands/attach_table.h"
#include "app/commands/commands.h"
#include "app/commands/output.h"
#include "core/analysis/time_range.h"
#include "core/capture/dynolog_client.h"
#include "core/capture/kineto_daemon.h"
#include "core/capture/process_facts.h"

namespace lanescope {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A process asks every five seconds, then its profiler takes two to start.
constexpr milliseconds kUntilAllHaveAsked(7000);
constexpr int kStepMs = 50;
constexpr const char* kHowToStart =
    "Start it with KINETO_USE_DAEMON=1 in its environment (PyTorch 2 on Linux); in a container, "
    "with "
    "the host's network, or with KINETO_IPC_SOCKET_DIR on both sides.";

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

// These say themselves what to do.
int complain(const std::string& text) {
    fmt::print(stderr, "lanescope: {}\n", text);
    return kFailed;
}

bool knows_all(const KinetoTargets& targets, const std::vector<int32_t>& pids) {
    return !pids.empty() &&
           std::ranges::all_of(pids, [&](int32_t pid) { return targets.find(pid) != nullptr; });
}

// Until all that were named have asked for a daemon, or time is up.
void listen(KinetoDaemon& daemon, const AttachOptions& options) {
    const auto end = Clock::now() + std::chrono::nanoseconds(options.wait);
    while (!interrupted && Clock::now() < end && !knows_all(daemon.targets(), options.pids))
        daemon.step(kStepMs);
}

// One that was not heard of, or none at all (0), and why that may be.
std::string not_heard(const AttachOptions& options, const KinetoDaemon& daemon, int32_t pid) {
    if (pid != 0 && !is_alive(pid)) return fmt::format("There is no process {}.", pid);
    const std::string who =
        pid == 0 ? "No PyTorch process of yours asked" : fmt::format("Process {} did not ask", pid);
    const std::string refused =
        daemon.refused() == 0
            ? ""
            : fmt::format(" {} messages of other users, or not understood, were not answered.",
                          daemon.refused());
    return fmt::format("{} for a profiling daemon within {:g} s.{} {}", who,
                       static_cast<double>(options.wait) * 1e-9, refused, kHowToStart);
}

uint64_t new_trace_id() {
    std::random_device random;
    return (uint64_t{random()} << 31) ^ random();
}

CapturePlan plan_for(const AttachOptions& options, uint64_t id, const std::string& folder) {
    CapturePlan plan;
    plan.options = options.capture;
    plan.file = fmt::format("{}/lanescope_{:x}.json", folder.empty() ? "/tmp" : folder, id);
    plan.trace_id = id;
    return plan;
}

// The trace's name: as asked for, with the pid in it where there are several.
std::string name_for(const AttachOptions& options, int32_t pid, bool several) {
    if (options.output.path.empty()) return fmt::format("trace_{}.json", pid);
    if (!several) return options.output.path;
    const std::string named = kineto_file_name(options.output.path, pid);
    return named != options.output.path ? named : fmt::format("{}_{}", named, pid);
}

CaptureOutcome outcome_of(const KinetoTarget& target, const std::string& name) {
    CaptureOutcome outcome{target.pid, name_of(target.state), "", target.problem};
    if (target.state != CaptureState::complete) return outcome;
    const Result<void> taken = take_trace(target.file, name);
    if (taken) {
        outcome.file = name;
    } else {
        outcome.state = name_of(CaptureState::failed);
        outcome.problem = taken.error().text;
    }
    return outcome;
}

// Says on a terminal what has changed.
void tell_states(const KinetoTargets& targets, std::vector<CaptureState>& last) {
    if (!isatty(STDERR_FILENO)) return;
    const auto now = targets.targets();
    last.resize(now.size(), CaptureState::idle);
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (last[i] != now[i].state)
            fmt::print(stderr, "{}: {}\n", now[i].pid, name_of(now[i].state));
        last[i] = now[i].state;
    }
}

// The table, then the window, then what became of it all.
int finish(const std::vector<CaptureOutcome>& outcomes, const AttachOptions& options) {
    OutputOptions table = options.output;
    table.path.clear();  // -o names the trace
    const int status =
        write_output(write_table(captures_table(outcomes), table.format, text_style(table)), table);
    if (status != 0) return status;
    std::vector<std::string> files;
    for (const CaptureOutcome& outcome : outcomes) {
        if (!outcome.file.empty()) files.push_back(outcome.file);
    }
    if (options.open && !files.empty())
        return open_window(files, files.size() > 1 ? "clock" : "", "");
    return files.size() == outcomes.size() ? 0 : kFailed;
}

int capture(KinetoDaemon& daemon, const AttachOptions& options) {
    KinetoTargets& targets = daemon.targets();
    std::vector<int32_t> pids = options.pids;
    if (pids.empty()) {
        for (const KinetoTarget& target : targets.targets()) pids.push_back(target.pid);
    }
    const uint64_t id = new_trace_id();
    for (const int32_t pid : pids) {
        CapturePlan plan =
            plan_for(options, id, facts_of_process(pid).value_or(ProcessFacts{}).trace_folder);
        // Several ranks begin together, when the last of them must have asked.
        if (pids.size() > 1)
            plan.start =
                std::chrono::system_clock::now() + plan.options.warm_up + kUntilAllHaveAsked;
        const Result<void> asked = targets.request(pid, plan);
        if (!asked) return complain(asked.error().text + ".");
    }
    std::vector<CaptureState> told;
    const auto under_way = [&] {
        return std::ranges::any_of(pids,
                                   [&](int32_t pid) { return targets.find(pid)->under_way(); });
    };
    while (!interrupted && under_way()) {
        daemon.step(kStepMs);
        tell_states(targets, told);
    }
    std::vector<CaptureOutcome> outcomes;
    outcomes.reserve(pids.size());
    for (const int32_t pid : pids)
        outcomes.push_back(outcome_of(*targets.find(pid), name_for(options, pid, pids.size() > 1)));
    return finish(outcomes, options);
}

int capture_by_dynolog(const AttachOptions& options, const Error& why) {
    if (options.list)
        return complain(why.text +
                        ", and tells nobody which processes it knows. Name the PIDs to "
                        "capture.");
    const CapturePlan plan = plan_for(options, new_trace_id(), "");
    const Result<std::string> config = kineto_config(plan);
    if (!config) return complain(config.error().text + ".");
    const auto reply = request_by_dynolog(options.dynolog_port, *config, options.pids);
    if (!reply) return complain(fmt::format("{}. {}", why.text, reply.error().text));
    if (reply->triggered.empty())
        return complain(
            fmt::format("dynolog knows {} of these processes, {} are busy, and had none "
                        "record. {}",
                        reply->matched.size(), reply->busy, kHowToStart));
    const auto end = Clock::now() + kUntilAllHaveAsked + plan.options.warm_up +
                     plan.options.duration + std::chrono::minutes(1);
    std::vector<CaptureOutcome> outcomes;
    for (const int32_t pid : reply->triggered) {
        KinetoTarget target;
        target.pid = pid;
        target.file = file_of_process(pid, kineto_file_name(plan.file, pid));
        while (!interrupted && Clock::now() < end && is_alive(pid) &&
               access(target.file.c_str(), R_OK) != 0)
            usleep(kStepMs * 1000);
        const bool is_there = access(target.file.c_str(), R_OK) == 0;
        target.state = is_there ? CaptureState::complete : CaptureState::failed;
        if (!is_there) target.problem = "No trace appeared at " + target.file;
        outcomes.push_back(outcome_of(target, name_for(options, pid, reply->triggered.size() > 1)));
    }
    return finish(outcomes, options);
}

int run_attach(AttachOptions options) {
    options.capture.duration =
        std::chrono::duration_cast<milliseconds>(std::chrono::nanoseconds(options.duration));
    options.capture.warm_up =
        std::chrono::ceil<std::chrono::seconds>(std::chrono::nanoseconds(options.warm_up));
    std::signal(SIGINT, [](int) { interrupted = 1; });
    std::signal(SIGTERM, [](int) { interrupted = 1; });
    Result<KinetoDaemon> daemon = KinetoDaemon::start(options.socket_folder);
    if (!daemon) {
        if (daemon.error().code == ErrorCode::unsupported)
            return capture_by_dynolog(options, daemon.error());
        return complain(daemon.error().text + ".");
    }
    listen(*daemon, options);
    const KinetoTargets& targets = daemon->targets();
    for (const int32_t pid : options.pids) {
        if (!targets.find(pid)) return complain(not_heard(options, *daemon, pid));
    }
    if (options.list)
        return write_output(write_table(processes_table(targets.targets()), options.output.format,
                                        text_style(options.output)),
                            options.output);
    if (targets.targets().empty()) return complain(not_heard(options, *daemon, 0));
    return capture(*daemon, options);
}

void add_duration_option(CLI::App& command, const char* name, Nanos& value, const char* about) {
    command
        .add_option_function<std::string>(
            name, [&value](const std::string& text) { value = parse_duration(text).value_or(0); },
            about)
        ->type_name("TIME")
        ->check([](const std::string& text) {
            const auto parsed = parse_duration(text);
            return parsed && *parsed > 0 ? std::string()
                                         : text + " is no length of time, as 500ms or 2s";
        });
}

}  // namespace

void add_attach_command(CLI::App& app, int& status) {
    auto options = std::make_shared<AttachOptions>();
    if (const char* folder = std::getenv("KINETO_IPC_SOCKET_DIR")) options->socket_folder = folder;
    CLI::App* command = app.add_subcommand("attach", "Capture from running PyTorch processes");
    command->add_option("PID", options->pids, "The processes; without, all that ask")
        ->check(CLI::PositiveNumber);
    command->add_flag("--list", options->list, "Only tell which processes can be captured");
    add_duration_option(*command, "--duration", options->duration, "How long (500ms)");
    command
        ->add_option("--iterations", options->capture.iterations,
                     "So many steps of the optimizer instead")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    add_duration_option(*command, "--warm-up", options->warm_up,
                        "How long the profiler runs before it collects, in whole seconds (1s)");
    command->add_flag("--shapes", options->capture.shapes, "Record the shapes of inputs");
    command->add_flag("--stack", options->capture.stack, "Record Python's stacks");
    command->add_flag("--memory", options->capture.memory, "Record allocations");
    command->add_flag("--flops", options->capture.flops, "Record FLOPs");
    command->add_flag("--modules", options->capture.modules, "Record modules");
    add_duration_option(*command, "--wait", options->wait,
                        "How long to wait for processes to ask (6s; they do every 5s)");
    command->add_flag("--open", options->open, "Open the traces in the window");
    command
        ->add_option("--socket-dir", options->socket_folder,
                     "Where the socket is; KINETO_IPC_SOCKET_DIR of the processes")
        ->type_name("DIR");
    command
        ->add_option("--dynolog-port", options->dynolog_port,
                     "Where a dynolog that runs here is asked instead")
        ->capture_default_str();
    add_output_options(*command, options->output);
    command->get_option("--output")->description("The trace's name; with --list, the table's");
    command->footer(
        "The trace is written to -o, or to trace_PID.json; of several processes, each with its "
        "pid.\n"
        "Processes must have been started with KINETO_USE_DAEMON=1.\n\n"
        "Examples:\n"
        "  lanescope attach --list\n"
        "  lanescope attach 4242 --duration 2s --shapes -o step.json --open\n"
        "  lanescope attach --iterations 3 --stack          all ranks, beginning together");
    command->callback([options, &status] { status = run_attach(*options); });
}

}  // namespace lanescope

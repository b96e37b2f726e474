// lanescope record: runs a program that records its activity into a spool file.
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/record_attached.h"
#include "app/commands/record_child.h"
#include "app/commands/record_control.h"
#include "app/commands/record_output.h"
#include "app/commands/record_python.h"
#include "app/commands/record_run.h"
#include "app/commands/record_sampling.h"
#include "app/commands/time_option.h"
#include "core/capture/python/python_sampler.h"
#include "core/capture/sampling/cpu_sampler.h"
#include "core/capture/spool/spool_name.h"
#include "core/capture/spool/spool_recording.h"
#include "core/export/words/terminal_text.h"

namespace lanescope {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRecordFooter =
    "All processes that the program starts are recorded into one file, which opens like any "
    "trace,\n"
    "also while it grows. The exit status is the program's.\n\n"
    "In -o, %p is the program's pid, %h the host, %n the smallest free number, %t the start "
    "as\n"
    "YYYYMMDD-HHMMSS, %q{NAME} an environment variable and %% a percent sign. If another "
    "recorder is\n"
    "writing the file, or it cannot be written, the program runs unrecorded.\n\n"
    "Examples:\n"
    "  lanescope record -- python train.py\n"
    "  lanescope record -o run.spool --ring 30s -- ./server --port 80\n"
    "  lanescope record --sample -o run.spool -- ./simulate\n"
    "  lanescope record --pid 4242 --off-cpu --duration 10s -o run.spool\n"
    "  lanescope record --capture-range step -- python train.py\n"
    "  srun lanescope record -o run.%q{SLURM_PROCID}.spool -- python train.py\n"
    "  lanescope record --duration 10s --open -- torchrun --nproc-per-node 8 train.py";

// As --capture-range: from cudaProfilerStart() to cudaProfilerStop().
constexpr std::string_view kCudaProfiler = "cudaProfilerApi";

constexpr std::string_view kNoWaitStacks =
    "the kernel does not let this user see the stacks of waiting threads, so only the times are "
    "recorded. As root: sysctl kernel.perf_event_paranoid=1, or less";

struct RecordOptions {
    std::string output;
    Nanos duration = 0;
    Nanos ring = 0;
    Nanos delay = 0;
    bool paused = false;
    std::string capture_range;  // empty: recording does not depend on a range
    bool force = false;
    bool open = false;
    bool no_cuda = false;
    std::string control;  // "start" or "stop": controls another recording
    std::string wrap;     // the trace of the recorder that this command joins
    RecordSampling sampling;
    std::string python_rate;  // as it was typed; empty: the usual rate with samples
    std::vector<std::string> command;
};

int complain(const std::string& text, int status = kFailed) {
    fmt::print(stderr, "lanescope: {}\n", text);
    return status;
}

std::string typed(const std::vector<std::string>& command) {
    std::string text;
    for (const std::string& word : command) text += (text.empty() ? "" : " ") + word;
    return text;
}

// Nine tenths of the free space: the rest is for the program.
uint64_t limit_at(const std::string& path) {
    std::error_code failed;
    const fs::path folder = fs::absolute(path, failed).parent_path();
    const fs::space_info space = fs::space(folder, failed);
    return failed ? 0 : space.available / 10 * 9;
}

std::string why_never_begun(const RecordOptions& options) {
    if (options.capture_range == kCudaProfiler)
        return "no call of cudaProfilerStart was seen in a program whose CUDA is recorded";
    if (!options.capture_range.empty())
        return fmt::format("the program opened no range {}", printable(options.capture_range));
    return options.delay > 0 ? "the program ended before the delay was over"
                             : "nobody called lanescope record --control start";
}

// Prints warnings for the user and, on a terminal, what was written.
void print_result(const SpoolRecording& recording, const RecordOptions& options,
                  const CpuSampler* sampler, const PythonSampler* python, const RecordedRun& run) {
    const uint32_t processes = recording.file().header->next_process - 1;
    const bool has_samples =
        (sampler && sampler->samples() > 0) || (python && python->counts().samples > 0);
    if (!run.has_recorded())
        fmt::print(stderr, "lanescope: nothing was recorded: {}\n", why_never_begun(options));
    else if (processes == 0 && !run.has_unreached() && !has_samples)
        fmt::print(stderr,
                   "lanescope: the program made no NVTX call{}; {} contains only its use of CPU "
                   "and memory\n",
                   options.no_cuda ? "" : " and did not use CUDA", recording.path());
    print_losses(recording, sampler);
    if (const uint32_t cut = recording.file().header->cut_texts; cut > 0)
        fmt::print(stderr, "lanescope: names longer than {} bytes were cut {} time{}\n",
                   kSpoolLongestText, cut, cut == 1 ? "" : "s");
    if (run.left_running())
        fmt::print(stderr,
                   "lanescope: processes that the program started are still running, and are no "
                   "longer recorded\n");
    print_size(recording, processes);
}

// Null if stacks are not sampled. If they cannot be sampled, the recording says why, and continues.
std::unique_ptr<CpuSampler> start_sampling(SpoolRecording& recording, const RecordOptions& options,
                                           pid_t child) {
    if (!options.sampling.sampler) return nullptr;
    auto sampler = CpuSampler::open(child, *options.sampling.sampler);
    if (!sampler) {
        recording.add_message(kSpoolWarning, sampler.error().text);
        return nullptr;
    }
    (*sampler)->start(recording.file());
    if (options.sampling.sampler->off_cpu && !(*sampler)->sees_wait_stacks())
        recording.add_message(kSpoolNote, kNoWaitStacks);
    return std::move(*sampler);
}

uint32_t python_rate_of(const RecordOptions& options) {
    return python_rate(options.python_rate)
        .value_or(options.sampling.sampler ? kUsualPythonRate : 0);
}

SpoolNameFacts name_facts() {
    SpoolNameFacts facts;
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    facts.host = host;
    facts.start = std::time(nullptr);
    facts.variable = [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        if (!value) return std::nullopt;
        return value;
    };
    return facts;
}

Result<std::unique_ptr<SpoolRecording>> create_spool(const RecordOptions& options,
                                                     const std::string& command,
                                                     const SpoolName& name, pid_t child) {
    const auto path = [&](uint32_t number) {
        return name.path(static_cast<uint32_t>(child), number);
    };
    SpoolOptions spool;
    spool.command = command;
    spool.ring = options.ring;
    spool.limit_bytes = limit_at(path(1));
    spool.replaces = options.force;
    return name.is_numbered() ? SpoolRecording::create_numbered(path, spool)
                              : SpoolRecording::create(path(1), spool);
}

std::map<std::string, std::string> variables_for(const SpoolFile& spool, const std::string& library,
                                                 const RecordOptions& options) {
    std::map<std::string, std::string> variables = {{"LANESCOPE_SPOOL", spool.path},
                                                    {"NVTX_INJECTION64_PATH", library}};
    if (!options.no_cuda) variables["CUDA_INJECTION64_PATH"] = library;
    if (!options.capture_range.empty())
        variables["LANESCOPE_CAPTURE_RANGE"] = options.capture_range;
    return variables;
}

// The program's exit status counts, so the window is another process.
void show_trace(const std::string& path) {
    const auto is_set = [](const char* name) {
        const char* value = std::getenv(name);
        return value && *value;
    };
    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
        complain(
            fmt::format("there is no display, so the window does not open; lanescope {} opens "
                        "the trace on a desktop",
                        path));
        return;
    }
    const pid_t child = fork();
    if (child == 0) _exit(open_window({path}, {}));
    while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
}

// Becomes the program, with the variables of a recorder that is running.
int run_wrapped(const RecordOptions& options) {
    const std::optional<std::string> library = find_injected_library();
    std::error_code failed;
    const std::string path = fs::absolute(options.wrap, failed).string();
    SpoolFile spool;
    if (!library || !attach_spool(spool, path.c_str())) {
        complain(
            fmt::format("{}: not a recording that this user can write; the program runs "
                        "unrecorded",
                        options.wrap));
    } else if (spool_load(spool.header->complete) != 0) {
        complain(
            fmt::format("{}: the recording has ended; the program runs unrecorded", options.wrap));
    } else {
        for (const auto& [name, value] : variables_for(spool, *library, options))
            setenv(name.c_str(), value.c_str(), 1);
    }
    execute(options.command, [] {});
}

int run_attached(const RecordOptions& options, const AttachedProcess& process,
                 const SpoolName& name) {
    const WaitedSignals signals;
    auto sampler = CpuSampler::attach(process.pid, *options.sampling.sampler);
    if (!sampler) return complain(sampler.error().text);
    auto recording = create_spool(options, process.command, name, process.pid);
    if (!recording) return complain(recording.error().text);
    if (options.sampling.sampler->off_cpu && !(*sampler)->sees_wait_stacks())
        (*recording)->add_message(kSpoolNote, kNoWaitStacks);
    {
        const std::unique_ptr<PythonSampler> python =
            start_python_sampling((*recording)->file(), process.pid, python_rate_of(options));
        record_attached(**recording, {sampler->get(), python.get()}, process, options.duration,
                        signals);
    }
    signals.restore();
    print_losses(**recording, sampler->get());
    print_size(**recording, 1);
    const std::string path = (*recording)->path();
    sampler->reset();
    recording->reset();
    if (options.open) show_trace(path);
    return 0;
}

int run_record(const RecordOptions& options, const SpoolName& name) {
    const std::optional<std::string> library = find_injected_library();
    if (!library)
        return complain("liblanescope_inject.so is neither in this program's folder nor installed");
    const WaitedSignals signals;
    auto child = RecordedChild::start(options.command, signals);
    if (!child) return complain(child.error().text);
    const pid_t pid = (*child)->pid();
    auto recording = create_spool(options, typed(options.command), name, pid);
    if (!recording) {
        if (recording.error().code == ErrorCode::usage) return complain(recording.error().text);
        complain(recording.error().text + "; the program runs unrecorded");
        (*child)->release({});
        return follow_unrecorded(pid, signals);
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const bool starts_paused =
        options.paused || options.delay > 0 || !options.capture_range.empty();
    if (!starts_paused) (*recording)->record();
    (*recording)
        ->add_process(static_cast<uint32_t>(pid), fs::path(options.command[0]).filename().string(),
                      typed(options.command));
    const std::unique_ptr<CpuSampler> sampler = start_sampling(**recording, options, pid);
    const std::unique_ptr<PythonSampler> python =
        start_python_sampling((*recording)->file(), pid, python_rate_of(options));
    const bool started = (*child)->release(variables_for((*recording)->file(), *library, options));
    RecordedRun run(**recording, {options.delay, options.duration}, {sampler.get(), python.get()},
                    pid);
    const int status = run.follow(signals);
    signals.restore();
    const std::string path = (*recording)->path();
    if (!started) {
        unlink(path.c_str());
        return status;
    }
    print_result(**recording, options, sampler.get(), python.get(), run);
    recording->reset();
    if (options.open) show_trace(path);
    return status;
}

// Which parts of a run are recorded.
void add_part_options(CLI::App& command, RecordOptions& options) {
    add_time_option(command, "--delay", options.delay, "Begin to record after this time");
    command.add_flag("--paused", options.paused,
                     "Do not record until lanescope record --control start");
    command
        .add_option("--capture-range", options.capture_range,
                    "Record only while this NVTX range is open (NAME, or NAME@DOMAIN), or with "
                    "cudaProfilerApi from cudaProfilerStart to cudaProfilerStop")
        ->type_name("RANGE");
}

}  // namespace

std::optional<std::string> find_injected_library() {
    std::error_code failed;
    const fs::path here = fs::read_symlink("/proc/self/exe", failed).parent_path();
    for (const char* where : {".", "../" LANESCOPE_LIBRARY_FOLDER "/lanescope"}) {
        const fs::path library =
            fs::weakly_canonical(here / where / "liblanescope_inject.so", failed);
        if (!failed && fs::exists(library, failed)) return library.string();
    }
    return std::nullopt;
}

void add_record_command(CLI::App& app, int& status) {
    auto options = std::make_shared<RecordOptions>();
    CLI::App* command = app.add_subcommand(
        "record", "Run a program and capture its NVTX ranges and its use of CUDA");
    CLI::Option* output = command->add_option(
        "-o,--output", options->output,
        "The trace (PROGRAM.spool, or the first free PROGRAM.2.spool and so on)");
    output->type_name("FILE");
    command->add_flag("--force", options->force, "Replace an earlier recording named by -o");
    add_time_option(*command, "--duration", options->duration,
                    "Stop recording after this time; the program continues");
    add_part_options(*command, *options);
    add_time_option(*command, "--ring", options->ring, "Keep only the last part, of this duration");
    command->add_flag("--open", options->open, "Open the trace in the window afterwards");
    command->add_flag(
        "--no-cuda", options->no_cuda,
        "Do not record CUDA, so that another profiler can (such as the program's own)");
    CLI::Option* control = add_control_option(*command, options->control);
    CLI::Option* wrap = command->add_option(
        "--wrap", options->wrap,
        "Join the recorder that writes FILE: for programs below env -i or su, which clear its "
        "environment variables");
    wrap->type_name("FILE");
    command->add_option(
        "COMMAND", options->command,
        "The program to run and its arguments, after --; with --control the process's id");
    add_sampling_options(*command, options->sampling);
    add_python_rate_option(*command, options->python_rate);
    for (const char* other : {"--output", "--force", "--duration", "--delay", "--paused", "--ring",
                              "--open", "--sample", "--off-cpu", "--pid", "--python-rate"}) {
        wrap->excludes(command->get_option(other));
        control->excludes(command->get_option(other));
    }
    control->excludes(command->get_option("--capture-range"));
    for (const char* other : {"--paused", "--capture-range"})
        command->get_option("--delay")->excludes(command->get_option(other));
    control->excludes(wrap);
    for (const char* other : {"--delay", "--paused", "--capture-range"})
        command->get_option("--pid")->excludes(command->get_option(other));
    command->footer(kRecordFooter);
    command->callback([options, command, output, control, wrap, &status] {
        check_python_rate(options->python_rate);
        if (options->no_cuda && options->capture_range == kCudaProfiler)
            throw CLI::ValidationError("--capture-range",
                                       "cudaProfilerApi needs CUDA: it excludes --no-cuda");
        if (control->count() > 0) {
            status = run_record_control(options->control, options->command);
            return;
        }
        read_sampling_options(*command, options->sampling);
        if (wrap->count() > 0) {
            status = run_wrapped(*options);
            return;
        }
        const auto& process = options->sampling.process;
        SpoolName name = SpoolName::of_program(
            process ? process->name : fs::path(options->command[0]).filename().string());
        if (output->count() > 0) {
            Result<SpoolName> parsed = SpoolName::parse(options->output, name_facts());
            if (!parsed) throw CLI::ValidationError("--output", parsed.error().text);
            name = std::move(*parsed);
        }
        status = process ? run_attached(*options, *process, name) : run_record(*options, name);
    });
}

}  // namespace lanescope

// Starting `lanescope record` from a window.
#include "core/capture/recorder.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>

#include "core/spool/spool_records.h"

using namespace lanescope;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

Words split(std::string_view text) {
    const auto words = split_command(text);
    REQUIRE(words);
    return *words;
}

int wait_for(Recorder& recorder) {
    for (int tries = 0; tries < 2000; ++tries) {
        if (const auto status = recorder.ended()) return *status;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    FAIL("it does not end");
    return -1;
}

}  // namespace

TEST_CASE("command lines are split as a shell splits them") {
    CHECK(split("python train.py  --lr 0.1") == Words{"python", "train.py", "--lr", "0.1"});
    CHECK(split("a 'b c' \"d e\"f g\\ h") == Words{"a", "b c", "d ef", "g h"});
    CHECK(split("a '' \"\"") == Words{"a", "", ""});
    CHECK(split("a '\\' \"\\\"\"") == Words{"a", "\\", "\""});
    CHECK(split("echo $HOME *") == Words{"echo", "$HOME", "*"});
    CHECK_FALSE(split_command(""));
    CHECK_FALSE(split_command("  "));
    CHECK_FALSE(split_command("a 'b"));
    CHECK_FALSE(split_command("''"));
}

TEST_CASE("a command that runs Python is recognised") {
    for (const char* command : {"python train.py", "SEED=1 /usr/bin/python3.11 -m train",
                                "./train.py --lr 1", "torchrun --nproc-per-node 8 train.py"})
        CHECK(runs_python(split(command)));
    for (const char* command : {"./server --py", "SEED=python", "bash python"})
        CHECK_FALSE(runs_python(split(command)));
}

TEST_CASE("the recorder gets its options, prints into its log, and its end is noticed") {
    const fs::path folder =
        fs::temp_directory_path() / ("lanescope-rec-" + std::to_string(getpid()));
    fs::create_directories(folder);
    const fs::path program = folder / "recorder";
    std::ofstream(program) << "#!/bin/sh\nfor w in \"$@\"; do echo \"<$w>\"; done\npwd\n"
                              "if read line; then echo input; fi\nexit 3\n";
    fs::permissions(program, fs::perms::owner_all);
    RecorderStart start;
    start.command = {"SEED=1", "train", "a b"};
    start.folder = folder;
    start.file = folder / "run.spool";
    start.duration = 1'500'000'000;
    start.ring = 7;
    start.samples = true;
    std::ofstream(start.file) << std::string_view(kSpoolMagic, sizeof kSpoolMagic)
                              << "of an earlier run";
    auto recorder = Recorder::start(program, start);
    REQUIRE(recorder);
    CHECK_FALSE(fs::exists(start.file));
    CHECK(wait_for(**recorder) == 3);
    std::ifstream log((*recorder)->log_file());
    const std::string text{std::istreambuf_iterator<char>(log), {}};
    CHECK(
        text ==
        "<record>\n<-o>\n<" + start.file +
            ">\n<--duration>\n<1500000000ns>\n<--ring>\n<7ns>\n<--sample>\n<-->\n<env>\n<SEED=1>\n"
            "<train>\n<a b>\n" +
            folder.string() + "\n");
    CHECK((*recorder)->first_line() == "<record>");
    start = {{"train"}, folder, folder / "run.spool", 0, 0, false, true};
    recorder = Recorder::start(program, start);
    REQUIRE(recorder);
    CHECK(wait_for(**recorder) == 3);
    std::ifstream other((*recorder)->log_file());
    const std::string words{std::istreambuf_iterator<char>(other), {}};
    CHECK(words == "<record>\n<-o>\n<" + start.file +
                       ">\n<--no-cuda>\n<-->\n<env>\n<KINETO_USE_DAEMON=1>\n<train>\n" +
                       folder.string() + "\n");
    start.file = folder / "train.py";
    std::ofstream(start.file) << "import torch";
    const auto refused = Recorder::start(program, start);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text.find("is not a recording, so it is not replaced") !=
          std::string::npos);
    CHECK(fs::file_size(start.file) == 12);
    start.file = folder / "run.spool";
    start.folder = folder / "none";
    CHECK_FALSE(Recorder::start(program, start));
    start.folder = folder;
    CHECK_FALSE(Recorder::start(folder / "none", start));
    fs::remove_all(folder);
}

TEST_CASE("a recorded program's output never goes to a file that others may own") {
    CHECK(recording_log("/a/train.spool") == "/a/train.spool.log");
    CHECK(recording_log("/a/train") == "/a/train.spool.log");
}

// Loads from files other than plain unchanging ones.
#include "core/ingest/load.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include "core/ingest/json/json_decoder.h"
#include "core/ingest/json/json_scanner.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/ingest/random_events.h"
#include "tests/core/temporary_file.h"
#include "tests/core/trace_description.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

const std::string kText =
    R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2,"args":{"k\u00e9y":"v\n","list":[1, 2],"n":-1.50}}])";

std::string random_text(std::size_t events) {
    Random random(1);
    return trace_text(random_events(random, events), Dialect::object);
}

// Shortens the file after its first block was read and before any other is.
class ShrinkingSource final : public TextSource {
  public:
    ShrinkingSource(const MemoryFile& memory, off_t size) : memory_(memory), size_(size) {
        auto file = InputFile::open(memory.path());
        REQUIRE(file);
        source_ = make_plain_source(*file, 2000, find_event);
    }
    Result<bool> next(TextBlock& block) override {
        const std::scoped_lock lock(mutex_);
        Result<bool> more = source_->next(block);
        if (!shrunk_) REQUIRE(ftruncate(memory_.fd(), size_) == 0);
        shrunk_ = true;
        return more;
    }
    uint64_t file_bytes_done() const override { return source_->file_bytes_done(); }
    TextEnd end() const override { return source_->end(); }

  private:
    const MemoryFile& memory_;
    off_t size_;
    std::mutex mutex_;
    bool shrunk_ = false;
    std::unique_ptr<TextSource> source_;
};

}  // namespace

TEST_CASE("a file's name does not matter") {
    const std::string text = random_text(50);
    const std::string whole = describe(*loaded(text));
    for (const char* name : {"trace.gz", "trace.zst", "x.sqlite", "no ending", "é\xff.json"}) {
        for (const std::string& bytes : {text, gzip(text), zstd(text)}) {
            const TemporaryFile file(bytes, name);
            const Result<TracePtr> trace = load_trace(file.path());
            REQUIRE(trace);
            CHECK(describe(**trace) == whole);
        }
    }
}

TEST_CASE("a folder opens the trace in it; missing files are errors; a pipe is read") {
    const TemporaryFile file(kText);
    const Result<TracePtr> in_folder = load_trace(file.folder());
    REQUIRE(in_folder);
    CHECK(describe(**in_folder) == describe(**load_trace(file.path())));
    const Result<TracePtr> missing = load_trace(file.folder() + "/none");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == ErrorCode::io);
    const std::string pipe = file.folder() + "/pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const std::string text = random_text(5000);
    std::thread writer([&] {
        std::ofstream out(pipe, std::ios::binary);
        out << gzip(text);
    });
    const Result<TracePtr> trace = load_trace(pipe);
    writer.join();
    REQUIRE(trace);
    CHECK(describe(**trace) == describe(*loaded(text)));
}

TEST_CASE("a signal while a pipe is read interrupts nothing") {
    const TemporaryFile file(kText);
    const std::string pipe = file.folder() + "/pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const int end = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(end >= 0);
    struct sigaction usual {};
    struct sigaction interrupting {};
    interrupting.sa_handler = [](int) {};  // without SA_RESTART, it interrupts system calls
    sigaction(SIGUSR1, &interrupting, &usual);
    const pthread_t reader = pthread_self();
    std::thread writer([&] {
        for (int i = 0; i < 20; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            pthread_kill(reader, SIGUSR1);
        }
        const std::string text(kText);
        CHECK(write(end, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
        close(end);
    });
    const Result<TracePtr> trace = load_trace(pipe);
    writer.join();
    sigaction(SIGUSR1, &usual, nullptr);
    REQUIRE(trace);
    CHECK(describe(**trace) == describe(*loaded(kText)));
}

TEST_CASE("a counter without a number is reported, one with numbers is not") {
    const auto warnings = [](const std::string& values) {
        return warned(
            *loaded(R"([{"ph":"C","name":"memory","pid":1,"ts":5,"args":{)" + values + "}}]"),
            "no_counter_value");
    };
    CHECK(warnings(R"("used":5)") == 0);
    CHECK(warnings(R"("used":5,"note":"text")") == 0);
    CHECK(warnings(R"("note":"text")") == 1);
    CHECK(warnings("") == 1);
}

TEST_CASE("the report of a cut file says what is missing") {
    const auto why = [](const std::string& text) {
        const TracePtr trace = loaded(text);
        const Warning* const warning = find_warning(*trace, "truncated");
        return warning ? std::string(warning->text) : "none";
    };
    const std::string event = R"({"ph":"X","name":"e","pid":1,"tid":1,"ts":0,"dur":1})";
    CHECK(why(R"({"traceEvents":[)" + event + "]}") == "none");
    CHECK(why(R"({"traceEvents":[)" + event + "]") ==
          "the file ends before it is closed; all of it was read");
    CHECK(why(R"({"traceEvents":[)" + event + "],\"more\":[1,") ==
          "the file ends in the middle of a member; everything before it was read");
    CHECK(why(R"({"traceEvents":[)" + event) ==
          "the file ends before its list of events is closed; all of it was read");
    CHECK(why(R"({"traceEvents":[)" + event + R"(,{"ph":"X","na)") ==
          "the file ends in the middle of an event; everything before it was read");
}

TEST_CASE("the profiler's own spans do not count as content") {
    const TracePtr trace = testing::loaded(R"({"traceEvents": [
{"ph":"X","cat":"Trace","name":"PyTorch Profiler","pid":"Spans","tid":"PyTorch Profiler","ts":0,"dur":900},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":500,"dur":50}]})");
    CHECK(trace->content.begin == 500'000);
    CHECK(trace->content.end == 550'000);
    CHECK(trace->origin == 0);
    CHECK(trace->end == 900'000);
}

TEST_CASE("standard input is read") {
    const TemporaryFile file(kText);
    const int kept = dup(STDIN_FILENO);
    const int fd = open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
    dup2(fd, STDIN_FILENO);
    const Result<TracePtr> trace = load_trace("-");
    dup2(kept, STDIN_FILENO);
    close(fd);
    close(kept);
    REQUIRE(trace);
    CHECK((*trace)->slice_count() == 1);
}

TEST_CASE("arguments equal the file's, from every kind of file") {
    for (const std::string& bytes : {kText, gzip(kText), zstd(kText)}) {
        const TracePtr trace = loaded(bytes);
        const auto reader = open_arguments(trace);
        const auto arguments = reader->read(trace->lanes[0].chunks[0]->source[0]);
        REQUIRE(arguments);
        REQUIRE(arguments->size() == 3);
        CHECK((*arguments)[0].name == "kéy");
        CHECK((*arguments)[0].value == "v\n");
        CHECK((*arguments)[0].is_string);
        CHECK((*arguments)[1].value == "[1, 2]");
        CHECK((*arguments)[2].value == "-1.50");
        CHECK_FALSE(reader->read(5));
        CHECK_FALSE(reader->read(1'000'000));
    }
}

TEST_CASE("arguments survive a removed or replaced file, but not a changed one") {
    const TemporaryFile file(kText);
    const Result<TracePtr> trace = load_trace(file.path());
    REQUIRE(trace);
    const uint64_t source = (*trace)->lanes[0].chunks[0]->source[0];
    std::filesystem::rename(file.path(), file.path() + ".old");
    CHECK(open_arguments(*trace)->read(source));
    file.write("something else");
    CHECK(open_arguments(*trace)->read(source));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    REQUIRE(truncate((file.path() + ".old").c_str(), 10) == 0);
    const auto arguments = open_arguments(*trace)->read(source);
    REQUIRE_FALSE(arguments);
    CHECK(arguments.error().code == ErrorCode::io);
    CHECK(arguments.error().text.find("has changed") != std::string::npos);
}

TEST_CASE("a file that shrinks while it is read gives its first part, and the cut is reported") {
    const std::string text = random_text(400);
    for (const off_t size : {0, 700, 2500, 20'000}) {
        for (const unsigned workers : {1u, 4u}) {
            const MemoryFile memory(text);
            ShrinkingSource source(memory, size);
            TraceBuilder builder;
            const Result<void> decoded =
                decode_json(source, builder, "shrinking", workers, nullptr, {});
            CHECK(decoded);
            CHECK(source.end().truncated);
            CHECK(source.end().file_offset <=
                  std::max<uint64_t>(2000, static_cast<uint64_t>(size)));
            const Trace trace = builder.finish(1);
            CHECK(trace.facts.events > 0);
            CHECK(warned(trace, "truncated") == 1);
            if (size > 2000) CHECK(warned_at(trace, "truncated") <= static_cast<uint64_t>(size));
        }
    }
}

TEST_CASE("a load can be cancelled at its start") {
    const TemporaryFile file(random_text(2000));
    LoadProgress progress;
    progress.cancel = true;
    LoadOptions options;
    options.progress = &progress;
    options.block_bytes = 1000;
    const Result<TracePtr> trace = load_trace(file.path(), options);
    REQUIRE_FALSE(trace);
    CHECK(trace.error().code == ErrorCode::cancelled);
}

TEST_CASE("a snapshot's observer can cancel the load; a complete load reports its event count") {
    const TemporaryFile file(random_text(60'000));
    for (const bool cancel : {true, false}) {
        LoadProgress progress;
        LoadOptions options;
        options.progress = &progress;
        options.workers = 3;
        options.block_bytes = 4096;
        int snapshots = 0;
        options.on_snapshot = [&](const TracePtr& part) {
            ++snapshots;
            CHECK(part->facts.events > 0);
            progress.cancel = cancel;
        };
        const Result<TracePtr> trace = load_trace(file.path(), options);
        if (!trace) {
            CHECK(trace.error().code == ErrorCode::cancelled);
            CHECK(snapshots == 1);
            continue;
        }
        CHECK(progress.bytes_done == progress.bytes_total);
        CHECK(progress.events == (*trace)->facts.events);
    }
}

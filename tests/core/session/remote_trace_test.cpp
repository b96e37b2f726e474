#include "core/session/remote_trace.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "core/session/document.h"
#include "core/session/notes.h"
#include "core/session/settings.h"
#include "core/trace/query.h"
#include "tests/core/temporary_file.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

const std::string kRemoteSample = LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz";
const std::string kFar = "ssh://far/runs/step.json.gz";

// `ssh` writes the sample, and counts its calls.
class SampleSsh {
  public:
    SampleSsh() : file_("x"), before_(std::getenv("PATH")) {
        const std::string path = file_.folder() + "/ssh";
        std::ofstream(path) << "#!/bin/sh\necho call >> " << file_.folder() << "/calls\ncat "
                            << kRemoteSample << "\n";
        chmod(path.c_str(), 0755);
        setenv("PATH", (file_.folder() + ":" + before_).c_str(), 1);
    }
    ~SampleSsh() { setenv("PATH", before_.c_str(), 1); }
    SampleSsh(const SampleSsh&) = delete;
    SampleSsh& operator=(const SampleSsh&) = delete;

    int calls() const {
        std::ifstream file(file_.folder() + "/calls");
        int count = 0;
        for (std::string line; std::getline(file, line);) ++count;
        return count;
    }

  private:
    TemporaryFile file_;
    std::string before_;
};

void await_load(const Document& document) {
    for (int i = 0; i < 3000 && document.loading(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    REQUIRE(!document.loading());
}

}  // namespace

TEST_CASE("only what was typed is an address") {
    TypedAddresses typed;
    CHECK_FALSE(typed.find(kFar));
    REQUIRE(typed.admit(kFar));
    REQUIRE(typed.find(kFar));
    CHECK(typed.find(kFar)->host == "far");
    CHECK_FALSE(typed.find("ssh://far/runs/other.json.gz"));
    CHECK_FALSE(typed.admit("ssh://-o/x"));
    CHECK_FALSE(typed.find("ssh://-o/x"));
}

TEST_CASE("a document of a typed address is copied, loaded, and reads arguments again") {
    const SampleSsh ssh;
    TypedAddresses typed;
    REQUIRE(typed.admit(kFar));
    const auto document =
        Document::open({PartToOpen{kFar, nullptr, std::nullopt, typed.find(kFar)}}, {}, [] {});
    await_load(*document);
    REQUIRE_FALSE(document->error());
    REQUIRE(document->trace());
    CHECK(document->trace()->path == kFar);
    CHECK(document->trace()->slice_count() > 1000);
    CHECK(ssh.calls() == 1);
    const DocumentProgress progress = document->progress();
    CHECK_FALSE(progress.copying);
    CHECK(progress.bytes_copied == std::filesystem::file_size(kRemoteSample));
    CHECK(progress.bytes_total == progress.bytes_copied);
    const Trace& trace = *document->trace();
    const auto local = load_trace(kRemoteSample);
    REQUIRE(local);
    CHECK(trace.slice_count() == (*local)->slice_count());
    REQUIRE(!trace.gpu_activities.slice.empty());
    const SliceRef kernel = trace.gpu_activities.slice[0];
    const auto [chunk, i] = trace.lanes[kernel.lane].locate(kernel.index);
    const auto arguments = document->arguments(chunk->source[i]);
    REQUIRE(arguments);
    CHECK_FALSE(arguments->empty());
    CHECK(ssh.calls() == 1);  // from the copy
}

TEST_CASE("a path that looks like an address but was not typed never starts ssh") {
    const SampleSsh ssh;
    const auto loaded = load_trace(kFar);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == ErrorCode::io);
    const auto one = Document::open(kFar, [] {});
    await_load(*one);
    CHECK(one->error());
    const auto two = Document::open({PartToOpen{kRemoteSample, nullptr, std::nullopt, {}},
                                     PartToOpen{kFar, nullptr, std::nullopt, {}}},
                                    {}, [] {});
    await_load(*two);
    CHECK(two->problems().size() == 1);
    const auto followed = Document::follow(kFar, false, [] {});
    await_load(*followed);
    CHECK(followed->error());
    CHECK(ssh.calls() == 0);
}

TEST_CASE("recent files never contain an address") {
    Settings settings;
    remember_file(settings, kFar);
    CHECK(settings.recent_files.empty());
}

TEST_CASE("notes of a remote trace are in the data folder only") {
    const TemporaryFile temporary("x");
    const char* const before = std::getenv("XDG_DATA_HOME");
    const std::string kept = before ? before : "";
    setenv("XDG_DATA_HOME", temporary.folder().c_str(), 1);
    const NotesPlaces places = notes_places(kFar);
    CHECK(places.own == places.beside);
    CHECK(places.own.starts_with(temporary.folder() + "/lanescope/notes/step.json.gz-"));
    CHECK(places.own != notes_places("ssh://other/runs/step.json.gz").own);
    const NotedTrace noted{kFar, {1, 2}, 0};
    std::string older;
    REQUIRE(keep_notes({{{1, 2}, "here"}}, noted, places, older));
    const LoadedNotes loaded = load_notes(noted, places, BrokenNotes::set_aside);
    REQUIRE(loaded.notes.size() == 1);
    CHECK(loaded.older.empty());
    REQUIRE(keep_notes({}, noted, places, older));
    CHECK(load_notes(noted, places, BrokenNotes::set_aside).notes.empty());
    before ? setenv("XDG_DATA_HOME", kept.c_str(), 1) : unsetenv("XDG_DATA_HOME");
}

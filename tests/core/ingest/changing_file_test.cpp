// Files that are written, cut or removed while they are loaded.
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

#include "core/ingest/load.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/ingest/random_events.h"
#include "tests/core/temporary_file.h"
#include "tests/core/trace_description.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

using Change = std::function<void(const TemporaryFile&)>;

std::string random_text() {
    Random random(6);
    return trace_text(random_events(random, 20'000), Dialect::object);
}

// Loads while another thread changes the file after its first blocks. Empty if the change may have
// come after the last check of the file.
std::optional<Result<TracePtr>> load_during(const Change& change, const std::string& bytes,
                                            unsigned workers) {
    const TemporaryFile file(bytes);
    // Otherwise a change within one tick of the system's clock might leave the modification time
    // unchanged.
    std::filesystem::last_write_time(
        file.path(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    LoadProgress progress;
    LoadOptions options;
    options.progress = &progress;
    options.workers = workers;
    options.block_bytes = 4096;
    std::atomic<bool> loaded = false;
    bool in_time = false;
    std::thread changer([&] {
        while (progress.bytes_done == 0 && !loaded) std::this_thread::yield();
        change(file);
        in_time = progress.bytes_done < bytes.size() && !loaded;
    });
    Result<TracePtr> trace = load_trace(file.path(), options);
    loaded = true;
    changer.join();
    if (!in_time) return {};
    return trace;
}

// Calls `check` with traces of every kind of file and number of workers that were changed in time.
void for_all_loads(const Change& change, const std::function<void(const Trace&)>& check) {
    const std::string text = random_text();
    for (const bool is_gzip : {false, true}) {
        for (const unsigned workers : {1u, 4u}) {
            const std::string bytes = is_gzip ? gzip(text) : text;
            std::optional<Result<TracePtr>> trace;
            for (int i = 0; i < 50 && !trace; ++i) trace = load_during(change, bytes, workers);
            CAPTURE(is_gzip);
            CAPTURE(workers);
            REQUIRE(trace);
            REQUIRE(*trace);
            CHECK((**trace)->facts.events > 0);
            check(***trace);
        }
    }
}

}  // namespace

TEST_CASE(
    "a file cut while it is loaded: the part read, its new end, and the change are reported") {
    constexpr off_t kept = 100'000;
    const Change cut = [](const TemporaryFile& file) {
        CHECK(truncate(file.path().c_str(), kept) == 0);
    };
    for_all_loads(cut, [](const Trace& trace) {
        CHECK(warned(trace, "file_changed") == 1);
        const uint64_t cuts = warned(trace, "truncated_file") + warned(trace, "truncated");
        CHECK(cuts >= 1);
    });
}

TEST_CASE("a file overwritten while it is loaded is reported") {
    const Change overwrite = [](const TemporaryFile& file) {
        std::fstream stream(file.path(), std::ios::binary | std::ios::in | std::ios::out);
        stream.seekp(-50'000, std::ios::end);
        stream << std::string(50'000, '\x7f');
    };
    for_all_loads(overwrite, [](const Trace& trace) { CHECK(warned(trace, "file_changed") == 1); });
}

TEST_CASE("a file replaced in place while it is loaded is reported") {
    const Change rewrite = [](const TemporaryFile& file) { file.write("[]"); };
    for_all_loads(rewrite, [](const Trace& trace) { CHECK(warned(trace, "file_changed") == 1); });
}

TEST_CASE("a file extended while it is loaded is reported") {
    const Change append = [](const TemporaryFile& file) {
        std::ofstream(file.path(), std::ios::binary | std::ios::app) << std::string(5000, ' ');
    };
    for_all_loads(append, [](const Trace& trace) { CHECK(warned(trace, "file_changed") == 1); });
}

TEST_CASE("a file removed or renamed over while it is loaded is still read whole") {
    const std::string whole = describe(*loaded(random_text()));
    const Change remove = [](const TemporaryFile& file) {
        CHECK(std::filesystem::remove(file.path()));
    };
    const Change replace = [](const TemporaryFile& file) {
        std::filesystem::rename(file.path(), file.path() + ".old");
        file.write("[]");
    };
    for (const Change& change : {remove, replace})
        for_all_loads(change, [&](const Trace& trace) {
            CHECK(first_difference(whole, describe(trace)) == "");
        });
}

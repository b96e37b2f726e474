#include "core/session/file_watch.h"

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/core/temporary_file.h"

using namespace lanescope;
using lanescope::testing::TemporaryFile;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

using Texts = std::vector<std::string>;

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// What a file contained at each report of a change.
class Reports {
  public:
    explicit Reports(std::string path) : path_(std::move(path)) {}

    void add() {
        const std::scoped_lock lock(mutex_);
        texts_.push_back(text_of(path_));
        changed_.notify_all();
    }

    // All reports up to one with this text, which must come within a generous time.
    Texts until(const std::string& text) {
        std::unique_lock lock(mutex_);
        REQUIRE(
            changed_.wait_for(lock, 20s, [&] { return !texts_.empty() && texts_.back() == text; }));
        return texts_;
    }

    std::size_t count() {
        const std::scoped_lock lock(mutex_);
        return texts_.size();
    }

  private:
    std::string path_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Texts texts_;
};

}  // namespace

TEST_CASE("a file that is written, replaced, or removed and written again is reported once each") {
    const TemporaryFile file("one");
    Reports reports(file.path());
    const FileWatch watch(file.path(), [&] { reports.add(); });
    file.write("two, and longer");
    (void)reports.until("two, and longer");

    const std::string replacement = file.folder() + "/beside";
    std::ofstream(replacement) << "a replacement";
    fs::rename(replacement, file.path());
    (void)reports.until("a replacement");

    fs::remove(file.path());
    file.write("three");
    CHECK(reports.until("three") == Texts{"two, and longer", "a replacement", "three"});
}

TEST_CASE("other files in the folder, folders and missing files are not watched") {
    const TemporaryFile file("one");
    Reports reports(file.path());
    Reports others(file.path());
    const FileWatch watch(file.path(), [&] { reports.add(); });
    const FileWatch folder(file.folder(), [&] { others.add(); });
    const FileWatch nothing(file.folder() + "/not there", [&] { others.add(); });
    std::ofstream(file.folder() + "/other") << "text";
    file.write("two");
    CHECK(reports.until("two") == Texts{"two"});
    CHECK(others.count() == 0);
}

TEST_CASE("changes that the system does not report are found") {
    const TemporaryFile target("one");
    const TemporaryFile here("x");
    const std::string link = here.folder() + "/latest";
    fs::create_symlink(target.path(), link);
    Reports reports(link);
    const FileWatch watch(link, [&] { reports.add(); });
    target.write("two, in another folder");
    CHECK(reports.until("two, in another folder") == Texts{"two, in another folder"});
}

TEST_CASE("a file beside it that changes all the time delays no report") {
    const TemporaryFile file("one");
    Reports reports(file.path());
    const FileWatch watch(file.path(), [&] { reports.add(); });
    std::jthread log([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            std::ofstream(file.folder() + "/train.log", std::ios::app) << "step\n";
            std::this_thread::sleep_for(20ms);
        }
    });
    file.write("two");
    CHECK(reports.until("two") == Texts{"two"});
}

#include "core/session/file_watch.h"

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
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

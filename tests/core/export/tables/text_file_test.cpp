#include "core/export/tables/text_file.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/core/temporary_file.h"

namespace lanescope {
namespace {

// While it lives, no file grows beyond this size.
class SmallFiles {
  public:
    explicit SmallFiles(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &usual_);
        const rlimit small = {bytes, usual_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
        handler_ = signal(SIGXFSZ, SIG_IGN);
    }
    ~SmallFiles() {
        setrlimit(RLIMIT_FSIZE, &usual_);
        signal(SIGXFSZ, handler_);
    }
    SmallFiles(const SmallFiles&) = delete;
    SmallFiles& operator=(const SmallFiles&) = delete;

  private:
    rlimit usual_ = {};
    sighandler_t handler_ = SIG_DFL;
};

std::string content_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a file appears complete, and replaces the one before") {
    const testing::TemporaryFile file("before");
    auto out = TextFile::create(file.path());
    REQUIRE(out);
    REQUIRE((*out)->write("first, "));
    REQUIRE((*out)->write("second"));
    CHECK(content_of(file.path()) == "before");
    REQUIRE((*out)->finish());
    CHECK(content_of(file.path()) == "first, second");
}

TEST_CASE("a disk without space is an error, and leaves the file before unchanged") {
    const testing::TemporaryFile file("before");
    auto out = TextFile::create(file.path());
    REQUIRE(out);
    const SmallFiles limit(4096);
    const Result<void> written = (*out)->write(std::string(10'000, 'x'));
    REQUIRE_FALSE(written);
    CHECK(written.error().code == ErrorCode::io);
    out->reset();
    CHECK(content_of(file.path()) == "before");
}

}  // namespace lanescope

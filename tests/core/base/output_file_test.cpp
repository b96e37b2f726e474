#include "core/base/output_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/core/temporary_file.h"
#include "tests/skip.h"

namespace lanescope {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

mode_t mode_of(const std::string& path) {
    struct stat facts = {};
    return lstat(path.c_str(), &facts) == 0 ? facts.st_mode : 0;
}

std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// While it lives, no file grows beyond this size.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &usual_);
        const rlimit small = {bytes, usual_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
        handler_ = signal(SIGXFSZ, SIG_IGN);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &usual_);
        signal(SIGXFSZ, handler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

  private:
    rlimit usual_ = {};
    sighandler_t handler_ = SIG_DFL;
};

}  // namespace

TEST_CASE("a regular file is replaced when it is complete, and keeps its mode") {
    const testing::TemporaryFile file("before");
    fs::permissions(file.path(), fs::perms(0640));
    {
        auto out = OutputFile::open(file.path());
        REQUIRE(out);
        REQUIRE((*out)->write("after"));
        CHECK(bytes_of(file.path()) == "before");
        REQUIRE((*out)->finish());
        CHECK((*out)->remark().empty());
    }
    CHECK(bytes_of(file.path()) == "after");
    CHECK((mode_of(file.path()) & 07777) == 0640);
    CHECK(files_in(file.folder()) == 1);
}

TEST_CASE("symbolic links are followed and stay, also to files that do not exist yet") {
    const testing::TemporaryFile file("before");
    const std::string link = file.folder() + "/link";
    const std::string second = file.folder() + "/second";
    const std::string dangling = file.folder() + "/dangling";
    fs::create_symlink("trace.json", link);
    fs::create_symlink("link", second);
    fs::create_symlink("new.json", dangling);
    REQUIRE(write_output_file(second, "after"));
    REQUIRE(write_output_file(dangling, "new"));
    CHECK(S_ISLNK(mode_of(link)));
    CHECK(S_ISLNK(mode_of(second)));
    CHECK(S_ISLNK(mode_of(dangling)));
    CHECK(bytes_of(file.path()) == "after");
    CHECK(bytes_of(file.folder() + "/new.json") == "new");
    fs::create_symlink("loop", file.folder() + "/loop");
    CHECK_FALSE(write_output_file(file.folder() + "/loop", "x"));
}

TEST_CASE("a pipe and a device are written to and stay") {
    const testing::TemporaryFile file("");
    const std::string pipe = file.folder() + "/pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(write_output_file(pipe, "through the pipe"));
    std::array<char, 64> read_back = {};
    const ssize_t got = read(reader, read_back.data(), read_back.size());
    close(reader);
    REQUIRE(got > 0);
    CHECK(std::string(read_back.data(), static_cast<std::size_t>(got)) == "through the pipe");
    CHECK(S_ISFIFO(mode_of(pipe)));

    const std::string full = file.folder() + "/full";
    if (mknod(full.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0)
        return testing::skip_test("mknod is refused here");
    const Result<void> written = write_output_file(full, "x");
    if (!written && written.error().text.find("No space") == std::string::npos)
        return testing::skip_test("devices cannot be opened here");
    REQUIRE_FALSE(written);
    CHECK(S_ISCHR(mode_of(full)));
}

TEST_CASE("paths of descriptors mean the descriptor, which is not replaced") {
    const testing::TemporaryFile file("before, ");
    const int fd = open(file.path().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    REQUIRE(fd >= 0);
    const std::string number = std::to_string(fd);
    const std::string link = file.folder() + "/link";
    fs::create_symlink("/dev/fd/" + number, link);
    for (const std::string& path : {"/dev/fd/" + number, "/proc/self/fd/" + number,
                                    "/proc/" + std::to_string(getpid()) + "/fd/" + number, link}) {
        CAPTURE(path);
        REQUIRE(find_output(path));
        CHECK(find_output(path)->descriptor == fd);
        REQUIRE(write_output_file(path, "x"));
    }
    CHECK(find_output("-")->descriptor == STDOUT_FILENO);
    CHECK(find_output("/dev/stdout")->descriptor == STDOUT_FILENO);
    CHECK(find_output("/dev/stderr")->descriptor == STDERR_FILENO);
    close(fd);
    CHECK(bytes_of(file.path()) == "before, xxxx");
    CHECK_FALSE(find_output("/proc/self/fd/" + number));
}

TEST_CASE("an input is never written to, by whatever name") {
    const testing::TemporaryFile file("input");
    const std::string link = file.folder() + "/link";
    const std::string hard = file.folder() + "/hard";
    fs::create_symlink(file.path(), link);
    fs::create_hard_link(file.path(), hard);
    OutputRules rules;
    rules.inputs = {file.path()};
    for (const std::string& path : {file.path(), link, hard}) {
        CAPTURE(path);
        const Result<void> written = write_output_file(path, "x", rules);
        REQUIRE_FALSE(written);
        CHECK(written.error().text.find("input") != std::string::npos);
    }
    CHECK(bytes_of(file.path()) == "input");
    // A device that is read and written, such as /dev/null, is no conflict.
    rules.inputs = {"/dev/null"};
    CHECK(check_output("/dev/null", rules));
}

TEST_CASE("without consent, only empty files and our own are replaced") {
    const testing::TemporaryFile file("another program's");
    OutputRules rules;
    rules.replaces = false;
    CHECK_FALSE(write_output_file(file.path(), "x", rules));
    CHECK(bytes_of(file.path()) == "another program's");
    rules.is_ours = [](const std::string& path) { return bytes_of(path) == "ours"; };
    CHECK_FALSE(check_output(file.path(), rules));
    file.write("ours");
    CHECK(write_output_file(file.path(), "x", rules));
    CHECK_FALSE(check_output(file.path(), rules));
    file.write("");
    CHECK(check_output(file.path(), rules));
}

TEST_CASE("a folder, and a file in a folder that does not exist, are refused") {
    const testing::TemporaryFile file("x");
    CHECK_FALSE(check_output(file.folder(), {}));
    CHECK_FALSE(check_output(file.folder() + "/", {}));
    CHECK_FALSE(check_output(file.folder() + "/nowhere/x", {}));
    CHECK_FALSE(check_output(file.path() + "/x", {}));
    CHECK(check_output(file.folder() + "/new", {}));
    CHECK(files_in(file.folder()) == 1);
}

TEST_CASE("a disk without space leaves no file, and an existing one unchanged") {
    const testing::TemporaryFile file("before");
    const FileSizeLimit limit(4096);
    CHECK_FALSE(write_output_file(file.path(), std::string(10'000, 'x')));
    CHECK_FALSE(write_output_file(file.folder() + "/new", std::string(10'000, 'x')));
    CHECK(bytes_of(file.path()) == "before");
    CHECK(files_in(file.folder()) == 1);
}

}  // namespace lanescope

// Copies through stand-ins for ssh on PATH; tests/app/remote_test.py uses the real one.
#include "core/source/remote_copy.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/source/unnamed_file.h"
#include "tests/core/temporary_file.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

namespace fs = std::filesystem;

// While it lives, `ssh` is this shell script.
class StandInSsh {
  public:
    explicit StandInSsh(const std::string& script) : file_("x"), before_(std::getenv("PATH")) {
        const std::string path = file_.folder() + "/ssh";
        std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
        chmod(path.c_str(), 0755);
        setenv("PATH", (file_.folder() + ":" + before_).c_str(), 1);
    }
    ~StandInSsh() { setenv("PATH", before_.c_str(), 1); }
    StandInSsh(const StandInSsh&) = delete;
    StandInSsh& operator=(const StandInSsh&) = delete;

  private:
    TemporaryFile file_;
    std::string before_;
};

RemoteAddress address_of_test() {
    return *parse_remote_address("ssh://far/runs/a.json");
}

std::string error_with(const std::string& script, const RemoteCopyOptions& options = {}) {
    const StandInSsh ssh(script);
    const auto copy = copy_remote(address_of_test(), options);
    REQUIRE_FALSE(copy);
    CHECK(copy.error().text.starts_with("ssh://far/runs/a.json: "));
    return copy.error().text.substr(std::string("ssh://far/runs/a.json: ").size());
}

std::size_t entries_of(const std::string& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a remote file is a file without a name, which is called by its address") {
    const TemporaryFile temporary("x");
    const std::string folder = temporary.folder() + "/tmp";
    fs::create_directory(folder);
    const StandInSsh ssh("head -c 3000000 /dev/zero | tr '\\0' a; echo banner >&2");
    std::atomic<uint64_t> bytes = 0;
    RemoteCopyOptions options;
    options.folder = folder;
    options.bytes_done = &bytes;
    const auto copy = copy_remote(address_of_test(), options);
    REQUIRE(copy);
    CHECK((*copy)->path() == "ssh://far/runs/a.json");
    CHECK((*copy)->size() == 3'000'000);
    CHECK(bytes == 3'000'000);
    char c = 0;
    CHECK(*(*copy)->read_at(2'999'999, &c, 1) == 1);
    CHECK(c == 'a');
    CHECK((*copy)->unchanged());
    CHECK(entries_of(folder) == 0);
}

TEST_CASE("errors of ssh and of the other machine name host and path") {
    CHECK(error_with("echo 'ssh: Could not resolve hostname far: Name or service not known' >&2; "
                     "exit 255") ==
          "ssh cannot connect to far: ssh: Could not resolve hostname far: Name or service not "
          "known");
    CHECK(error_with("head -c 2000 /dev/zero; echo 'Connection to far closed.' >&2; exit 255") ==
          "the connection to far ended after 1.953 KiB: Connection to far closed.");
    CHECK(error_with("echo 'cat: /runs/a.json: No such file or directory' >&2; exit 1") ==
          "there is no file /runs/a.json on far");
    CHECK(error_with("echo 'cat: /runs/a.json: Permission denied' >&2; exit 1") ==
          "/runs/a.json may not be read by this user of far");
    CHECK(error_with("echo 'cat: /runs/a.json: Is a directory' >&2; exit 1") ==
          "/runs/a.json is a folder on far; name a trace file in it");
    CHECK(error_with("echo 'sh: cat: not found' >&2; exit 127") ==
          "far cannot run the program cat: sh: cat: not found");
    CHECK(error_with("exit 1") == "/runs/a.json cannot be read on far (status 1)");
    CHECK(error_with("kill -9 $$") == "ssh to far was ended by signal 9");
    CHECK(error_with("exit 0") == "is empty; has the program that writes it finished?");
    // A hostile server cannot move the terminal's cursor.
    CHECK(error_with("printf 'a\\033[2Jb\\n' >&2; exit 1").find('\x1b') == std::string::npos);
}

TEST_CASE("without ssh, the message says what to install") {
    const std::string before = std::getenv("PATH");
    setenv("PATH", "/nowhere", 1);
    const auto copy = copy_remote(address_of_test());
    setenv("PATH", before.c_str(), 1);
    REQUIRE_FALSE(copy);
    CHECK(copy.error().text.find("openssh-client") != std::string::npos);
}

TEST_CASE("a full disk ends the copy before and while it is written") {
    RemoteCopyOptions options;
    options.folder = "/tmp";
    options.free_bytes = [] { return uint64_t{900}; };
    const std::string before = error_with("cat /dev/zero", options);
    CHECK_MESSAGE(before.starts_with("/tmp has only 900 B free; set TMPDIR"), before);
    int calls = 0;
    options.free_bytes = [&calls] { return ++calls < 3 ? ~uint64_t{0} >> 1 : uint64_t{900}; };
    const std::string later = error_with("cat /dev/zero", options);
    CHECK_MESSAGE(later.starts_with("/tmp has only 900 B free after "), later);
    CHECK(calls == 3);
    options = {};
    options.folder = "/nowhere";
    CHECK(error_with("echo x", options).find("no temporary file can be created in /nowhere") == 0);
}

TEST_CASE("a file that is larger than the free space is refused before it is copied") {
    const auto file = UnnamedFile::create("/tmp", [] { return uint64_t{10} << 30; });
    REQUIRE(file);
    CHECK((*file)->check_space(uint64_t{9} << 30));
    const Result<void> large = (*file)->check_space(uint64_t{10} << 30);
    REQUIRE_FALSE(large);
    CHECK(large.error().text ==
          "/tmp has only 10 GiB free, and the file has 10 GiB; set TMPDIR to a folder with "
          "space for the whole file");
}

TEST_CASE("cancelling ends ssh") {
    std::atomic<bool> cancel = true;
    RemoteCopyOptions options;
    options.cancel = &cancel;
    const StandInSsh ssh("sleep 30");
    const auto copy = copy_remote(address_of_test(), options);
    REQUIRE_FALSE(copy);
    CHECK(copy.error().code == ErrorCode::cancelled);
    CHECK(copy.error().text == "ssh://far/runs/a.json: copying was cancelled");
}

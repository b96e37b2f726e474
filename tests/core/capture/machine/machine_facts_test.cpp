#include "core/capture/machine/machine_facts.h"

#include <doctest/doctest.h>

#include "core/capture/kineto/kineto_socket.h"
#include "tests/core/temporary_file.h"

using namespace lanescope;
using lanescope::testing::TemporaryFile;

TEST_CASE("the driver's version is parsed for both kinds of kernel modules") {
    CHECK(driver_version("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 "
                         "01:15:15 UTC 2023\nGCC version:  gcc version 12.2.0\n") == "535.104.05");
    CHECK(driver_version("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  "
                         "Release Build\n") == "550.54.15");
    CHECK(driver_version("") == "");
    CHECK(driver_version("NVRM version: unknown\nGCC version: 12.2.0\n") == "");
}

TEST_CASE("profiling rights are parsed from the driver's parameters") {
    CHECK(profiling_for_admins_only("ModifyDeviceFiles: 1\nRmProfilingAdminOnly: 1\nX: 0\n") ==
          true);
    CHECK(profiling_for_admins_only("RmProfilingAdminOnly: 0") == false);
    CHECK(profiling_for_admins_only("NotRmProfilingAdminOnly: 1\n") == std::nullopt);
    CHECK(profiling_for_admins_only("RmProfilingAdminOnly: x\n") == std::nullopt);
    CHECK(profiling_for_admins_only("") == std::nullopt);
}

TEST_CASE("an abstract socket is found by its whole name") {
    constexpr std::string_view text =
        "Num       RefCount Protocol Flags    Type St Inode Path\n"
        "0000000000000000: 00000002 00000000 00000000 0002 01 111 /tmp/dynolog\n"
        "0000000000000000: 00000002 00000000 00000000 0002 01 222 @dynolog\n"
        "0000000000000000: 00000002 00000000 00000000 0002 01 333 @dynolog@\n"
        "0000000000000000: 00000003 00000000 00000000 0001 03 444\n";
    CHECK(inode_of_socket(text, "dynolog") == 333);
    CHECK(inode_of_socket(text, "dyno") == 0);
    CHECK(inode_of_socket("", "dynolog") == 0);
}

TEST_CASE("a folder that does not exist yet is as writable as its parent") {
    const TemporaryFile file("x");
    CHECK(folder_facts(file.folder() + "/not/there/yet").writable);
    CHECK(folder_facts("").path.empty());
    CHECK(!folder_facts("").writable);
    CHECK(!folder_facts(file.path() + "/inside").writable);  // a file stands in the way
}

TEST_CASE("the report names the owner of a daemon's socket") {
    const TemporaryFile file("x");
    const std::string folder = file.folder();
    CHECK(kineto_facts(folder, 1).is_free);
    {
        const auto other = KinetoSocket::bind(folder);
        REQUIRE(other);
        const KinetoFacts facts = kineto_facts(folder, 1);
        CHECK(!facts.is_free);
        CHECK(facts.is_taken);
        CHECK(!facts.dynolog_answers);
    }
    CHECK(kineto_facts(folder, 1).is_free);
    const KinetoFacts nowhere = kineto_facts("/no/such/folder", 1);
    CHECK(!nowhere.is_free);
    CHECK(!nowhere.is_taken);
    CHECK(!nowhere.socket_problem.empty());
    CHECK(nowhere.senders.works);
}

TEST_CASE("programs are found by PATH, limits are this process's") {
    CHECK(is_installed("sh"));
    CHECK(!is_installed("no-such-program-anywhere"));
    StorageFacts files;
    add_limits(files);
    CHECK(files.open_files > 0);
    CHECK(files.map_count > 0);
}

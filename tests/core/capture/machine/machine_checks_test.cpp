#include "core/capture/machine/machine_checks.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace lanescope;

namespace {

// A desktop with a GPU on which everything works.
MachineFacts good_machine() {
    MachineFacts facts;
    facts.screen.x11 = ":0";
    facts.screen.window = facts.screen.picture = {true, "OpenGL 4.6, NVIDIA"};
    facts.screen.portal = {true, "the desktop is dark"};
    facts.screen.xclip = true;
    facts.files.settings = {"/config/lanescope", true};
    facts.files.data = {"/data/lanescope", true};
    facts.files.open_files = 1024;
    facts.files.map_count = 65'530;
    facts.nvidia.kernel_driver = "550.54.15";
    facts.nvidia.devices = {"NVIDIA H100", "NVIDIA H100"};
    facts.nvidia.has_libcuda = true;
    facts.nvidia.cupti = {"/usr/lib/libcupti.so.12", 24, ""};
    facts.nvidia.admins_only = false;
    facts.sampling = {true, true, true, "", ""};
    facts.recording.library = "/usr/lib/lanescope/liblanescope_inject.so";
    facts.recording.folder = facts.recording.home = {"/home/me", true};
    facts.recording.ptrace_scope = 1;
    facts.recording.perf_paranoid = 2;
    facts.kineto.place = "@dynolog";
    facts.kineto.is_free = true;
    facts.kineto.senders = {true, "the kernel names process and user"};
    facts.kineto.attached = {12};
    return facts;
}

MachineCheck check_of(const MachineFacts& facts, std::string_view name) {
    const auto checks = check_machine(facts);
    const auto at = std::ranges::find(checks, name, &MachineCheck::name);
    REQUIRE_MESSAGE(at != checks.end(), name);
    return *at;
}

bool has_check(const MachineFacts& facts, std::string_view name) {
    const auto checks = check_machine(facts);
    return std::ranges::find(checks, name, &MachineCheck::name) != checks.end();
}

}  // namespace

TEST_CASE("on a complete machine all checks pass, without advice") {
    for (const MachineCheck& check : check_machine(good_machine())) {
        CAPTURE(check.name);
        CHECK(check.state == CheckState::works);
        CHECK(check.advice.empty());
        CHECK(!check.found.empty());
    }
    CHECK(check_of(good_machine(), "devices").found == "NVIDIA H100, NVIDIA H100");
    CHECK(check_of(good_machine(), "CUPTI").found == "interface 24, /usr/lib/libcupti.so.12");
}

TEST_CASE("every failed check gives one sentence of advice") {
    MachineFacts nothing;
    nothing.screen.picture.text = "no EGL";
    nothing.kineto.socket_problem = "@dynolog: Operation not permitted";
    nothing.kineto.senders.text = "none";
    for (const MachineCheck& check : check_machine(nothing)) {
        if (check.state == CheckState::works) continue;
        CAPTURE(check.name);
        CHECK(check.advice.ends_with('.'));
        CHECK(!check.found.empty());
    }
    CHECK(check_of(nothing, "pictures").state == CheckState::fails);
    CHECK(check_of(nothing, "settings folder").state == CheckState::fails);
    CHECK(check_of(nothing, "notes folder").state == CheckState::fails);
    CHECK(check_of(nothing, "open files").state == CheckState::fails);
    CHECK(check_of(nothing, "daemon's socket").state == CheckState::fails);
    CHECK(check_of(nothing, "senders").state == CheckState::fails);
}

TEST_CASE("optional parts do not fail") {
    MachineFacts server = good_machine();
    server.screen = {};
    server.screen.picture = {true, "OpenGL 4.5, llvmpipe"};
    server.nvidia = {};
    server.kineto.attached.clear();
    for (const MachineCheck& check : check_machine(server))
        CHECK_MESSAGE(check.state != CheckState::fails, check.name);
    CHECK(check_of(server, "display").state == CheckState::missing);
    CHECK(!has_check(server, "OpenGL"));
    CHECK(!has_check(server, "clipboard"));
    CHECK(check_of(server, "NVIDIA driver").state == CheckState::missing);
    CHECK(!has_check(server, "devices"));
    CHECK(!has_check(server, "profiling"));
    CHECK(check_of(server, "CUPTI").state == CheckState::missing);
}

TEST_CASE("the clipboard's tool matches the display") {
    MachineFacts facts = good_machine();
    facts.screen.wayland = "wayland-0";
    CHECK(check_of(facts, "display").found == "Wayland, wayland-0");
    CHECK(check_of(facts, "clipboard").advice.find("wl-clipboard") != std::string::npos);
    facts.screen.wl_copy = true;
    CHECK(check_of(facts, "clipboard").state == CheckState::works);
    facts.screen.wayland.clear();
    facts.screen.xclip = false;
    CHECK(check_of(facts, "clipboard").advice.find("xclip") != std::string::npos);
}

TEST_CASE("a display without OpenGL fails") {
    MachineFacts facts = good_machine();
    facts.screen.window = {false, "trying it crashed (signal 11)"};
    CHECK(check_of(facts, "OpenGL").state == CheckState::fails);
    CHECK(check_of(facts, "OpenGL").found == "trying it crashed (signal 11)");
}

TEST_CASE("if the window was not built, the report says so and blames no driver") {
    MachineFacts facts = good_machine();
    facts.screen = {};
    facts.screen.no_viewer = "it is not built: there is no /usr/bin/lanescope-viewer";
    CHECK(check_of(facts, "window").state == CheckState::missing);
    CHECK(check_of(facts, "window").advice.find("LANESCOPE_WINDOW=ON") != std::string::npos);
    CHECK_FALSE(has_check(facts, "pictures"));
    CHECK_FALSE(has_check(facts, "display"));
}

TEST_CASE("low limits on address space and memory maps are reported") {
    MachineFacts facts = good_machine();
    facts.files.address_space = uint64_t{4} << 30;
    CHECK(check_of(facts, "memory maps").state == CheckState::missing);
    CHECK(check_of(facts, "memory maps").found == "4.0 GiB of addresses");
    facts.files.address_space = uint64_t{1} << 40;
    CHECK(check_of(facts, "memory maps").state == CheckState::works);
    facts.files.map_count = 1000;
    CHECK(check_of(facts, "memory maps").advice.find("vm.max_map_count") != std::string::npos);
    facts.files.map_count = 0;
    CHECK(check_of(facts, "memory maps").state == CheckState::works);
}

TEST_CASE("missing driver libraries, devices, CUPTI and profiling rights are reported") {
    MachineFacts facts = good_machine();
    facts.nvidia.admins_only = true;
    CHECK(check_of(facts, "profiling").state == CheckState::missing);
    facts.nvidia.is_admin = true;
    CHECK(check_of(facts, "profiling").state == CheckState::works);
    facts.nvidia.has_libcuda = false;
    CHECK(check_of(facts, "NVIDIA driver").found == "550.54.15, without libcuda.so.1");
    facts.nvidia.devices.clear();
    facts.nvidia.device_problem = "NVML: Driver/library version mismatch";
    CHECK(check_of(facts, "devices").found == "NVML: Driver/library version mismatch");
    facts.nvidia.cupti.version = 0;
    CHECK(check_of(facts, "CUPTI").state == CheckState::missing);
    facts.nvidia.cupti.version = 130600;
    CHECK(check_of(facts, "CUPTI").state == CheckState::missing);
    CHECK(check_of(facts, "CUPTI").found.find("not one of CUDA 11.8 to 13.5") != std::string::npos);
    facts.nvidia.cupti = {"", 0, "it crashed (signal 6)"};
    CHECK(check_of(facts, "CUPTI").found == "it crashed (signal 6)");
}

TEST_CASE("another daemon's socket is a dynolog's when it answers over TCP") {
    MachineFacts facts = good_machine();
    facts.kineto.is_free = false;
    facts.kineto.is_taken = true;
    facts.kineto.taken_by = "process 7, dynolog";
    CHECK(check_of(facts, "daemon's socket").state == CheckState::missing);
    CHECK(check_of(facts, "daemon's socket").found.find("process 7, dynolog") != std::string::npos);
    facts.kineto.dynolog_answers = true;
    CHECK(check_of(facts, "daemon's socket").state == CheckState::works);
}

TEST_CASE("a PyTorch that cannot be queried differs from none") {
    MachineFacts facts = good_machine();
    CHECK(check_of(facts, "processes").found == "1 with KINETO_USE_DAEMON: 12");
    facts.kineto.attached.clear();
    facts.kineto.others = {1, 2, 3, 4, 5, 6, 7};
    CHECK(check_of(facts, "processes").found == "7 without KINETO_USE_DAEMON: 1, 2, 3, 4, 5, 6, …");
    facts.kineto.others.clear();
    CHECK(check_of(facts, "processes").found == "none of yours runs");
}

TEST_CASE("what keeps programs from being recorded comes with a command that fixes it") {
    MachineFacts facts = good_machine();
    facts.recording = {"", {"/", false}, {"", false}, 2, 4};
    facts.sampling.works = false;
    const auto command = [&](const char* name) {
        const MachineCheck check = check_of(facts, name);
        CHECK(check.state == CheckState::missing);
        CHECK_FALSE(check.advice.empty());
        return check.command;
    };
    CHECK(command("recording library").find("scripts/build") == 0);
    CHECK(command("spool folder").find("cd ") == 0);
    CHECK(command("HOME").find("export HOME=") == 0);
    CHECK(command("ptrace") == "sudo sysctl kernel.yama.ptrace_scope=1");
    facts.recording.ptrace_scope = 1;
    facts.recording.reads_children = false;
    CHECK(command("ptrace").find("SYS_PTRACE") != std::string::npos);
    CHECK(command("perf events") == "sudo sysctl kernel.perf_event_paranoid=2");
}

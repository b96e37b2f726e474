#include "ui/platform/desktop_theme.h"

#include <dbus/dbus.h>
#include <doctest/doctest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "tests/skip.h"

extern char** environ;

using namespace lanescope;
using namespace std::chrono_literals;

namespace {

// A session bus of our own; `address` is empty when there is no dbus-daemon.
struct Bus {
    std::string address;
    pid_t daemon = 0;

    Bus() {
        std::array<int, 2> ends{};
        REQUIRE(pipe(ends.data()) == 0);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
        const char* words[] = {"dbus-daemon", "--session", "--print-address=1", "--nofork",
                               nullptr};
        const int failed =
            posix_spawnp(&daemon, words[0], &actions, nullptr, const_cast<char**>(words), environ);
        posix_spawn_file_actions_destroy(&actions);
        close(ends[1]);
        if (failed != 0) daemon = 0;
        std::array<char, 512> text{};
        const ssize_t bytes = failed == 0 ? read(ends[0], text.data(), text.size()) : 0;
        close(ends[0]);
        if (bytes > 0)
            address = std::string(text.data(), static_cast<std::size_t>(bytes))
                          .substr(0, std::string(text.data()).find('\n'));
        setenv("DBUS_SESSION_BUS_ADDRESS", address.c_str(), 1);
    }
    ~Bus() {
        unsetenv("DBUS_SESSION_BUS_ADDRESS");
        if (daemon <= 0) return;
        kill(daemon, SIGTERM);
        waitpid(daemon, nullptr, 0);
    }
};

// What a desktop's portal answers and reports.
class Portal {
  public:
    explicit Portal(dbus_uint32_t scheme) : scheme_(scheme) {
        bus_ = dbus_bus_get_private(DBUS_BUS_SESSION, nullptr);
        REQUIRE(bus_);
        dbus_connection_set_exit_on_disconnect(bus_, FALSE);
        REQUIRE(dbus_bus_request_name(bus_, "org.freedesktop.portal.Desktop", 0, nullptr) ==
                DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER);
    }
    ~Portal() {
        dbus_connection_close(bus_);
        dbus_connection_unref(bus_);
    }
    // Answers pending requests.
    void serve() {
        dbus_connection_read_write(bus_, 10);
        while (DBusMessage* message = dbus_connection_pop_message(bus_)) {
            if (dbus_message_is_method_call(message, "org.freedesktop.portal.Settings", "Read")) {
                DBusMessage* answer = dbus_message_new_method_return(message);
                // Read wraps the value twice, as portals do.
                DBusMessageIter at;
                DBusMessageIter outer;
                dbus_message_iter_init_append(answer, &at);
                dbus_message_iter_open_container(&at, DBUS_TYPE_VARIANT, "v", &outer);
                put(outer, scheme_);
                dbus_message_iter_close_container(&at, &outer);
                dbus_connection_send(bus_, answer, nullptr);
                dbus_message_unref(answer);
            }
            dbus_message_unref(message);
        }
    }
    void send_change(const char* space, const char* key, dbus_uint32_t scheme) {
        DBusMessage* signal = dbus_message_new_signal(
            "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings", "SettingChanged");
        DBusMessageIter at;
        dbus_message_iter_init_append(signal, &at);
        dbus_message_iter_append_basic(&at, DBUS_TYPE_STRING, static_cast<void*>(&space));
        dbus_message_iter_append_basic(&at, DBUS_TYPE_STRING, static_cast<void*>(&key));
        put(at, scheme);
        dbus_connection_send(bus_, signal, nullptr);
        dbus_connection_flush(bus_);
        dbus_message_unref(signal);
    }

  private:
    static void put(DBusMessageIter& at, dbus_uint32_t value) {
        DBusMessageIter inner;
        dbus_message_iter_open_container(&at, DBUS_TYPE_VARIANT, "u", &inner);
        dbus_message_iter_append_basic(&inner, DBUS_TYPE_UINT32, &value);
        dbus_message_iter_close_container(&at, &inner);
    }

    DBusConnection* bus_ = nullptr;
    dbus_uint32_t scheme_;
};

bool becomes(const DesktopTheme& desktop, std::optional<Theme> wanted, Portal& portal) {
    for (int i = 0; i < 500 && desktop.theme() != wanted; ++i) {
        portal.serve();
        std::this_thread::sleep_for(10ms);
    }
    return desktop.theme() == wanted;
}

}  // namespace

TEST_CASE("The desktop's theme is queried once and followed") {
    const Bus bus;
    if (bus.address.empty()) {
        testing::skip_test("there is no dbus-daemon");
        return;
    }
    Portal portal(2);
    std::atomic<int> changes = 0;
    const DesktopTheme desktop([&] { ++changes; });
    CHECK(becomes(desktop, Theme::light, portal));
    portal.send_change("org.freedesktop.appearance", "color-scheme", 1);
    CHECK(becomes(desktop, Theme::dark, portal));
    portal.send_change("org.freedesktop.appearance", "accent-color", 2);
    portal.send_change("org.example", "color-scheme", 2);
    portal.send_change("org.freedesktop.appearance", "color-scheme", 7);
    CHECK(becomes(desktop, std::nullopt, portal));
    CHECK(changes == 3);
}

TEST_CASE("Without a bus or a portal there is no theme") {
    setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/at/all", 1);
    {
        const DesktopTheme desktop([] {});
        std::this_thread::sleep_for(50ms);
        CHECK(!desktop.theme());
    }
    unsetenv("DBUS_SESSION_BUS_ADDRESS");
    const Bus bus;
    if (bus.address.empty()) {
        testing::skip_test("there is no dbus-daemon");
        return;
    }
    const DesktopTheme desktop([] {});
    std::this_thread::sleep_for(100ms);
    CHECK(!desktop.theme());
}

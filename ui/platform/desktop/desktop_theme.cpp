#include "ui/platform/desktop_theme.h"

#include <dbus/dbus.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace lanescope {

namespace {

constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kPath = "/org/freedesktop/portal/desktop";
constexpr const char* kSettings = "org.freedesktop.portal.Settings";
constexpr const char* kAppearance = "org.freedesktop.appearance";
constexpr const char* kScheme = "color-scheme";
constexpr const char* kMatch =
    "type='signal',interface='org.freedesktop.portal.Settings',member='SettingChanged',"
    "arg0='org.freedesktop.appearance'";
constexpr int kAnswerMilliseconds = 2000;

struct CloseConnection {
    void operator()(DBusConnection* bus) const {
        dbus_connection_close(bus);
        dbus_connection_unref(bus);
    }
};
using BusConnection = std::unique_ptr<DBusConnection, CloseConnection>;

struct FreeMessage {
    void operator()(DBusMessage* message) const { dbus_message_unref(message); }
};
using Message = std::unique_ptr<DBusMessage, FreeMessage>;

// Returns whether the desktop runs a session bus. Without a session bus libdbus would start one,
// which nobody needs, and wait for its address on a pipe. Programs that the window starts meanwhile
// inherit this pipe and keep it open.
bool has_session_bus() {
    const char* const address = std::getenv("DBUS_SESSION_BUS_ADDRESS");
    if (address && *address) return !std::string_view(address).starts_with("autolaunch:");
    const char* const folder = std::getenv("XDG_RUNTIME_DIR");
    std::error_code ignored;
    return folder && *folder &&
           std::filesystem::exists(std::filesystem::path(folder) / "bus", ignored);
}

BusConnection open_bus() {
    if (!has_session_bus()) return nullptr;
    DBusError error;
    dbus_error_init(&error);
    BusConnection bus(dbus_bus_get_private(DBUS_BUS_SESSION, &error));
    dbus_error_free(&error);
    if (bus) dbus_connection_set_exit_on_disconnect(bus.get(), FALSE);
    return bus;
}

// A number inside any depth of variants; empty if there is none.
std::optional<uint32_t> number_in(DBusMessageIter at) {
    while (dbus_message_iter_get_arg_type(&at) == DBUS_TYPE_VARIANT) {
        DBusMessageIter inner;
        dbus_message_iter_recurse(&at, &inner);
        at = inner;
    }
    if (dbus_message_iter_get_arg_type(&at) != DBUS_TYPE_UINT32) return std::nullopt;
    dbus_uint32_t value = 0;
    dbus_message_iter_get_basic(&at, &value);
    return value;
}

std::optional<uint32_t> ask(DBusConnection* bus) {
    const Message call(dbus_message_new_method_call(kPortal, kPath, kSettings, "Read"));
    if (!call || !dbus_message_append_args(call.get(), DBUS_TYPE_STRING, &kAppearance,
                                           DBUS_TYPE_STRING, &kScheme, DBUS_TYPE_INVALID))
        return std::nullopt;
    DBusError error;
    dbus_error_init(&error);
    const Message answer(
        dbus_connection_send_with_reply_and_block(bus, call.get(), kAnswerMilliseconds, &error));
    dbus_error_free(&error);
    DBusMessageIter at;
    if (!answer || !dbus_message_iter_init(answer.get(), &at)) return std::nullopt;
    return number_in(at);
}

// The scheme in a signal; empty if the signal is about something else.
std::optional<uint32_t> changed_to(DBusMessage* message) {
    DBusMessageIter at;
    if (!dbus_message_is_signal(message, kSettings, "SettingChanged") ||
        !dbus_message_iter_init(message, &at))
        return std::nullopt;
    for (const char* const wanted : {kAppearance, kScheme}) {
        if (dbus_message_iter_get_arg_type(&at) != DBUS_TYPE_STRING) return std::nullopt;
        const char* text = nullptr;
        dbus_message_iter_get_basic(&at, static_cast<void*>(&text));
        if (std::strcmp(text, wanted) != 0) return std::nullopt;
        dbus_message_iter_next(&at);
    }
    return number_in(at);
}

Error no_portal(const char* why) {
    return {ErrorCode::unsupported, Error::no_offset, why};
}

}  // namespace

Result<std::string> probe_portal() {
    const BusConnection bus = open_bus();
    if (!bus) return no_portal("there is no session bus");
    const auto scheme = ask(bus.get());
    if (!scheme) return no_portal("no portal answers with the desktop's settings");
    if (*scheme == 0) return std::string("the desktop has no preference of light or dark");
    return std::string(*scheme == 1 ? "the desktop is dark" : "the desktop is light");
}

DesktopTheme::DesktopTheme(std::function<void()> changed)
    : changed_(std::move(changed)), stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    thread_ = std::thread([this] { run(); });
}

DesktopTheme::~DesktopTheme() {
    eventfd_write(stop_, 1);
    thread_.join();
    close(stop_);
}

std::optional<Theme> DesktopTheme::theme() const {
    const int scheme = scheme_;
    if (scheme == 1) return Theme::dark;
    if (scheme == 2) return Theme::light;
    return std::nullopt;
}

void DesktopTheme::set(uint32_t scheme) {
    const int known = scheme == 1 || scheme == 2 ? static_cast<int>(scheme) : 0;
    if (scheme_.exchange(known) != known) changed_();
}

void DesktopTheme::run() {
    const BusConnection bus = open_bus();
    if (!bus) return;
    dbus_bus_add_match(bus.get(), kMatch, nullptr);
    if (const auto scheme = ask(bus.get())) set(*scheme);
    int fd = -1;
    if (!dbus_connection_get_unix_fd(bus.get(), &fd)) return;
    while (dbus_connection_read_write(bus.get(), 0)) {
        while (const Message message{dbus_connection_pop_message(bus.get())})
            if (const auto scheme = changed_to(message.get())) set(*scheme);
        std::array<pollfd, 2> fds = {{{stop_, POLLIN, 0}, {fd, POLLIN, 0}}};
        poll(fds.data(), fds.size(), -1);
        if (fds[0].revents != 0) return;
    }
}

}  // namespace lanescope

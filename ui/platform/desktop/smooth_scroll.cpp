// A second connection to the X server receives raw events: every client that asks gets these,
// whereas selecting XInput's usual events would stop the core events that GLFW's connection uses.
// https://www.x.org/releases/X11R7.7/doc/inputproto/XI2proto.txt (raw events, smooth scrolling)
#include "ui/platform/smooth_scroll.h"

#include <X11/Xlib.h>
#include <X11/extensions/XInput2.h>
#include <dlfcn.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace lanescope {

namespace {

template <typename Function>
bool find(void* library, const char* name, Function*& function) {
    function = library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
    return function != nullptr;
}

// Loaded at run time, as GLFW does: these libraries may be missing on systems with only Wayland.
// They stay loaded.
struct Xlib {
    decltype(XOpenDisplay)* open = nullptr;
    decltype(XCloseDisplay)* close = nullptr;
    decltype(XQueryExtension)* query_extension = nullptr;
    decltype(XPending)* pending = nullptr;
    decltype(XNextEvent)* next_event = nullptr;
    decltype(XGetEventData)* get_data = nullptr;
    decltype(XFreeEventData)* free_data = nullptr;
    decltype(XSync)* sync = nullptr;
    decltype(XIQueryVersion)* query_version = nullptr;
    decltype(XISelectEvents)* select_events = nullptr;
    decltype(XIQueryDevice)* query_device = nullptr;
    decltype(XIFreeDeviceInfo)* free_device = nullptr;

    bool load() {
        void* const x11 = dlopen("libX11.so.6", RTLD_LAZY | RTLD_LOCAL);
        void* const xi = dlopen("libXi.so.6", RTLD_LAZY | RTLD_LOCAL);
        return find(x11, "XOpenDisplay", open) && find(x11, "XCloseDisplay", close) &&
               find(x11, "XQueryExtension", query_extension) && find(x11, "XPending", pending) &&
               find(x11, "XNextEvent", next_event) && find(x11, "XGetEventData", get_data) &&
               find(x11, "XFreeEventData", free_data) && find(x11, "XSync", sync) &&
               find(xi, "XIQueryVersion", query_version) &&
               find(xi, "XISelectEvents", select_events) &&
               find(xi, "XIQueryDevice", query_device) && find(xi, "XIFreeDeviceInfo", free_device);
    }
};

// Reports once when a descriptor becomes readable, and again only after again() was called.
class Watch {
  public:
    Watch(int descriptor, std::function<void()> wake)
        : news_(eventfd(0, EFD_CLOEXEC)),
          thread_([this, descriptor, wake = std::move(wake)] { run(descriptor, wake); }) {}
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() {
        ended_ = true;
        rouse();
        thread_.join();
        close(news_);
    }
    void restart() {
        if (reported_.exchange(false)) rouse();
    }

  private:
    void rouse() const {
        const uint64_t one = 1;
        (void)!write(news_, &one, sizeof one);
    }

    void run(int descriptor, const std::function<void()>& wake) {
        for (bool watching = true; !ended_;) {
            std::array<pollfd, 2> polled{{{news_, POLLIN, 0}, {descriptor, POLLIN, 0}}};
            if (poll(polled.data(), watching ? 2 : 1, -1) < 0) continue;  // a signal
            if (polled[0].revents) {
                uint64_t count = 0;
                (void)!read(news_, &count, sizeof count);
                watching = true;
            } else {
                watching = false;
                reported_ = true;
                wake();
            }
        }
    }

    int news_;
    std::atomic<bool> ended_{false};
    std::atomic<bool> reported_{false};
    std::thread thread_;  // after what it uses
};

struct ScrollAxis {
    int number = 0;
    bool along = false;
    double notch = 1;  // units of the device for one notch
};

constexpr int kFirstWheelButton = 4;  // up, down, left, right
constexpr std::size_t kWheelButtons = 4;

std::size_t direction_of(const SmoothScroll::Notches& whole) {
    if (whole.along != 0) return whole.along > 0 ? 0 : 1;
    return whole.across > 0 ? 2 : 3;
}

class Connection final : public SmoothScroll {
  public:
    Connection(const Xlib& xlib, Display* display, int opcode, std::function<void()> wake)
        : xlib_(xlib),
          display_(display, xlib.close),
          opcode_(opcode),
          watch_(ConnectionNumber(display), std::move(wake)) {}

    void listen(bool on) override {
        std::array<unsigned char, XIMaskLen(XI_LASTEVENT)> raw{};
        std::array<unsigned char, XIMaskLen(XI_LASTEVENT)> devices{};
        if (on) {
            XISetMask(raw.data(), XI_RawMotion);
            XISetMask(raw.data(), XI_RawButtonPress);
            XISetMask(devices.data(), XI_HierarchyChanged);
        }
        std::array<XIEventMask, 2> masks{
            {{XIAllMasterDevices, static_cast<int>(raw.size()), raw.data()},
             {XIAllDevices, static_cast<int>(devices.size()), devices.data()}}};
        xlib_.select_events(display_.get(), DefaultRootWindow(display_.get()), masks.data(),
                            masks.size());
        read_all();
        scrolled_ = {};
        made_.fill(0);
        axes_.clear();  // devices may have changed meanwhile
    }

    Notches take() override {
        read();
        watch_.restart();
        return std::exchange(scrolled_, {});
    }

    bool is_echo(const Notches& whole) override {
        read_all();
        int& made = made_[direction_of(whole)];
        if (made == 0) return false;
        --made;
        return true;
    }

  private:
    // Includes what the server has sent until now.
    void read_all() {
        xlib_.sync(display_.get(), False);
        read();
    }

    void read() {
        while (xlib_.pending(display_.get()) > 0) {
            XEvent event;
            xlib_.next_event(display_.get(), &event);
            XGenericEventCookie& cookie = event.xcookie;
            if (cookie.type != GenericEvent || cookie.extension != opcode_ ||
                !xlib_.get_data(display_.get(), &cookie))
                continue;
            if (cookie.evtype == XI_HierarchyChanged)
                axes_.clear();
            else
                take_raw(*static_cast<const XIRawEvent*>(cookie.data));
            xlib_.free_data(display_.get(), &cookie);
        }
    }

    void take_raw(const XIRawEvent& raw) {
        if (raw.evtype == XI_RawMotion) {
            add_motion(raw);
        } else if (raw.evtype == XI_RawButtonPress && (raw.flags & XIPointerEmulated) != 0) {
            const auto button = static_cast<std::size_t>(raw.detail - kFirstWheelButton);
            if (button < made_.size()) ++made_[button];
        }
    }

    // Raw values of scroll axes are distances, not positions.
    void add_motion(const XIRawEvent& raw) {
        const double* value = raw.valuators.values;
        for (int number = 0; number < raw.valuators.mask_len * 8; ++number) {
            if (!XIMaskIsSet(raw.valuators.mask, number)) continue;
            for (const ScrollAxis& axis : axes_of(raw.sourceid))
                if (axis.number == number)
                    (axis.along ? scrolled_.along : scrolled_.across) -= *value / axis.notch;
            ++value;
        }
    }

    std::span<const ScrollAxis> axes_of(int device) {
        if (axes_.empty()) look_at_devices();
        return axes_[device];
    }

    void look_at_devices() {
        int count = 0;
        XIDeviceInfo* const devices = xlib_.query_device(display_.get(), XIAllDevices, &count);
        if (!devices) return;
        for (const XIDeviceInfo& device :
             std::span<XIDeviceInfo>(devices, static_cast<std::size_t>(count))) {
            std::vector<ScrollAxis>& axes = axes_[device.deviceid];
            for (const XIAnyClassInfo* any : std::span<XIAnyClassInfo*>(
                     device.classes, static_cast<std::size_t>(device.num_classes))) {
                if (any->type != XIScrollClass) continue;
                const auto& scroll = *reinterpret_cast<const XIScrollClassInfo*>(any);
                if (scroll.increment != 0)
                    axes.push_back({scroll.number, scroll.scroll_type == XIScrollTypeVertical,
                                    scroll.increment});
            }
        }
        xlib_.free_device(devices);
    }

    Xlib xlib_;
    std::unique_ptr<Display, decltype(XCloseDisplay)*> display_;
    int opcode_;
    std::map<int, std::vector<ScrollAxis>> axes_;  // by device; empty: not yet queried
    Notches scrolled_;
    std::array<int, kWheelButtons> made_{};  // notches by the server that GLFW has not reported yet
    Watch watch_;                            // destroyed before the connection
};

}  // namespace

std::unique_ptr<SmoothScroll> SmoothScroll::open(std::function<void()> wake) {
    Xlib xlib;
    if (!xlib.load()) return nullptr;
    Display* const display = xlib.open(nullptr);
    if (!display) return nullptr;
    int opcode = 0;
    int unused = 0;
    int major = 2;
    // From this version on, raw events also arrive while another program grabs the pointer.
    int minor = 1;
    if (!xlib.query_extension(display, "XInputExtension", &opcode, &unused, &unused) ||
        xlib.query_version(display, &major, &minor) != Success || (major == 2 && minor < 1)) {
        xlib.close(display);
        return nullptr;
    }
    return std::make_unique<Connection>(xlib, display, opcode, std::move(wake));
}

}  // namespace lanescope

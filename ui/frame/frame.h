// Frame: the data from which a frame of the window is built. Every feature and panel draws with it,
// reads the open trace from it, and leaves requests in it. It lives as long as the window, so that
// results of background jobs can refer to it; its time is the time of the present frame.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/session/settings.h"
#include "ui/base/jobs.h"
#include "ui/commands/chooser.h"
#include "ui/commands/keys.h"
#include "ui/commands/requests.h"
#include "ui/frame/files.h"
#include "ui/frame/frame_pacing.h"
#include "ui/frame/front.h"
#include "ui/frame/notices.h"
#include "ui/frame/open_trace.h"
#include "ui/frame/options.h"
#include "ui/look/canvas.h"
#include "ui/look/font_fallback.h"
#include "ui/look/theme.h"
#include "ui/timeline/timeline_view.h"

namespace lanescope {

// The layout of the panels, for features that restore it.
struct PlacedPanels {
    std::string text;                   // the user's layout; empty: the default
    std::optional<std::string> wanted;  // applied in the next frame
};

struct Frame {
    Frame(AppOptions window_options, const Look& first_look, std::function<void()> wake_window)
        : options(std::move(window_options)),
          settings(options.settings),
          keys(make_key_map(settings.keys)),
          look(first_look),
          font_fallback({look.fonts.regular, look.fonts.medium, look.fonts.mono}),
          wake(std::move(wake_window)),
          jobs(wake) {}
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

    AppOptions options;
    Settings settings;  // the present settings, saved a moment after a change
    KeyMap keys;
    Look look;
    FontFallback font_fallback;  // for characters that the window's own fonts lack
    bool look_changed = true;    // colours and scale apply from the next frame
    bool rescaled = true;        // panels are laid out again in the next frame
    std::function<void()> wake;  // draws a frame soon; may be called by any thread
    FramePacing pacing;
    Notices notices;
    Front front;
    PlacedPanels layout;
    Chooser chooser;
    Canvas canvas;
    Timeline timeline;
    TimelineView timeline_view;
    Files* files = nullptr;  // never null once the window is complete

    double now = 0;               // seconds
    double since_last = 0;        // seconds since the frame before
    Requests requests;            // of this frame
    bool forget_results = false;  // panels release what they show, before they are drawn again
    bool save_settings = false;   // save them without the usual delay
    bool legend_shown = false;
    bool menu_shown = false;     // an open menu or list has the keys
    bool dialog_shown = false;   // an open dialog has the keys
    bool narrow = false;         // panels have the layout for narrow windows
    bool picture_taken = false;  // the frame is drawn for a picture: without messages

    // The features own the results of these jobs, and are destroyed after the frame.
    Jobs jobs;
    std::unique_ptr<OpenTrace> trace;  // null: no trace is open

    // Shows a short message.
    void notify(std::string message) {
        notices.show(std::move(message), now);
        pacing.wake();
    }
    // Brings a panel to the front of its tabs, and shows the tables if it is one of them; false if
    // there is no panel of that name.
    bool show_panel(std::string_view name);
    // Likewise a group of panels, by the name of its window, or a panel.
    void show_group(std::string_view window);
    // The complete trace; null until it is loaded.
    LoadedTrace* loaded() const { return trace ? trace->loaded.get() : nullptr; }
    // The followed recording; null: none.
    Live* live() const { return trace ? trace->live.get() : nullptr; }
    // A screen of buttons is shown instead of the timeline: the start, or an error.
    bool has_screen() const { return !trace; }
    // Whether work is in progress that another join of the traces would drop; if so, shows a
    // message.
    bool still_reading();
    // Makes panels show another part of the trace.
    void show_part(uint32_t part) {
        if (trace && trace->show_part(part)) pacing.wake();
    }
};

}  // namespace lanescope

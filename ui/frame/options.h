// Options for opening the window.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/evidence.h"
#include "core/capture/kineto/attacher.h"
#include "core/session/companions.h"
#include "core/session/settings.h"
#include "core/view/slice_classes.h"

namespace lanescope {

struct AppOptions {
    Settings settings;
    std::string settings_path;  // empty: settings are not saved
    std::string layout_path;    // of panels; empty: not kept
    // For arrangements of lanes, one file a trace; empty: not saved.
    std::string lanes_folder;
    std::string greeting;            // a message for the first frame; empty: none
    std::string sample_path;         // a trace to offer at startup; empty: none
    std::string state_path;          // where to write the state for tests; empty: nowhere
    std::optional<ColorMode> color;  // none: chosen by the trace
    Evidence evidence;               // beside each trace
    Companions companions;           // companions of the first files
    AttachOptions attach;            // how to access running processes
    // True if the window accepts traces from `lanescope --reuse`.
    bool takes_offers = false;
    bool timeline_alone = false;  // without bars and panels
    bool still = false;           // a reproducible picture: without hover card and load time
};

}  // namespace lanescope

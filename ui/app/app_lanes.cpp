// The arrangement of lanes: saved for each trace, and slices that it hides.
#include <filesystem>
#include <utility>

#include "ui/app/app.h"
#include "ui/commands/panel_names.h"
#include "ui/features/lanes_file.h"

namespace lanescope {

// Several traces in one window have a file of their own.
std::string App::lanes_path_of() const {
    std::string paths = path_;
    for (std::size_t i = 1; i < traces_.paths.size(); ++i) paths += " + " + traces_.paths[i];
    return lanes_path(options_.lanes_folder, paths);
}

// For the first trace of a file. Lanes are saved by name, so snapshots of a loading trace restore
// the lanes that they have.
void App::restore_lanes(const TracePtr& trace) {
    lanes_path_ = lanes_path_of();
    if (lanes_path_.empty()) return;
    LoadedLanes loaded = load_lanes(lanes_path_, *trace);
    if (!loaded.message.empty()) notify(loaded.message, now_);
    if (!loaded.may_save) lanes_path_.clear();
    timeline_.arrangement = std::move(loaded.arrangement);
    lanes_kept_ = timeline_.arrangement;
}

// Ids of lanes may differ between snapshots; settings for later lanes are read again from the file
// when the lanes appear.
void App::take_over_lanes(const Trace& before, const TracePtr& trace) {
    const bool untouched = timeline_.arrangement == lanes_kept_;
    // If nothing is saved for this trace, or this combination, the present arrangement stays.
    std::error_code none;
    if (untouched && !lanes_path_.empty() && std::filesystem::exists(lanes_path_, none)) {
        timeline_.arrangement = load_lanes(lanes_path_, *trace).arrangement;
        lanes_kept_ = timeline_.arrangement;
        return;
    }
    auto moved = parse_arrangement(arrangement_text(timeline_.arrangement, before), *trace);
    if (moved) timeline_.arrangement = std::move(*moved);
}

void App::follow_lanes() {
    if (!timeline_.index || !document_) return;
    const TracePtr& trace = timeline_.index->trace;
    const ShownLanesPtr& shown = timeline_.index->shown;
    if (!indexing_ && (shown ? shown->filter : LaneFilter{}) != timeline_.arrangement.filter)
        filter_in_background(trace);
    if (document_->loading() || lanes_path_.empty() || ImGui::IsAnyMouseDown() ||
        timeline_.arrangement == lanes_kept_)
        return;
    lanes_kept_ = timeline_.arrangement;
    if (const auto saved = save_lanes(lanes_kept_, *trace, lanes_path_); !saved)
        notify("The arrangement of lanes is not saved: " + saved.error().text, now_);
}

void App::filter_in_background(TracePtr trace) {
    indexing_ = true;
    worker_.post([this, trace = std::move(trace), filter = timeline_.arrangement.filter,
                  classes = timeline_.index->classes, file = opened_] {
        ViewIndexPtr index = with_classes(*build_view_index(trace, filter), classes);
        return [this, file, index = std::move(index)] {
            indexing_ = false;
            pacing_.wake();
            if (file == opened_ && document_ && timeline_.index &&
                timeline_.index->trace == index->trace)
                show_index(timeline_, index);
        };
    });
}

}  // namespace lanescope

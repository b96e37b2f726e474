// Reads a speedscope file: frames shared by all profiles, and evented or sampled profiles.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ingest/build/trace_sink.h"
#include "core/ingest/format.h"
#include "core/ingest/stacks/stack_slices.h"
#include "core/ingest/whole_json/fine_time.h"
#include "core/ingest/whole_json/json_text.h"

namespace lanescope {

class SpeedscopeReader {
  public:
    SpeedscopeReader(const ReadJob& job, TraceBuilder& builder);

    // Errors: there is no list of profiles, or no profile with a unit of time; cancelled.
    Result<void> run();

  private:
    // The raw members of a profile; empty: not present.
    struct Profile {
        std::string_view type, name, unit, start, end;
        JsonCursor events, samples, weights;  // lists
        bool is_cut = false;
        uint64_t position = 0;
        std::size_t number = 0;
    };
    struct OpenFrame {
        int64_t frame = 0;
        Nanos begin = 0;
        bool is_closed = false;
        uint64_t position = 0;
    };
    // The open frames of an evented profile.
    struct OpenFrames {
        std::vector<OpenFrame> stack;
        std::map<int64_t, std::vector<std::size_t>> of_frame;  // positions in the stack
    };

    // speedscope_reader.cpp
    void read_file();
    bool read_shared(JsonCursor& at);
    bool read_frame(JsonCursor& at);
    Profile profile_at(JsonCursor& at, bool& is_whole);
    void read_profiles();
    void read_profile(const Profile& profile, int unit);
    Result<void> why_nothing() const;
    bool is_of_python() const { return python_frames_ * 2 > named_files_; }
    LocalId lane_of(const Profile& profile, bool is_sampled);
    void take(const Batch& batch);
    void warn(std::string_view code, uint64_t position, std::string_view text);

    // speedscope_profiles.cpp
    void read_events(const Profile& profile, int unit);
    void take_event(std::string_view event, LocalId lane, int unit, OpenFrames& open, Nanos& last);
    LocalId call_category();
    void close_frame(const OpenFrame& open, LocalId lane, Nanos end);
    void read_samples(const Profile& profile, int unit);
    void stack_of(std::string_view sample);
    StackEntry frame(int64_t number, uint64_t position);

    const ReadJob& job_;
    TraceBuilder& builder_;
    TraceSink sink_;
    JsonText text_;
    Result<void> stopped_;  // why the load ends early
    uint64_t shown_ = 0;    // number of events without names
    JsonCursor profiles_;   // the list
    std::vector<StackEntry> frames_;
    std::map<std::pair<LocalId, LocalId>, uint64_t> functions_;  // by name and file
    std::size_t python_frames_ = 0;
    std::size_t named_files_ = 0;
    std::set<LocalId> named_processes_;
    std::string exporter_;
    std::string name_;
    std::string other_unit_;  // unit of the first profile that does not measure time
    std::size_t other_units_ = 0;
    std::size_t profiles_read_ = 0;
    std::vector<StackEntry> stack_;
};

}  // namespace lanescope

// The recorder's side of a spool file: creates it, controls its writers, finishes it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "core/base/nanos.h"
#include "core/base/result.h"
#include "core/capture/spool/spool_writer.h"

namespace lanescope {

struct SpoolOptions {
    std::string command;       // for readers
    Nanos ring = 0;            // how much of the past is kept; 0: everything
    uint64_t limit_bytes = 0;  // maximum size of the file; 0: no limit
    bool replaces = true;      // whether an earlier recording of the same name may be replaced
};

// Removes an earlier recording or an empty file at `path`. Errors: `usage`, something else is
// there, which is kept; `io`, another recorder is writing the file, or it cannot be removed.
Result<void> remove_earlier_recording(const std::string& path);

class SpoolRecording {
  public:
    // Creates a file that only its owner can read, and locks it while it exists. Nothing is written
    // to it before record(). Errors: `usage`, the name belongs to a file that may not be replaced;
    // `io`, the file cannot be created, or another recorder is writing it.
    static Result<std::unique_ptr<SpoolRecording>> create(const std::string& path,
                                                          const SpoolOptions& options);
    // The same under the first of several names that does not exist yet; names begin at 1.
    static Result<std::unique_ptr<SpoolRecording>> create_numbered(
        const std::function<std::string(uint32_t number)>& name, const SpoolOptions& options);
    ~SpoolRecording();
    SpoolRecording(const SpoolRecording&) = delete;
    SpoolRecording& operator=(const SpoolRecording&) = delete;

    void record() { spool_store<uint32_t>(header().control, kSpoolRecording); }
    // Begins or goes on if it is paused; a recording that was stopped stays so.
    void resume() { change_spool_control(header(), kSpoolPaused, kSpoolRecording); }
    void pause() { spool_store<uint32_t>(header().control, kSpoolPaused); }
    void stop() { spool_store<uint32_t>(header().control, kSpoolStopped); }
    // Readers of the file may change the control as well.
    SpoolControl control() const {
        return static_cast<SpoolControl>(spool_load(file_.header->control));
    }

    // Records of the recorder itself. They count as dropped if there is no space.
    void add_counter(std::string_view name, std::string_view unit, double value, uint32_t pid,
                     uint32_t device);
    void add_process(uint32_t pid, std::string_view name, std::string_view command);
    void add_process_end(uint32_t pid, int32_t status);
    void add_message(SpoolSeverity severity, std::string_view text);

    // Notes the ends of processes that wrote to the file and were reaped by their own parents or
    // execute another program.
    void note_ended_writers();
    // Whether the process has written to the file, as of the last call of note_ended_writers().
    bool wrote(uint32_t pid) const { return all_writers_.contains(pid); }
    // In a ring: drops blocks whose events ended before the kept time.
    void give_up_old();
    // Seals blocks that ended writers left open, and marks the file as complete.
    void finish();

    const SpoolFile& file() const { return file_; }
    const std::string& path() const { return path_; }  // as it was given
    SpoolHeader& header() { return *file_.header; }
    uint64_t bytes() const { return spool_load(file_.header->end); }
    uint64_t dropped() const { return spool_load(file_.header->dropped_records); }
    // After finish(): the warnings of recorded programs, with their counts.
    const std::map<std::string, uint32_t>& warnings() const { return warnings_; }

  private:
    SpoolRecording() = default;
    static Result<std::unique_ptr<SpoolRecording>> begin(const std::string& path, int fd,
                                                         const SpoolHeader& header);
    void note_executed();
    void measure_tick();
    void collect_warnings(const std::string& records);

    SpoolFile file_;
    std::string path_;
    int fd_ = -1;
    uint64_t visited_to_ = kSpoolPage;  // in a ring: everything before it was dropped
    uint64_t writers_to_ = kSpoolPage;  // writers_ has the pids of all blocks before it
    std::set<uint32_t> writers_;        // pids whose end was not noted
    std::set<uint32_t> all_writers_;
    struct SeenStack {
        uint64_t address = 0;
        uint64_t seen = 0;  // ticks
    };
    std::map<uint32_t, SeenStack> stacks_;  // of `writers_`
    std::unique_ptr<SpoolStream> facts_;
    std::unique_ptr<SpoolStream> samples_;
    std::map<std::string, uint32_t> warnings_;
};

}  // namespace lanescope

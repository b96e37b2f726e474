// The recorder's side of a spool file: makes it, steers those who write to it, finishes it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/nanos.h"
#include "core/base/result.h"
#include "core/capture/spool_writer.h"

namespace lanescope {

struct SpoolOptions {
    std::string command;       // for readers
    Nanos ring = 0;            // how much of the past is kept; 0: everything
    uint64_t limit_bytes = 0;  // the file's; 0: no limit
};

// Makes way for a recording: an earlier one at `path` goes, and so does an empty file. Errors: what
// is there is something else, which stays.
Result<void> remove_earlier_recording(const std::string& path);

class SpoolRecording {
  public:
    // Makes a file that only its owner can read, in place of an earlier recording. Nothing is
    // written to it before record(). Errors: cannot be made, or something else is there.
    static Result<std::unique_ptr<SpoolRecording>> create(const std::string& path,
                                                          const SpoolOptions& options);
    ~SpoolRecording();
    SpoolRecording(const SpoolRecording&) = delete;
    SpoolRecording& operator=(const SpoolRecording&) = delete;

    void record() { spool_store<uint32_t>(header().control, kSpoolRecording); }
    void pause() { spool_store<uint32_t>(header().control, kSpoolPaused); }
    void stop() { spool_store<uint32_t>(header().control, kSpoolStopped); }
    // Readers of the file may steer it as well.
    SpoolControl control() const {
        return static_cast<SpoolControl>(spool_load(file_.header->control));
    }

    // Records of the recorder itself. They count as dropped when there is no room.
    void add_counter(std::string_view name, std::string_view unit, double value, uint32_t pid,
                     uint32_t device);
    void add_process(uint32_t pid, std::string_view name, std::string_view command);
    void add_process_end(uint32_t pid, int32_t status);
    void add_message(SpoolSeverity severity, std::string_view text);

    // In a ring: gives up blocks of events that ended before it.
    void give_up_old();
    // Seals what writers that are gone have left open, and says that the file is complete.
    void finish();

    const SpoolFile& file() const { return file_; }
    SpoolHeader& header() { return *file_.header; }
    uint64_t bytes() const { return spool_load(file_.header->end); }
    uint64_t dropped() const { return spool_load(file_.header->dropped_records); }
    // After finish(): what recorded programs warn of, and how many times each.
    const std::map<std::string, uint32_t>& warnings() const { return warnings_; }

  private:
    SpoolRecording() = default;
    void measure_tick();
    void collect_warnings(const std::string& records);

    SpoolFile file_;
    int fd_ = -1;
    uint64_t looked_to_ = kSpoolPage;  // in a ring: nothing before it is left to give up
    std::unique_ptr<SpoolStream> facts_;
    std::unique_ptr<SpoolStream> samples_;
    std::map<std::string, uint32_t> warnings_;
};

}  // namespace lanescope

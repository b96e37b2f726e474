// Writes samples of Python stacks into a spool.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/nanos.h"
#include "core/capture/python/python_code.h"
#include "core/capture/spool/spool_writer.h"

namespace lanescope {

struct PythonSample {
    uint64_t ticks = 0;
    uint32_t pid = 0, tid = 0;
    Nanos period = 0;                  // wall-clock time since the thread's previous sample
    uint32_t flags = 0;                // SpoolPythonFlags
    std::span<const uint32_t> frames;  // numbers, outermost first
};

class PythonWriter {
  public:
    // `file` must outlive the writer.
    explicit PythonWriter(const SpoolFile& file);
    ~PythonWriter();
    PythonWriter(const PythonWriter&) = delete;
    PythonWriter& operator=(const PythonWriter&) = delete;

    // The number of a line of a function, which is written when it is new. 0: there are too many.
    uint32_t frame(PythonCode& code, int64_t line);
    // The number of a frame that stands for what is not shown.
    uint32_t frame(std::string_view text);
    // Writes a sample, only while the file is recording.
    void add(const PythonSample& sample);
    // A thread's name; written when it has changed.
    void name(uint32_t pid, uint32_t tid, std::string_view name);
    void add_message(SpoolSeverity severity, std::string_view text);
    bool is_recording() const;
    uint64_t ticks() const { return spool_ticks(file_.tick_kind); }
    // Seals its blocks, so that others can read them completely.
    void seal();

    uint64_t samples() const { return samples_; }

  private:
    uint32_t write_frame(std::string_view function, std::string_view file, int64_t first_line,
                         int64_t line);

    const SpoolFile& file_;
    std::unique_ptr<SpoolStream> facts_, stacks_;
    std::map<std::tuple<std::string, std::string, int64_t>, uint32_t> functions_;
    std::unordered_map<uint64_t, uint32_t> frames_;  // by function and line
    std::map<std::string, uint32_t, std::less<>> other_frames_;
    uint32_t last_frame_ = 0;
    std::map<std::pair<uint32_t, uint32_t>, std::string> names_;  // by pid and tid
    uint64_t samples_ = 0;
};

}  // namespace lanescope

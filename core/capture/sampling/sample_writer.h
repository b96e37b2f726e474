// Writes samples into a spool: stacks as numbers of frames, and records that define the numbers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/nanos.h"
#include "core/capture/sampling/code_map.h"
#include "core/capture/sampling/code_symbols.h"
#include "core/capture/sampling/jit_symbols.h"
#include "core/capture/sampling/off_cpu.h"
#include "core/capture/sampling/perf_records.h"
#include "core/capture/sampling/stack_unwinder.h"
#include "core/capture/spool/spool_writer.h"

namespace lanescope {

class SampleWriter {
  public:
    // `file` must outlive the writer. `period`: CPU time between samples. `shortest_wait`: shorter
    // times in which a thread did not run are only counted.
    SampleWriter(const SpoolFile& file, Nanos period, Nanos shortest_wait = 1'000'000);
    ~SampleWriter();
    SampleWriter(const SampleWriter&) = delete;
    SampleWriter& operator=(const SampleWriter&) = delete;

    // Records must be in order of time. Samples are written only while the file is recording;
    // records of code mappings are always processed.
    void take(const PerfRecord& record);
    // A thread that exists when the recording begins, and has not run since then.
    void add_waiting(uint32_t pid, uint32_t tid, Nanos since) {
        waits_.add_waiting(pid, tid, since);
    }
    // Writes the waits that have not ended at that time of CLOCK_MONOTONIC, and a note on short
    // ones. Call it after the last record.
    void end_waits(Nanos now);
    // Relates the clock of samples to the file's clock: call it before the first sample, from time
    // to time, and after the last one.
    void tie_clock();
    // Looks up the names of generated code once more, because some runtimes write them when they
    // end. Call it after the last sample.
    void name_rest();
    // Records in the file how many samples were lost, and how many stacks were not unwound, if any.
    void record_lost(uint64_t more);
    // Seals its blocks, so that others can read them completely.
    void seal();

    uint64_t samples() const { return samples_; }
    uint64_t waits() const { return written_waits_; }
    uint64_t lost() const { return lost_; }

  private:
    struct PlaceHash {
        std::size_t operator()(const std::pair<uint32_t, uint64_t>& place) const {
            return (place.second ^ uint64_t{place.first} << 48) * 0x9E3779B97F4A7C15ULL >> 16;
        }
    };

    void take_sample(const PerfRecord& sample);
    void write_wait(const OffCpuWait& wait);
    std::vector<uint32_t> frames_of(const PerfRecord& sample);
    template <typename Head>
    bool write_stack(Head& head, SpoolKind kind, std::vector<uint32_t> frames);
    void write_note(std::string_view text);
    void read_lost_code(uint32_t pid, Nanos time);
    void note_name(const PerfRecord& record);
    void write_thread(uint32_t pid, uint32_t tid);
    uint32_t frame_of(uint32_t pid, uint64_t address, Nanos time);
    uint32_t image_number(uint32_t image);
    void write_frame(uint32_t frame, uint32_t image, const CodeSymbol& symbol);
    void write_generated(uint32_t frame, const JitSymbol& symbol);
    void write_image(uint32_t number, const CodeImage& image);

    const SpoolFile& file_;
    uint32_t period_;
    std::unique_ptr<SpoolStream> facts_;
    std::unique_ptr<SpoolStream> stacks_;
    CodeMaps maps_;
    StackUnwinder unwinder_{maps_};
    OffCpuWaits waits_;
    CodeSymbols symbols_;
    std::vector<uint32_t> written_images_;  // by image: its number in the file; 0: not yet written
    uint32_t last_image_ = 0;
    uint32_t jit_image_ = 0;  // its number in the file; 0: not yet written
    // Keys as in frame_of().
    std::unordered_map<std::pair<uint32_t, uint64_t>, uint32_t, PlaceHash> frames_;
    JitSymbols jit_;
    Nanos last_loss_ = 0;                    // time of the last record that says what was lost
    std::map<uint32_t, Nanos> code_read_;    // by pid: when its mappings were read after a loss
    Nanos last_time_ = 0;                    // time of the last sample
    std::map<uint32_t, std::string> names_;  // by tid
    std::map<uint32_t, uint32_t> written_threads_;  // pids of threads in the file, by tid
    uint64_t samples_ = 0;
    uint64_t written_waits_ = 0;
    uint64_t lost_stacks_ = 0;  // of waits
    uint64_t lost_ = 0;
};

}  // namespace lanescope

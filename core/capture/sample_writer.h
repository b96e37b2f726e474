// Writes samples into a spool: stacks as numbers of frames, and what the numbers mean.
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
#include "core/capture/code_map.h"
#include "core/capture/code_symbols.h"
#include "core/capture/jit_symbols.h"
#include "core/capture/perf_records.h"
#include "core/capture/spool_writer.h"

namespace lanescope {

class SampleWriter {
  public:
    // `file` outlives it. `period`: of CPU time, from sample to sample.
    SampleWriter(const SpoolFile& file, Nanos period);
    ~SampleWriter();
    SampleWriter(const SampleWriter&) = delete;
    SampleWriter& operator=(const SampleWriter&) = delete;

    // Records in order of time. Samples are written only while the file is being recorded to; what
    // tells where code lies is always taken.
    void take(const PerfRecord& record);
    // Ties the clock of samples to the file's: to be called first, now and then, and last.
    void tie_clock();
    // Looks once more for what code that a program made is called: some runtimes write that when
    // they end. To be called last.
    void name_rest();
    // Says in the file how many samples were lost, if any.
    void tell_lost(uint64_t more);
    // Gives its blocks up for others to read whole.
    void seal();

    uint64_t samples() const { return samples_; }
    uint64_t lost() const { return lost_; }

  private:
    struct PlaceHash {
        std::size_t operator()(const std::pair<uint32_t, uint64_t>& place) const {
            return (place.second ^ uint64_t{place.first} << 48) * 0x9E3779B97F4A7C15ULL >> 16;
        }
    };

    void take_sample(const PerfRecord& sample);
    std::size_t sound_depth(const PerfRecord& sample) const;
    void note_name(const PerfRecord& record);
    void tell_thread(uint32_t pid, uint32_t tid);
    uint32_t frame_of(uint32_t pid, uint64_t address, Nanos time);
    uint32_t image_number(uint32_t image);
    void tell_frame(uint32_t frame, uint32_t image, const CodeSymbol& symbol);
    void tell_made(uint32_t frame, const JitSymbol& symbol);
    void tell_image(uint32_t number, const CodeImage& image);

    const SpoolFile& file_;
    uint32_t period_;
    std::unique_ptr<SpoolStream> facts_;
    std::unique_ptr<SpoolStream> stacks_;
    CodeMaps maps_;
    CodeSymbols symbols_;
    std::vector<uint32_t> told_images_;  // by image: its number in the file; 0: not yet told
    uint32_t last_image_ = 0;
    uint32_t jit_image_ = 0;  // its number in the file; 0: not yet told
    // By kinds of place: see frame_of().
    std::unordered_map<std::pair<uint32_t, uint64_t>, uint32_t, PlaceHash> frames_;
    JitSymbols jit_;
    Nanos last_time_ = 0;                    // of a sample
    std::map<uint32_t, std::string> names_;  // by tid
    std::map<uint32_t, uint32_t> told_;      // pids of threads that were told, by tid
    uint64_t samples_ = 0;
    uint64_t lost_ = 0;
};

}  // namespace lanescope

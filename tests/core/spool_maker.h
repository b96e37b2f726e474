// Writes spool files for tests, as recorded programs do.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/capture/spool_recording.h"

namespace lanescope::testing {

class SpoolMaker {
  public:
    explicit SpoolMaker(const SpoolOptions& options = {}) {
        path_ = "/tmp/lanescope-spool-" + std::to_string(getpid()) + "-" +
                std::to_string(count_++) + ".spool";
        auto made = SpoolRecording::create(path_, options);
        REQUIRE(made);
        recording = std::move(*made);
        recording->record();
    }
    ~SpoolMaker() { unlink(path_.c_str()); }
    SpoolMaker(const SpoolMaker&) = delete;
    SpoolMaker& operator=(const SpoolMaker&) = delete;

    const std::string& path() const { return path_; }
    const SpoolFile& file() const { return recording->file(); }
    uint64_t now() const { return spool_ticks(file().tick_kind); }

    // A thread's way in; sealed with seal(), left open otherwise.
    SpoolStream& stream(SpoolBlockKind kind, uint32_t process, uint32_t pid, uint32_t tid) {
        streams_.push_back(std::make_unique<SpoolStream>());
        begin_stream(*streams_.back(), kind, process, pid, tid);
        return *streams_.back();
    }
    void seal(SpoolStream& s) { seal_stream(file(), s); }

    bool range(SpoolStream& s, SpoolKind kind, std::string_view name, uint64_t ticks,
               std::string_view domain = "", SpoolRange range = {}) {
        range.ticks = ticks;
        const bool written = write_record(file(), s, range, kind, sizeof range, [&](SpoolRange& r) {
            r.record.text = spool_text(file(), s, name.data(), name.size());
            r.domain = domain.empty() ? 0 : spool_text(file(), s, domain.data(), domain.size());
        });
        if (written && kind != kSpoolRangeStart) s.last_ticks = ticks;
        return written;
    }
    bool pop(SpoolStream& s, uint64_t ticks, std::string_view domain = "") {
        if (domain.empty() && ticks % 2 == 0 && write_short_pop(s, ticks)) return true;
        SpoolPop pop = {};
        pop.ticks = ticks;
        const bool written = write_record(file(), s, pop, kSpoolPop, sizeof pop, [&](SpoolPop& r) {
            r.domain = domain.empty() ? 0 : spool_text(file(), s, domain.data(), domain.size());
        });
        if (written) s.last_ticks = ticks;
        return written;
    }
    template <typename Record>
    bool write(SpoolStream& s, SpoolKind kind, Record record, std::string_view name = "") {
        return write_record(file(), s, record, kind, sizeof record, [&](Record& r) {
            r.record.text = name.empty() ? 0 : spool_text(file(), s, name.data(), name.size());
        });
    }

    std::string bytes() const {
        std::ifstream in(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    std::unique_ptr<SpoolRecording> recording;

  private:
    static inline int count_ = 0;
    std::string path_;
    std::vector<std::unique_ptr<SpoolStream>> streams_;
};

}  // namespace lanescope::testing

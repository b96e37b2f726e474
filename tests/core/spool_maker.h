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

#include "core/capture/spool/spool_recording.h"

namespace lanescope::testing {

class SpoolMaker {
  public:
    explicit SpoolMaker(const SpoolOptions& options = {}) {
        path_ = "/tmp/lanescope-spool-" + std::to_string(getpid()) + "-" +
                std::to_string(count_++) + ".spool";
        auto created = SpoolRecording::create(path_, options);
        REQUIRE(created);
        recording = std::move(*created);
        recording->record();
    }
    ~SpoolMaker() { unlink(path_.c_str()); }
    SpoolMaker(const SpoolMaker&) = delete;
    SpoolMaker& operator=(const SpoolMaker&) = delete;

    const std::string& path() const { return path_; }
    const SpoolFile& file() const { return recording->file(); }
    uint64_t now() const { return spool_ticks(file().tick_kind); }

    // A thread's stream; sealed with seal(), otherwise left open.
    SpoolStream& stream(SpoolBlockKind kind, uint32_t process, uint32_t pid, uint32_t tid) {
        streams_.push_back(std::make_unique<SpoolStream>());
        begin_stream(*streams_.back(), kind, process, pid, tid);
        return *streams_.back();
    }
    void seal(SpoolStream& s) { seal_stream(file(), s); }

    bool range(SpoolStream& s, SpoolKind kind, std::string_view name, uint64_t ticks,
               std::string_view domain = "", SpoolRange range = {}) {
        range.ticks = ticks;
        if (kind == kSpoolPush && ticks % 2 == 0 && brief_push(s, name, range, domain)) return true;
        const bool written = write_record(file(), s, range, kind, sizeof range, [&](SpoolRange& r) {
            r.record.text = spool_text(file(), s, name.data(), name.size());
            r.domain = text_id(s, domain);
        });
        if (written && kind != kSpoolRangeStart) s.last_ticks = ticks;
        return written;
    }
    bool pop(SpoolStream& s, uint64_t ticks, std::string_view domain = "") {
        if (ticks % 2 == 0 && write_brief_pop(s, ticks, text_id(s, domain))) return true;
        SpoolPop pop = {};
        pop.ticks = ticks;
        const bool written = write_record(file(), s, pop, kSpoolPop, sizeof pop,
                                          [&](SpoolPop& r) { r.domain = text_id(s, domain); });
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
    uint32_t text_id(SpoolStream& s, std::string_view text) {
        return text.empty() ? 0 : spool_text(file(), s, text.data(), text.size());
    }
    // False if it does not fit, or has begun a block.
    bool brief_push(SpoolStream& s, std::string_view name, const SpoolRange& range,
                    std::string_view domain) {
        const uint32_t in = text_id(s, domain);
        const uint32_t epoch = s.epoch;
        const uint32_t text = text_id(s, name);
        if (text == 0 || s.epoch != epoch) return false;
        SpoolBrief brief = {};
        brief.category = range.category;
        brief.look = range.payload_kind << 24;
        if (range.color != 0) brief.look |= kSpoolLookColor | (range.color & 0xFFFFFF);
        brief.payload = range.payload;
        if (range.payload_kind != kSpoolNoPayload)
            return write_brief_push<24>(s, brief, range.ticks, in, text);
        if (brief.category != 0 || brief.look != 0)
            return write_brief_push<16>(s, brief, range.ticks, in, text);
        return write_brief_push<8>(s, brief, range.ticks, in, text);
    }

    static inline int count_ = 0;
    std::string path_;
    std::vector<std::unique_ptr<SpoolStream>> streams_;
};

}  // namespace lanescope::testing

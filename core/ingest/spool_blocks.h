// The blocks of a spool file, found one after the other, also while it grows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/capture/spool_format.h"
#include "core/source/file.h"

namespace lanescope {

// One block, and how much of it has been taken.
struct SpoolBlockPlace {
    uint64_t offset = 0;
    SpoolBlock head = {};
    uint32_t taken = 0;   // bytes of records
    bool closed = false;  // nothing more will be taken
};

class SpoolBlocks {
  public:
    // Errors: cut short, damaged, or of a version or byte order that is not read.
    static Result<SpoolBlocks> open(std::shared_ptr<InputFile> file);

    const SpoolHeader& header() const { return header_; }
    const InputFile& file() const { return *file_; }

    // Reads the header and the heads of open blocks again, and finds new ones. In order of the
    // file, which for the blocks of one thread is that of time.
    Result<void> look_again();
    // Reads the heads of known blocks of facts once more.
    Result<void> look_again_at_facts();
    std::vector<SpoolBlockPlace>& places() { return places_; }

    // The records of a block from `from` up to `used`; fewer where the file ends before.
    Result<std::string> read_records(const SpoolBlockPlace& place, uint32_t from) const;

    // Where there should have been a block's head, and are other bytes.
    const std::vector<uint64_t>& damaged_heads() const { return damaged_heads_; }
    // The file should go on to here.
    uint64_t claimed_end() const { return header_.end; }

  private:
    struct Gap {
        uint64_t begin, end;
    };
    explicit SpoolBlocks(std::shared_ptr<InputFile> file) : file_(std::move(file)) {}
    Result<uint64_t> scan(uint64_t begin, uint64_t end, bool first_time);
    Result<void> refresh(SpoolBlockPlace& place);

    std::shared_ptr<InputFile> file_;
    SpoolHeader header_ = {};
    std::vector<SpoolBlockPlace> places_;
    std::vector<Gap> gaps_;  // where a block may yet appear
    std::vector<uint64_t> damaged_heads_;
    uint64_t next_ = 0;
};

// A record's struct from its bytes: zeros where it is shorter. `at` has `bytes` of it.
template <typename Record>
Record read_record(const char* at, uint32_t bytes) {
    Record record = {};
    std::memcpy(&record, at, bytes < sizeof record ? bytes : sizeof record);
    return record;
}

// Calls take(at, head, offset in the records) for each whole record; the offset of the first that
// is none, or the end.
template <typename Take>
uint32_t for_each_record(const std::string& records, const Take& take) {
    std::size_t at = 0;
    while (records.size() - at >= sizeof(SpoolRecord)) {
        const auto head = read_record<SpoolRecord>(records.data() + at, sizeof(SpoolRecord));
        if (head.bytes < sizeof head || head.bytes % 8 != 0 || head.bytes > records.size() - at)
            break;
        take(records.data() + at, head, static_cast<uint32_t>(at));
        at += head.bytes;
    }
    return static_cast<uint32_t>(at);
}

}  // namespace lanescope

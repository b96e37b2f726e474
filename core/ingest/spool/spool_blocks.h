// Finds the blocks of a spool file in order, also while the file grows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/source/file.h"
#include "core/spool/spool_records.h"

namespace lanescope {

// One block, and how much of it has been read.
struct SpoolBlockPlace {
    uint64_t offset = 0;
    SpoolBlock head = {};
    uint32_t taken = 0;   // bytes of records
    bool closed = false;  // nothing more will be taken
};

class SpoolBlocks {
  public:
    // Errors: truncated, damaged, or of an unsupported version or byte order.
    static Result<SpoolBlocks> open(std::shared_ptr<InputFile> file);

    const SpoolHeader& header() const { return header_; }
    const InputFile& file() const { return *file_; }

    // Reads the header and the heads of open blocks again, and finds new blocks. Blocks are in file
    // order, which is chronological for the blocks of one thread.
    Result<void> look_again();
    // Reads the heads of known fact blocks again.
    Result<void> look_again_at_facts();
    std::vector<SpoolBlockPlace>& places() { return places_; }

    // The records of a block from `from` up to `used`; fewer if the file ends before.
    Result<std::string> read_records(const SpoolBlockPlace& place, uint32_t from) const;

    // Positions that should hold a block's head but hold other bytes.
    const std::vector<uint64_t>& damaged_heads() const { return damaged_heads_; }
    // Where the file should end.
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
    std::vector<Gap> gaps_;  // where blocks may still appear
    std::vector<uint64_t> damaged_heads_;
    uint64_t next_ = 0;
};

// Copies a record's struct from `bytes` bytes at `at`; missing bytes become zeros.
template <typename Record>
Record read_record(const char* at, uint32_t bytes) {
    Record record = {};
    std::memcpy(&record, at, bytes < sizeof record ? bytes : sizeof record);
    return record;
}

// Calls take(at, head, offset in the records) for each complete record. Returns the offset of the
// first incomplete record, or the end.
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

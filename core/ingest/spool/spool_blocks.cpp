#include "core/ingest/spool/spool_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lanescope {

namespace {

bool is_head(const SpoolBlock& head) {
    return head.magic == kSpoolBlockMagic && head.head_bytes >= sizeof(SpoolBlock) &&
           head.head_bytes % 8 == 0 && head.head_bytes < kSpoolPage && head.bytes != 0 &&
           head.bytes % kSpoolPage == 0 && head.bytes <= kSpoolMaxBlock &&
           head.used <= head.bytes - head.head_bytes;
}

}  // namespace

Result<SpoolBlocks> SpoolBlocks::open(std::shared_ptr<InputFile> file) {
    SpoolBlocks blocks(std::move(file));
    const std::string& path = blocks.file_->path();
    SpoolHeader& header = blocks.header_;
    const auto got =
        blocks.file_->read_at(0, reinterpret_cast<char*>(&header), sizeof(SpoolHeader));
    if (!got) return got.error();
    if (*got < sizeof(SpoolHeader))
        return Error{ErrorCode::damaged, *got,
                     fmt::format("{}: the spool file is cut short at byte {}, within its header",
                                 path, *got)};
    if (header.byte_order != kSpoolByteOrder)
        return Error{ErrorCode::unsupported, 12,
                     fmt::format("{}: the spool file has another byte order", path)};
    if (header.version != kSpoolVersion)
        return Error{ErrorCode::unsupported, 8,
                     fmt::format("{}: is a spool file of version {}; version {} is read", path,
                                 header.version, kSpoolVersion)};
    if (header.header_bytes < sizeof(SpoolHeader) || header.header_bytes % kSpoolPage != 0 ||
        header.tick_ns == 0)
        return Error{ErrorCode::damaged, 0,
                     fmt::format("{}: the header of the spool file is damaged", path)};
    header.host[sizeof header.host - 1] = '\0';
    header.command[sizeof header.command - 1] = '\0';
    blocks.next_ = header.header_bytes;
    return blocks;
}

Result<void> SpoolBlocks::refresh(SpoolBlockPlace& place) {
    SpoolBlock head = {};
    const auto got = file_->read_at(place.offset, reinterpret_cast<char*>(&head), sizeof head);
    if (!got) return got.error();
    if (*got == sizeof head && is_head(head) && head.bytes == place.head.bytes &&
        head.head_bytes == place.head.head_bytes && head.used >= place.head.used)
        place.head = head;
    return {};
}

Result<void> SpoolBlocks::look_again() {
    SpoolHeader now = {};
    const auto got = file_->read_at(0, reinterpret_cast<char*>(&now), sizeof now);
    if (!got) return got.error();
    header_.end = now.end;
    header_.control = now.control;
    header_.dropped_records = now.dropped_records;
    header_.complete = now.complete;
    for (SpoolBlockPlace& place : places_) {
        if (place.closed) continue;
        const Result<void> refreshed = refresh(place);
        if (!refreshed) return refreshed.error();
    }
    // The head of a newly claimed block appears a moment later.
    const std::vector<Gap> gaps = std::exchange(gaps_, {});
    for (const Gap& gap : gaps) {
        const Result<uint64_t> scanned = scan(gap.begin, gap.end, false);
        if (!scanned) return scanned.error();
    }
    const Result<uint64_t> scanned = scan(next_, UINT64_MAX, true);
    if (!scanned) return scanned.error();
    next_ = *scanned;
    return {};
}

Result<void> SpoolBlocks::look_again_at_facts() {
    for (SpoolBlockPlace& place : places_) {
        if (place.closed || place.head.kind != kSpoolFacts) continue;
        const Result<void> refreshed = refresh(place);
        if (!refreshed) return refreshed.error();
    }
    return {};
}

// Finds the blocks that begin in a range; where there are none, searches page by page. Returns
// where the search ended, at most the end of the file.
Result<uint64_t> SpoolBlocks::scan(uint64_t begin, uint64_t end, bool first_time) {
    uint64_t at = begin;
    uint64_t gap = begin;
    const auto close_gap = [&] {
        if (gap < at) gaps_.push_back({gap, at});
    };
    while (at < end) {
        SpoolBlockPlace place;
        place.offset = at;
        const auto got =
            file_->read_at(at, reinterpret_cast<char*>(&place.head), sizeof(SpoolBlock));
        if (!got) return got.error();
        if (*got < sizeof(SpoolBlock)) break;
        if (is_head(place.head)) {
            close_gap();
            at += place.head.bytes;
            gap = at;
            places_.push_back(place);
            continue;
        }
        const bool is_empty = place.head.magic == 0;
        if (!is_empty && gap == at && first_time) damaged_heads_.push_back(at);
        at += kSpoolPage;
        if (!is_empty) continue;
        const Result<uint64_t> data = file_->next_data(at);
        if (!data) return data.error();
        at = std::max(at, *data / kSpoolPage * kSpoolPage);
    }
    at = std::min(at, end);
    close_gap();
    return at;
}

Result<std::string> SpoolBlocks::read_records(const SpoolBlockPlace& place, uint32_t from) const {
    std::string records(place.head.used - std::min(from, place.head.used), '\0');
    const auto got =
        file_->read_at(place.offset + place.head.head_bytes + from, records.data(), records.size());
    if (!got) return got.error();
    records.resize(*got);
    return records;
}

}  // namespace lanescope

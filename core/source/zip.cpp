// Zip archives: the central directory is at the end; contents are stored or deflated.
#include <fmt/format.h>
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/format.h"
#include "core/source/archive_readers.h"

namespace lanescope {

namespace {

constexpr uint32_t kEndMark = 0x06054b50;
constexpr uint32_t kEnd64Mark = 0x06064b50;
constexpr uint32_t kEnd64PlaceMark = 0x07064b50;
constexpr uint32_t kEntryMark = 0x02014b50;
constexpr uint32_t kLocalMark = 0x04034b50;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64PlaceBytes = 20;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kEntryBytes = 46;
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kLongestComment = 0xFFFF;
constexpr uint64_t kMostListBytes = uint64_t{64} << 20;
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;
constexpr std::size_t kPackedPiece = std::size_t{64} << 10;

template <typename T>
T little(std::string_view bytes, std::size_t at) {
    T value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

struct ZipEntry {
    ArchiveEntry entry;
    uint16_t method = 0;
    uint32_t crc = 0;
    uint64_t packed = 0;
    uint64_t local = 0;  // offset of the entry's local header
};

// Position of the central directory.
struct ZipList {
    uint64_t offset = 0;
    uint64_t bytes = 0;
};

Result<std::string> read_exactly(const InputFile& file, uint64_t offset, uint64_t bytes) {
    if (offset > file.size() || bytes > file.size() - offset)
        return archive_error(file, offset,
                             "the zip archive is damaged: it points behind its own end");
    std::string text(bytes, '\0');
    const Result<std::size_t> got = file.read_at(offset, text.data(), text.size());
    if (!got) return got.error();
    text.resize(*got);
    if (*got < bytes) return archive_error(file, offset, "the file became shorter");
    return text;
}

// The central directory's position in the ZIP64 end record; none: there is no such record.
Result<std::optional<ZipList>> find_large_list(const InputFile& file, uint64_t end_offset) {
    if (end_offset < kEnd64PlaceBytes) return std::optional<ZipList>();
    const Result<std::string> place =
        read_exactly(file, end_offset - kEnd64PlaceBytes, kEnd64PlaceBytes);
    if (!place) return place.error();
    if (little<uint32_t>(*place, 0) != kEnd64PlaceMark) return std::optional<ZipList>();
    const Result<std::string> end = read_exactly(file, little<uint64_t>(*place, 8), kEnd64Bytes);
    if (!end) return end.error();
    if (little<uint32_t>(*end, 0) != kEnd64Mark) return std::optional<ZipList>();
    return std::optional(ZipList{little<uint64_t>(*end, 48), little<uint64_t>(*end, 40)});
}

Result<ZipList> find_list(const InputFile& file) {
    const uint64_t tail_bytes = std::min<uint64_t>(file.size(), kEndBytes + kLongestComment);
    const uint64_t tail_offset = file.size() - tail_bytes;
    const Result<std::string> tail = read_exactly(file, tail_offset, tail_bytes);
    if (!tail) return tail.error();
    for (std::size_t at = tail->size() - std::min(tail->size(), kEndBytes) + 1; at-- > 0;) {
        if (tail->size() - at < kEndBytes || little<uint32_t>(*tail, at) != kEndMark) continue;
        const Result<std::optional<ZipList>> large = find_large_list(file, tail_offset + at);
        if (!large) return large.error();
        if (*large) return **large;
        return ZipList{little<uint32_t>(*tail, at + 16), little<uint32_t>(*tail, at + 12)};
    }
    return archive_error(file, file.size(),
                         "the zip archive is cut short: the list of files at its end is missing; "
                         "copy or download it again");
}

// Reads ZIP64 sizes and offset. Values that fit into 32 bits are absent; the others come in this
// order.
void take_large_numbers(std::string_view extra, ZipEntry& zip) {
    constexpr uint32_t kInExtra = 0xFFFFFFFF;
    while (extra.size() >= 4) {
        const auto id = little<uint16_t>(extra, 0);
        const std::size_t size =
            std::min<std::size_t>(little<uint16_t>(extra, 2), extra.size() - 4);
        std::string_view field = extra.substr(4, size);
        extra.remove_prefix(4 + size);
        if (id != 1) continue;
        for (uint64_t* const value : {&zip.entry.bytes, &zip.packed, &zip.local}) {
            if (*value != kInExtra || field.size() < sizeof *value) continue;
            *value = little<uint64_t>(field, 0);
            field.remove_prefix(sizeof *value);
        }
    }
}

std::string why_refused(std::string_view header, const ZipEntry& zip) {
    constexpr uint8_t kUnix = 3;
    constexpr uint16_t kEncrypted = 1;
    const uint32_t mode = little<uint32_t>(header, 38) >> 16;
    if (little<uint8_t>(header, 5) == kUnix && (mode & S_IFMT) != 0 && !S_ISREG(mode))
        return S_ISLNK(mode) ? "is a link, which is not followed" : "is not a regular file";
    if (little<uint16_t>(header, 8) & kEncrypted) return "is encrypted; unpack it first";
    if (zip.method != kStored && zip.method != kDeflated)
        return fmt::format("is packed by the zip method {}, which is not read; unpack it first",
                           zip.method);
    return {};
}

// Takes the next entry of the central directory. None: the directory is damaged.
std::optional<ZipEntry> next_entry(std::string_view& list) {
    if (list.size() < kEntryBytes || little<uint32_t>(list, 0) != kEntryMark) return std::nullopt;
    const std::size_t name = little<uint16_t>(list, 28);
    const std::size_t extra = little<uint16_t>(list, 30);
    const std::size_t whole = kEntryBytes + name + extra + little<uint16_t>(list, 32);
    if (list.size() < whole) return std::nullopt;
    ZipEntry zip;
    zip.entry.name = list.substr(kEntryBytes, name);
    zip.method = little<uint16_t>(list, 10);
    zip.crc = little<uint32_t>(list, 16);
    zip.packed = little<uint32_t>(list, 20);
    zip.entry.bytes = little<uint32_t>(list, 24);
    zip.local = little<uint32_t>(list, 42);
    take_large_numbers(list.substr(kEntryBytes + name, extra), zip);
    zip.entry.refused = why_refused(list, zip);
    list.remove_prefix(whole);
    return zip;
}

// Large, and needed only for contents that are read.
struct Inflater {
    Inflater() { isal_inflate_init(&state); }
    inflate_state state = {};
    std::array<uint8_t, kPackedPiece> input;
};

class ZipContent final : public ArchiveContent {
  public:
    ZipContent(const InputFile& file, const ZipEntry& zip)
        : file_(file), zip_(zip), left_packed_(zip.packed) {}

    Result<std::size_t> read(char* into, std::size_t bytes) override {
        if (!began_) {
            if (const Result<void> begun = begin(); !begun) return begun.error();
        }
        // If the content is longer than stated, reading yields more bytes than the entry's size.
        Result<std::size_t> got =
            zip_.method == kStored ? read_stored(into, bytes) : inflate(into, bytes);
        if (!got) return got;
        done_ += *got;
        crc_ = crc32_gzip_refl(crc_, reinterpret_cast<const unsigned char*>(into), *got);
        if (done_ > zip_.entry.bytes) return damaged("is longer than the archive says");
        if (*got < bytes && done_ < zip_.entry.bytes) return damaged("is cut short");
        if (*got < bytes && crc_ != zip_.crc) return damaged("has a wrong checksum");
        return got;
    }

  private:
    Error damaged(std::string_view what) const {
        return {ErrorCode::damaged, Error::no_offset,
                fmt::format("its content in the archive {}", what)};
    }

    Result<void> begin() {
        began_ = true;
        if (zip_.method == kDeflated) inflater_ = std::make_unique<Inflater>();
        const Result<std::string> local = read_exactly(file_, zip_.local, kLocalBytes);
        if (!local) return local.error();
        if (little<uint32_t>(*local, 0) != kLocalMark)
            return damaged("is not where the list of the archive says");
        offset_ =
            zip_.local + kLocalBytes + little<uint16_t>(*local, 26) + little<uint16_t>(*local, 28);
        return {};
    }

    Result<std::size_t> read_packed(char* into, std::size_t bytes) {
        Result<std::size_t> got = file_.read_at(
            offset_, into, static_cast<std::size_t>(std::min<uint64_t>(bytes, left_packed_)));
        if (!got) return got;
        offset_ += *got;
        left_packed_ -= *got;
        return got;
    }

    Result<std::size_t> read_stored(char* into, std::size_t bytes) {
        return read_packed(into, bytes);
    }

    Result<std::size_t> inflate(char* into, std::size_t bytes) {
        constexpr std::size_t kMostStep = std::size_t{1} << 30;
        std::size_t done = 0;
        inflate_state& state = inflater_->state;
        while (done < bytes && state.block_state != ISAL_BLOCK_FINISH) {
            if (state.avail_in == 0) {
                Result<std::size_t> got =
                    read_packed(reinterpret_cast<char*>(inflater_->input.data()), kPackedPiece);
                if (!got) return got;
                state.next_in = inflater_->input.data();
                state.avail_in = static_cast<uint32_t>(*got);
            }
            const bool no_input = state.avail_in == 0;
            const std::size_t step = std::min(bytes - done, kMostStep);
            state.next_out = reinterpret_cast<uint8_t*>(into + done);
            state.avail_out = static_cast<uint32_t>(step);
            if (isal_inflate(&state) < 0) return damaged("is damaged");
            const std::size_t written = step - state.avail_out;
            done += written;
            if (no_input && written == 0) break;
        }
        return done;
    }

    const InputFile& file_;
    const ZipEntry& zip_;
    bool began_ = false;
    uint64_t offset_ = 0;
    uint64_t left_packed_;
    uint64_t done_ = 0;
    uint32_t crc_ = 0;
    std::unique_ptr<Inflater> inflater_;  // once a deflated content is read
};

}  // namespace

Result<std::string> visit_zip(const std::shared_ptr<InputFile>& archive, const VisitEntry& visit,
                              const std::atomic<bool>* cancel) {
    const Result<ZipList> place = find_list(*archive);
    if (!place) return place.error();
    if (place->bytes > kMostListBytes)
        return archive_error(*archive, place->offset,
                             "the list of files in the zip archive is too long; unpack it first");
    const Result<std::string> list = read_exactly(*archive, place->offset, place->bytes);
    if (!list) return list.error();
    std::string_view left = *list;
    while (!left.empty()) {
        if (cancel && cancel->load()) return visit_cancelled(*archive);
        std::optional<ZipEntry> zip = next_entry(left);
        if (!zip) return std::string("the list of files in the zip archive is damaged");
        if (zip->entry.name.ends_with('/')) continue;
        check_name(zip->entry);
        NoContent none;
        ZipContent content(*archive, *zip);
        ArchiveContent& shown =
            zip->entry.refused.empty() ? static_cast<ArchiveContent&>(content) : none;
        const Result<bool> go_on = visit(zip->entry, shown);
        if (!go_on) return go_on.error();
        if (!*go_on) break;
    }
    return std::string();
}

}  // namespace lanescope

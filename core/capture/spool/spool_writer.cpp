#include "core/capture/spool/spool_writer.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

namespace lanescope {

namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr uint32_t kFirstBlock = 16u << 10;  // small, since a thread may write little
constexpr uint32_t kMaxBlock = 512u << 10;
constexpr uint32_t kProbes = 8;
#if !defined(MADV_POPULATE_WRITE)
constexpr int MADV_POPULATE_WRITE = 23;  // since Linux 5.14; older kernels refuse it
#endif

// Preserves errno for the recorded program.
class KeepErrno {
  public:
    KeepErrno() : kept_(errno) {}
    ~KeepErrno() { errno = kept_; }
    KeepErrno(const KeepErrno&) = delete;
    KeepErrno& operator=(const KeepErrno&) = delete;

  private:
    int kept_;
};

char* records_of(SpoolBlock* block) {
    return reinterpret_cast<char*>(block) + sizeof(SpoolBlock);
}

// Opens the file again for each block: the program might close a permanently open descriptor and
// reuse its number for another file. Returns -1 if it is no longer the same file.
int open_same(const SpoolFile& file) {
    const int fd = open(file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return -1;
    struct stat info = {};
    if (fstat(fd, &info) == 0 && info.st_dev == file.device && info.st_ino == file.inode) return fd;
    close(fd);
    return -1;
}

constexpr char kZeros[64u << 10] = {};

// Beyond the program's own file size limit the kernel would send a signal.
bool is_allowed(uint64_t end) {
    struct rlimit limit = {};
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && end <= limit.rlim_cur;
}

bool write_zeros(int fd, uint64_t offset, uint32_t bytes) {
    for (uint32_t done = 0; done < bytes;) {
        const uint32_t part =
            bytes - done < sizeof kZeros ? bytes - done : static_cast<uint32_t>(sizeof kZeros);
        const ssize_t got = pwrite(fd, kZeros, part, static_cast<off_t>(offset + done));
        if (got <= 0 && errno != EINTR) return false;
        if (got > 0) done += static_cast<uint32_t>(got);
    }
    return true;
}

// Allocates disk space; for a file on a disk, also writes its pages in one go, which costs a third
// of page-by-page first use.
bool allocate(int fd, uint64_t offset, uint32_t bytes, bool is_on_disk) {
    int failed = EINTR;
    for (int tries = 0; failed == EINTR && tries < 100; ++tries)
        failed = posix_fallocate(fd, static_cast<off_t>(offset), static_cast<off_t>(bytes));
    return failed == 0 && (!is_on_disk || write_zeros(fd, offset, bytes));
}

// Maps a new range of the file, or returns null.
SpoolBlock* map_block(const SpoolFile& file, uint32_t bytes) {
    SpoolHeader& header = *file.header;
    if (header.limit_bytes != 0 && spool_load(header.end) + bytes > header.limit_bytes)
        return nullptr;
    const int fd = open_same(file);
    if (fd < 0) return nullptr;
    const uint64_t offset = __atomic_fetch_add(&header.end, bytes, __ATOMIC_ACQ_REL);
    void* at = MAP_FAILED;
    if (is_allowed(offset + bytes) && allocate(fd, offset, bytes, file.is_on_disk))
        at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                  static_cast<off_t>(offset));
    close(fd);
    if (at != MAP_FAILED) {
        // Populating all pages at once costs less than page faults at the first writes.
        madvise(at, bytes, MADV_POPULATE_WRITE);
        return static_cast<SpoolBlock*>(at);
    }
    // Returns the space, unless another thread has claimed the space after it.
    uint64_t expected = offset + bytes;
    __atomic_compare_exchange_n(&header.end, &expected, offset, false, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
    return nullptr;
}

uint32_t hash_text(const char* text, uint32_t length) {
    uint64_t hash = length * 0x9E3779B185EBCA87ULL;
    while (length >= 8) {
        uint64_t word = 0;
        std::memcpy(&word, text, 8);
        hash = (hash ^ word) * 0x9E3779B185EBCA87ULL;
        hash ^= hash >> 32;
        text += 8;
        length -= 8;
    }
    uint64_t rest = 0;
    std::memcpy(&rest, text, length);
    hash = (hash ^ rest) * 0x9E3779B185EBCA87ULL;
    return static_cast<uint32_t>(hash >> 32);
}

bool same_text(const SpoolStream& stream, const SpoolTextSlot& slot, const char* text,
               uint32_t length) {
    const char* at = records_of(stream.block) + slot.offset;
    SpoolText known = {};
    std::memcpy(&known, at, sizeof known);
    return known.length == length && std::memcmp(at + sizeof known, text, length) == 0;
}

// Writes a text that is not yet in the block, and stores it in the slot.
uint32_t add_text(const SpoolFile& file, SpoolStream& stream, SpoolTextSlot& slot, const char* text,
                  uint32_t length, uint32_t hash) {
    const auto whole = static_cast<uint32_t>(sizeof(SpoolText));
    const uint32_t bytes = (whole + length + 1 + 7) / 8 * 8;
    auto* at = static_cast<char*>(reserve_record(file, stream, bytes));
    if (!at) return 0;
    SpoolText head = {{kSpoolText, static_cast<uint16_t>(bytes), ++stream.next_text}, length};
    std::memcpy(at, &head, sizeof head);
    std::memcpy(at + whole, text, length);
    std::memset(at + whole + length, 0, bytes - whole - length);
    slot = {hash, stream.epoch, stream.used, head.record.text};
    publish_record(stream, bytes);
    return head.record.text;
}

// The text's slot, or a slot where it may be stored.
SpoolTextSlot& find_text(SpoolStream& stream, const char* text, uint32_t length, uint32_t hash) {
    SpoolTextSlot* slot = nullptr;
    for (uint32_t probe = 0; probe < kProbes; ++probe) {
        slot = &stream.by_content[(hash + probe) % kSpoolTextSlots];
        if (slot->epoch != stream.epoch) return *slot;
        if (slot->hash == hash && same_text(stream, *slot, text, length)) return *slot;
    }
    slot->epoch = 0;
    return *slot;
}

// A ring drops whole blocks: a block that took more than an eighth of the ring's time is followed
// by a small one.
bool lasts_too_long(const SpoolHeader& header, uint64_t ticks) {
    return header.ring_ns != 0 &&
           static_cast<uint64_t>((Wide{ticks} * header.tick_ns) >> 32) > header.ring_ns / 8;
}

// The pointer's slot, or one to be overwritten. The neighbouring slot is used only while it is free
// in this block.
SpoolPointerSlot& free_pointer_slot(SpoolStream& stream, const char* text) {
    const uint32_t place = pointer_place(text);
    SpoolPointerSlot& first = stream.by_pointer[place];
    SpoolPointerSlot& second = stream.by_pointer[place ^ 1];
    const bool has_second = second.pointer == text || second.epoch != stream.epoch;
    const bool is_taken = first.pointer != text && first.epoch == stream.epoch;
    return is_taken && has_second ? second : first;
}

SpoolTextSlot intern(const SpoolFile& file, SpoolStream& stream, const char* text,
                     std::size_t length) {
    const uint32_t kept = cut_spool_text(text, length);
    const uint32_t hash = hash_text(text, kept);
    if (!stream.block && !claim_block(file, stream, kept)) return {};
    SpoolTextSlot& slot = find_text(stream, text, kept, hash);
    if (slot.epoch != stream.epoch) {
        if (add_text(file, stream, slot, text, kept, hash) == 0) return {};
        if (kept < length) count_cut_text(file);
    }
    return slot;
}

}  // namespace

uint32_t cut_spool_text(const char* text, std::size_t length) {
    if (length <= kSpoolLongestText) return static_cast<uint32_t>(length);
    uint32_t cut = kSpoolLongestText;
    while (cut > kSpoolLongestText - 4 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80)
        --cut;
    return cut;
}

void count_cut_text(const SpoolFile& file) {
    __atomic_fetch_add(&file.header->cut_texts, 1, __ATOMIC_RELAXED);
}

bool attach_spool(SpoolFile& file, const char* path) {
    const KeepErrno keep;
    const std::size_t length = std::strlen(path);
    if (length >= sizeof file.path) return false;
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return false;
    struct stat info = {};
    void* at = MAP_FAILED;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size >= kSpoolPage)
        at = mmap(nullptr, kSpoolPage, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    struct statfs place = {};
    const bool is_in_memory = fstatfs(fd, &place) == 0 && place.f_type == TMPFS_MAGIC;
    close(fd);
    if (at == MAP_FAILED) return false;
    auto* header = static_cast<SpoolHeader*>(at);
    if (std::memcmp(header->magic, kSpoolMagic, sizeof kSpoolMagic) != 0 ||
        header->version != kSpoolVersion || header->byte_order != kSpoolByteOrder) {
        munmap(at, kSpoolPage);
        return false;
    }
    std::memcpy(file.path, path, length + 1);
    file.device = info.st_dev;
    file.inode = info.st_ino;
    file.tick_kind = header->tick_kind;
    file.is_on_disk = !is_in_memory;
    file.header = header;
    return true;
}

void begin_stream(SpoolStream& stream, SpoolBlockKind kind, uint32_t process, uint32_t pid,
                  uint32_t tid) {
    stream.block = nullptr;
    stream.used = stream.capacity = 0;
    stream.sequence = 0;
    stream.kind = kind;
    stream.process = process;
    stream.pid = pid;
    stream.tid = tid;
    stream.next_bytes = kFirstBlock;
    stream.dropped = 0;
    stream.retry_ticks = 0;
}

void seal_stream(const SpoolFile& file, SpoolStream& stream) {
    SpoolBlock* block = stream.block;
    if (!block) return;
    const KeepErrno keep;
    block->last_ticks = spool_ticks(file.tick_kind);
    spool_store<uint32_t>(block->state, kSpoolSealed);
    munmap(block, block->bytes);
    stream.block = nullptr;
    stream.used = stream.capacity = 0;
}

bool claim_block(const SpoolFile& file, SpoolStream& stream, uint32_t bytes) {
    const KeepErrno keep;
    const uint64_t now = spool_ticks(file.tick_kind);
    if (stream.block && lasts_too_long(*file.header, now - stream.block->first_ticks))
        stream.next_bytes = kFirstBlock;
    seal_stream(file, stream);
    uint32_t length = stream.next_bytes;
    while (length < bytes + sizeof(SpoolBlock)) length *= 2;
    SpoolBlock* block = now < stream.retry_ticks ? nullptr : map_block(file, length);
    if (!block) {
        if (now >= stream.retry_ticks)  // retry in a tenth of a second
            stream.retry_ticks = now + (uint64_t{100'000'000} << 32) / (file.header->tick_ns | 1);
        ++stream.dropped;
        __atomic_fetch_add(&file.header->dropped_records, 1, __ATOMIC_RELAXED);
        return false;
    }
    SpoolBlock head = {};
    head.kind = stream.kind;
    head.head_bytes = sizeof(SpoolBlock);
    head.bytes = length;
    head.state = kSpoolOpen;
    head.process = stream.process;
    head.pid = stream.pid;
    head.tid = stream.tid;
    head.first_ticks = now;
    head.sequence = stream.sequence++;
    head.dropped = stream.dropped;
    std::memcpy(block, &head, sizeof head);
    spool_store(block->magic, kSpoolBlockMagic);
    stream.block = block;
    stream.used = 0;
    stream.capacity = length - static_cast<uint32_t>(sizeof(SpoolBlock));
    stream.next_text = 0;
    stream.last_ticks = 0;
    stream.dropped = 0;
    if (++stream.epoch == 0) ++stream.epoch;
    stream.next_bytes = length * 4 < kMaxBlock ? length * 4 : kMaxBlock;
    return true;
}

uint32_t spool_text(const SpoolFile& file, SpoolStream& stream, const char* text,
                    std::size_t length) {
    return intern(file, stream, text, length).id;
}

uint32_t intern_at_pointer(const SpoolFile& file, SpoolStream& stream, const char* text) {
    const std::size_t length = std::strlen(text);
    const SpoolTextSlot slot = intern(file, stream, text, length);
    if (slot.id == 0) return 0;
    SpoolPointerSlot& kept = free_pointer_slot(stream, text);
    kept = {{}, text, slot.epoch, slot.offset, slot.id, 0};
    if (length < kSpoolHeadBytes) {
        std::memcpy(kept.head, text, length);
        kept.head_bits = static_cast<uint32_t>((uint64_t{2} << length) - 1);
    }
    return slot.id;
}

}  // namespace lanescope

#include "core/ingest/sqlite_file/sqlite_vfs.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstring>

namespace lanescope {

namespace {

constexpr std::size_t kReadAhead = std::size_t{256} << 10;

struct OpenedFile : sqlite3_file {
    SqliteVfs* vfs;
};

SqliteVfs& vfs_of(sqlite3_file* file) {
    return *static_cast<OpenedFile*>(file)->vfs;
}

int close_file(sqlite3_file*) {
    return SQLITE_OK;
}
int read_file(sqlite3_file* file, void* into, int bytes, sqlite3_int64 offset) {
    auto* const to = static_cast<char*>(into);
    const auto wanted = static_cast<std::size_t>(bytes);
    const Result<std::size_t> got = vfs_of(file).read_at(static_cast<uint64_t>(offset), to, wanted);
    if (!got) return SQLITE_IOERR_READ;
    if (*got == wanted) return SQLITE_OK;
    std::memset(to + *got, 0, wanted - *got);
    return SQLITE_IOERR_SHORT_READ;
}
int refuse_write(sqlite3_file*, const void*, int, sqlite3_int64) {
    return SQLITE_READONLY;
}
int refuse_truncation(sqlite3_file*, sqlite3_int64) {
    return SQLITE_READONLY;
}
int sync_file(sqlite3_file*, int) {
    return SQLITE_OK;
}
int tell_size(sqlite3_file* file, sqlite3_int64* size) {
    *size = static_cast<sqlite3_int64>(vfs_of(file).size());
    return SQLITE_OK;
}
int lock_file(sqlite3_file*, int) {
    return SQLITE_OK;
}
int tell_reserved(sqlite3_file*, int* reserved) {
    *reserved = 0;
    return SQLITE_OK;
}
int control_file(sqlite3_file*, int, void*) {
    return SQLITE_NOTFOUND;
}
int tell_sector_size(sqlite3_file*) {
    return 0;
}
int tell_characteristics(sqlite3_file*) {
    return SQLITE_IOCAP_IMMUTABLE;
}

constexpr sqlite3_io_methods make_read_methods() {
    sqlite3_io_methods methods = {};
    methods.iVersion = 1;
    methods.xClose = close_file;
    methods.xRead = read_file;
    methods.xWrite = refuse_write;
    methods.xTruncate = refuse_truncation;
    methods.xSync = sync_file;
    methods.xFileSize = tell_size;
    methods.xLock = lock_file;
    methods.xUnlock = lock_file;
    methods.xCheckReservedLock = tell_reserved;
    methods.xFileControl = control_file;
    methods.xSectorSize = tell_sector_size;
    methods.xDeviceCharacteristics = tell_characteristics;
    return methods;
}
constexpr sqlite3_io_methods kReadMethods = make_read_methods();

// Opens the only file, whatever its name. Temporary files are kept in memory (temp_store).
int open_main(sqlite3_vfs* vfs, const char*, sqlite3_file* file, int flags, int* out_flags) {
    file->pMethods = nullptr;
    if (!(flags & SQLITE_OPEN_MAIN_DB)) return SQLITE_CANTOPEN;
    static_cast<OpenedFile*>(file)->vfs = static_cast<SqliteVfs*>(vfs->pAppData);
    file->pMethods = &kReadMethods;
    if (out_flags)
        *out_flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    return SQLITE_OK;
}
int refuse_deletion(sqlite3_vfs*, const char*, int) {
    return SQLITE_IOERR_DELETE;
}
int find_no_file(sqlite3_vfs*, const char*, int, int* found) {
    *found = 0;
    return SQLITE_OK;
}
int copy_name(sqlite3_vfs*, const char* name, int size, char* full) {
    sqlite3_snprintf(size, full, "%s", name);
    return SQLITE_OK;
}
int give_zeros(sqlite3_vfs*, int size, char* bytes) {
    std::memset(bytes, 0, static_cast<std::size_t>(size));
    return size;
}
int do_not_sleep(sqlite3_vfs*, int) {
    return 0;
}
int give_no_time(sqlite3_vfs*, double* days) {
    *days = 0;
    return SQLITE_OK;
}
int tell_no_error(sqlite3_vfs*, int, char*) {
    return 0;
}

}  // namespace

SqliteVfs::SqliteVfs(std::shared_ptr<InputFile> file, uint64_t size)
    : file_(std::move(file)),
      size_(size),
      name_(fmt::format("lanescope-file-{}", static_cast<const void*>(this))),
      vfs_(std::make_unique<sqlite3_vfs>()),
      piece_(kReadAhead) {
    vfs_->iVersion = 1;
    vfs_->szOsFile = static_cast<int>(sizeof(OpenedFile));
    vfs_->mxPathname = 512;
    vfs_->zName = name_.c_str();
    vfs_->pAppData = this;
    vfs_->xOpen = open_main;
    vfs_->xDelete = refuse_deletion;
    vfs_->xAccess = find_no_file;
    vfs_->xFullPathname = copy_name;
    vfs_->xRandomness = give_zeros;
    vfs_->xSleep = do_not_sleep;
    vfs_->xCurrentTime = give_no_time;
    vfs_->xGetLastError = tell_no_error;
    registered_ = sqlite3_vfs_register(vfs_.get(), 0) == SQLITE_OK;
}

SqliteVfs::~SqliteVfs() {
    if (registered_) sqlite3_vfs_unregister(vfs_.get());
}

Result<std::size_t> SqliteVfs::read_at(uint64_t offset, char* into, std::size_t bytes) {
    bytes_read_ += bytes;
    const bool goes_on = offset == next_;
    next_ = offset + bytes;
    const auto is_there = [&] {
        return offset >= piece_begin_ && offset + bytes <= piece_begin_ + piece_size_;
    };
    if (!is_there()) {
        if (!goes_on || bytes > piece_.size()) return file_->read_at(offset, into, bytes);
        const Result<std::size_t> got = file_->read_at(offset, piece_.data(), piece_.size());
        if (!got) return got.error();
        piece_begin_ = offset;
        piece_size_ = *got;
    }
    const std::size_t from = static_cast<std::size_t>(offset - piece_begin_);
    const std::size_t there = std::min(bytes, piece_size_ - std::min(from, piece_size_));
    std::memcpy(into, piece_.data() + from, there);
    return there;
}

}  // namespace lanescope

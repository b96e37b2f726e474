#include "core/sql/memory_only.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

namespace lanescope {

namespace {

constexpr const char* kVfsName = "lanescope-memory";
constexpr sqlite3_int64 kBlockBytes = 1 << 20;

// A temporary file: blocks of memory.
struct MemoryFile : sqlite3_file {
    std::vector<char*> blocks;
    sqlite3_int64 size = 0;

    ~MemoryFile() { drop_blocks(0); }
    MemoryFile() : sqlite3_file{} {}
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    void drop_blocks(std::size_t kept) {
        for (; blocks.size() > kept; blocks.pop_back()) sqlite3_free(blocks.back());
    }
    // Calls visit(memory, bytes) for the parts of [offset, offset + bytes).
    template <typename Visit>
    void each_part(sqlite3_int64 offset, sqlite3_int64 bytes, const Visit& visit) {
        while (bytes > 0) {
            const sqlite3_int64 inside = offset % kBlockBytes;
            const sqlite3_int64 part = std::min(bytes, kBlockBytes - inside);
            visit(blocks[static_cast<std::size_t>(offset / kBlockBytes)] + inside,
                  static_cast<std::size_t>(part));
            offset += part;
            bytes -= part;
        }
    }
    bool grow(sqlite3_int64 bytes) {
        while (static_cast<sqlite3_int64>(blocks.size()) * kBlockBytes < bytes) {
            auto* const block = static_cast<char*>(sqlite3_malloc64(kBlockBytes));
            if (!block) return false;
            std::memset(block, 0, kBlockBytes);
            blocks.push_back(block);
        }
        size = std::max(size, bytes);
        return true;
    }
};

MemoryFile& memory_of(sqlite3_file* file) {
    return *static_cast<MemoryFile*>(file);
}

struct FileCallbacks {
    static int close(sqlite3_file* file) {
        memory_of(file).~MemoryFile();
        return SQLITE_OK;
    }
    static int read(sqlite3_file* file, void* into, int bytes, sqlite3_int64 offset) {
        MemoryFile& memory = memory_of(file);
        auto* to = static_cast<char*>(into);
        const sqlite3_int64 there =
            std::clamp<sqlite3_int64>(memory.size - offset, 0, sqlite3_int64{bytes});
        memory.each_part(offset, there, [&](const char* from, std::size_t part) {
            std::memcpy(to, from, part);
            to += part;
        });
        if (there == bytes) return SQLITE_OK;
        std::memset(to, 0, static_cast<std::size_t>(bytes - there));
        return SQLITE_IOERR_SHORT_READ;
    }
    static int write(sqlite3_file* file, const void* from, int bytes, sqlite3_int64 offset) {
        MemoryFile& memory = memory_of(file);
        if (!memory.grow(offset + bytes)) return SQLITE_NOMEM;
        const auto* at = static_cast<const char*>(from);
        memory.each_part(offset, bytes, [&](char* to, std::size_t part) {
            std::memcpy(to, at, part);
            at += part;
        });
        return SQLITE_OK;
    }
    static int truncate(sqlite3_file* file, sqlite3_int64 size) {
        MemoryFile& memory = memory_of(file);
        memory.size = std::min(memory.size, size);
        memory.drop_blocks(static_cast<std::size_t>((memory.size + kBlockBytes - 1) / kBlockBytes));
        return SQLITE_OK;
    }
    static int sync(sqlite3_file*, int) { return SQLITE_OK; }
    static int file_size(sqlite3_file* file, sqlite3_int64* size) {
        *size = memory_of(file).size;
        return SQLITE_OK;
    }
    static int lock(sqlite3_file*, int) { return SQLITE_OK; }
    static int is_reserved(sqlite3_file*, int* reserved) {
        *reserved = 0;
        return SQLITE_OK;
    }
    static int control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
    static int sector_size(sqlite3_file*) { return 0; }
    static int characteristics(sqlite3_file*) { return 0; }
};

constexpr sqlite3_io_methods make_methods() {
    sqlite3_io_methods methods = {};
    methods.iVersion = 1;
    methods.xClose = FileCallbacks::close;
    methods.xRead = FileCallbacks::read;
    methods.xWrite = FileCallbacks::write;
    methods.xTruncate = FileCallbacks::truncate;
    methods.xSync = FileCallbacks::sync;
    methods.xFileSize = FileCallbacks::file_size;
    methods.xLock = FileCallbacks::lock;
    methods.xUnlock = FileCallbacks::lock;
    methods.xCheckReservedLock = FileCallbacks::is_reserved;
    methods.xFileControl = FileCallbacks::control;
    methods.xSectorSize = FileCallbacks::sector_size;
    methods.xDeviceCharacteristics = FileCallbacks::characteristics;
    return methods;
}
constexpr sqlite3_io_methods kFileMethods = make_methods();

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    file->pMethods = nullptr;
    const bool temporary = !name && (flags & SQLITE_OPEN_DELETEONCLOSE);
    if (!temporary) return SQLITE_CANTOPEN;
    auto* const memory = new (static_cast<void*>(file)) MemoryFile();
    memory->pMethods = &kFileMethods;
    if (out_flags) *out_flags = flags;
    return SQLITE_OK;
}
int refuse_delete(sqlite3_vfs*, const char*, int) {
    return SQLITE_IOERR_DELETE;
}
int find_nothing(sqlite3_vfs*, const char*, int, int* found) {
    *found = 0;
    return SQLITE_OK;
}
int keep_name(sqlite3_vfs*, const char* name, int size, char* full) {
    sqlite3_snprintf(size, full, "%s", name);
    return SQLITE_OK;
}

// SQLite's own, for time and random numbers.
sqlite3_vfs* system_vfs(sqlite3_vfs* vfs) {
    return static_cast<sqlite3_vfs*>(vfs->pAppData);
}
int make_randomness(sqlite3_vfs* vfs, int size, char* bytes) {
    return system_vfs(vfs)->xRandomness(system_vfs(vfs), size, bytes);
}
int sleep_for(sqlite3_vfs* vfs, int micros) {
    return system_vfs(vfs)->xSleep(system_vfs(vfs), micros);
}
int tell_time(sqlite3_vfs* vfs, double* days) {
    return system_vfs(vfs)->xCurrentTime(system_vfs(vfs), days);
}
int last_error(sqlite3_vfs*, int, char*) {
    return 0;
}

}  // namespace

const char* memory_only_vfs() {
    static sqlite3_vfs vfs = [] {
        sqlite3_vfs made = {};
        sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
        made.iVersion = 1;
        made.szOsFile = static_cast<int>(sizeof(MemoryFile));
        made.mxPathname = system->mxPathname;
        made.zName = kVfsName;
        made.pAppData = system;
        made.xOpen = open_file;
        made.xDelete = refuse_delete;
        made.xAccess = find_nothing;
        made.xFullPathname = keep_name;
        made.xRandomness = make_randomness;
        made.xSleep = sleep_for;
        made.xCurrentTime = tell_time;
        made.xGetLastError = last_error;
        return made;
    }();
    static const int registered = sqlite3_vfs_register(&vfs, 0);
    return registered == SQLITE_OK ? kVfsName : nullptr;
}

}  // namespace lanescope

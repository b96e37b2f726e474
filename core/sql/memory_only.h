// A file system in memory, for connections that must not touch the disk.
#pragma once

namespace lanescope {

// The name of a VFS of SQLite's whose only files are temporary and in memory that SQLite allocates,
// under its limit; no other file can be opened. Registered on first use; null: it cannot be.
const char* memory_only_vfs();

}  // namespace lanescope

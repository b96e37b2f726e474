// Helpers for the callbacks of virtual tables.
#pragma once

#include <sqlite3.h>

#include <exception>
#include <new>
#include <string_view>

namespace lanescope {

// Sets the message that sqlite3_errmsg() returns.
inline void set_error(sqlite3_vtab& table, std::string_view text) {
    sqlite3_free(table.zErrMsg);
    table.zErrMsg = sqlite3_mprintf("%.*s", static_cast<int>(text.size()), text.data());
}

// Returns whether a constraint compares texts byte by byte, as our indexes do. May be called only
// in xBestIndex.
inline bool compares_bytes(sqlite3_index_info& info, int constraint) {
    const char* const collation = sqlite3_vtab_collation(&info, constraint);
    return collation && std::string_view(collation) == "BINARY";
}

// Calls `work`, whose exceptions must not cross SQLite's C code.
template <typename Work>
int guarded(const Work& work) noexcept {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return SQLITE_NOMEM;
    } catch (const std::exception&) {
        return SQLITE_INTERNAL;
    }
}

// A table that exists without CREATE VIRTUAL TABLE and cannot be written. Callbacks has the
// functions connect, best_index, disconnect, open, close, filter, next, eof, column and rowid.
template <typename Callbacks>
constexpr sqlite3_module read_only_module() {
    sqlite3_module module = {};
    module.xConnect = Callbacks::connect;
    module.xBestIndex = Callbacks::best_index;
    module.xDisconnect = Callbacks::disconnect;
    module.xDestroy = Callbacks::disconnect;
    module.xOpen = Callbacks::open;
    module.xClose = Callbacks::close;
    module.xFilter = Callbacks::filter;
    module.xNext = Callbacks::next;
    module.xEof = Callbacks::eof;
    module.xColumn = Callbacks::column;
    module.xRowid = Callbacks::rowid;
    return module;
}

}  // namespace lanescope

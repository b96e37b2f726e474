// Finds the Python interpreter in a running process.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/capture/python/python_layout.h"
#include "core/capture/python/python_memory.h"
#include "core/capture/python/python_objects.h"

namespace lanescope {

// Addresses in a file's symbol table; 0: it has no such symbol.
struct PythonSymbols {
    uint64_t runtime = 0;       // _PyRuntime
    uint64_t version = 0;       // Py_Version, since 3.11
    PythonTypes types;          // PyCode_Type, PyUnicode_Type, PyBytes_Type
    bool is_relocated = false;  // the file can be mapped anywhere
    uint64_t bias = 0;          // address minus file offset of its first segment
};

// An interpreter whose stacks can be read.
struct PythonTarget {
    uint64_t runtime = 0;
    uint64_t version = 0;
    uint64_t version_address = 0;
    PythonTypes types;
    PythonLayout layout;
};

enum class PythonFinding : uint8_t {
    none,  // there is no Python in this process, or not yet
    found,
    refused,      // the kernel does not let this user read the process's memory
    unsupported,  // the layout of this version is not known
    unavailable,  // this program was built without support for symbol tables
};

struct PythonSearch {
    PythonFinding finding = PythonFinding::none;
    PythonTarget target;      // found: complete; unsupported: the version, 0: not known
    bool has_version = true;  // unsupported: false: older than 3.11
};

// A file that a process has mapped, with the address and the offset of the first mapping.
struct MappedFile {
    std::string path;
    uint64_t begin = 0;
    uint64_t offset = 0;
};

class PythonFinder {
  public:
    // `memory` must be that of the process.
    PythonSearch look(uint32_t pid, ProcessMemory& memory);
    // Whether this program was built with support for symbol tables.
    static bool available();

  private:
    std::optional<PythonSymbols> symbols_of(uint32_t pid, const std::string& path);

    std::map<std::pair<uint64_t, uint64_t>, PythonSymbols> known_;  // by device and inode
};

// The files that may contain Python, from the text of /proc/PID/maps: `program`, which is the
// process's executable, and libpython.
std::vector<MappedFile> files_with_python(std::string_view maps, std::string_view program);

}  // namespace lanescope

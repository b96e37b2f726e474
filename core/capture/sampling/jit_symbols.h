// The functions of code that a program generates at run time (JIT), from the files that runtimes
// write for Linux's perf: /tmp/perf-PID.map, with lines "address bytes name" whose numbers are
// hexadecimal. CPython (-X perf), V8 (--perf-basic-prof) and agents for Java write them.
//
// Anyone may create a file there. It is only read if it is a regular file, owned by the user of the
// process, by us or by root, and written since the recording began. Its contents are only used as
// names.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/nanos.h"
#include "core/capture/sampling/perf_records.h"

namespace lanescope {

struct JitSymbol {
    std::string name;
    uint64_t address = 0;  // address in the process
};

class JitSymbols {
  public:
    // Ignores files last written before `since` (Unix seconds): they belong to earlier processes.
    explicit JitSymbols(int64_t since);
    ~JitSymbols();
    JitSymbols(const JitSymbols&) = delete;
    JitSymbols& operator=(const JitSymbols&) = delete;

    // Processes forks and execs; other records are ignored.
    void take(const PerfRecord& record);
    // The number of the function at an address at a time, -1 if unknown. Calls are in order of
    // time, as samples are. Numbers are not reused. A forked child inherits its parent's functions.
    int64_t find(uint32_t pid, uint64_t address, Nanos time);
    const JitSymbol& operator[](int64_t number) const {
        return symbols_[static_cast<std::size_t>(number)];
    }
    // Number of invalid lines in all files.
    uint64_t bad_lines() const { return bad_lines_; }

  private:
    struct Code {
        uint64_t end;
        int64_t symbol;
    };
    using Map = std::map<uint64_t, Code>;  // by begin, without overlaps
    struct Process {
        std::shared_ptr<Map> code;  // shared by two processes after a fork
        Nanos looked = INT64_MIN;
        uint64_t read = 0;  // number of bytes of the file that were read
    };

    void look(uint32_t pid, Process& process);
    void read_on(int fd, uint64_t size, Process& process);
    std::size_t take_lines(std::string_view text, Process& process);
    bool take_line(std::string_view line, Process& process);

    int64_t since_;
    std::map<uint32_t, Process> processes_;
    std::vector<JitSymbol> symbols_;
    uint64_t bad_lines_ = 0;
};

}  // namespace lanescope

// The functions of code that a program makes while it runs (a JIT's), by the files that runtimes
// write of it for Linux's perf: /tmp/perf-PID.map, a line for each, "address bytes name", both
// numbers hexadecimal. CPython (-X perf), V8 (--perf-basic-prof) and agents of Java write them.
//
// Anyone may put a file there: one is read that is plain, of the user of the process, of ours or of
// root, and was written to since the recording began. What it says are names, and nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/nanos.h"
#include "core/capture/perf_records.h"

namespace lanescope {

struct JitSymbol {
    std::string name;
    uint64_t address = 0;  // in the process
};

class JitSymbols {
  public:
    // Files last written to before `since` (Unix seconds) are of processes that were there earlier.
    explicit JitSymbols(int64_t since);
    ~JitSymbols();
    JitSymbols(const JitSymbols&) = delete;
    JitSymbols& operator=(const JitSymbols&) = delete;

    // Takes forks and execs; others change nothing.
    void take(const PerfRecord& record);
    // The number of the function at an address at a time (of samples, not falling), which is not
    // used again; -1 where none is known. A child has what its parent had when it was forked.
    int64_t find(uint32_t pid, uint64_t address, Nanos time);
    const JitSymbol& operator[](int64_t number) const {
        return symbols_[static_cast<std::size_t>(number)];
    }
    // Lines that were no functions, of all files.
    uint64_t bad_lines() const { return bad_lines_; }

  private:
    struct Code {
        uint64_t end;
        int64_t symbol;
    };
    using Map = std::map<uint64_t, Code>;  // by begin; none overlaps another
    struct Process {
        std::shared_ptr<Map> code;  // after a fork two share one
        Nanos looked = INT64_MIN;
        uint64_t read = 0;  // bytes of the file
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

// Writes Spall files (version 1) for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace lanescope::testing {

class SpallFile {
  public:
    explicit SpallFile(double microseconds = 1, uint64_t version = 1) {
        add(uint64_t{0x0BADF00D});
        add(version);
        add(microseconds);
        add(uint64_t{0});
    }

    void begin(uint32_t pid, uint32_t tid, double when, std::string_view name,
               std::string_view arguments = {}) {
        kind(3);
        kind(0);  // the category, which writers leave empty
        add(pid);
        add(tid);
        add(when);
        add(static_cast<uint8_t>(name.size()));
        add(static_cast<uint8_t>(arguments.size()));
        bytes_.append(name);
        bytes_.append(arguments);
    }
    void end(uint32_t pid, uint32_t tid, double when) {
        kind(4);
        add(pid);
        add(tid);
        add(when);
    }
    void pad(uint32_t bytes) {
        kind(7);
        add(bytes);
        bytes_.append(bytes, '\x5a');
    }
    void kind(uint8_t kind) { add(kind); }

    const std::string& bytes() const { return bytes_; }

  private:
    template <typename T>
    void add(T value) {
        char raw[sizeof value];
        std::memcpy(raw, &value, sizeof value);
        bytes_.append(raw, sizeof raw);
    }

    std::string bytes_;
};

}  // namespace lanescope::testing

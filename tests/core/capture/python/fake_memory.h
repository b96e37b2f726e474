// The memory of a process that does not exist.
#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "core/capture/python/python_memory.h"

namespace lanescope::testing {

// `bytes` bytes of zeros from the address `begin` on; nothing else can be read.
class FakeMemory final : public TargetMemory {
  public:
    FakeMemory(uint64_t begin, std::size_t bytes) : begin_(begin), bytes_(bytes, '\0') {}

    template <typename Value>
    void put(uint64_t address, Value value) {
        put_bytes(address, {reinterpret_cast<const char*>(&value), sizeof value});
    }
    void put_bytes(uint64_t address, std::string_view bytes) {
        bytes_.replace(address - begin_, bytes.size(), bytes);
    }
    std::string& bytes() { return bytes_; }

    bool read(std::span<const MemoryPiece> pieces) override {
        ++reads;
        if (before_read) before_read();
        for (const MemoryPiece& piece : pieces) {
            const uint64_t offset = piece.address - begin_;
            if (piece.address < begin_ || offset > bytes_.size() ||
                bytes_.size() - offset < piece.bytes)
                return false;
            if (piece.bytes > 0) std::memcpy(piece.into, bytes_.data() + offset, piece.bytes);
        }
        return true;
    }
    using TargetMemory::read;

    std::function<void()> before_read;  // may change the memory, as a running program does
    int reads = 0;

  private:
    uint64_t begin_;
    std::string bytes_;
};

}  // namespace lanescope::testing

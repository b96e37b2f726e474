// Reads memory of another process, without stopping it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace lanescope {

struct MemoryPiece {
    uint64_t address = 0;  // in the other process
    void* into = nullptr;
    std::size_t bytes = 0;
};

// Memory whose contents change at any time, and whose addresses may be invalid. Values that were
// read must be checked before they are used.
class TargetMemory {
  public:
    virtual ~TargetMemory() = default;
    // Reads all pieces, in this order. False if any of them cannot be read completely.
    virtual bool read(std::span<const MemoryPiece> pieces) = 0;

    bool read(uint64_t address, void* into, std::size_t bytes) {
        const MemoryPiece piece{address, into, bytes};
        return read({&piece, 1});
    }
    template <typename Value>
    bool read_value(uint64_t address, Value& value) {
        return read(address, &value, sizeof value);
    }
};

class ProcessMemory final : public TargetMemory {
  public:
    explicit ProcessMemory(pid_t pid) : pid_(pid) {}
    bool read(std::span<const MemoryPiece> pieces) override;
    using TargetMemory::read;

    // Whether the kernel refused the last failed read, as opposed to an invalid address or a
    // process that has ended.
    bool is_refused() const { return refused_; }

  private:
    pid_t pid_;
    bool refused_ = false;
};

// Whether this process may read the memory of its children: tries it.
bool can_read_children();

}  // namespace lanescope

// The registers of a sampled thread, by their DWARF numbers.
#pragma once

#include <linux/perf_event.h>

#include <array>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) || defined(__aarch64__)
#include <asm/perf_regs.h>
#endif

namespace lanescope {

#if defined(__x86_64__)

// Perf's number of each register; the index is the register's DWARF number. DWARF counts the
// program counter as the column of the return address.
inline constexpr std::array<uint8_t, 17> kPerfRegisters = {
    PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,  PERF_REG_X86_SI,
    PERF_REG_X86_DI,  PERF_REG_X86_BP,  PERF_REG_X86_SP,  PERF_REG_X86_R8,  PERF_REG_X86_R9,
    PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
    PERF_REG_X86_R15, PERF_REG_X86_IP};
inline constexpr std::size_t kFramePointer = 6;
inline constexpr std::size_t kStackPointer = 7;
inline constexpr std::size_t kProgramCounter = 16;
inline constexpr uint64_t kAddressBits = UINT64_MAX;

#elif defined(__aarch64__)

// DWARF numbers x0 to x30 and sp as perf does; the program counter has no DWARF number below 32.
inline constexpr std::array<uint8_t, 33> kPerfRegisters = [] {
    std::array<uint8_t, 33> numbers = {};
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<uint8_t>(i);
    static_assert(PERF_REG_ARM64_LR == 30 && PERF_REG_ARM64_SP == 31 && PERF_REG_ARM64_PC == 32);
    return numbers;
}();
inline constexpr std::size_t kFramePointer = 29;
inline constexpr std::size_t kStackPointer = 31;
inline constexpr std::size_t kProgramCounter = 32;
// Return addresses may be signed: the upper bits contain an authentication code.
inline constexpr uint64_t kAddressBits = (uint64_t{1} << 48) - 1;

#else

// Not supported: stacks are not copied, and callers are found through frame pointers only.
inline constexpr std::array<uint8_t, 0> kPerfRegisters = {};
inline constexpr std::size_t kFramePointer = 0;
inline constexpr std::size_t kStackPointer = 0;
inline constexpr std::size_t kProgramCounter = 0;
inline constexpr uint64_t kAddressBits = UINT64_MAX;

#endif

inline constexpr std::size_t kRegisterCount = kPerfRegisters.size();

// For perf_event_attr::sample_regs_user.
inline constexpr uint64_t kPerfRegisterMask = [] {
    uint64_t mask = 0;
    for (const uint8_t number : kPerfRegisters) mask |= uint64_t{1} << number;
    return mask;
}();

}  // namespace lanescope

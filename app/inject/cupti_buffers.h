// Memory that CUPTI fills with records: a pool of equal buffers, mapped on first use and reused.
// Forked children do not inherit them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanescope {

inline constexpr std::size_t kCuptiBufferBytes = 1u << 20;
inline constexpr uint32_t kMaxCuptiBuffers = 256;

// All zeros; null if all are in use or there is no memory: CUPTI then counts the records that it
// drops.
uint8_t* take_cupti_buffer();
// Clears the buffer for its next use: on the thread that reads the records, not on a thread of the
// program.
void give_back_cupti_buffer(uint8_t* buffer);

}  // namespace lanescope

// Memory that CUPTI fills with records: a pool of buffers of one size, each mapped when it is first
// needed and used again. Children do not inherit them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanescope {

inline constexpr std::size_t kCuptiBufferBytes = 1u << 20;
inline constexpr uint32_t kMostCuptiBuffers = 256;

// All zeros, or null when all are in use or there is no memory: then CUPTI counts what it drops.
uint8_t* take_cupti_buffer();
// Makes it zeros again: the thread that reads the records does it, not the program's.
void give_back_cupti_buffer(uint8_t* buffer);

}  // namespace lanescope

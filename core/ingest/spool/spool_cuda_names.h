// Kineto's names for CUPTI's enumerators.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/spool/spool_records.h"

namespace lanescope {

std::string_view sync_kind_name(uint32_t kind);
std::string_view overhead_name(uint32_t kind);
std::string_view memory_kind_name(uint32_t kind);
// "Memcpy HtoD (Pageable -> Device)", "Memset (Device)".
std::string copy_name(const SpoolCopy& copy);
std::string set_name(const SpoolSet& set);

}  // namespace lanescope

// How lanes and tables name a recorded process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanescope {

// The command line with files without their folders, cut after some words, and the rank if there is
// one: "python train.py --lr 3 · rank 1". Without a command line, the name.
std::string process_title(std::string_view name, std::string_view command, uint32_t rank_and_one);

}  // namespace lanescope

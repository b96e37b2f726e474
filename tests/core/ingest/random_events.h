// Trace texts for tests: random events of all kinds and dialects, plain and compressed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::testing {

using Random = std::mt19937_64;

// `count` events in JSON, sorted by time within each thread. Times of events that are paired by
// time (begins and ends, flows, async ranges, counters) are unique, so that their order in the file
// does not matter.
std::vector<std::string> random_events(Random& random, std::size_t count);

// The text around the list of events.
enum class Dialect { object, bare_list, no_end, pretty };
inline constexpr Dialect kDialects[] = {Dialect::object, Dialect::bare_list, Dialect::no_end,
                                        Dialect::pretty};
std::string trace_text(const std::vector<std::string>& events, Dialect dialect);

std::string gzip(std::string_view text);
// Several consecutive gzip streams.
std::string gzip_members(std::string_view text, std::size_t members);
std::string zstd(std::string_view text);

}  // namespace lanescope::testing

// Scrubber: removes from an exported trace what may identify people, machines or data: paths,
// hosts, users, command lines, addresses, secrets, and texts of unknown arguments.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/export/traces/scrub_patterns.h"
#include "core/trace/trace.h"

namespace lanescope {

class Scrubber {
  public:
    // Learns the names of hosts and users from the trace's metadata and paths.
    explicit Scrubber(const Trace& trace);

    // A name of a slice, lane, category or curve: a path keeps its file name, everything else that
    // is removed leaves a word such as <host 1>.
    std::string text(std::string_view plain);
    // The same; a command line keeps its program.
    std::string process_name(std::string_view plain);
    // Numbers, and texts that describe work, such as shapes and types. Other texts are dropped.
    std::vector<Argument> arguments(std::vector<Argument> all);
    // The value of a top-level member as JSON; empty: the member is dropped.
    std::string metadata(std::string_view name, const std::string& json);

    // Says in a sentence which private texts were removed so far.
    std::string report() const;

  private:
    // Removes an argument's texts that do not describe the work; returns whether the argument
    // stays.
    bool keep_work(Argument& argument);
    void learn(std::string_view word, std::string_view kind);
    void learn_users_of_paths(std::string_view text);

    ScrubPatterns patterns_;
    std::map<std::string, std::string, std::less<>> known_;  // hosts and users, by their texts
    std::map<std::string, int> kinds_;                       // number of known texts by their kind
    std::unordered_map<std::string, std::string> done_;      // by the plain text
    ScrubCounts counts_;
    std::map<std::string, uint64_t> dropped_arguments_;  // by name
    std::set<std::string> dropped_members_;
};

}  // namespace lanescope

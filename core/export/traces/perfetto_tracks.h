// PerfettoTracks: the tracks of a Perfetto trace: processes, threads, and a track of our own for
// everything else, such as GPU streams.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/export/traces/exported_events.h"
#include "core/export/traces/perfetto_packets.h"

namespace lanescope {

class PerfettoTracks {
  public:
    PerfettoTracks(const Trace& trace, ExportedEvents& events, PerfettoPackets& packets)
        : trace_(trace), events_(events), packets_(packets), process_ids_(trace.processes.size()) {}

    // Writes the descriptor of the lane's next track, after that of its process, and returns its
    // id. The first track of a thread is the thread's own; all tracks of a lane have its name.
    uint64_t add(LaneId lane);

  private:
    uint64_t process_track(uint32_t row);
    std::string process_title(const Process& process);
    std::string row_of_lane(const Lane& lane);
    static void put_key(protozero::pbf_writer& track, const nlohmann::ordered_json& facts);

    const Trace& trace_;
    ExportedEvents& events_;
    PerfettoPackets& packets_;
    std::vector<uint64_t> process_ids_;           // 0: not written yet
    std::map<int32_t, uint32_t> process_by_pid_;  // processes with a descriptor of their own
    std::set<std::pair<int32_t, int64_t>> threads_;
    std::map<LaneId, uint64_t> thread_tracks_;
    uint64_t last_id_ = 0;
};

}  // namespace lanescope

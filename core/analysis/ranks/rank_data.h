// What ranks are compared by: their collective calls, and the work between the calls. Small enough
// to hold the rows of hundreds of ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/collectives/collectives.h"
#include "core/analysis/context.h"
#include "core/base/string_pool.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct RankCallTableRow> kCollectivesByCallTable;
extern const TableOf<struct RankWorkTableRow> kCollectivesByWorkTable;

// What states the rank of a member.
enum class RankFrom : uint8_t {
    recorded,  // the file
    name,      // the last number after "rank" in the file's name
    order,     // the number of the file: no other source
    device,    // one file has several members, which are numbered from 0
};
std::string_view rank_from_name(RankFrom from);
std::optional<RankFrom> rank_from_of(std::string_view name);

// One rank of a recording. All members of one trace have the same clock.
struct RankMember {
    int64_t trace = 0;  // number of the file
    int64_t rank = 0;
    RankFrom rank_from = RankFrom::device;
    int64_t world_size = kNoValue;
    std::string name;          // "rank 3"; empty: none
    uint32_t device = kNoRow;  // index in GpuDevices::all; kNoRow: on the CPU, or not known

    // Whether the rank is one of the job, not a number that was given to it.
    bool is_rank_known() const {
        return rank_from == RankFrom::recorded || rank_from == RankFrom::name;
    }
};

// Pieces of work that one recorded call launched are one call. kNoValue: not recorded.
struct RankCall {
    uint32_t member = 0;
    uint32_t call = 0;  // number on the rank, by begin
    StringId group = 0;
    CollectiveType kind = CollectiveType::unknown;
    int64_t group_size = kNoValue;
    int64_t sequence = kNoValue;
    int64_t step = kNoValue;   // N of the profiler's step that launched it
    int64_t peer = kNoValue;   // of a send or receive
    int64_t sends = kNoValue;  // of a send or receive: 1 it sends, 0 it receives
    int64_t bytes = kNoValue;
    TimeRange time;  // on the clock of the recording
    bool on_host = false;
    SliceRef slice;  // its first piece; none: not known
};

enum class RankWorkKind : uint8_t { kernel, copy, set, collective, gap };
std::string_view rank_work_name(RankWorkKind kind);
std::optional<RankWorkKind> rank_work_of(std::string_view name);

// What a rank's GPU did between the begin of the previous call and the begin of this one.
struct RankWork {
    uint32_t member = 0;
    uint32_t call = 0;
    RankWorkKind what = RankWorkKind::kernel;
    StringId name = 0;  // of the kernel; the kind of a collective; the cause of a gap
    StringId grid = 0;  // launch size of a kernel, "gx,gy,gz/bx,by,bz"
    int64_t count = 0;  // that begin in the interval
    Nanos time = 0;     // sum of durations inside the interval
};

struct RankData {
    std::vector<RankMember> members;
    std::vector<RankCall> calls;  // by (member, call)
    std::vector<RankWork> work;   // by (member, call); empty: not known
    StringPool texts;
};

// The last number after "rank" in a file's name, such as "rank-12.json"; kNoValue: there is none.
int64_t rank_in_name(std::string_view file_name);

// A file of ranks.
struct RankFile {
    int64_t trace = 0;      // its number
    std::string name;       // short, for texts: see part_names()
    std::string file_name;  // without folders
};
// Appends the ranks of a file. The only member of a file that does not state its rank gets that of
// the file's name.
void append_ranks(const RankData& file, const RankFile& of, RankData& all);
// Gives members without a rank the number of their file, or the next number that no other member
// has. Call it after all files were appended.
void number_ranks_by_order(RankData& all);

// Sorts rows by (member, call), and adds up rows of work that differ only in count and time.
void sort_rank_data(RankData& data);

// The cause of idle time in which the host is inside its data loader.
inline constexpr std::string_view kDataLoaderGap = "data loader";

// The ranks of a trace: each GPU, and each program without a GPU, that takes part in collectives;
// one without calls if there are none. The rank is that of the recording if it has one member;
// otherwise members are numbered from 0. (RankFrom::recorded or device.)
struct OwnRanks {
    RankData data;

    static OwnRanks compute(const TraceContext& context);
};

// "rank 3", or the member's name.
std::string member_name(const RankMember& member);

Table collectives_by_call_table(const TraceContext& context, const TableQuery& query);
Table collectives_by_work_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope

// The rows by which ranks are compared: their collective calls, and the work between the calls. The
// rows of hundreds of ranks fit in memory.
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

// Where the rank of a member comes from.
enum class RankFrom : uint8_t {
    recorded,  // the file states it
    name,      // the last number after "rank" in the file's name
    order,     // the file's number, since nothing states a rank
    device,    // a number in a file with several members
};
std::string_view rank_from_name(RankFrom from);
std::optional<RankFrom> rank_from_of(std::string_view name);

// One rank of a recording. All members of a trace share one clock.
struct RankMember {
    int64_t trace = 0;  // number of the trace's file
    int64_t rank = 0;
    RankFrom rank_from = RankFrom::device;
    int64_t world_size = kNoValue;
    std::string name;          // "rank 3"; empty: none
    uint32_t device = kNoRow;  // index in GpuDevices::all; kNoRow: on the CPU, or not known

    // Whether `rank` is a rank of the job; otherwise it only numbers the member.
    bool is_rank_known() const {
        return rank_from == RankFrom::recorded || rank_from == RankFrom::name;
    }
};

// A collective call, with all pieces of work that it launched. kNoValue: not recorded.
struct RankCall {
    uint32_t member = 0;  // index in RankData::members
    uint32_t call = 0;    // index among the member's calls, by start
    StringId group = 0;
    CollectiveType kind = CollectiveType::unknown;
    int64_t group_size = kNoValue;
    int64_t sequence = kNoValue;  // number of the call in its group
    int64_t step = kNoValue;      // index of the profiler step that launched the call
    int64_t peer = kNoValue;      // rank of the other side; sends and receives only
    int64_t sends = kNoValue;     // 1: sends, 0: receives; sends and receives only
    int64_t bytes = kNoValue;
    TimeRange time;  // on the recording's clock
    bool on_host = false;
    SliceRef slice;  // the call's first piece; none: unknown
};

enum class RankWorkKind : uint8_t { kernel, copy, set, collective, gap };
std::string_view rank_work_name(RankWorkKind kind);
std::optional<RankWorkKind> rank_work_of(std::string_view name);

// The GPU work of a member between the start of the previous call and the start of this call: one
// row for each kind, name and launch size.
struct RankWork {
    uint32_t member = 0;  // index in RankData::members
    uint32_t call = 0;    // RankCall::call
    RankWorkKind what = RankWorkKind::kernel;
    StringId name = 0;  // name of the kernel, kind of the collective, or cause of the gap
    StringId grid = 0;  // launch size of a kernel: "gx,gy,gz/bx,by,bz"
    int64_t count = 0;  // number of pieces of work that start in the interval
    Nanos time = 0;     // sum of the durations within the interval
};

struct RankData {
    std::vector<RankMember> members;
    std::vector<RankCall> calls;  // sorted by (member, call)
    std::vector<RankWork> work;   // sorted by (member, call); empty: unknown
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

// Sorts rows by (member, call), and merges rows of work that differ only in count and time.
void sort_rank_data(RankData& data);

// The cause of idle time in which the host is inside its data loader.
inline constexpr std::string_view kDataLoaderGap = "data loader";

// The ranks of a trace: each GPU, and each program without a GPU, that takes part in collectives.
// Without collectives, a single member without calls. A single member has the rank that the
// recording states; several members are numbered from 0.
struct OwnRanks {
    RankData data;

    static OwnRanks compute(const TraceContext& context);
};

// "rank 3", or the member's name.
std::string member_name(const RankMember& member);

Table collectives_by_call_table(const TraceContext& context, const TableQuery& query);
Table collectives_by_work_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope

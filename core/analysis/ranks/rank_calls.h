// Reads the members of a trace, their collective calls and the work between the calls, for
// OwnRanks.
#pragma once

#include "core/analysis/ranks/rank_data.h"

namespace lanescope {

// Fills RankData::members and RankData::calls.
void add_rank_calls(const TraceContext& context, RankData& data);

// Fills RankData::work. Requires add_rank_calls().
void add_rank_work(const TraceContext& context, RankData& data);

}  // namespace lanescope

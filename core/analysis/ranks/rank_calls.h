// The members of a trace and their collective calls: the first half of OwnRanks.
#pragma once

#include "core/analysis/ranks/rank_data.h"

namespace lanescope {

// Fills RankData::members and RankData::calls.
void add_rank_calls(const TraceContext& context, RankData& data);

// Fills RankData::work; the calls must be known.
void add_rank_work(const TraceContext& context, RankData& data);

}  // namespace lanescope

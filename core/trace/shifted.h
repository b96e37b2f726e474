// Copies of a lane's columns with shifted times. All columns except the times are shared.
#pragma once

#include <memory>

#include "core/trace/trace.h"

namespace lanescope {

// Returns the same object if `shift` is 0.
std::shared_ptr<const Chunk> shifted(const std::shared_ptr<const Chunk>& chunk, Nanos shift);
std::shared_ptr<const Instants> shifted(const std::shared_ptr<const Instants>& instants,
                                        Nanos shift);
std::shared_ptr<const CounterSeries> shifted(const std::shared_ptr<const CounterSeries>& series,
                                             Nanos shift);
Column<Nanos> shifted(const Column<Nanos>& times, Nanos shift);

}  // namespace lanescope

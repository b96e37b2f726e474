#include "core/trace/shifted.h"

namespace lanescope {

Column<Nanos> shifted(const Column<Nanos>& times, Nanos shift) {
    Column<Nanos> result(times.size());
    const Nanos* const from = times.data();
    Nanos* const to = result.data();
    for (std::size_t i = 0; i < times.size(); ++i) to[i] = from[i] + shift;
    return result;
}

std::shared_ptr<const Chunk> shifted(const std::shared_ptr<const Chunk>& chunk, Nanos shift) {
    if (shift == 0) return chunk;
    auto result = std::make_shared<Chunk>();
    result->first = chunk->first;
    result->start = shifted(chunk->start, shift);
    result->duration = chunk->duration.shared(chunk);
    result->name = chunk->name.shared(chunk);
    result->category = chunk->category.shared(chunk);
    result->source = chunk->source.shared(chunk);
    result->rows.reserve(chunk->rows.size());
    for (const DepthRow& row : chunk->rows) {
        DepthRow& copy = result->rows.emplace_back();
        copy.begin = row.begin;
        copy.end = row.end;
        copy.levels.levels = row.levels.levels;
        copy.levels.entries = row.levels.entries.shared(chunk);
        copy.levels.sections = row.levels.sections;
        // Cell numbers are relative to the start of their section.
        for (LevelSection& section : copy.levels.sections) {
            section.start += shift;
            section.stop += shift;
        }
    }
    return result;
}

std::shared_ptr<const Instants> shifted(const std::shared_ptr<const Instants>& instants,
                                        Nanos shift) {
    if (shift == 0 || !instants) return instants;
    auto result = std::make_shared<Instants>();
    result->time = shifted(instants->time, shift);
    result->name = instants->name.shared(instants);
    result->category = instants->category.shared(instants);
    result->source = instants->source.shared(instants);
    return result;
}

std::shared_ptr<const CounterSeries> shifted(const std::shared_ptr<const CounterSeries>& series,
                                             Nanos shift) {
    if (shift == 0 || !series) return series;
    auto result = std::make_shared<CounterSeries>();
    result->time = shifted(series->time, shift);
    result->value = series->value.shared(series);
    result->min = series->min;
    result->max = series->max;
    return result;
}

}  // namespace lanescope

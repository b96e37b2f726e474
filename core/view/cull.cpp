#include "core/view/cull.h"

#include <algorithm>
#include <thread>

#include "core/base/parallel.h"

namespace lanescope {

const DrawItems& Culler::cull(const CullInput& input) {
    const Key key{input.index,  input.layout.fingerprint, input.palette.theme,
                  input.view,   input.scroll_y,           input.height,
                  input.options};
    if (built_ && key == key_) return rows_.items;
    key_ = key;
    built_ = true;

    rows_.start(input.view);
    ++rows_.items.generation;
    const auto& rows = input.layout.rows;
    const uint32_t begin = input.layout.first_row_below(input.scroll_y);
    uint32_t end = begin;
    while (end < rows.size() && rows[end].y < input.scroll_y + input.height) ++end;
    cull_rows(input, begin, end);
    return rows_.items;
}

void Culler::cull_rows(const CullInput& input, uint32_t begin, uint32_t end) {
    taken_ = 0;
    const auto take = [this, count = end - begin] { return taken_.fetch_add(1) < count; };
    uint32_t next = begin;
    const auto from_above = [&](bool alone) {
        while (!(alone && is_worth_sharing()) && take()) rows_.cull_row(input, next++);
    };
    from_above(true);
    if (taken_ >= end - begin) {
        work_ = {rows_.visited, 0};
        return;
    }
    shared_rows_.start(input.view);
    parallel_for(2, 2, [&](std::size_t half) {
        if (half == 0) return from_above(false);
        for (uint32_t below = end; take();) shared_rows_.cull_row(input, --below);
    });
    const auto& more = shared_rows_.items.rows;
    work_ = {rows_.visited + shared_rows_.visited, more.size()};
    for (auto row = more.rbegin(); row != more.rend(); ++row) rows_.append(shared_rows_, *row);
}

// Decides by the work of the last frame, which is usually similar, or else by the work done so far
// in this one.
bool Culler::is_worth_sharing() const {
    static const bool has_cores = std::thread::hardware_concurrency() > 1;
    if (sharing_ == Sharing::always) return true;
    return sharing_ == Sharing::when_dense && has_cores &&
           std::max(work_.visited, rows_.visited) >= kDense;
}

}  // namespace lanescope

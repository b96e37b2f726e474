// SlicePlan: how a scan of the table `slice` uses constraints and orders.
#pragma once

#include <sqlite3.h>

#include <cstdint>

namespace lanescope {

class SliceRows;

// The columns of `slice` in the order of their declaration. Those after `arg_set_id` are hidden.
enum SliceColumn : int {
    kSliceId,
    kSliceTs,
    kSliceDur,
    kSliceTrack,
    kSliceCategory,
    kSliceName,
    kSliceDepth,
    kSliceParent,
    kSliceArgSet,
    kSliceStart,  // the argument of ancestor_slice() and descendant_slice(): the first hidden one
    kSliceCat,
    kSliceIdAlias,
    kSliceThreadTs,
    kSliceThreadDur,
};

// Constraints whose values are passed to the scan, in this order. Bits of SlicePlan::uses.
enum SliceUse : unsigned {
    kUseStart = 1,
    kUseId = 2,
    kUseParent = 4,
    kUseTrack = 8,
    kUseName = 16,
    kUseCategory = 32,
    kUseTsEqual = 64,
    kUseTsLow = 128,
    kUseTsHigh = 256,
};
inline constexpr unsigned kSliceUses = 9;

enum class SliceOrder : uint8_t { any, time, time_down, lane, name, category };

struct SlicePlan {
    unsigned uses = 0;
    SliceOrder order = SliceOrder::any;
    bool first_only = false;     // of rows with one value in the order's column, only the first
    bool category_list = false;  // the category's value is a list of IN

    int encode() const {
        return static_cast<int>(uses | static_cast<unsigned>(order) << kSliceUses |
                                (first_only ? 1U << (kSliceUses + 3) : 0U) |
                                (category_list ? 1U << (kSliceUses + 4) : 0U));
    }
    static SlicePlan decode(int number) {
        const auto bits = static_cast<unsigned>(number);
        return {bits & ((1U << kSliceUses) - 1), static_cast<SliceOrder>(bits >> kSliceUses & 7U),
                (bits >> (kSliceUses + 3) & 1U) != 0, (bits >> (kSliceUses + 4) & 1U) != 0};
    }
};

// xBestIndex of `slice`; `is_function`: the first argument is required.
int choose_slice_plan(const SliceRows& rows, bool is_function, sqlite3_index_info& info);

}  // namespace lanescope

#include "core/sql/slice_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "core/sql/slice_rows.h"
#include "core/sql/vtab.h"

namespace lanescope {

namespace {

// The use of a constraint; 0: none.
unsigned use_of(const sqlite3_index_info::sqlite3_index_constraint& constraint) {
    if (constraint.op == SQLITE_INDEX_CONSTRAINT_EQ) switch (constraint.iColumn) {
            case kSliceStart:
                return kUseStart;
            case kSliceId:
            case kSliceIdAlias:
            case kSliceArgSet:
                return kUseId;
            case kSliceParent:
                return kUseParent;
            case kSliceTrack:
                return kUseTrack;
            case kSliceName:
                return kUseName;
            case kSliceCategory:
            case kSliceCat:
                return kUseCategory;
            case kSliceTs:
                return kUseTsEqual;
            default:
                return 0;
        }
    if (constraint.iColumn != kSliceTs) return 0;
    if (constraint.op == SQLITE_INDEX_CONSTRAINT_GE || constraint.op == SQLITE_INDEX_CONSTRAINT_GT)
        return kUseTsLow;
    if (constraint.op == SQLITE_INDEX_CONSTRAINT_LE || constraint.op == SQLITE_INDEX_CONSTRAINT_LT)
        return kUseTsHigh;
    return 0;
}

// The constraint chosen for each use, or -1; indexed by the use's bit in SliceUse.
using Chosen = std::array<int, kSliceUses>;

Chosen choose_constraints(sqlite3_index_info& info, bool is_function, bool& missing_argument) {
    Chosen chosen;
    chosen.fill(-1);
    for (int i = 0; i < info.nConstraint; ++i) {
        const auto& constraint = info.aConstraint[i];
        const unsigned use = use_of(constraint);
        if (use == 0 || (use == kUseStart && !is_function)) continue;
        if (!constraint.usable) {
            missing_argument = missing_argument || use == kUseStart;
            continue;
        }
        const bool text = use == kUseName || use == kUseCategory;
        if (text && !compares_bytes(info, i)) continue;
        int& place = chosen[static_cast<std::size_t>(std::countr_zero(use))];
        if (place < 0) place = i;
    }
    return chosen;
}

// The order that satisfies the query's; `any` if there is none, or none is wanted.
SliceOrder order_of(sqlite3_index_info& info, const SlicePlan& plan) {
    // Rows may be in any order as long as equal ones follow each other.
    const int distinct = sqlite3_vtab_distinct(&info);
    const bool groups = distinct == 1 || distinct == 2;
    std::array<int, 2> columns = {-1, -1};
    std::size_t count = 0;
    bool down = false;
    for (int i = 0; i < info.nOrderBy; ++i) {
        const auto& term = info.aOrderBy[i];
        if (term.iColumn == kSliceTrack && (plan.uses & kUseTrack)) continue;  // a constant
        if (count == columns.size()) return SliceOrder::any;
        columns[count++] = term.iColumn;
        down = down || (term.desc && !groups);
    }
    if (count == 2)
        return columns[0] == kSliceTrack && columns[1] == kSliceTs && !down ? SliceOrder::lane
                                                                            : SliceOrder::any;
    if (count != 1) return SliceOrder::any;
    switch (columns[0]) {
        case kSliceTs:
            return down ? SliceOrder::time_down : SliceOrder::time;
        case kSliceTrack:
            return down ? SliceOrder::any : SliceOrder::lane;
        case kSliceName:
            return down ? SliceOrder::any : SliceOrder::name;
        case kSliceCategory:
        case kSliceCat:
            return down ? SliceOrder::any : SliceOrder::category;
        default:
            return SliceOrder::any;
    }
}

// Returns whether the query reads only the column whose distinct values it wants.
bool reads_only_order(const sqlite3_index_info& info) {
    if (info.nOrderBy != 1 || info.aOrderBy[0].iColumn < 0) return false;  // below 0: the rowid
    return info.colUsed == uint64_t{1} << info.aOrderBy[0].iColumn;
}

void estimate(const SliceRows& rows, const SlicePlan& plan, sqlite3_index_info& info) {
    const double all = std::max<double>(rows.count(), 1);
    double found = all;  // rows that fulfil the constraints
    double read = all;   // rows that are looked at
    if (plan.uses & (kUseParent | kUseStart)) {
        found = std::min(found, 10.0);
        read = 30;
    }
    if (plan.uses & kUseTrack) {
        const double lanes = std::max<double>(2, static_cast<double>(rows.trace().lanes.size()));
        found /= lanes;
        read /= lanes;
    }
    if (plan.uses & kUseTsEqual) found = read = std::max(1.0, read / 100'000);
    for (const SliceUse use : {kUseTsLow, kUseTsHigh})
        if (plan.uses & use) {
            found /= 4;
            read /= 4;
        }
    if (plan.uses & kUseCategory) found /= 10;
    if (plan.uses & kUseName) {
        found /= 200;
        read = found * 2;
    }
    if (plan.uses & kUseId) {
        found = 1;
        if (!(plan.uses & kUseStart)) {
            read = 1;
            info.idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
        }
    }
    info.estimatedRows = std::max<sqlite3_int64>(1, static_cast<sqlite3_int64>(found));
    info.estimatedCost = 1 + read + found + (plan.order == SliceOrder::any ? 0 : read / 4);
}

}  // namespace

int choose_slice_plan(const SliceRows& rows, bool is_function, sqlite3_index_info& info) {
    bool missing_argument = false;
    const Chosen chosen = choose_constraints(info, is_function, missing_argument);
    SlicePlan plan;
    int argument = 0;
    for (unsigned bit = 0; bit < kSliceUses; ++bit) {
        const int i = chosen[bit];
        if (i < 0) continue;
        const unsigned use = 1U << bit;
        plan.uses |= use;
        info.aConstraintUsage[i].argvIndex = ++argument;
        // These are compared exactly; SQLite tests the others again.
        const bool exact = use == kUseStart || use == kUseTrack || use == kUseName ||
                           use == kUseCategory || (use == kUseId && !(plan.uses & kUseStart));
        // One scan for all categories of IN keeps the order of the rows.
        if (use == kUseCategory && sqlite3_vtab_in(&info, i, -1)) {
            sqlite3_vtab_in(&info, i, 1);
            plan.category_list = true;
        }
        info.aConstraintUsage[i].omit = exact;
    }
    if (is_function && !(plan.uses & kUseStart))
        return missing_argument ? SQLITE_CONSTRAINT : SQLITE_ERROR;
    if (plan.uses & kUseId) {
        info.orderByConsumed = 1;  // one row
    } else if (!(plan.uses & (kUseParent | kUseStart)) && info.nOrderBy > 0) {
        const bool by_id = info.nOrderBy == 1 && info.aOrderBy[0].iColumn == kSliceId &&
                           !info.aOrderBy[0].desc && !(plan.uses & kUseName);
        plan.order = order_of(info, plan);
        info.orderByConsumed = by_id || plan.order != SliceOrder::any;
        plan.first_only = plan.uses == 0 && sqlite3_vtab_distinct(&info) >= 2 &&
                          reads_only_order(info) &&
                          (plan.order == SliceOrder::name || plan.order == SliceOrder::category ||
                           plan.order == SliceOrder::lane);
    }
    estimate(rows, plan, info);
    info.idxNum = plan.encode();
    return SQLITE_OK;
}

}  // namespace lanescope

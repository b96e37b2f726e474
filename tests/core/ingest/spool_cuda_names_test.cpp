#include "core/ingest/spool/spool_cuda_names.h"

#include <doctest/doctest.h>

using namespace lanescope;

TEST_CASE("CUPTI's kinds have Kineto's names up to the last; later kinds are unknown") {
    CHECK(sync_kind_name(1) == "Event Sync");
    CHECK(sync_kind_name(4) == "Context Sync");
    for (const uint32_t kind : {0U, 5U, 6U, UINT32_MAX}) CHECK(sync_kind_name(kind) == "Unknown");

    CHECK(memory_kind_name(1) == "Pageable");
    CHECK(memory_kind_name(7) == "Managed Static");
    for (const uint32_t kind : {0U, 8U, UINT32_MAX}) CHECK(memory_kind_name(kind) == "Unknown");
}

TEST_CASE("CUPTI's kinds of overhead are multiples of 65,536, except for the compiler") {
    CHECK(overhead_name(1) == "Driver Compiler");
    CHECK(overhead_name(1 << 16) == "Buffer Flush");
    CHECK(overhead_name(8 << 16) == "UVM Activity Init");
    for (const uint32_t kind : {0U, 2U, (1U << 16) + 1, 9U << 16, UINT32_MAX})
        CHECK(overhead_name(kind) == "Unknown");
}

TEST_CASE("copies and sets are named by direction and kind of memory") {
    SpoolCopy copy = {};
    copy.copy_kind = 1;
    copy.from_kind = 1;
    copy.to_kind = 3;
    CHECK(copy_name(copy) == "Memcpy HtoD (Pageable -> Device)");
    copy.copy_kind = 10;
    CHECK(copy_name(copy) == "Memcpy PtoP (Pageable -> Device)");
    copy.copy_kind = 11;
    CHECK(copy_name(copy) == "Memcpy Unknown (Pageable -> Device)");
    copy.is_peer = 1;
    CHECK(copy_name(copy) == "Memcpy PtoP (Pageable -> Device)");
    SpoolSet set = {};
    set.memory_kind = 2;
    CHECK(set_name(set) == "Memset (Pinned)");
}

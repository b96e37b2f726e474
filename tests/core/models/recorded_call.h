// An operator's call as recorded in a trace, and the work that its model computes.
#pragma once

#include <doctest/doctest.h>

#include <string_view>

#include "core/models/operator_work.h"

namespace lanescope::testing {

struct RecordedCall {
    std::string_view name, dims, types, concrete;
    std::string_view strides = {};
    DataType hint = DataType::unknown;
    std::string_view batch = {};
};

inline Modelled model_of(const RecordedCall& a) {
    const auto inputs = parse_inputs({a.dims, a.types, a.strides, a.concrete});
    if (!inputs) return {{}, why_unread(a.dims)};
    Call call(a.name, *inputs);
    call.hint = a.hint;
    call.batch = a.batch;
    return work_of(call);
}

inline Work check(const RecordedCall& call, int64_t flops, int64_t read, int64_t written) {
    CAPTURE(call.name);
    CAPTURE(call.dims);
    const Modelled m = model_of(call);
    REQUIRE(m.why == NoModel::none);
    CHECK(m.work.flops.n == flops);
    CHECK(m.work.bytes_read.n == read);
    CHECK(m.work.bytes_written.n == written);
    return m.work;
}

}  // namespace lanescope::testing

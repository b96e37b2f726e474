// An operator as recorded in a trace, and its model's answer.
#pragma once

#include <doctest/doctest.h>

#include <string_view>

#include "core/models/operator_work.h"

namespace lanescope::testing {

struct Asked {
    std::string_view name, dims, types, concrete;
    std::string_view strides = {};
    DataType hint = DataType::unknown;
    std::string_view batch = {};
};

inline Modelled ask(const Asked& a) {
    const auto inputs = parse_inputs({a.dims, a.types, a.strides, a.concrete});
    if (!inputs) return {{}, why_unread(a.dims)};
    Call call(a.name, *inputs);
    call.hint = a.hint;
    call.batch = a.batch;
    return work_of(call);
}

inline Work check(const Asked& asked, int64_t flops, int64_t read, int64_t written) {
    CAPTURE(asked.name);
    CAPTURE(asked.dims);
    const Modelled m = ask(asked);
    REQUIRE(m.why == NoModel::none);
    CHECK(m.work.flops.n == flops);
    CHECK(m.work.bytes_read.n == read);
    CHECK(m.work.bytes_written.n == written);
    return m.work;
}

}  // namespace lanescope::testing

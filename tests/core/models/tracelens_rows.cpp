#include "tests/core/models/tracelens_rows.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/models/operator_work.h"

namespace lanescope::testing {

namespace {

// Python's tuples as JSON: "((2, 3), (4,))" is [[2, 3], [4]].
std::string list_of_tuple(const nlohmann::json& tuple) {
    std::string list;
    bool quoted = false;
    for (const char c : tuple.is_string() ? tuple.get<std::string>() : std::string()) {
        if (c == '\'') {
            quoted = !quoted;
            list += '"';
        } else if (!quoted && (c == '(' || c == ')')) {
            if (c == ')' && list.ends_with(',')) list.pop_back();
            list += c == '(' ? '[' : ']';
        } else {
            list += c;
        }
    }
    return list;
}

bool equal(double ours, double theirs) {
    return std::abs(ours - theirs) <= 0.5 + 1e-9 * theirs;
}

bool is_norm(const std::string& op) {
    return op == "aten::batch_norm" || op == "aten::layer_norm";
}

// Each class applies only if its own arithmetic matches.
std::string why_flop(const TraceLensRow& row, const Work& w) {
    const auto ours = static_cast<double>(w.flops.n);
    if (equal(ours, row.flop)) return {};
    const auto inputs = parse_inputs({row.dims, row.types, {}, row.concrete});
    const auto elements = [&](std::size_t i) {
        return static_cast<double>(product_of((*inputs)[i].shape).n);
    };
    if (row.op == "aten::copy_" && ours == 0 && equal(elements(0), row.flop))
        return "copy_: an operation an element there, none here";
    if (row.op == "aten::addmm") {
        const double bias = elements(1) / static_cast<double>((*inputs)[1].shape.back()) *
                            static_cast<double>((*inputs)[2].shape.back());
        if (equal(ours + bias, row.flop))
            return "addmm: the bias counted there (+ MN), as torch does not";
    }
    if (is_norm(row.op)) {
        const std::size_t weight = row.op == "aten::layer_norm" ? 2 : 1;
        if (equal(ours + 6 * elements(weight), row.flop))
            return "norms: + 6 for each parameter there";
    }
    if (row.op == "aten::miopen_batch_norm_backward" && row.flop < ours)
        return "miopen_batch_norm_backward: taken for inference there";
    if (row.op == "aten::convolution_backward" &&
        row.concrete.find("[False, True") != std::string::npos)
        return "convolution_backward: output_mask ignored there";
    if (row.op == "aten::_scaled_dot_product_flash_attention" && row.flop < ours &&
        row.flop > 0.99 * ours)
        return "causal attention: half of all pairs there, the diagonal in full here";
    return "not explained";
}

std::string why_bytes(const TraceLensRow& row, const Work& w) {
    const auto ours = static_cast<double>((w.bytes_read + w.bytes_written).n);
    if (row.bytes < 0 || equal(ours, row.bytes)) return {};
    const auto inputs = parse_inputs({row.dims, row.types, {}, row.concrete});
    if (is_norm(row.op)) return "norms: parameters sized by the type of x there, no statistics";
    if (row.op == "aten::miopen_batch_norm_backward")
        return "miopen_batch_norm_backward: taken for inference there";
    if (row.op == "aten::convolution_backward" && row.bytes > ours)
        return "convolution_backward: the gradient read twice there";
    const bool reduces = row.op == "aten::sum" || row.op == "aten::mean";
    if (reduces && row.concrete.find("\"[") != std::string::npos)
        return "sum, mean: dims not read there";
    if (row.op == "aten::_scaled_dot_product_flash_attention" && ours > row.bytes)
        return "attention: sums of exponentials not written there";
    if (row.op == "aten::add_" && row.bytes > ours)
        return "add_ of two types: the result in the wider one there";
    if (row.op == "aten::cumsum" && row.bytes < ours)
        return "cumsum of 32-bit numbers: its result has 64 bits, not 32";
    return "not explained";
}

}  // namespace

std::vector<TraceLensRow> tracelens_rows(const std::string& path) {
    std::ifstream file(path);
    const auto json = nlohmann::json::parse(file);
    std::vector<TraceLensRow> rows;
    for (const auto& truth : json)
        for (const auto& m : truth["models"]) {
            TraceLensRow& row = rows.emplace_back();
            row.op = m["op"];
            row.dims = list_of_tuple(m["dims"]);
            row.types = list_of_tuple(m["types"]);
            row.concrete = list_of_tuple(m["concrete"]);
            row.flop = m["gflops"].get<double>() * 1e9;
            row.bytes = m["mib"].is_number() ? m["mib"].get<double>() * (1 << 20) : -1;
            const auto inputs = parse_inputs({row.dims, row.types, {}, row.concrete});
            Call call(row.op, inputs ? std::span<const Input>(*inputs) : std::span<const Input>());
            const Modelled modelled = work_of(call);
            row.compared = inputs && !inputs->empty() && modelled;
            if (!row.compared) continue;
            row.why_flop = why_flop(row, modelled.work);
            row.why_bytes = why_bytes(row, modelled.work);
        }
    return rows;
}

}  // namespace lanescope::testing

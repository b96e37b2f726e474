// Reads the stacks of snapshots. Equal functions and equal stacks are stored once.
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "core/base/utf8.h"
#include "core/ingest/memory_snapshot/snapshot_reader.h"
#include "core/ingest/stacks/stack_slices.h"

namespace lanescope {

namespace {

constexpr std::size_t kLongestFunction = 512;  // bytes

// "mm" of "at::_ops::mm::call(at::Tensor const&, …)".
std::string_view operator_of(std::string_view name) {
    constexpr std::string_view start = "at::_ops::";
    constexpr std::string_view call = "::call(";
    if (!name.starts_with(start)) return {};
    const std::size_t end = name.find(call);
    return end == std::string_view::npos ? std::string_view()
                                         : name.substr(start.size(), end - start.size());
}

bool is_python_file(std::string_view file) {
    return file.ends_with(".py") || file.starts_with("<");
}

}  // namespace

uint32_t SnapshotReader::word(std::string_view text) {
    if (const auto known = words_.find(text); known != words_.end()) return known->second;
    const auto number = static_cast<uint32_t>(memory_.words.size());
    memory_.words.emplace_back(text);
    words_.emplace(text, number);
    return number;
}

uint32_t SnapshotReader::function(const PickleValue& frame) {
    // Frames may share a text of any length, but each has a name of its own with its line.
    const std::string_view name = utf8_beginning(pickle_.text_of(frame, "name"), kLongestFunction);
    const std::string_view file = pickle_.text_of(frame, "filename");
    const int64_t line = pickle_.integer_of(frame, "line").value_or(0);
    const std::string_view of_torch = operator_of(name);
    std::string text;
    if (!of_torch.empty())
        text = fmt::format("aten::{}", of_torch);
    else if (is_python_file(file))
        text = fmt::format("{} ({}:{})", name, utf8_beginning(file_of_path(file), kLongestFunction),
                           line);
    else
        return std::numeric_limits<uint32_t>::max();
    if (const auto known = functions_.find(text); known != functions_.end()) return known->second;
    const auto number = static_cast<uint32_t>(memory_.functions.size());
    memory_.functions.push_back(text);
    is_operator_.push_back(!of_torch.empty());
    functions_.emplace(std::move(text), number);
    return number;
}

// Keeps Python functions and PyTorch operators, and leaves out other native functions.
uint32_t SnapshotReader::stack(const PickleValue& frames) {
    const std::span<const PickleValue> all = pickle_.items(frames);
    if (all.empty()) return 0;
    const auto [known, is_new] = stacks_.try_emplace(frames.container, 0);
    if (!is_new) return known->second;
    std::vector<uint32_t> functions;
    for (const PickleValue& frame : all) {
        if (frame.kind != PickleKind::dictionary) continue;
        const auto [of_frame, is_new_frame] = frames_.try_emplace(frame.container, 0);
        if (is_new_frame) of_frame->second = function(frame);
        const bool is_shown = of_frame->second < memory_.functions.size();
        if (is_shown && (functions.empty() || functions.back() != of_frame->second))
            functions.push_back(of_frame->second);
    }
    const auto [equal, is_new_stack] =
        equal_stacks_.try_emplace(functions, static_cast<uint32_t>(memory_.stacks.size()));
    if (is_new_stack) memory_.stacks.push_back(std::move(functions));
    stacks_[frames.container] = equal->second;
    return equal->second;
}

}  // namespace lanescope

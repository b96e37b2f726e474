#include "core/ingest/cpuprofile/cpuprofile_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ingest/json/json_number.h"

namespace lanescope {

namespace {

constexpr int kDeepestNode = 2048;
constexpr Nanos kUnknownInterval = 1'000'000;
constexpr Nanos kLongestInterval = 10'000'000'000;
// A longer interval between two samples, in sampling intervals, is a pause in sampling.
constexpr Nanos kLongestHold = 10;

std::string_view cpuprofile_word(EventKind kind) {
    return kind == EventKind::slice ? "call" : "name";
}

}  // namespace

CpuprofileReader::CpuprofileReader(const ReadJob& job, TraceBuilder& builder)
    : job_(job), builder_(builder), sink_(cpuprofile_word) {
    sink_.send_to([this](const Batch& batch) { take(batch); });
}

void CpuprofileReader::take(const Batch& batch) {
    shown_ += static_cast<uint64_t>(std::ranges::count_if(
        batch.events, [](const RawEvent& event) { return event.kind != EventKind::metadata; }));
    stopped_ = take_batch(job_, builder_, batch);
}

Result<void> CpuprofileReader::run() {
    Result<JsonText> text = JsonText::read(job_, builder_);
    if (!text) return text.error();
    text_ = std::move(*text);
    const Members members = members_of_file();
    if (JsonCursor at = members.nodes; at.p)
        read_elements(at, [&] { return read_node(at, kNoNode, 0); });
    else if (at = members.head; at.p)
        read_node(at, kNoNode, 0);
    link_parents();
    read_samples(members);
    if (samples_.empty()) return nothing_shown();
    add_samples(members);
    sink_.flush();
    if (stopped_ && shown_ == 0) return nothing_shown();
    return stopped_;
}

Error CpuprofileReader::nothing_shown() const {
    return {ErrorCode::damaged, 0,
            fmt::format("{}: is a CPU profile of V8 without samples of functions and their times, "
                        "so it has no timeline",
                        job_.input.file->path())};
}

CpuprofileReader::Members CpuprofileReader::members_of_file() {
    Members members;
    JsonCursor at = text_.cursor();
    const bool whole = !at.at_end() && *at.p == '{' && read_members(at, [&](std::string_view name) {
        const JsonCursor value = at;
        if (name == "nodes") members.nodes = value;
        if (name == "head") members.head = value;
        if (name == "samples") members.samples = value;
        if (name == "timeDeltas") members.deltas = value;
        if (name == "timestamps") members.timestamps = value;
        std::string_view raw;
        if (!at.read_value(raw)) return false;
        if (name == "startTime") members.start = without_quotes(raw);
        if (name == "endTime") members.end = without_quotes(raw);
        return true;
    });
    if (!whole)
        builder_.warn("truncated_file", text_.position(std::min(at.p, at.end)),
                      "the file ends or is damaged here; everything before it was read");
    return members;
}

// Reads a node. Its children are IDs or, in old files, nodes.
bool CpuprofileReader::read_node(JsonCursor& at, uint32_t parent, int depth) {
    std::string_view raw;
    if (*at.p != '{' || depth > kDeepestNode) return at.read_value(raw);
    const auto number = static_cast<uint32_t>(nodes_.size());
    nodes_.emplace_back();
    nodes_[number].parent = parent;
    nodes_[number].entry = {number, sink_.text("(anonymous)"), sink_.text(""),
                            text_.position(at.p)};
    return read_members(at, [&](std::string_view member) {
        if (member == "children" && *at.p == '[')
            return read_elements(at, [&] {
                if (*at.p == '{') return read_node(at, number, depth + 1);
                if (!at.read_value(raw)) return false;
                if (const auto child = json_integer(raw)) children_.emplace_back(number, *child);
                return true;
            });
        if (member == "callFrame" && *at.p == '{')
            return read_members(at, [&](std::string_view inner) {
                if (!at.read_value(raw)) return false;
                read_call_frame(inner, raw, nodes_[number]);
                return true;
            });
        if (!at.read_value(raw)) return false;
        read_call_frame(member, raw, nodes_[number]);
        const std::optional<int64_t> id =
            member == "id" || member == "parent" ? json_integer(raw) : std::nullopt;
        if (id && member == "id") {
            nodes_[number].id = *id;
            node_of_id_.try_emplace(*id, number);
        }
        if (id && member == "parent") parents_.emplace_back(number, *id);
        return true;
    });
}

void CpuprofileReader::read_call_frame(std::string_view member, std::string_view raw, Node& node) {
    if (member == "functionName") {
        const std::string name = json_plain(raw);
        if (!name.empty()) node.entry.name = sink_.text(name);
        node.is_root = name == "(root)";
        node.is_idle = name == "(idle)";
    }
    if (member == "url") node.entry.module = sink_.text(file_of_path(json_plain(raw)));
}

void CpuprofileReader::link_parents() {
    for (const auto& [node, id] : children_)
        if (const auto child = node_of_id_.find(id);
            child != node_of_id_.end() && nodes_[child->second].parent == kNoNode)
            nodes_[child->second].parent = node;
    for (const auto& [node, id] : parents_)
        if (const auto parent = node_of_id_.find(id); parent != node_of_id_.end())
            nodes_[node].parent = parent->second;
    children_ = {};
    parents_ = {};
}

// The times of samples in microseconds: stated, or summed up from the profile's start.
std::vector<Nanos> CpuprofileReader::times_of(const Members& members) {
    std::vector<Nanos> times;
    const bool are_deltas = members.deltas.p != nullptr;
    Nanos time = are_deltas ? parse_microseconds(members.start, kMaxTime).value_or(0) : 0;
    JsonElements list(are_deltas ? members.deltas : members.timestamps);
    for (std::string_view raw = list.next(); !raw.empty(); raw = list.next()) {
        const std::optional<Nanos> number =
            parse_microseconds(raw, are_deltas ? kMaxDuration : kMaxTime);
        const Nanos next = number ? (are_deltas ? time + *number : *number) : time;
        if (!number || next > kMaxTime || next < -kMaxTime)
            builder_.warn("unreadable_time", text_.position(raw.data()),
                          "a time that is not a number in range; taken as that of the sample "
                          "before");
        else
            time = next;
        times.push_back(time);
    }
    return times;
}

void CpuprofileReader::read_samples(const Members& members) {
    const std::vector<Nanos> times = times_of(members);
    JsonElements list(members.samples);
    std::size_t i = 0;
    for (std::string_view raw = list.next(); !raw.empty(); raw = list.next(), ++i) {
        const uint64_t position = text_.position(raw.data());
        if (i >= times.size()) {
            builder_.warn("samples_without_time", position, "samples without times; not shown");
            break;
        }
        const auto node = node_of_id_.find(json_integer(raw).value_or(-1));
        if (node == node_of_id_.end())
            builder_.warn("unknown_node", position,
                          "a sample of a node that the list of nodes lacks; shown as a pause");
        if (!samples_.empty() && times[i] < samples_.back().time)
            builder_.warn("time_backwards", position,
                          "a sample that is earlier than the sample before it; sorted by time");
        samples_.push_back(
            {times[i], node == node_of_id_.end() ? kNoNode : node->second, position});
    }
    // Some writers also state the end of the last sample.
    if (!members.deltas.p && times.size() == samples_.size() + 1) end_ = times.back();
    std::ranges::stable_sort(samples_, {}, &Sample::time);
}

// The functions of a sample, the outermost first.
void CpuprofileReader::stack_of(uint32_t node) {
    stack_.clear();
    for (std::size_t i = 0; node != kNoNode && i < kDeepestNode; node = nodes_[node].parent, ++i)
        if (!nodes_[node].is_root) stack_.push_back(nodes_[node].entry);
    std::ranges::reverse(stack_);
}

// A sample represents the time until the next sample.
void CpuprofileReader::add_samples(const Members& members) {
    std::vector<Nanos> distances;
    for (std::size_t i = 1; i < samples_.size(); ++i)
        if (samples_[i].time > samples_[i - 1].time)
            distances.push_back(samples_[i].time - samples_[i - 1].time);
    const Nanos interval =
        std::min(sampling_interval(distances, 0.5, kUnknownInterval), kLongestInterval);
    builder_.add_metadata("sampling_interval_ns", std::to_string(interval));
    if (end_ == 0) end_ = parse_microseconds(members.end, kMaxTime).value_or(0);
    const LocalId process = sink_.process("");
    const LocalId lane = sink_.samples(process, "", SampleKind::cpu);
    sink_.name_lane(lane, sink_.text("JavaScript · samples"), 0);
    StackSlices slices(sink_, lane);
    for (std::size_t i = 0; i < samples_.size() && stopped_; ++i) {
        const Sample& sample = samples_[i];
        const bool is_last = i + 1 == samples_.size();
        Nanos end = is_last ? end_ : samples_[i + 1].time;
        if (is_last && end <= sample.time) end = sample.time + interval;
        if (end - sample.time > kLongestHold * interval) end = sample.time + interval;
        if (sample.node == kNoNode || end == sample.time) continue;
        stack_of(sample.node);
        slices.add(sample.time, end, stack_,
                   nodes_[sample.node].is_idle ? kWaitingStack : kCpuStack);
    }
    slices.finish();
}

}  // namespace lanescope

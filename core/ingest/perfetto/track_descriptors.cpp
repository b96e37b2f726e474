// Reads the descriptors of tracks, processes and threads.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/ingest/perfetto/track_tree.h"
#include "core/ingest/perfetto/wire.h"

namespace lanescope {

namespace {

namespace track_field {
constexpr uint32_t kUuid = 1;
constexpr uint32_t kName = 2;
constexpr uint32_t kProcess = 3;
constexpr uint32_t kThread = 4;
constexpr uint32_t kParent = 5;
constexpr uint32_t kCounter = 8;
constexpr uint32_t kSeparate = 9;  // separate from the thread's other events
constexpr uint32_t kStaticName = 10;
constexpr uint32_t kOrdering = 11;
constexpr uint32_t kRank = 12;
constexpr uint32_t kAtraceName = 13;
constexpr uint32_t kMerge = 15;
constexpr uint32_t kMergeKey = 16;
constexpr uint32_t kMergeNumber = 17;
constexpr uint32_t kState = 18;
}  // namespace track_field

constexpr uint64_t kExplicitOrder = 3;
constexpr std::string_view kExportedKey = "{\"lanescope\":";

TrackCounter read_counter(std::string_view message) {
    TrackCounter counter;
    for (WireMessage in(message); in.next();) {
        if (in.is_bytes()) {
            if (in.field() == 6) counter.unit = in.bytes();
            continue;
        }
        if (in.field() == 1) counter.is_builtin = in.number() != 0;
        if (in.field() == 3 && counter.unit.empty())
            counter.unit = in.number() == 1 ? "ns" : in.number() == 3 ? "bytes" : "";
        if (in.field() == 4 && in.number() != 0)
            counter.multiplier = static_cast<double>(in.signed_number());
        if (in.field() == 5) counter.is_incremental = in.number() != 0;
    }
    return counter;
}

std::string number_text(int64_t number, const std::string& suffix) {
    return std::to_string(number) + suffix;
}

}  // namespace

std::string TrackTree::describe_process(std::string_view message, const std::string& suffix) {
    int64_t pid = 0;
    std::string name, command, labels;
    std::optional<int64_t> sort_index;
    for (WireMessage in(message); in.next();) {
        if (in.field() == 1 && !in.is_bytes()) pid = static_cast<int32_t>(in.number());
        if (in.field() == 2 && in.is_bytes() && command.empty()) command = in.bytes();
        if (in.field() == 3 && !in.is_bytes()) sort_index = static_cast<int32_t>(in.number());
        if (in.field() == 6 && in.is_bytes()) name = in.bytes();
        if (in.field() == 8 && in.is_bytes())
            labels += (labels.empty() ? "" : ", ") + std::string(in.bytes());
    }
    const std::string text = number_text(pid, suffix);
    NamedProcess& known = process_names_[text];
    if (!name.empty() || !command.empty()) known.name = name.empty() ? command : name;
    if (!labels.empty()) known.labels = labels;
    if (sort_index && *sort_index != 0) known.sort_index = sort_index;
    return text;
}

std::pair<std::string, std::string> TrackTree::describe_thread(std::string_view message,
                                                               const std::string& suffix) {
    int64_t pid = 0, tid = 0;
    std::string_view name;
    for (WireMessage in(message); in.next();) {
        if (in.field() == 1 && !in.is_bytes()) pid = static_cast<int32_t>(in.number());
        if (in.field() == 2 && !in.is_bytes()) tid = in.signed_number();
        if (in.field() == 5 && in.is_bytes()) name = in.bytes();
    }
    const std::string pid_text = number_text(pid, suffix);
    const std::string tid_text = number_text(tid, suffix);
    name_thread(tid_text, name);
    set_process_of(tid_text, pid_text);
    return {pid_text, tid_text};
}

// Takes the key of a track that Lanescope wrote: it identifies the exported lane.
bool TrackTree::take_export(TrackNode& node) {
    if (!node.key.starts_with(kExportedKey)) return false;
    const auto facts = nlohmann::json::parse(node.key, nullptr, false);
    if (!facts.is_object()) return false;
    const auto text = [&](const char* key) {
        const auto found = facts.find(key);
        return found != facts.end() && found->is_string() ? found->get<std::string>()
                                                          : std::string();
    };
    const auto number = [&](const char* key) {
        const auto found = facts.find(key);
        return found != facts.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
    };
    node.is_exported = true;
    node.sort_index = number("sort");
    node.is_async = text("lanescope") == "async";
    if (text("lanescope") == "process") {
        node.pid = text("pid");
        NamedProcess& process = process_names_[node.pid];
        process.name = text("name");
        process.labels = text("labels");
        process.sort_index = node.sort_index;
    } else {
        node.tid = text("tid");
    }
    return true;
}

void TrackTree::describe(std::string_view message, const std::string& suffix) {
    TrackNode read;
    std::string_view process, thread;
    bool is_separate = false;
    for (WireMessage in(message); in.next();) {
        using namespace track_field;
        if (in.is_bytes()) {
            if (in.field() == kName) read.name = in.bytes();
            if ((in.field() == kStaticName || in.field() == kAtraceName) && read.name.empty())
                read.name = in.bytes();
            if (in.field() == kProcess) process = in.bytes();
            if (in.field() == kThread) thread = in.bytes();
            if (in.field() == kMergeKey) read.key = in.bytes();
            if (in.field() == kState) read.is_state = true;
            if (in.field() == kCounter) {
                read.is_counter = true;
                read.counter = read_counter(in.bytes());
            }
            continue;
        }
        if (in.field() == kUuid) read.uuid = in.number();
        if (in.field() == kParent) read.parent = in.number();
        if (in.field() == kSeparate) is_separate = in.number() != 0;
        if (in.field() == kOrdering) read.orders_children = in.number() == kExplicitOrder;
        if (in.field() == kRank) read.rank = static_cast<int32_t>(in.number());
        if (in.field() == kMerge && in.number() <= 3)
            read.merge = static_cast<TrackMerge>(in.number());
        if (in.field() == kMergeNumber) read.key = std::to_string(in.number());
    }
    const uint32_t track = of_uuid(read.uuid);
    const bool is_exported = take_export(read);
    // The key merges only lanes. Slices of a lane's different tracks have separate stacks.
    uint32_t stack = track;
    if (!is_exported && !thread.data() && process.data() && !read.is_counter) {
        stack = of_process(describe_process(process, suffix));
    } else if (thread.data()) {
        const auto [pid, tid] = describe_thread(thread, suffix);
        if (is_exported) {
            read.name = name_of_thread(tid);
        } else {
            if (!read.name.empty()) name_thread(tid, read.name, false);
            if (!is_separate && !read.is_counter) stack = of_thread(pid, tid);
            if (is_separate) {
                read.kind = TrackKind::thread;
                read.pid = pid;
                read.tid = tid;
            }
        }
    }
    TrackNode& node = nodes_[track];
    read.stack = stack;
    read.is_described = true;
    read.first_name = node.first_name;
    read.has_gpu_work = node.has_gpu_work;
    read.has_other_work = node.has_other_work;
    read.device = node.device;
    node = std::move(read);
}

}  // namespace lanescope

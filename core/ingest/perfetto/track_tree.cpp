#include "core/ingest/perfetto/track_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace lanescope {

namespace {

constexpr int kDeepestTrack = 32;
constexpr std::string_view kCpuProcess = "CPUs";

// A sort key that orders numbers by value, and before other texts.
std::string number_order(std::string_view text) {
    uint64_t number = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = code == std::errc() && stop == text.data() + text.size();
    return is_number ? fmt::format("{:020}", number) : std::string(text);
}

}  // namespace

uint32_t TrackTree::add(TrackNode node) {
    node.stack = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back(std::move(node));
    return static_cast<uint32_t>(nodes_.size() - 1);
}

uint32_t TrackTree::of_uuid(uint64_t uuid) {
    const auto [found, is_new] = by_uuid_.try_emplace(uuid, 0);
    if (is_new) {
        TrackNode node;
        node.uuid = uuid;
        found->second = add(std::move(node));
    }
    return found->second;
}

uint32_t TrackTree::of_process(const std::string& pid) {
    const auto [found, is_new] = processes_.try_emplace(pid, 0);
    if (is_new) {
        TrackNode node;
        node.kind = TrackKind::process;
        node.pid = pid;
        found->second = add(std::move(node));
    }
    return found->second;
}

uint32_t TrackTree::of_thread(const std::string& pid, const std::string& tid) {
    const auto [found, is_new] = threads_.try_emplace({pid, tid}, 0);
    if (is_new) {
        TrackNode node;
        node.kind = TrackKind::thread;
        node.pid = pid;
        node.tid = tid;
        found->second = add(std::move(node));
        if (!pid.empty()) set_process_of(tid, pid);
    }
    return found->second;
}

uint32_t TrackTree::of_cpu(uint32_t cpu) {
    const auto [found, is_new] = cpus_.try_emplace(cpu, 0);
    if (is_new) {
        TrackNode node;
        node.kind = TrackKind::cpu;
        node.pid = kCpuProcess;
        node.tid = std::to_string(cpu);
        node.name = fmt::format("CPU {}", cpu);
        found->second = add(std::move(node));
        process_names_[std::string(kCpuProcess)].name = "CPU scheduling";
    }
    return found->second;
}

uint32_t TrackTree::interrupts_of(uint32_t cpu) {
    const auto [found, is_new] = interrupts_.try_emplace(cpu, 0);
    if (is_new) {
        TrackNode node = nodes_[of_cpu(cpu)];
        node.tid = fmt::format("{} interrupts", cpu);
        node.name = fmt::format("CPU {} · interrupts", cpu);
        found->second = add(std::move(node));
    }
    return found->second;
}

uint32_t TrackTree::states_of(const std::string& tid) {
    const auto [found, is_new] = states_.try_emplace(tid, 0);
    if (is_new) {
        TrackNode node;
        node.kind = TrackKind::states;
        node.tid = tid;
        found->second = add(std::move(node));
    }
    return found->second;
}

void TrackTree::name_process(const std::string& pid, std::string_view name, bool replaces) {
    std::string& known = process_names_[pid].name;
    if (!name.empty() && (replaces || known.empty())) known = name;
}

void TrackTree::name_thread(const std::string& tid, std::string_view name, bool replaces) {
    std::string& known = thread_names_[tid].name;
    if (!name.empty() && (replaces || known.empty())) known = name;
}

void TrackTree::set_process_of(const std::string& tid, const std::string& pid) {
    thread_names_[tid].pid = pid;
}

std::string TrackTree::process_of(const std::string& tid) const {
    const auto found = thread_names_.find(tid);
    return found == thread_names_.end() ? std::string() : found->second.pid;
}

std::string_view TrackTree::name_of_thread(const std::string& tid) const {
    const auto found = thread_names_.find(tid);
    return found == thread_names_.end() ? std::string_view() : found->second.name;
}

std::string_view TrackTree::name_of_process(const std::string& pid) const {
    const auto found = process_names_.find(pid);
    return found == process_names_.end() ? std::string_view() : found->second.name;
}

TrackTree::Place TrackTree::place(uint32_t track, int depth) const {
    const TrackNode& node = nodes_[track];
    switch (node.kind) {
        case TrackKind::process:
            return {node.pid, "", "", "0"};
        case TrackKind::cpu:
            return {node.pid, "c" + node.tid, node.tid, number_order(node.tid)};
        case TrackKind::thread:
        case TrackKind::states: {
            const std::string known = node.pid.empty() ? process_of(node.tid) : node.pid;
            const bool is_main = known == node.tid;
            const std::string order = (is_main ? "1" : "2") + number_order(node.tid);
            if (node.kind == TrackKind::thread) return {known, "t" + node.tid, node.tid, order};
            return {known, "s" + node.tid, node.tid + " states", order + "/"};
        }
        case TrackKind::plain:
            break;
    }
    if (node.is_exported && node.parent == 0) return {node.pid, "", "", "0"};
    const std::string& name = node.name.empty() ? node.first_name : node.name;
    const bool has_identity = node.merge != TrackMerge::never &&
                              !(node.merge == TrackMerge::by_key ? node.key : node.name).empty();
    std::string own = has_identity
                          ? (node.merge == TrackMerge::by_key ? "k" + node.key : "n" + node.name)
                          : fmt::format("#{}", track);
    const auto parent = by_uuid_.find(node.parent);
    const bool has_parent = node.parent != 0 && node.parent != node.uuid &&
                            parent != by_uuid_.end() && depth < kDeepestTrack;
    if (!has_parent) {
        if (!node.has_children)
            return {"", "/" + own, name.empty() ? "default track" : name,
                    fmt::format("3/{:010}", track)};
        return {name.empty() ? fmt::format("track {}", node.uuid) : name, "", "", "0"};
    }
    Place above = place(nodes_[parent->second].stack, depth + 1);
    if (node.is_exported) return {above.pid, "x" + node.key, node.tid, ""};
    const bool is_ranked = nodes_[parent->second].orders_children;
    const int64_t order = is_ranked ? int64_t{node.rank} + (int64_t{1} << 31) : int64_t{track};
    return {above.pid, above.path + "/" + own, name,
            fmt::format("{}/{:010}", above.path.empty() ? "3" : above.order, order)};
}

std::string TrackTree::title_of(const TrackNode& node) const {
    if (node.kind == TrackKind::states) {
        const std::string_view name = name_of_thread(node.tid);
        return fmt::format("{} · states", name.empty() ? "thread " + node.tid : std::string(name));
    }
    if (node.kind == TrackKind::thread && !node.is_exported)
        return std::string(name_of_thread(node.tid));
    if (node.kind == TrackKind::process) return "";
    return node.name.empty() ? node.first_name : node.name;
}

// Each lane of a process has a unique text instead of a tid.
std::string TrackTree::unique_tid(const Place& at) {
    const auto known = tids_.find({at.pid, at.path});
    if (known != tids_.end()) return known->second;
    std::string tid = at.tid;
    if (!paths_.try_emplace({at.pid, tid}, at.path).second) {
        uint64_t& next = next_numbers_.try_emplace({at.pid, at.tid}, 2).first->second;
        do {
            tid = fmt::format("{} ({})", at.tid, next++);
        } while (!paths_.try_emplace({at.pid, tid}, at.path).second);
    }
    return tids_[{at.pid, at.path}] = tid;
}

void TrackTree::resolve() {
    for (TrackNode& node : nodes_) {
        // An unnamed track takes the name of its first event.
        if (node.kind == TrackKind::plain && node.name.empty() && !node.is_exported)
            node.name = node.uuid == 0             ? "Default track"
                        : !node.first_name.empty() ? node.first_name
                        : node.is_described        ? ""
                                                   : fmt::format("track {}", node.uuid);
        if (node.parent == 0) continue;
        const auto parent = by_uuid_.find(node.parent);
        if (parent != by_uuid_.end()) nodes_[parent->second].has_children = true;
    }
    for (uint32_t track = 0; track < nodes_.size(); ++track)
        if (nodes_[track].has_other_work && !nodes_[track].has_gpu_work)
            has_other_work_[place(nodes_[track].stack, 0).pid] = true;
}

std::string TrackTree::pid_of(uint32_t track) {
    return place(nodes_[track].stack, 0).pid;
}

LocalId TrackTree::owner(uint32_t track) {
    const std::string pid = pid_of(track);
    return used_processes_[pid] = sink_.process(pid);
}

LocalId TrackTree::samples_of(const std::string& tid) {
    const std::string pid = process_of(tid);
    const LocalId process = used_processes_[pid] = sink_.process(pid);
    const LocalId lane = sink_.samples(process, tid, SampleKind::cpu);
    const std::string_view name = name_of_thread(tid);
    if (!name.empty() && made_lanes_.insert(lane).second)
        made_.push_back({lane,
                         pid,
                         (pid == tid ? "1" : "2") + number_order(tid) + "0",
                         fmt::format("{} · samples", name),
                         false,
                         {}});
    return lane;
}

LocalId TrackTree::device(uint32_t ordinal) {
    const ProcessKey key{sink_.names().text(""), kNoLocalId,
                         static_cast<int32_t>(ordinal & INT32_MAX), 0};
    return sink_.names().process(key);
}

LocalId TrackTree::lane(uint32_t track) {
    track = nodes_[track].stack;
    TrackNode& node = nodes_[track];
    if (node.lane != kNoLocalId) return node.lane;
    const Place at = place(track, 0);
    const std::string tid = node.is_exported ? at.tid : unique_tid(at);
    used_processes_[at.pid] = sink_.process(at.pid);
    const auto others = has_other_work_.find(at.pid);
    const bool is_mixed = others != has_other_work_.end() && others->second;
    if (node.has_gpu_work && is_mixed && !node.is_exported) {
        const LocalId owner =
            sink_.device(sink_.process(at.pid), static_cast<uint32_t>(std::max(node.device, 0)));
        node.lane = sink_.stream(owner, tid);
    } else {
        node.lane = sink_.names().row(at.pid, tid);
    }
    if (made_lanes_.insert(node.lane).second) {
        MadeLane made{node.lane, at.pid, at.order, title_of(node), node.kind == TrackKind::thread,
                      {}};
        if (node.is_exported) made.sort_index = node.sort_index;
        made_.push_back(std::move(made));
    }
    return node.lane;
}

void TrackTree::sort_lanes() {
    std::map<std::string, std::vector<MadeLane*>> of_process;
    for (MadeLane& made : made_) of_process[made.pid].push_back(&made);
    for (auto& [pid, lanes] : of_process) {
        // If there are only threads, they are sorted by number anyway.
        if (std::ranges::all_of(lanes, [](const MadeLane* lane) { return lane->is_thread; }))
            continue;
        std::ranges::stable_sort(lanes, {}, &MadeLane::order);
        for (std::size_t i = 0; i < lanes.size(); ++i)
            if (!lanes[i]->sort_index) lanes[i]->sort_index = static_cast<int64_t>(i);
    }
}

void TrackTree::write_names() {
    sort_lanes();
    for (const MadeLane& made : made_) {
        if (!made.name.empty()) sink_.name_lane(made.lane, sink_.text(made.name), 0);
        if (made.sort_index) sink_.sort_lane(made.lane, *made.sort_index, 0);
    }
    for (const auto& [pid, process] : used_processes_) {
        const auto known = process_names_.find(pid);
        if (known == process_names_.end() && pid.empty()) {
            sink_.name_process(process, sink_.text("Tracks of no process"), 0);
            continue;
        }
        if (known == process_names_.end()) {
            if (pid.front() < '0' || pid.front() > '9')
                sink_.name_process(process, sink_.text(pid), 0);
            continue;
        }
        const NamedProcess& facts = known->second;
        if (!facts.name.empty()) sink_.name_process(process, sink_.text(facts.name), 0);
        if (!facts.labels.empty()) sink_.label_process(process, sink_.text(facts.labels), 0);
        if (facts.sort_index) sink_.sort_process(process, *facts.sort_index, 0);
    }
}

}  // namespace lanescope

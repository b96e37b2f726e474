#include "core/ingest/spool/spool_decoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/utf8.h"
#include "core/ingest/spool/spool_state.h"
#include "core/spool/spool_records.h"
#include "core/trace/category.h"

namespace lanescope {

namespace {

constexpr uint64_t kReach = uint64_t{1} << 31;  // distance of a batch's begin to its first event
constexpr uint32_t kMaxTexts = 1 << 22;         // more than fit into a block

// Checks the block's checksum, if it has one.
bool is_whole(const SpoolBlockPlace& place, const std::string& records) {
    return records.size() == place.head.used &&
           spool_checksum(place.head, records.data(), place.head.used) == place.head.checksum;
}

void add_block_text(SpoolDecoder::State& state, const char* record, const SpoolRecord& head) {
    const auto text = read_record<SpoolText>(record, head.bytes);
    if (head.bytes < sizeof text || text.length > head.bytes - sizeof text) return;
    if (head.text == 0 || head.text > kMaxTexts) return;
    std::vector<LocalId>& local = state.at.texts->local;
    if (head.text > local.size() + kSpoolPage) return;  // ids are given one by one
    if (head.text >= local.size()) local.resize(head.text + 1, local[0]);
    local[head.text] = state.out.text({record + sizeof text, text.length});
}

}  // namespace

bool is_spool(std::string_view first_bytes) {
    return first_bytes.starts_with(std::string_view(kSpoolMagic, sizeof kSpoolMagic));
}

// The word under which FileFacts::phases counts events of a kind: the letter of Chrome's format.
std::string_view SpoolDecoder::State::word_of(EventKind kind) {
    switch (kind) {
        case EventKind::slice:
            return "X";
        case EventKind::instant:
            return "i";
        case EventKind::async_begin:
            return "b";
        case EventKind::async_end:
            return "e";
        case EventKind::counter:
            return "C";
        default:
            return "M";
    }
}

uint32_t SpoolDecoder::State::add_slice(LocalId lane, Nanos begin, Nanos duration, LocalId name,
                                        const CategoryWord& category, uint64_t source) {
    note_time(begin + duration);
    return out.slice(lane, begin, duration, name, out.category(category), source);
}

LocalId SpoolDecoder::State::thread_lane(uint32_t tid) {
    return tid == at.head->tid ? at.thread : out.thread(at.program, std::to_string(tid));
}

void SpoolDecoder::State::take_record(const char* record, const SpoolRecord& head) {
    if (head.kind == kSpoolText) return add_block_text(*this, record, head);
    if (head.kind < kSpoolPush) return take_fact(record, head);
    if (head.kind < kSpoolCall || head.kind >= kSpoolBriefPush) return take_range(record, head);
    if (head.kind < kSpoolCounter) return take_cuda(record, head);
    if (head.kind == kSpoolCounter) return take_counter(record, head);
    if (head.kind == kSpoolSample) return take_sample(record, head);
    if (head.kind == kSpoolWait) return take_wait(record, head);
    if (head.kind >= kSpoolPythonSample && head.kind <= kSpoolPythonThread)
        return take_python(record, head);
    take_sample_fact(record, head);
}

// A ring drops whole blocks, which in a quiet program span more than the ring's time. Events before
// the ring are left out once the recording is complete.
Nanos SpoolDecoder::State::begin_of_ring() {
    const SpoolHeader& header = blocks.header();
    if (header.ring_ns == 0 || header.complete == 0) return INT64_MIN;
    uint64_t newest = 0;
    for (const SpoolBlockPlace& place : blocks.places())
        newest = std::max(newest, place.head.last_ticks);
    const Nanos end = time.of_ticks(newest);
    const auto ring = static_cast<Nanos>(std::min<uint64_t>(header.ring_ns, INT64_MAX / 2));
    return end < INT64_MIN + ring ? INT64_MIN : end - ring;
}

SpoolProcessState& SpoolDecoder::State::process_of(uint32_t number, uint32_t pid) {
    const auto [found, is_new] = processes.try_emplace(number);
    SpoolProcessState& process = found->second;
    process.pid = pid;
    if (is_new)
        process.program = static_cast<uint32_t>(std::ranges::count_if(
                              processes, [&](const auto& p) { return p.second.pid == pid; })) -
                          1;
    return process;
}

// Reads the new records in blocks of one kind.
Result<uint64_t> SpoolDecoder::State::take_blocks(SpoolBlockKind kind) {
    uint64_t taken = 0;
    ring_begin = begin_of_ring();
    for (SpoolBlockPlace& place : blocks.places()) {
        const bool sealed = place.head.state == kSpoolSealed;
        if (place.closed || place.head.kind != kind) continue;
        if (sink->stop && sink->stop()) break;
        if (place.head.used > place.taken) {
            const bool whole = place.head.checksum != 0 && place.taken == 0;
            const Result<std::string> records = blocks.read_records(place, place.taken);
            if (!records) return records.error();
            const uint64_t begin = place.offset + place.head.head_bytes + place.taken;
            const bool cut = records->size() < place.head.used - place.taken;
            if (whole && !cut && !is_whole(place, *records)) {
                sink->warn("damaged_block", place.offset,
                           "a block of the spool file that does not fit its checksum; left out");
                place.closed = true;
                continue;
            }
            BlockTexts& block_texts = texts[place.offset];
            if (block_texts.local.empty()) block_texts.local.push_back(out.text(""));
            SpoolProcessState& process = process_of(place.head.process, place.head.pid);
            at = {&place.head, &process, &block_texts, begin, program(place.head.pid), 0};
            at.thread = out.thread(at.program, std::to_string(place.head.tid));
            const uint32_t good = for_each_record(
                *records, [&](const char* record, const SpoolRecord& head, uint32_t offset) {
                    at.offset = begin + offset;
                    take_record(record, head);
                });
            taken += good;
            if (cut) {
                sink->warn("truncated_file", begin + records->size(),
                           "the spool file ends within a block; everything before it was read");
            } else if (good < records->size()) {
                sink->warn("damaged_record", begin + good,
                           "invalid record; the rest of its block is skipped");
            }
            if (cut || good < records->size()) place.closed = true;
            place.taken = place.head.used;
        }
        if (sealed || place.closed) {
            place.closed = true;
            texts.erase(place.offset);
        }
    }
    return taken;
}

SpoolDecoder::SpoolDecoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
SpoolDecoder::~SpoolDecoder() = default;

Result<std::unique_ptr<SpoolDecoder>> SpoolDecoder::open(std::shared_ptr<InputFile> file) {
    Result<SpoolBlocks> blocks = SpoolBlocks::open(std::move(file));
    if (!blocks) return blocks.error();
    return std::unique_ptr<SpoolDecoder>(
        new SpoolDecoder(std::make_unique<State>(std::move(*blocks))));
}

Result<uint64_t> SpoolDecoder::read_on(const SpoolSink& sink) {
    State& state = *state_;
    state.sink = &sink;
    state.out.send_to(sink.batch);
    Result<void> looked = state.blocks.look_again();
    // Facts that an event refers to were written before it, so they are in the file by now.
    if (looked) looked = state.blocks.look_again_at_facts();
    if (!looked) return looked.error();
    for (; state.reported_damaged_heads < state.blocks.damaged_heads().size();
         ++state.reported_damaged_heads)
        sink.warn("damaged_block", state.blocks.damaged_heads()[state.reported_damaged_heads],
                  "no block begins where one should; readable blocks after it are kept");
    const Result<uint64_t> facts = state.take_blocks(kSpoolFacts);
    if (!facts) return facts.error();
    const Result<uint64_t> events = state.take_blocks(kSpoolEvents);
    if (!events) return events.error();
    for (auto& [number, process] : state.processes) state.join_started(number, process);
    state.out.flush();
    return *facts + *events;
}

void SpoolDecoder::finish(const SpoolSink& sink) {
    State& state = *state_;
    state.sink = &sink;
    state.out.send_to(sink.batch);
    state.close_ranges();
    state.out.flush();
    const SpoolHeader& header = state.blocks.header();
    if (header.dropped_records > 0)
        sink.warn(
            "dropped_records", Error::no_offset,
            fmt::format("{} records were lost because space ran out", header.dropped_records));
    if (header.cut_texts > 0)
        sink.warn("cut_names", Error::no_offset,
                  fmt::format("names longer than {} bytes were cut {} times", kSpoolLongestText,
                              header.cut_texts));
    const uint64_t size = state.blocks.file().size();
    if (header.end > size && header.complete)
        sink.warn("truncated_file", size,
                  fmt::format("the spool file ends at byte {} of {}; everything before it was read",
                              size, header.end));
}

std::vector<Batch> SpoolDecoder::open_ranges() {
    State& state = *state_;
    std::vector<Batch> batches(1);
    const Nanos now = state.last_time();
    const LocalId category = state.out.category(kSpoolAnnotation);
    const auto add = [&](const OpenRange& range, Nanos end, LocalId category_id) {
        Batch* batch = &batches.back();
        const uint64_t reach = batch->source_base + UINT32_MAX;
        if (batch->events.empty() || range.source < batch->source_base || range.source > reach) {
            if (!batch->events.empty()) batch = &batches.emplace_back();
            batch->source_base = range.source > kReach ? range.source - kReach : 0;
        }
        batch->events.push_back({range.time, std::max<Nanos>(end - range.time, 0), 0, range.name,
                                 category_id, range.lane,
                                 static_cast<uint32_t>(range.source - batch->source_base),
                                 EventKind::slice, kHasTime | kHasDuration});
    };
    for (const auto& [number, process] : state.processes) {
        const Nanos end = state.end_of(number, process).value_or(now);
        for (const auto& [key, stack] : process.pushed)
            for (const OpenRange& range : stack) add(range, end, category);
    }
    const LocalId sampled = state.out.category(kSpoolSampled);
    for (const auto& [key, thread] : state.sampled)
        for (const SampledCall& call : thread.stack)
            add({call.start, call.source, call.name, thread.lane}, thread.end, sampled);
    const LocalId python = state.out.category(kSpoolPythonSampled);
    for (const auto& [key, thread] : state.python)
        for (const PythonSampledCall& call : thread.stack)
            add({call.start, call.source, call.frame.name, thread.lane}, thread.end, python);
    state.out.names().hand_over(batches.front());
    return batches;
}

uint64_t SpoolDecoder::dropped_records() const {
    return state_->lost + header().dropped_records;
}

bool SpoolDecoder::is_complete() const {
    return state_->blocks.header().complete != 0;
}

const SpoolHeader& SpoolDecoder::header() const {
    return state_->blocks.header();
}

std::vector<std::pair<std::string, std::string>> SpoolDecoder::metadata() const {
    std::vector<std::pair<std::string, std::string>> members;
    const auto add_text = [&](const char* name, const char* text) {
        if (*text) members.emplace_back(name, json_text(text));
    };
    add_text("host", header().host);
    add_text("command", header().command);
    return members;
}

std::vector<Device> SpoolDecoder::devices() const {
    std::vector<Device> all;
    for (const auto& [id, device] : state_->devices) all.push_back(device);
    return all;
}

}  // namespace lanescope

#include "core/ingest/perf_script/perf_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/trace/demangle.h"

namespace lanescope {

namespace {

constexpr std::size_t kPerfPiece = std::size_t{1} << 20;
constexpr std::size_t kMaxComments = 256;
constexpr std::size_t kMostFrames = std::size_t{1} << 16;

std::string_view perf_word(EventKind kind) {
    switch (kind) {
        case EventKind::slice:
            return "call";
        case EventKind::instant:
            return "event";
        default:
            return "name";
    }
}

int64_t number_of(std::string_view digits) {
    int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

}  // namespace

PerfScriptReader::PerfScriptReader(const ReadJob& job, TraceBuilder& builder)
    : job_(job), builder_(builder), text_(job.input.file, job.input.compression), sink_(perf_word) {
    sink_.send_to([this](const Batch& batch) { take(batch); });
}

void PerfScriptReader::take(const Batch& batch) {
    shown_ += static_cast<uint64_t>(std::ranges::count_if(
        batch.events, [](const RawEvent& event) { return event.kind != EventKind::metadata; }));
    stopped_ = take_batch(job_, builder_, batch);
}

Result<void> PerfScriptReader::run() {
    if (Result<void> read = read_lines(); !read) return read;
    add_events();
    sink_.flush();
    if (stopped_ && shown_ == 0)
        return Error{ErrorCode::empty, 0,
                     fmt::format("{}: contains no events", job_.input.file->path())};
    return stopped_;
}

Result<void> PerfScriptReader::read_lines() {
    uint64_t at = 0;
    bool skips = false;  // skips the rest of a line that is longer than a piece
    for (;;) {
        const Result<std::string_view> got = text_.read(at, kPerfPiece);
        if (!got) return got.error();
        if (got->empty()) break;
        if (job_.is_cancelled()) return cancelled(job_.input);
        if (job_.options.progress) job_.options.progress->bytes_done.store(text_.file_bytes_done());
        const std::size_t last = text_.at_end() ? got->size() : got->rfind('\n') + 1;
        std::string_view lines = got->substr(0, last);
        if (last == 0) {  // no line ends here
            if (!skips)
                builder_.warn("unreadable_line", at, "a line of more than a megabyte; left out");
            skips = true;
            at += got->size();
            continue;
        }
        while (!lines.empty()) {
            const uint64_t position = at + static_cast<uint64_t>(lines.data() - got->data());
            const std::string_view line = next_line(lines);
            if (!skips) take_line(line, position);
            skips = false;
        }
        at += last;
    }
    end_event();
    return {};
}

void PerfScriptReader::take_line(std::string_view line, uint64_t position) {
    if (without_blanks(line).empty()) return end_event();
    if (line.front() == '#') return take_comment(line);
    if (const std::optional<PerfHeader> header = read_perf_header(line)) {
        end_event();
        return begin_event(*header, line, position);
    }
    const bool is_below = line.front() == ' ' || line.front() == '\t';
    if (is_below && open_.is_open) {
        if (const std::optional<PerfFrame> frame = read_perf_frame(line)) take_frame(*frame);
        return;
    }
    builder_.warn("unreadable_line", position,
                  "a line that is neither the header of an event with a time nor a frame below it; "
                  "left out");
}

// Takes lines such as "# hostname : node1", which `perf script --header` prints.
void PerfScriptReader::take_comment(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (seen_event_ || colon == std::string_view::npos || comments_ >= kMaxComments) return;
    const std::string name = repair_bytes(without_blanks(line.substr(1, colon - 1)));
    const std::string value = repair_bytes(without_blanks(line.substr(colon + 1)));
    if (name.empty() || value.empty()) return;
    ++comments_;
    builder_.add_metadata(name, nlohmann::json(value).dump());
}

void PerfScriptReader::begin_event(const PerfHeader& header, std::string_view line,
                                   uint64_t position) {
    seen_event_ = true;
    open_.is_open = true;
    open_.frames.clear();
    open_.stack = {};
    std::string_view event = header.event;
    const std::optional<PerfFrame> frame = read_perf_frame_of_header(line, header);
    open_.has_text = !frame && !header.text.empty();
    // "PERF_RECORD_SWITCH OUT" has a text but no event.
    if (event.empty() && open_.has_text) event = header.text.substr(0, header.text.find(' '));
    const auto [found, is_new] =
        event_numbers_.try_emplace(std::string(event), static_cast<uint32_t>(events_.size()));
    if (is_new) {
        events_.emplace_back(event);
        stacks_of_event_.push_back(0);
    }
    open_.sample = {header.nanos,  number_of(header.period),
                    position,      thread_of(header, position),
                    found->second, kNoStack};
    if (frame) take_frame(*frame);
}

uint32_t PerfScriptReader::thread_of(const PerfHeader& header, uint64_t position) {
    // Every CPU has an idle thread with ID 0.
    const std::string_view cpu = header.tid == "0" ? header.cpu : std::string_view();
    const auto [found, is_new] = thread_numbers_.try_emplace(
        {std::string(header.pid), std::string(header.tid), std::string(cpu)},
        static_cast<uint32_t>(threads_.size()));
    if (is_new) {
        Thread& thread = threads_.emplace_back();
        thread.process = sink_.process(header.pid);
        thread.cpu = cpu;
        thread.tid = cpu.empty() ? std::string(header.tid) : fmt::format("CPU {}", cpu);
    }
    Thread& thread = threads_[found->second];
    if (!header.comm.empty()) {
        thread.comm = sink_.text(header.comm);
        if (header.pid.empty()) return found->second;
        const auto [named, is_unnamed] = process_names_.try_emplace(thread.process);
        if (is_unnamed || header.pid == header.tid) named->second = {thread.comm, position};
    }
    return found->second;
}

void PerfScriptReader::take_frame(const PerfFrame& frame) {
    if (open_.frames.size() >= kMostFrames || !open_.stack.take(frame)) return;
    const bool is_known = !frame.dso.empty() && frame.dso != "[unknown]";
    const LocalId module = sink_.text(is_known ? file_of_path(frame.dso) : std::string_view());
    const bool has_symbol = !frame.symbol.empty() && frame.symbol != "[unknown]";
    if (!has_symbol) {
        const std::string_view shown = sink_[module];
        const bool has_brackets = shown.starts_with('[');
        open_.frames.emplace_back(
            is_known ? has_brackets ? module : sink_.text(fmt::format("[{}]", shown))
                     : sink_.text("[unknown]"),
            module);
        return;
    }
    const auto known = symbols_.find(frame.symbol);
    const LocalId name =
        known != symbols_.end()
            ? known->second
            : symbols_.emplace(frame.symbol, sink_.text(demangled(frame.symbol))).first->second;
    open_.frames.emplace_back(name, module);
}

void PerfScriptReader::end_event() {
    if (!open_.is_open) return;
    open_.is_open = false;
    uint32_t stack = kNoStack;
    for (auto frame = open_.frames.rbegin(); frame != open_.frames.rend(); ++frame) {
        const auto next = static_cast<uint32_t>(stacks_.size());
        const auto [found, is_new] =
            stack_numbers_.try_emplace({stack, frame->first, frame->second}, next);
        if (is_new) stacks_.push_back({stack, frame->first, frame->second});
        stack = found->second;
    }
    // Perf writes records without a time for processes that started before the recording.
    if (open_.sample.time == 0 && events_[open_.sample.event].starts_with("PERF_RECORD_")) return;
    Sample& sample = open_.sample;
    if (!open_.has_text) sample.stack = stack;
    if (sample.stack != kNoStack) ++stacks_of_event_[sample.event];
    samples_.push_back(sample);
}

}  // namespace lanescope

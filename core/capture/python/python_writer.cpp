#include "core/capture/python/python_writer.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace lanescope {

namespace {

constexpr uint32_t kMaxPythonFrames = 1 << 22;
constexpr std::size_t kMaxNamedThreads = 1 << 20;

uint32_t line_number(int64_t line) {
    return static_cast<uint32_t>(std::clamp<int64_t>(line, 0, INT32_MAX));
}

}  // namespace

PythonWriter::PythonWriter(const SpoolFile& file)
    : file_(file),
      facts_(std::make_unique<SpoolStream>()),
      stacks_(std::make_unique<SpoolStream>()) {
    const auto pid = static_cast<uint32_t>(getpid());
    begin_stream(*facts_, kSpoolFacts, 0, pid, pid);
    begin_stream(*stacks_, kSpoolEvents, 0, pid, pid);
}

PythonWriter::~PythonWriter() {
    seal();
}

void PythonWriter::seal() {
    seal_stream(file_, *facts_);
    seal_stream(file_, *stacks_);
}

bool PythonWriter::is_recording() const {
    return spool_load(file_.header->control) == kSpoolRecording;
}

uint32_t PythonWriter::frame(PythonCode& code, int64_t line) {
    if (code.number == 0) {
        const auto next = static_cast<uint32_t>(functions_.size() + 1);
        if (next > kMaxPythonFrames) return 0;
        code.number =
            functions_.try_emplace({code.function, code.file, code.first_line}, next).first->second;
    }
    const uint64_t key = uint64_t{code.number} << 32 | line_number(line);
    const auto known = frames_.find(key);
    if (known != frames_.end()) return known->second;
    const uint32_t number = code.function.empty()
                                ? frame("unknown function")
                                : write_frame(code.function, code.file, code.first_line, line);
    frames_.emplace(key, number);
    return number;
}

uint32_t PythonWriter::frame(std::string_view text) {
    const auto known = other_frames_.find(text);
    if (known != other_frames_.end()) return known->second;
    const uint32_t number = write_frame(text, "", 0, 0);
    other_frames_.emplace(text, number);
    return number;
}

uint32_t PythonWriter::write_frame(std::string_view function, std::string_view file,
                                   int64_t first_line, int64_t line) {
    if (last_frame_ >= kMaxPythonFrames) return 0;
    SpoolPythonFrame defined = {};
    defined.frame = ++last_frame_;
    defined.first_line = line_number(first_line);
    defined.line = line_number(line);
    write_record(
        file_, *facts_, defined, kSpoolPythonFrame, sizeof defined, [&](SpoolPythonFrame& record) {
            record.record.text = spool_text(file_, *facts_, function.data(), function.size());
            record.file = file.empty() ? 0 : spool_text(file_, *facts_, file.data(), file.size());
        });
    return last_frame_;
}

void PythonWriter::add(const PythonSample& sample) {
    if (!is_recording() || sample.frames.empty()) return;
    SpoolPythonSample head = {};
    const std::size_t padded = (sample.frames.size() + 1) / 2 * 2;
    const std::size_t bytes = sizeof head + padded * sizeof(uint32_t);
    head.record.kind = kSpoolPythonSample;
    head.record.bytes = static_cast<uint16_t>(bytes);
    head.ticks = sample.ticks;
    head.pid = sample.pid;
    head.tid = sample.tid;
    head.period_ns = static_cast<uint32_t>(std::clamp<Nanos>(sample.period, 1, UINT32_MAX));
    head.frames = static_cast<uint32_t>(sample.frames.size());
    head.flags = sample.flags;
    void* const at = reserve_record(file_, *stacks_, head.record.bytes);
    if (!at) return;
    std::memset(at, 0, bytes);
    std::memcpy(at, &head, sizeof head);
    std::memcpy(static_cast<char*>(at) + sizeof head, sample.frames.data(),
                sample.frames.size_bytes());
    publish_record(*stacks_, head.record.bytes);
    ++samples_;
}

void PythonWriter::name(uint32_t pid, uint32_t tid, std::string_view name) {
    if (names_.size() >= kMaxNamedThreads) return;
    std::string& known = names_[{pid, tid}];
    if (known == name || name.empty()) return;
    known = name;
    SpoolPythonThread thread = {};
    thread.pid = pid;
    thread.tid = tid;
    write_record(file_, *facts_, thread, kSpoolPythonThread, sizeof thread,
                 [&](SpoolPythonThread& record) {
                     record.record.text = spool_text(file_, *facts_, name.data(), name.size());
                 });
}

void PythonWriter::add_message(SpoolSeverity severity, std::string_view text) {
    SpoolMessage message = {};
    message.severity = severity;
    write_record(file_, *facts_, message, kSpoolMessage, sizeof message, [&](SpoolMessage& record) {
        record.record.text = spool_text(file_, *facts_, text.data(), text.size());
    });
}

}  // namespace lanescope

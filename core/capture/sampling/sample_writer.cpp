#include "core/capture/sampling/sample_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <optional>
#include <span>

#include "core/capture/process/clock.h"
#include "core/capture/sampling/process_code.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxFrames = 1 << 22;
constexpr std::size_t kMaxThreads = 1 << 20;

// Keys of frames: image and offset; or process and address; or the symbol number of generated code.
constexpr uint32_t kInProcess = 1u << 31;
constexpr uint32_t kGenerated = UINT32_MAX;

// Memory into which code was written: no file has its symbols.
bool is_memory(const CodeImage& image) {
    constexpr std::string_view kMemory[] = {"//",      "/dev/zero", "/anon_hugepage", "/SYSV",
                                            "/memfd:", "[heap]",    "[stack",         "[anon"};
    return std::ranges::any_of(
        kMemory, [&](std::string_view begin) { return image.path.starts_with(begin); });
}

bool is_file(const CodeImage& image) {
    return image.path.starts_with('/') && !is_memory(image);
}

}  // namespace

SampleWriter::SampleWriter(const SpoolFile& file, Nanos period, Nanos shortest_wait)
    : file_(file),
      period_(static_cast<uint32_t>(std::clamp<Nanos>(period, 1, UINT32_MAX))),
      facts_(std::make_unique<SpoolStream>()),
      stacks_(std::make_unique<SpoolStream>()),
      waits_(shortest_wait),
      jit_(std::time(nullptr) - 1) {  // file clocks lag slightly behind
    const auto pid = static_cast<uint32_t>(getpid());
    begin_stream(*facts_, kSpoolFacts, 0, pid, pid);
    begin_stream(*stacks_, kSpoolEvents, 0, pid, pid);
}

SampleWriter::~SampleWriter() {
    seal();
}

void SampleWriter::seal() {
    seal_stream(file_, *facts_);
    seal_stream(file_, *stacks_);
}

void SampleWriter::tie_clock() {
    // Of several attempts, the shortest one counts.
    SpoolClock best = {};
    uint64_t shortest = UINT64_MAX;
    for (int tries = 0; tries < 5; ++tries) {
        const uint64_t before = spool_ticks(file_.tick_kind);
        const int64_t ns = time_of_clock(CLOCK_MONOTONIC);
        const uint64_t took = spool_ticks(file_.tick_kind) - before;
        if (took >= shortest) continue;
        shortest = took;
        best.ticks = before + took / 2;
        best.ns = ns;
    }
    write_record(file_, *facts_, best, kSpoolClock);
}

void SampleWriter::write_note(std::string_view text) {
    SpoolMessage message = {};
    message.severity = kSpoolNote;
    write_record(file_, *facts_, message, kSpoolMessage, sizeof message, [&](SpoolMessage& record) {
        record.record.text = spool_text(file_, *facts_, text.data(), text.size());
    });
}

void SampleWriter::record_lost(uint64_t more) {
    if (const uint64_t skipped = unwinder_.skipped(); skipped > 0)
        write_note(fmt::format(
            "{} of {} sampled stacks were not unwound, because that would have taken too much "
            "time: they contain only what frame pointers lead to",
            skipped, samples_));
    lost_ += more;
    if (lost_ == 0) return;
    SpoolDropped dropped = {};
    dropped.ticks = spool_ticks(file_.tick_kind);
    dropped.count = lost_;
    write_record(file_, *facts_, dropped, kSpoolDropped, sizeof dropped, [&](SpoolDropped& record) {
        record.record.text = spool_text(file_, *facts_, "the sampling of CPU stacks");
    });
}

void SampleWriter::take(const PerfRecord& record) {
    maps_.take(record);
    jit_.take(record);
    if (const std::optional<OffCpuWait> wait = waits_.take(record)) write_wait(*wait);
    switch (record.kind) {
        case PerfKind::sample:
            return take_sample(record);
        case PerfKind::name:
        case PerfKind::fork:
            return note_name(record);
        case PerfKind::exit:
            if (record.pid == record.tid) code_read_.erase(record.pid);
            names_.erase(record.tid);
            written_threads_.erase(record.tid);
            return;
        case PerfKind::lost:
            lost_ += record.count;
            last_loss_ = std::max<Nanos>(record.time, 1);
            return;
        case PerfKind::lost_stacks:
            lost_stacks_ += record.count;
            return;
        default:
            return;
    }
}

void SampleWriter::note_name(const PerfRecord& record) {
    if (names_.size() >= kMaxThreads) return;
    if (record.kind == PerfKind::name) {
        names_[record.tid] = record.text;
        if (written_threads_.erase(record.tid) != 0) write_thread(record.pid, record.tid);
    } else if (const auto parent = names_.find(record.parent); parent != names_.end()) {
        names_[record.tid] = parent->second;
    }
}

void SampleWriter::write_thread(uint32_t pid, uint32_t tid) {
    const auto known = written_threads_.find(tid);
    if ((known != written_threads_.end() && known->second == pid) ||
        written_threads_.size() >= kMaxThreads)
        return;
    written_threads_[tid] = pid;
    const auto name = names_.find(tid);
    if (name == names_.end() || name->second.empty()) return;
    SpoolSampledThread thread = {};
    thread.pid = pid;
    thread.tid = tid;
    write_record(file_, *facts_, thread, kSpoolSampledThread, sizeof thread,
                 [&](SpoolSampledThread& record) {
                     record.record.text =
                         spool_text(file_, *facts_, name->second.data(), name->second.size());
                 });
}

// The numbers of a stack's frames, from the outermost function to the innermost one.
std::vector<uint32_t> SampleWriter::frames_of(const PerfRecord& sample) {
    read_lost_code(sample.pid, sample.time);
    const std::vector<uint64_t> frames = unwinder_.stack_of(sample);
    std::vector<uint32_t> numbers(frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
        // A caller's address is the one after its call, which may belong to the next function.
        const uint64_t back = i == 0 || frames[i] == 0 ? 0 : 1;
        numbers[frames.size() - 1 - i] = frame_of(sample.pid, frames[i] - back, sample.time);
    }
    return numbers;
}

// Sizes of records are multiples of 8 bytes.
template <typename Head>
bool SampleWriter::write_stack(Head& head, SpoolKind kind, std::vector<uint32_t> frames) {
    head.frames = static_cast<uint32_t>(frames.size());
    frames.resize((frames.size() + 1) / 2 * 2);
    const std::size_t bytes = sizeof head + frames.size() * sizeof(uint32_t);
    head.record.kind = kind;
    head.record.bytes = static_cast<uint16_t>(bytes);
    void* const at = reserve_record(file_, *stacks_, head.record.bytes);
    if (!at) return false;
    std::memcpy(at, &head, sizeof head);
    std::ranges::copy(std::as_bytes(std::span(frames)), static_cast<std::byte*>(at) + sizeof head);
    publish_record(*stacks_, head.record.bytes);
    return true;
}

// A lost record may have been that of a mapping, without which stacks would seem to end there. At
// most once a second, since a program that loses one record usually loses many.
void SampleWriter::read_lost_code(uint32_t pid, Nanos time) {
    if (last_loss_ == 0) return;
    Nanos& read = code_read_[pid];
    if (read >= last_loss_ || (read != 0 && time - read < kNanosPerSecond)) return;
    read = std::max<Nanos>(time, 1);
    for (const PerfRecord& mapping : code_of_process(pid))
        if (!maps_.find(pid, mapping.address)) maps_.take(mapping);
}

void SampleWriter::take_sample(const PerfRecord& sample) {
    if (spool_load(file_.header->control) != kSpoolRecording) return;
    write_thread(sample.pid, sample.tid);
    last_time_ = std::max(last_time_, sample.time);
    std::vector<uint32_t> frames = frames_of(sample);
    if (frames.empty()) return;
    SpoolSample head = {};
    head.ns = sample.time;
    head.pid = sample.pid;
    head.tid = sample.tid;
    head.period_ns = period_;
    if (write_stack(head, kSpoolSample, std::move(frames))) ++samples_;
}

void SampleWriter::write_wait(const OffCpuWait& wait) {
    if (spool_load(file_.header->control) != kSpoolRecording) return;
    write_thread(wait.at.pid, wait.at.tid);
    last_time_ = std::max(last_time_, wait.end);
    SpoolWait head = {};
    head.ns = wait.begin;
    head.end_ns = wait.end;
    head.pid = wait.at.pid;
    head.tid = wait.at.tid;
    head.state = wait.is_preempted ? kSpoolPreempted : kSpoolBlocked;
    if (write_stack(head, kSpoolWait, frames_of(wait.at))) ++written_waits_;
}

void SampleWriter::end_waits(Nanos now) {
    for (const OffCpuWait& wait : waits_.end_all(now)) write_wait(wait);
    if (lost_stacks_ > 0)
        write_note(fmt::format(
            "{} stacks of waits, most of them short, were lost because threads stopped running "
            "very often: long waits without a stack are called [blocked] or [preempted]",
            lost_stacks_));
    if (waits_.short_waits() > 0)
        write_note(fmt::format(
            "{} times in which a thread did not run are not in the trace, because they were "
            "shorter than {:g} ms: {:.3f} s together",
            waits_.short_waits(), static_cast<double>(waits_.shortest()) / 1e6,
            static_cast<double>(waits_.short_time()) / 1e9));
}

// The image's number in the file; writes the image if it is new.
uint32_t SampleWriter::image_number(uint32_t image) {
    if (image >= written_images_.size()) written_images_.resize(image + 1);
    uint32_t& number = written_images_[image];
    if (number == 0) {
        number = ++last_image_;
        write_image(number, maps_.images()[image]);
    }
    return number;
}

// The frame's number, writing the frame if it is new; 0 if there are too many.
uint32_t SampleWriter::frame_of(uint32_t pid, uint64_t address, Nanos time) {
    const std::optional<CodePlace> place = maps_.find(pid, address);
    const CodeImage* const image = place ? &maps_.images()[place->image] : nullptr;
    const bool in_file = image && is_file(*image);
    const bool of_kernel = image && image->path.starts_with('[') && !is_memory(*image);
    const int64_t generated = in_file || of_kernel ? -1 : jit_.find(pid, address, time);
    std::pair<uint32_t, uint64_t> key(kInProcess | pid, address);
    if (in_file || of_kernel) key = {place->image, in_file ? place->offset : address};
    if (generated >= 0) key = {kGenerated, static_cast<uint64_t>(generated)};
    if (const auto known = frames_.find(key); known != frames_.end()) return known->second;
    if (frames_.size() >= kMaxFrames) return 0;
    const auto frame = static_cast<uint32_t>(frames_.size() + 1);
    frames_.emplace(key, frame);
    if (generated >= 0) {
        write_generated(frame, jit_[generated]);
        return frame;
    }
    CodeSymbol symbol{"", address, kSpoolProcessAddress};
    if (in_file) symbol = symbols_.find(*image, *place);
    // Functions of the kernel itself are not worth naming.
    if (of_kernel) symbol.name = image->path;
    write_frame(frame, place ? image_number(place->image) : 0, symbol);
    return frame;
}

void SampleWriter::write_generated(uint32_t frame, const JitSymbol& symbol) {
    if (jit_image_ == 0) {
        jit_image_ = ++last_image_;
        write_image(jit_image_, {"[JIT]", "", 0});
    }
    write_frame(frame, jit_image_, {symbol.name, symbol.address, kSpoolProcessAddress});
}

// If a frame has several records, the last one is valid.
void SampleWriter::name_rest() {
    for (const auto& [key, frame] : frames_) {
        if (key.first == kGenerated || !(key.first & kInProcess)) continue;
        const int64_t generated =
            jit_.find(key.first & ~kInProcess, key.second, last_time_ + kNanosPerSecond);
        if (generated >= 0) write_generated(frame, jit_[generated]);
    }
}

void SampleWriter::write_frame(uint32_t frame, uint32_t image, const CodeSymbol& symbol) {
    SpoolFrame defined = {};
    defined.frame = frame;
    defined.image = image;
    defined.address = symbol.address;
    defined.address_of = symbol.address_of;
    write_record(file_, *facts_, defined, kSpoolFrame, sizeof defined, [&](SpoolFrame& record) {
        record.record.text = symbol.name.empty() ? 0
                                                 : spool_text(file_, *facts_, symbol.name.data(),
                                                              symbol.name.size());
    });
}

void SampleWriter::write_image(uint32_t number, const CodeImage& image) {
    SpoolImage defined = {};
    defined.image = number;
    defined.build_id_bytes =
        static_cast<uint32_t>(std::min(image.build_id.size(), sizeof defined.build_id));
    std::memcpy(defined.build_id, image.build_id.data(), defined.build_id_bytes);
    write_record(file_, *facts_, defined, kSpoolImage, sizeof defined, [&](SpoolImage& record) {
        record.record.text = spool_text(file_, *facts_, image.path.data(), image.path.size());
    });
}

}  // namespace lanescope

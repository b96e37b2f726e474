#include "core/ingest/spool/spool_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>

#include "core/base/utf8.h"
#include "core/ingest/spool/spool_blocks.h"
#include "core/ingest/spool/spool_cuda_names.h"

namespace lanescope {

namespace {

// Identifies a category: process, domain and number.
using CategoryKey = std::tuple<uint32_t, std::string, uint32_t>;

// The texts and records of one block.
struct OneBlock {
    SpoolBlockPlace place;
    std::string records;
    std::map<uint32_t, std::string> texts;
    std::vector<uint64_t> starts;  // offsets of the records in the file

    std::string text(uint32_t id) const {
        const auto found = texts.find(id);
        return found == texts.end() ? std::string() : found->second;
    }
};

class Arguments {
  public:
    template <typename Number>
    void number(const char* name, Number value) {
        list.push_back({name, fmt::format("{}", value), false});
    }
    void text(const char* name, std::string value) {
        list.push_back({name, std::move(value), true});
    }
    template <typename Number>
    void if_any(const char* name, Number value) {
        if (value != 0) number(name, value);
    }
    void three(const char* name, const int32_t (&v)[3]) {
        list.push_back({name, fmt::format("[{}, {}, {}]", v[0], v[1], v[2]), false});
    }

    std::vector<Argument> list;
};

// Arguments that all records of device work share.
template <typename Record>
void add_place(Arguments& out, const Record& record) {
    out.number("device", record.device);
    out.number("context", record.context);
    out.number("stream", record.stream);
    out.number("correlation", record.correlation);
}

void add_kernel(Arguments& out, const SpoolKernel& kernel) {
    add_place(out, kernel);
    out.number("registers per thread", kernel.registers);
    out.number("shared memory", int64_t{kernel.static_shared} + kernel.dynamic_shared);
    out.number("static shared memory", kernel.static_shared);
    out.number("dynamic shared memory", kernel.dynamic_shared);
    out.if_any("local memory per thread", kernel.local_per_thread);
    out.three("grid", kernel.grid);
    out.three("block", kernel.block);
    if (kernel.cluster[0] > 0) out.three("cluster", kernel.cluster);
    out.if_any("graph id", kernel.graph);
    out.if_any("graph node id", kernel.graph_node);
}

class SpoolArgumentReader final : public ArgumentReader {
  public:
    explicit SpoolArgumentReader(std::shared_ptr<InputFile> file) : file_(std::move(file)) {}

    Result<std::vector<Argument>> read(uint64_t source) override {
        const Result<void> ready = find_blocks();
        if (!ready) return ready.error();
        const auto after = std::ranges::upper_bound(places_, source, {}, &SpoolBlockPlace::offset);
        if (after == places_.begin()) return missing(source);
        const Result<void> loaded = load(*(after - 1), block_);
        if (!loaded) return loaded.error();
        // The source of a sampled call is the position of its number within the record.
        const auto next = std::ranges::upper_bound(block_.starts, source);
        if (next == block_.starts.begin()) return missing(source);
        const uint64_t start = *(next - 1);
        const uint64_t first = block_.place.offset + block_.place.head.head_bytes;
        const char* at = block_.records.data() + (start - first);
        const auto head = read_record<SpoolRecord>(at, sizeof(SpoolRecord));
        const uint64_t offset = source - start;
        const bool is_stack =
            head.kind == kSpoolSample || head.kind == kSpoolWait || head.kind == kSpoolPythonSample;
        if (offset >= head.bytes || (offset != 0 && !is_stack)) return missing(source);
        if (head.kind == kSpoolPythonSample) return python_arguments(at, head, offset);
        if (is_stack) return sample_arguments(at, head, offset);
        return arguments_of(at, head);
    }

  private:
    struct Process {
        uint32_t number, pid, parent;
    };
    struct PythonFrameFacts {
        std::string file;
        SpoolPythonFrame record;
    };
    struct Image {
        std::string path;
        SpoolImage record;
    };

    Error missing(uint64_t source) const {
        return {ErrorCode::damaged, source,
                fmt::format("{}: there is no record at byte {}; has the file changed?",
                            file_->path(), source)};
    }

    // Finds the blocks and the names of categories, once.
    Result<void> find_blocks() {
        if (!places_.empty()) return {};
        Result<SpoolBlocks> blocks = SpoolBlocks::open(file_);
        if (!blocks) return blocks.error();
        blocks_.emplace(std::move(*blocks));
        const Result<void> looked = blocks_->look_again();
        if (!looked) return looked.error();
        places_ = blocks_->places();
        std::ranges::sort(places_, {}, &SpoolBlockPlace::offset);
        for (const SpoolBlockPlace& place : places_) {
            if (place.head.kind != kSpoolFacts) continue;
            OneBlock block;
            const Result<void> loaded = load(place, block);
            if (!loaded) return loaded.error();
            for_each_record(block.records, [&](const char* at, const SpoolRecord& head, uint32_t) {
                if (head.kind == kSpoolProcess) {
                    const auto process = read_record<SpoolProcess>(at, head.bytes);
                    processes_.push_back({place.head.process, process.pid, process.parent});
                }
                if (head.kind == kSpoolFrame) {
                    const auto frame = read_record<SpoolFrame>(at, head.bytes);
                    frames_[frame.frame] = frame;
                }
                if (head.kind == kSpoolPythonFrame) {
                    const auto frame = read_record<SpoolPythonFrame>(at, head.bytes);
                    python_frames_[frame.frame] = {block.text(frame.file), frame};
                }
                if (head.kind == kSpoolImage) {
                    const auto image = read_record<SpoolImage>(at, head.bytes);
                    images_[image.image] = {block.text(head.text), image};
                }
                if (head.kind != kSpoolCategoryName) return;
                const auto name = read_record<SpoolCategoryName>(at, head.bytes);
                categories_[{place.head.process, block.text(name.domain), name.category}] =
                    block.text(head.text);
            });
        }
        return {};
    }

    Result<void> load(const SpoolBlockPlace& place, OneBlock& block) const {
        if (block.place.offset == place.offset && !block.records.empty()) return {};
        Result<std::string> records = blocks_->read_records(place, 0);
        if (!records) return records.error();
        block = {place, std::move(*records), {}, {}};
        const uint64_t first = place.offset + place.head.head_bytes;
        for_each_record(block.records, [&](const char* at, const SpoolRecord& head, uint32_t from) {
            block.starts.push_back(first + from);
            if (head.kind != kSpoolText || head.bytes < sizeof(SpoolText)) return;
            const auto text = read_record<SpoolText>(at, head.bytes);
            if (text.length > head.bytes - sizeof text) return;
            const std::string_view as_written(at + sizeof text, text.length);
            block.texts[head.text] = repair_bytes(as_written);
        });
        return {};
    }

    // The known facts on the code of one sampled call. `offset`: offset of the call's number in the
    // record.
    std::vector<Argument> sample_arguments(const char* at, const SpoolRecord& head,
                                           uint64_t offset) const {
        Arguments out;
        uint32_t number = 0;
        if (head.kind == kSpoolWait)
            out.text("state", read_record<SpoolWait>(at, head.bytes).state == kSpoolPreempted
                                  ? "preempted"
                                  : "blocked");
        const std::size_t before =
            head.kind == kSpoolWait ? sizeof(SpoolWait) : sizeof(SpoolSample);
        if (offset < before || offset + sizeof number > head.bytes) return std::move(out.list);
        std::memcpy(&number, at + offset, sizeof number);
        const auto frame = frames_.find(number);
        if (frame == frames_.end()) return std::move(out.list);
        const SpoolFrame& place = frame->second;
        const char* const key = place.address_of == kSpoolElfAddress   ? "address"
                                : place.address_of == kSpoolFileOffset ? "file offset"
                                                                       : "address in process";
        out.text(key, fmt::format("{:#x}", place.address));
        const auto image = images_.find(place.image);
        if (image == images_.end()) return std::move(out.list);
        out.text("file", image->second.path);
        const SpoolImage& record = image->second.record;
        std::string build_id;
        for (uint32_t i = 0; i < std::min<uint32_t>(record.build_id_bytes, sizeof record.build_id);
             ++i)
            build_id += fmt::format("{:02x}", record.build_id[i]);
        if (!build_id.empty()) out.text("build id", build_id);
        return std::move(out.list);
    }

    // Where a Python function begins, and where it was in the slice's first sample.
    std::vector<Argument> python_arguments(const char* at, const SpoolRecord& head,
                                           uint64_t offset) const {
        Arguments out;
        uint32_t number = 0;
        if (offset < sizeof(SpoolPythonSample) || offset + sizeof number > head.bytes) return {};
        std::memcpy(&number, at + offset, sizeof number);
        const auto frame = python_frames_.find(number);
        if (frame == python_frames_.end()) return {};
        if (!frame->second.file.empty()) out.text("file", frame->second.file);
        out.if_any("line", frame->second.record.first_line);
        out.if_any("line of first sample", frame->second.record.line);
        return std::move(out.list);
    }

    // The process that forked `number`, if it is in the file; else 0.
    uint32_t parent_of(uint32_t number) const {
        const auto self = std::ranges::find(processes_, number, &Process::number);
        if (self == processes_.end()) return 0;
        uint32_t parent = 0;
        for (const Process& other : processes_)
            if (other.pid == self->parent && other.number < number)
                parent = std::max(parent, other.number);
        return parent;
    }

    // A child knows the names that its parent registered before the fork.
    std::optional<std::string> category_name(const std::string& domain, uint32_t category) const {
        for (uint32_t process = block_.place.head.process; process != 0;
             process = parent_of(process)) {
            const auto name = categories_.find({process, domain, category});
            if (name != categories_.end()) return name->second;
        }
        return std::nullopt;
    }

    static SpoolRange range_of(const SpoolBrief& brief) {
        SpoolRange range = {};
        range.domain = brief.record.kind % kSpoolBriefDomains;
        range.category = brief.category;
        if (brief.look & kSpoolLookColor) range.color = 0xFF000000 | (brief.look & 0xFFFFFF);
        range.payload_kind = brief.look >> 24 & 0xF;
        range.payload = brief.payload;
        return range;
    }

    void add_range(Arguments& out, const SpoolRange& range) const {
        const std::string domain = block_.text(range.domain);
        if (!domain.empty()) out.text("domain", domain);
        if (range.category != 0) {
            if (const auto name = category_name(domain, range.category))
                out.text("category", *name);
            else
                out.number("category", range.category);
        }
        if (range.color != 0) out.text("color", fmt::format("#{:06X}", range.color & 0xFFFFFF));
        if (range.payload_kind == kSpoolUnsigned) out.number("payload", range.payload);
        if (range.payload_kind == kSpoolSigned)
            out.number("payload", static_cast<int64_t>(range.payload));
        if (range.payload_kind == kSpoolReal)
            out.number("payload", std::bit_cast<double>(range.payload));
    }

    // Named as in Kineto's files.
    template <typename Record>
    static void add_bytes(Arguments& out, const Record& work) {
        out.number("bytes", work.bytes);
        if (work.end > work.start)
            out.number("memory bandwidth (GB/s)", static_cast<double>(work.bytes) /
                                                      static_cast<double>(work.end - work.start));
    }

    std::vector<Argument> arguments_of(const char* at, const SpoolRecord& head) const {
        Arguments out;
        if (spool_is_brief(head.kind, kSpoolBriefPush)) {
            add_range(out, range_of(read_record<SpoolBrief>(at, head.bytes)));
            return std::move(out.list);
        }
        switch (head.kind) {
            case kSpoolPush:
            case kSpoolRangeStart:
            case kSpoolMark:
                add_range(out, read_record<SpoolRange>(at, head.bytes));
                break;
            case kSpoolCall: {
                const auto call = read_record<SpoolCall>(at, head.bytes);
                out.number("correlation", call.correlation);
                out.if_any("result", call.result);
                break;
            }
            case kSpoolKernel:
                add_kernel(out, read_record<SpoolKernel>(at, head.bytes));
                break;
            case kSpoolCopy: {
                const auto copy = read_record<SpoolCopy>(at, head.bytes);
                add_place(out, copy);
                add_bytes(out, copy);
                if (copy.is_peer != 0) {
                    out.number("from device", copy.from_device);
                    out.number("to device", copy.to_device);
                }
                out.if_any("graph id", copy.graph);
                out.if_any("graph node id", copy.graph_node);
                break;
            }
            case kSpoolSet: {
                const auto set = read_record<SpoolSet>(at, head.bytes);
                add_place(out, set);
                add_bytes(out, set);
                out.number("value", set.value);
                break;
            }
            case kSpoolSynchronisation: {
                const auto sync = read_record<SpoolSynchronisation>(at, head.bytes);
                out.text("cuda_sync_kind", std::string(sync_kind_name(sync.sync_kind)));
                out.number("context", sync.context);
                out.number("stream", sync.stream);
                out.number("correlation", sync.correlation);
                out.if_any("event", sync.event);
                break;
            }
            default:
                break;
        }
        return std::move(out.list);
    }

    std::shared_ptr<InputFile> file_;
    std::optional<SpoolBlocks> blocks_;
    std::vector<SpoolBlockPlace> places_;
    std::map<CategoryKey, std::string> categories_;
    std::vector<Process> processes_;
    std::map<uint32_t, SpoolFrame> frames_;
    std::map<uint32_t, Image> images_;
    std::map<uint32_t, PythonFrameFacts> python_frames_;
    OneBlock block_;
};

}  // namespace

std::unique_ptr<ArgumentReader> make_spool_argument_reader(std::shared_ptr<InputFile> file) {
    return std::make_unique<SpoolArgumentReader>(std::move(file));
}

}  // namespace lanescope

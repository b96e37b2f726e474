#include "core/ingest/rocprofv3/rocprofv3_json_format.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/ingest/json/json_cursor.h"
#include "core/ingest/json/text_repair.h"
#include "core/ingest/rocprofv3/rocprofv3_json_reader.h"

namespace lanescope {

namespace {

constexpr std::size_t kLongestRecord = std::size_t{64} << 20;

void add_members(std::string_view object, const std::string& path, int depth,
                 std::vector<Argument>& list) {
    constexpr int most_depth = 8;
    for_each_member(object, [&](std::string_view name, std::string_view value) {
        std::string key = path;
        // An object with a handle has no other member.
        if (name != "handle" || path.empty()) key += (path.empty() ? "" : ".") + repair_text(name);
        if (value.front() == '{' && depth < most_depth)
            return add_members(value, key, depth + 1, list);
        const bool is_text = value.front() == '"';
        list.push_back({std::move(key), repair_text(without_quotes(value)), is_text});
    });
}

// Finds the kernel symbol and the counters of a record in the file's other tables.
class RocmRecordFacts {
  public:
    explicit RocmRecordFacts(const TraceInput& input) : input_(input) {}

    void add(std::string_view raw, uint64_t process, std::vector<Argument>& list) {
        const RocmRecord record = read_rocm_record(raw);
        if (record.kernel == kNoValue) return;
        const Known& known = known_of(process);
        if (const auto found = known.facts.kernels.find(record.kernel);
            found != known.facts.kernels.end()) {
            const RocmKernelSymbol& symbol = found->second;
            for (const auto& [name, value] : {std::pair{"arch_vgpr_count", symbol.vgprs},
                                              {"accum_vgpr_count", symbol.accumulation_vgprs},
                                              {"sgpr_count", symbol.sgprs}})
                if (value >= 0) list.push_back({name, std::to_string(value), false});
        }
        const auto [first, last] = known.counted.equal_range({record.dispatch, record.begin});
        for (auto at = first; at != last; ++at)
            for (const auto& [handle, value] : at->second->values)
                list.push_back({known.facts.counter(handle), nlohmann::json(value).dump(), false});
    }

  private:
    struct Known {
        RocmProcessFacts facts;
        std::multimap<std::pair<int64_t, int64_t>, const RocmCounted*> counted;
    };

    // Reads the text before the process's records, once.
    const Known& known_of(uint64_t process) {
        const auto [found, is_new] = known_.try_emplace(process);
        Known& known = found->second;
        if (!is_new) return known;
        JsonWalk text(input_.file, input_.compression, nullptr);
        uint64_t count = 0;
        walk_rocm_processes(
            text, [&] { ++count; },
            [&](std::string_view member) {
                if (count - 1 < process) return text.skip();
                if (count - 1 > process) return false;
                bool is_known = false;
                if (!read_rocm_facts(text, member, known.facts, is_known)) return false;
                if (is_known) return true;
                return (member != "buffer_records" || !known.facts.is_complete()) && text.skip();
            });
        for (const RocmCounted& one : known.facts.counted)
            known.counted.emplace(std::pair(one.kernel.dispatch, one.kernel.begin), &one);
        return known;
    }

    const TraceInput& input_;
    std::map<uint64_t, Known> known_;
};

// Parses the record at the start of a text. False: it is incomplete.
bool take_record(std::string_view text, uint64_t process, RocmRecordFacts& facts,
                 std::vector<Argument>& list) {
    list.clear();
    JsonCursor at{text.data(), text.data() + text.size()};
    std::string_view raw;
    if (text.empty() || text.front() != '{' || !at.read_value(raw)) return false;
    add_members(raw, "", 0, list);
    facts.add(raw, process, list);
    return true;
}

class Rocprofv3JsonArguments final : public ArgumentReader {
  public:
    explicit Rocprofv3JsonArguments(const TraceInput& input)
        : input_(input),
          reader_(input_.file, input_.compression, input_.gzip_index),
          facts_(input_) {}

    Result<std::vector<Argument>> read(uint64_t source) override {
        std::vector<Argument> list;
        const uint64_t offset = source % kRocmOffsets;
        for (std::size_t bytes = std::size_t{16} << 10; bytes <= kLongestRecord; bytes *= 8) {
            Result<std::string> text = reader_.read(offset, bytes);
            if (!text) return text.error();
            const std::size_t size = text->size();
            text->append(kTextPadding, '\0');
            if (take_record(std::string_view(*text).substr(0, size), source / kRocmOffsets, facts_,
                            list))
                return list;
            if (size < bytes || text->front() != '{') break;
        }
        return std::vector<Argument>();
    }

  private:
    TraceInput input_;
    TextReader reader_;
    RocmRecordFacts facts_;
};

class Rocprofv3JsonScan final : public ArgumentScan {
  public:
    explicit Rocprofv3JsonScan(const TraceInput& input)
        : input_(input), text_(input_.file, input_.compression), facts_(input_) {}

    Result<std::span<const RawArgument>> read(uint64_t source) override {
        raw_.clear();
        for (std::size_t bytes = std::size_t{16} << 10; bytes <= kLongestRecord; bytes *= 8) {
            const Result<std::string_view> text = text_.read(source % kRocmOffsets, bytes);
            if (!text) return text.error();
            if (take_record(*text, source / kRocmOffsets, facts_, list_)) {
                for (const Argument& argument : list_)
                    raw_.push_back({argument.name, argument.value, argument.is_string, false});
                break;
            }
            if (text_.at_end() || text->empty() || text->front() != '{') break;
        }
        return std::span<const RawArgument>(raw_);
    }
    uint64_t file_bytes_done() const override { return text_.file_bytes_done(); }
    uint64_t file_bytes() const override { return text_.file_bytes(); }

  private:
    TraceInput input_;
    ForwardText text_;
    RocmRecordFacts facts_;
    std::vector<Argument> list_;
    std::vector<RawArgument> raw_;
};

class Rocprofv3JsonFormat final : public Format {
  public:
    FormatText text() const override {
        return {"rocprofv3 JSON", "JSON files of rocprofv3 (ROCm)", "rocprofv3.md", {}, true};
    }

    Recognised recognise(const Probe& probe) const override {
        std::string_view text = probe.start;
        if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
        const std::size_t first = text.find_first_not_of(" \n\r\t");
        if (first == std::string_view::npos || text[first] != '{') return {};
        const std::size_t name = text.find_first_not_of(" \n\r\t", first + 1);
        if (name == std::string_view::npos) return {};
        return {text.substr(name).starts_with("\"rocprofiler-sdk-tool\"") ? 100 : 0};
    }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        return Rocprofv3JsonReader(job, builder).run();
    }

    void describe(Trace& trace) const override {
        trace.facts.format = "rocprofv3-json";
        trace.facts.producer = "rocprofv3";
    }

    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return std::make_unique<Rocprofv3JsonArguments>(input);
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return std::make_unique<Rocprofv3JsonScan>(input);
    }
};

}  // namespace

const Format& rocprofv3_json_format() {
    static const Rocprofv3JsonFormat format;
    return format;
}

}  // namespace lanescope

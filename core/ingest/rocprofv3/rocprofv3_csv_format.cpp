#include "core/ingest/rocprofv3/rocprofv3_csv_format.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/read_double.h"
#include "core/base/utf8.h"
#include "core/ingest/rocprofv3/rocprofv3_csv_reader.h"

namespace lanescope {

namespace {

constexpr std::size_t kLongestCsvRow = std::size_t{1} << 20;

bool is_plain_number(std::string_view text) {
    double value = 0;
    const auto read = read_double(text.data(), text.data() + text.size(), value);
    const bool is_json = !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) &&
                         !(text.size() > 1 && text[0] == '0' && text[1] != '.');
    return is_json && read.ec == std::errc() && read.ptr == text.data() + text.size() &&
           std::isfinite(value);
}

// The arguments of rows in all files of a run.
class CsvArguments {
  public:
    explicit CsvArguments(const TraceInput& input) : input_(input) {}

    const TraceInput& input() const { return input_; }

    // `text`: begins with the row. False: the row is incomplete.
    bool take(std::string_view text, bool is_all, uint64_t file, std::vector<Argument>& list) {
        list.clear();
        std::size_t used = 0;
        if (read_csv_row(text, is_all, row_, used) != CsvRead::row) return false;
        const Header& header = header_of(file);
        for (std::size_t i = 0; i < row_.size() && i < header.names.size(); ++i)
            if (!row_[i].empty())
                list.push_back({header.names[i], repair_bytes(row_[i]), !is_plain_number(row_[i])});
        if (header.columns->kind() == RocmCsvKind::kernels) add_counters(header, list);
        return true;
    }

  private:
    struct Header {
        std::vector<std::string> names;
        std::optional<RocmColumns> columns;
    };
    struct Counter {
        std::string name, value;
    };

    const Header& header_of(uint64_t file) {
        const auto [found, is_new] = headers_.try_emplace(file);
        Header& header = found->second;
        if (!is_new) return header;
        CsvRows rows(rocm_csv_file(input_, file), rocm_csv_compression(input_, file));
        if (rows.next()) header.names = rows.fields();
        header.columns.emplace(header.names);
        for (std::string& name : header.names) name = repair_bytes(name);
        return header;
    }

    void add_counters(const Header& header, std::vector<Argument>& list) {
        if (!has_counters_) read_counters();
        const auto [first, last] =
            counters_.equal_range({std::string(header.columns->text(row_, RocmColumn::guid)),
                                   std::string(header.columns->text(row_, RocmColumn::dispatch))});
        for (auto at = first; at != last; ++at)
            list.push_back({at->second.name, at->second.value, !is_plain_number(at->second.value)});
    }

    void read_counters() {
        has_counters_ = true;
        for (uint64_t file = 0; file <= input_.companions.size(); ++file) {
            if (header_of(file).columns->kind() != RocmCsvKind::counters) continue;
            const RocmColumns& columns = *header_of(file).columns;
            CsvRows rows(rocm_csv_file(input_, file), rocm_csv_compression(input_, file));
            rows.next();
            const auto text = [&](RocmColumn column) {
                return repair_bytes(columns.text(rows.fields(), column));
            };
            while (rows.next())
                if (rows.state() == CsvRead::row)
                    counters_.emplace(std::pair(text(RocmColumn::guid), text(RocmColumn::dispatch)),
                                      Counter{text(RocmColumn::counter), text(RocmColumn::value)});
        }
    }

    TraceInput input_;
    std::map<uint64_t, Header> headers_;
    std::vector<std::string> row_;
    std::multimap<std::pair<std::string, std::string>, Counter> counters_;  // by dispatch
    bool has_counters_ = false;
};

class Rocprofv3CsvArguments final : public ArgumentReader {
  public:
    explicit Rocprofv3CsvArguments(const TraceInput& input) : arguments_(input) {}

    Result<std::vector<Argument>> read(uint64_t source) override {
        const uint64_t file = source / kRocmCsvOffsets;
        const std::shared_ptr<InputFile> input = rocm_csv_file(arguments_.input(), file);
        std::vector<Argument> list;
        if (!input) return list;
        const TextReader reader(input, rocm_csv_compression(arguments_.input(), file),
                                file == 0 ? arguments_.input().gzip_index : nullptr);
        for (std::size_t bytes = std::size_t{4} << 10; bytes <= 4 * kLongestCsvRow; bytes *= 8) {
            const Result<std::string> text = reader.read(source % kRocmCsvOffsets, bytes);
            if (!text) return text.error();
            const bool is_all = text->size() < bytes;
            if (arguments_.take(*text, is_all, file, list) || is_all) break;
        }
        return list;
    }

  private:
    CsvArguments arguments_;
};

class Rocprofv3CsvScan final : public ArgumentScan {
  public:
    explicit Rocprofv3CsvScan(const TraceInput& input) : arguments_(input) {}

    Result<std::span<const RawArgument>> read(uint64_t source) override {
        const uint64_t file = source / kRocmCsvOffsets;
        raw_.clear();
        const std::shared_ptr<InputFile> input = rocm_csv_file(arguments_.input(), file);
        if (!input) return std::span<const RawArgument>();
        if (!text_ || file != file_)
            text_.emplace(input, rocm_csv_compression(arguments_.input(), file));
        file_ = file;
        for (std::size_t bytes = std::size_t{4} << 10; bytes <= 4 * kLongestCsvRow; bytes *= 8) {
            const Result<std::string_view> text = text_->read(source % kRocmCsvOffsets, bytes);
            if (!text) return text.error();
            if (arguments_.take(*text, text_->at_end(), file, list_)) {
                for (const Argument& argument : list_)
                    raw_.push_back({argument.name, argument.value, argument.is_string, false});
                break;
            }
            if (text_->at_end()) break;
        }
        return std::span<const RawArgument>(raw_);
    }
    uint64_t file_bytes_done() const override {
        return text_ && file_ == 0 ? text_->file_bytes_done() : file_bytes();
    }
    uint64_t file_bytes() const override { return arguments_.input().file->size(); }

  private:
    CsvArguments arguments_;
    std::optional<ForwardText> text_;
    uint64_t file_ = 0;
    std::vector<Argument> list_;
    std::vector<RawArgument> raw_;
};

// ROCm files without times of a run.
Recognised recognise_without_times(const std::vector<std::string>& header) {
    const auto has = [&](std::string_view name) { return csv_column(header, name) >= 0; };
    constexpr std::string_view record =
        "it has no times of one run; record the program with `rocprofv3 --kernel-trace "
        "--hip-trace` and open that";
    if (has("lds_per_workgroup") && has("kernel_name"))
        return {0, "a CSV file of rocprof-compute", std::string(record)};
    if (has("hbmbw") && has("fp32flops"))
        return {0, "a measurement of rocprof-compute's roofline", std::string(record)};
    if (has("name") && has("calls") && has("totaldurationns"))
        return {0, "a summary of rocprofv3",
                "it has no times; open the *_kernel_trace.csv of the same run"};
    return {};
}

class Rocprofv3CsvFormat final : public Format {
  public:
    FormatText text() const override {
        return {"rocprofv3 CSV", "CSV files of rocprofv3 (ROCm)", "rocprofv3.md", {}, true};
    }

    Recognised recognise(const Probe& probe) const override {
        std::string_view text = probe.start;
        if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
        const std::string_view line = text.substr(0, text.find('\n'));
        if (line.size() > kLongestCsvRow || line.find(',') == std::string_view::npos ||
            line.find('\0') != std::string_view::npos)
            return {};
        const char first = line.front();
        if (first == '{' || first == '[') return {};
        std::vector<std::string> header;
        std::size_t used = 0;
        if (read_csv_row(std::string(line) + '\n', true, header, used) != CsvRead::row) return {};
        Recognised known = recognise_without_times(header);
        if (!known.what.empty()) return known;
        const RocmColumns columns(header);
        const bool is_known = columns.kind() != RocmCsvKind::other;
        const bool is_agents = columns.kind() == RocmCsvKind::agents;
        return {is_known && (is_agents || csv_column(header, "correlation_id") >= 0 ||
                             csv_column(header, "dispatch_id") >= 0 ||
                             csv_column(header, "queue_id") >= 0)
                    ? 90
                    : 0};
    }

    bool has_byte_positions() const override { return false; }
    std::vector<std::string> companions(const std::string& path) const override {
        return rocm_csv_companions(path);
    }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        return Rocprofv3CsvReader(job, builder).run();
    }

    void describe(Trace& trace) const override {
        trace.facts.format = "rocprofv3-csv";
        trace.facts.producer = "rocprofv3";
    }

    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return std::make_unique<Rocprofv3CsvArguments>(input);
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return std::make_unique<Rocprofv3CsvScan>(input);
    }
};

}  // namespace

const Format& rocprofv3_csv_format() {
    static const Rocprofv3CsvFormat format;
    return format;
}

}  // namespace lanescope

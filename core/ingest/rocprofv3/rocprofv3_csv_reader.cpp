#include "core/ingest/rocprofv3/rocprofv3_csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/read_double.h"
#include "core/base/utf8.h"
#include "core/ingest/rocprofv3/rocprofv3_json_facts.h"

namespace lanescope {

namespace {

using C = RocmColumn;

std::string_view word_of_csv(EventKind kind) {
    return kind == EventKind::counter ? "counter_collection" : "name";
}

std::string_view last_part_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string upper(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return result;
}

}  // namespace

std::shared_ptr<InputFile> rocm_csv_file(const TraceInput& input, uint64_t number) {
    if (number == 0) return input.file;
    return number <= input.companions.size() ? input.companions[number - 1] : nullptr;
}

Compression rocm_csv_compression(const TraceInput& input, uint64_t number) {
    if (number == 0) return input.compression;
    char magic[8] = {};
    const Result<std::size_t> got = input.companions[number - 1]->read_at(0, magic, sizeof magic);
    return got ? sniff_compression({magic, *got}) : Compression::none;
}

Rocprofv3CsvReader::Rocprofv3CsvReader(const ReadJob& job, TraceBuilder& builder)
    : job_(job), builder_(builder), sink_(word_of_csv), events_(sink_) {
    sink_.send_to([this](const Batch& batch) { take_batch(batch); });
}

void Rocprofv3CsvReader::take_batch(const Batch& batch) {
    stopped_ = lanescope::take_batch(job_, builder_, batch);
}

// Files of agents come first. Files of counters come last, because other files may name their
// kernels.
Result<void> Rocprofv3CsvReader::run() {
    if (!open(0))
        return Error{ErrorCode::io, 0, fmt::format("{}: cannot be read", job_.input.file->path())};
    for (uint64_t i = 1; i <= job_.input.companions.size(); ++i) open(i);
    if (default_pid_.empty()) {
        const std::string prefix = rocm_csv_prefix(job_.input.file->path());
        const bool is_number =
            !prefix.empty() && prefix.size() < 12 &&
            std::ranges::all_of(prefix, [](char c) { return c >= '0' && c <= '9'; });
        if (is_number) default_pid_ = prefix;
    }
    std::ranges::stable_sort(files_, {}, &File::kind);
    for (const File& file : files_) {
        Result<void> done = read(file);
        if (!done && file.number == 0) return done;
        if (!done)
            builder_.warn("unread_file", Error::no_offset,
                          fmt::format("{}: {}", file.name, done.error().text));
        if (is_stopped()) return stopped_ ? cancelled(job_.input) : stopped_.error();
    }
    events_.finish();
    sink_.flush();
    add_devices();
    std::vector<std::string> names;
    for (const File& file : files_) names.push_back(repair_bytes(file.name));
    std::ranges::sort(names);
    builder_.add_metadata("files", nlohmann::json(names).dump());
    return stopped_;
}

// Reads the header, and the process ID of the first row.
bool Rocprofv3CsvReader::open(uint64_t number) {
    const std::shared_ptr<InputFile> input = rocm_csv_file(job_.input, number);
    CsvRows rows(input, rocm_csv_compression(job_.input, number));
    if (!rows.next()) return false;
    const RocmColumns columns(rows.fields());
    const std::string name(last_part_of(input->path()));
    if (columns.kind() == RocmCsvKind::other)
        builder_.warn("unread_file", Error::no_offset,
                      fmt::format("{}: its columns are not known; not read", repair_bytes(name)));
    files_.push_back({number, name, columns.kind()});
    if (default_pid_.empty() && columns.has(C::process) && rows.next())
        default_pid_ = columns.text(rows.fields(), C::process);
    return true;
}

Result<void> Rocprofv3CsvReader::read(const File& file) {
    if (file.kind == RocmCsvKind::other) return {};
    CsvRows rows(rocm_csv_file(job_.input, file.number),
                 rocm_csv_compression(job_.input, file.number));
    if (!rows.next()) return rows.outcome();
    const std::vector<std::string> header = rows.fields();
    const RocmColumns columns(header);
    columns_ = &columns;
    const uint64_t base = file.number * kRocmCsvOffsets;
    while (!is_stopped() && rows.next()) {
        source_ = base + std::min(rows.offset(), kRocmCsvOffsets - 1);
        const std::size_t count = rows.fields().size();
        if (rows.state() == CsvRead::cut) {
            builder_.warn("truncated_file", rows.offset(),
                          fmt::format("{} ends within its last line, which was left out",
                                      repair_bytes(file.name)));
        } else if (rows.state() == CsvRead::bad || count != header.size()) {
            builder_.warn("bad_row", rows.offset(),
                          "a line with another number of fields than the first one, or with quotes "
                          "that do not match; left out");
        } else {
            take(rows.fields(), file.kind);
        }
        if (LoadProgress* const progress = job_.options.progress; progress && file.number == 0)
            progress->bytes_done.store(rows.file_bytes_done());
    }
    columns_ = nullptr;
    return rows.outcome();
}

void Rocprofv3CsvReader::take(const Row& row, RocmCsvKind kind) {
    switch (kind) {
        case RocmCsvKind::agents:
            return take_agent(row);
        case RocmCsvKind::calls:
            return take_call(row);
        case RocmCsvKind::kernels:
            return take_kernel(row);
        case RocmCsvKind::copies:
            return take_copy(row);
        case RocmCsvKind::allocations:
            return take_allocation(row);
        case RocmCsvKind::scratch:
            return take_scratch(row);
        case RocmCsvKind::counters:
            return take_counter(row);
        case RocmCsvKind::other:
            return;
    }
}

int64_t Rocprofv3CsvReader::number(const Row& row, C column, int64_t none) const {
    return rocm_number(text(row, column), none);
}

LocalId Rocprofv3CsvReader::process(const Row& row) {
    std::string_view pid = text(row, C::process);
    const std::string_view guid = text(row, C::guid);
    if (!guid.empty() && !pid.empty()) pid_of_guid_.try_emplace(std::string(guid), pid);
    if (const auto known = pid_of_guid_.find(guid); pid.empty() && known != pid_of_guid_.end())
        pid = known->second;
    return sink_.process(pid.empty() ? default_pid_ : std::string(pid));
}

int32_t Rocprofv3CsvReader::gpu(std::string_view agent) const {
    const std::size_t last = agent.find_last_not_of("0123456789");
    const std::string_view digits = agent.substr(last == std::string_view::npos ? 0 : last + 1);
    const int64_t number = rocm_number(digits, -1);
    if (number < 0 || number > INT32_MAX) return -1;
    const std::string kind = upper(agent.substr(0, agent.size() - digits.size()));
    if (kind.starts_with("CPU")) return -1;
    if (kind.starts_with("GPU")) return static_cast<int32_t>(number);
    const auto logical = node_of_logical_.find(number);
    const int64_t node = logical != node_of_logical_.end() ? logical->second : number;
    if (cpu_nodes_.contains(node)) return -1;
    const auto known = agents_.find(node);
    return known != agents_.end() ? known->second.id : static_cast<int32_t>(number);
}

void Rocprofv3CsvReader::take_agent(const Row& row) {
    const int64_t node = number(row, C::node);
    node_of_logical_[number(row, C::logical_node, node)] = node;
    if (upper(text(row, C::agent_type)) != "GPU") {
        cpu_nodes_.insert(node);
        return;
    }
    Device device;
    device.name = repair_bytes(!text(row, C::product_name).empty() ? text(row, C::product_name)
                                                                   : text(row, C::name));
    const auto& header = columns_->header();
    for (std::size_t i = 0; i < row.size(); ++i) {
        std::string name = header[i];
        for (char& c : name)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        add_rocm_fact(device, name, rocm_number(row[i], 0));
    }
    complete_rocm_device(device);
    agents_[node] = std::move(device);
    int32_t ordinal = 0;
    for (auto& [number, agent] : agents_) agent.id = ordinal++;
}

void Rocprofv3CsvReader::take_call(const Row& row) {
    const std::string domain = upper(text(row, C::domain));
    RocmCall call;
    call.begin = number(row, C::begin);
    call.end = number(row, C::end);
    call.process = process(row);
    call.thread = number(row, C::thread, 0);
    call.name = sink_.text(text(row, C::function));
    call.correlation = number(row, C::correlation);
    call.source = source_;
    call.word = *words_.insert(repair_bytes(text(row, C::domain))).first;
    const RocmDomain kind = rocm_domain(domain);
    if (kind == RocmDomain::marker) return events_.add_marker(call, false);
    events_.add(call, kind);
}

LaunchConfig Rocprofv3CsvReader::config(const Row& row) const {
    const int64_t workgroup[3] = {number(row, C::workgroup_x, 0), number(row, C::workgroup_y, 0),
                                  number(row, C::workgroup_z, 0)};
    const int64_t grid[3] = {number(row, C::grid_x, 0), number(row, C::grid_y, 0),
                             number(row, C::grid_z, 0)};
    LaunchConfig made = rocm_config(grid, workgroup);
    made.registers_per_thread =
        rocm_registers(number(row, C::vgprs, -1), number(row, C::accumulation_vgprs, -1), nullptr);
    const int64_t lds = number(row, C::group_segment, number(row, C::lds_block, -1));
    made.shared_memory_bytes = std::max<int64_t>(lds, -1);
    return made;
}

void Rocprofv3CsvReader::take_kernel(const Row& row) {
    RocmWork work;
    work.begin = number(row, C::begin);
    work.end = number(row, C::end);
    work.process = process(row);
    const std::string_view name = text(row, C::kernel);
    auto known = kernel_names_.find(name);
    if (known == kernel_names_.end())
        known = kernel_names_.emplace(name, sink_.text(rocm_kernel_name(name))).first;
    work.name = known->second;
    work.queue = number(row, C::queue, 0);
    work.correlation = number(row, C::correlation);
    work.source = source_;
    work.device = std::max(gpu(text(row, C::agent)), 0);
    work.word = "KERNEL_DISPATCH";
    if (columns_->has(C::grid_x)) work.config = config(row);
    events_.add(work);
    if (columns_->has(C::dispatch))
        dispatches_.emplace(std::string(text(row, C::guid)), number(row, C::dispatch));
}

void Rocprofv3CsvReader::take_copy(const Row& row) {
    RocmWork work;
    work.begin = number(row, C::begin);
    work.end = number(row, C::end);
    work.process = process(row);
    work.kind = RocmWorkKind::copy;
    const std::string direction = upper(text(row, C::direction));
    work.name = sink_.text(rocm_copy_name(direction));
    work.correlation = number(row, C::correlation);
    work.bytes = number(row, C::size);
    work.source = source_;
    const bool is_from_device = direction.find("DEVICE_TO_HOST") != std::string::npos;
    const int32_t from = gpu(text(row, C::from_agent));
    const int32_t to = gpu(text(row, C::to_agent));
    work.device = std::max(is_from_device || to < 0 ? from : to, 0);
    work.word = "MEMORY_COPY";
    events_.add(work);
}

void Rocprofv3CsvReader::take_allocation(const Row& row) {
    RocmAllocation allocation;
    allocation.time = number(row, C::begin);
    allocation.process = process(row);
    allocation.device = gpu(text(row, C::agent));
    allocation.is_free = upper(text(row, C::operation)).find("FREE") != std::string::npos;
    allocation.address = number(row, C::address, 0);
    allocation.bytes = number(row, C::allocation_size, 0);
    allocation.source = source_;
    allocation.word = "MEMORY_ALLOCATION";
    events_.add(allocation);
}

void Rocprofv3CsvReader::take_scratch(const Row& row) {
    RocmCall call;
    call.begin = number(row, C::begin);
    call.end = number(row, C::end);
    call.process = process(row);
    call.thread = number(row, C::thread, 0);
    call.name = sink_.text(text(row, C::operation));
    call.source = source_;
    call.word = "SCRATCH_MEMORY";
    events_.add(call, RocmDomain::scratch);
}

// Each row has one counter of a kernel, which may have no other row.
void Rocprofv3CsvReader::take_counter(const Row& row) {
    const int64_t begin = number(row, C::begin);
    const std::pair dispatch(std::string(text(row, C::guid)), number(row, C::dispatch));
    const bool is_new = !dispatches_.contains(dispatch);
    if (begin == kNoValue) return;  // only an argument of a kernel
    if (is_new && of_counters_.emplace(dispatch, begin).second) {
        take_kernel(row);
        dispatches_.erase(dispatch);
    }
    double value = NAN;
    const std::string_view written = text(row, C::value);
    read_double(written.data(), written.data() + written.size(), value);
    if (!std::isfinite(value)) return events_.add_unreadable(source_, "counter");
    events_.add(RocmValue{begin, number(row, C::end), process(row),
                          std::max(gpu(text(row, C::agent)), 0), sink_.text(text(row, C::counter)),
                          value, source_});
}

void Rocprofv3CsvReader::add_devices() {
    std::set<int32_t> used;
    for (const auto& [process, ordinal] : events_.devices()) used.insert(ordinal);
    for (auto& [node, device] : agents_)
        if (used.contains(device.id)) builder_.add_device(device);
}

}  // namespace lanescope

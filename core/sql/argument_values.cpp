#include "core/sql/argument_values.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <thread>

#include "core/base/parallel.h"
#include "core/base/radix_sort.h"
#include "core/ingest/argument_scan.h"
#include "core/ingest/load.h"

namespace lanescope {

namespace {

// Most queries use a few keys. A query that computes keys from its rows may use thousands. The
// limits bound the memory and the number of passes: beyond them, one pass stores all arguments.
constexpr std::size_t kMostKeys = 256;
constexpr uint32_t kMostPasses = 8;
constexpr uint64_t kMostStored = uint64_t{256} << 20;  // bytes of arguments in one store
enum ReadKind : uint8_t { kReadNothing, kReadWhole, kReadReal, kReadText };

// How many single reads take less time than about two passes over the file. One read of a gzip file
// decodes half of what lies between two restart points, and one of a zstd file half of the text.
uint32_t reads_before_pass(const Trace& trace, uint32_t rows) {
    constexpr uint32_t kMost = 256;  // in a large file
    if (trace.facts.compression == "none") return std::max(kMost, rows / 50);
    return trace.facts.compression == "gzip" ? std::clamp(rows / 2500, 16U, kMost) : 4;
}

std::vector<KeptColumn> kept_columns(const Trace& trace, std::string_view key) {
    const GpuActivities& gpu = trace.gpu_activities;
    const RuntimeCalls& calls = trace.runtime_calls;
    const Operators& ops = trace.operators;
    const PythonFrames& frames = trace.python_frames;
    const Synchronisations& syncs = trace.synchronisations;
    std::vector<KeptColumn> columns;
    if (key == "args.correlation")
        columns = {{&gpu.slice, &gpu.correlation},
                   {&calls.slice, &calls.correlation},
                   {&syncs.slice, &syncs.correlation}};
    else if (key == "args.External id" || key == "args.external id")
        columns = {{&gpu.slice, &gpu.external_id},
                   {&calls.slice, &calls.external_id},
                   {&ops.slice, &ops.external_id}};
    else if (key == "args.Python id")
        columns = {{&frames.slice, &frames.python_id}};
    else if (key == "args.Python parent id")
        columns = {{&frames.slice, &frames.parent_id}};
    else if (key == "args.Python module id")
        columns = {{&frames.slice, &frames.module_id}};
    return columns;
}

// Marks the categories of which the columns hold the argument of every event. Columns lack some
// arguments of events of two phases.
std::vector<uint8_t> categories_kept(const Trace& trace, std::string_view key) {
    std::vector<uint8_t> kept(trace.categories.size(), 0);
    for (const char* const phase : {"B", "b", "S"})
        if (trace.facts.phases.contains(phase)) return kept;
    const bool python = key.starts_with("args.Python");
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const std::string_view name = trace.strings[trace.categories[i].name];
        const EventClass kind = classify_category(name);
        if (python)
            kept[i] = kind == EventClass::python;
        else if (kind == EventClass::sync)
            kept[i] = key == "args.correlation";
        else if (key == "args.correlation")
            kept[i] = is_gpu_activity_category(name) || kind == EventClass::runtime;
        else
            kept[i] = is_gpu_activity_category(name) || kind == EventClass::runtime ||
                      kind == EventClass::op || kind == EventClass::annotation ||
                      kind == EventClass::communication;
    }
    return kept;
}

}  // namespace

class ArgumentValues::Key {
  public:
    Key(std::string name_, const Trace& trace)
        : name(std::move(name_)),
          kept(kept_columns(trace, name)),
          in_columns(kept.empty() ? std::vector<uint8_t>(trace.categories.size(), 0)
                                  : categories_kept(trace, name)) {}

    SqlValue stored(uint32_t id) const {
        switch (kinds[id]) {
            case kReadWhole:
                return values[id];
            case kReadReal:
                return std::bit_cast<double>(values[id]);
            case kReadText:
                return texts[static_cast<StringId>(values[id])];
            default:
                return {};
        }
    }
    void store(uint32_t id, const ArgumentValue& value) {
        if (const auto* const whole = std::get_if<int64_t>(&value)) {
            kinds[id] = kReadWhole;
            values[id] = *whole;
        } else if (const auto* const real = std::get_if<double>(&value)) {
            kinds[id] = kReadReal;
            values[id] = std::bit_cast<int64_t>(*real);
        } else if (const auto* const text = std::get_if<std::string>(&value)) {
            const std::lock_guard lock(mutex);
            kinds[id] = kReadText;
            values[id] = texts.intern(*text);
        }
    }

    // True: the columns hold every value. False: values must be read from the file.
    bool is_kept(const SliceRun& run, uint32_t i) const {
        return run.duration && in_columns[run.category[i]];
    }
    // Copies the values of the columns, because scans find them here without a search.
    void fill(const SliceRows& rows) {
        if (!kinds.empty()) return;
        kinds.assign(rows.count(), kReadNothing);
        values.assign(rows.count(), 0);
        // The first column that has a value counts.
        for (auto column = kept.rbegin(); column != kept.rend(); ++column) {
            if (column->values->empty()) continue;
            for (std::size_t i = 0; i < column->slices->size(); ++i) {
                const int64_t value = (*column->values)[i];
                if (value == kNoValue) continue;
                const uint32_t id = rows.id_of((*column->slices)[i]);
                const SliceRun& run = rows.run_of(id);
                if (!is_kept(run, id - run.first)) continue;
                kinds[id] = kReadWhole;
                values[id] = value;
            }
        }
    }

    std::string name;
    std::vector<KeptColumn> kept;
    std::vector<uint8_t> in_columns;  // by category; others are read from the file
    uint32_t reads = 0;
    bool complete = false;  // all rows of the file were read
    // The values by row: those of the trace's columns, and after the pass those of the file.
    // Before the pass they are empty if the trace has no column for the key.
    SqlVector<uint8_t> kinds;
    SqlVector<int64_t> values;
    StringPool texts;
    std::mutex mutex;  // of texts, during the pass
};

ArgumentValues::~ArgumentValues() = default;

ArgumentValues::ArgumentValues(TracePtr trace, const SliceRows& rows, IsStopped is_stopped)
    : trace_(std::move(trace)),
      rows_(rows),
      is_stopped_(std::move(is_stopped)),
      single_reads_(reads_before_pass(*trace_, rows.count())) {}

ArgumentValues::Key* ArgumentValues::key(std::string_view name) {
    if (const auto found = keys_.find(name); found != keys_.end()) return found->second.get();
    if (keys_.size() >= kMostKeys) return nullptr;
    auto made = std::make_unique<Key>(std::string(name), *trace_);
    if (!made->kept.empty()) made->fill(rows_);
    return keys_.emplace(std::string(name), std::move(made)).first->second.get();
}

void ArgumentValues::end_query() {
    keys_.clear();
    stored_.clear();
    keys_read_ = reads_of_keys_ = 0;
}

Result<std::vector<Argument>> ArgumentValues::read_one(uint32_t id) {
    if (!reader_) reader_ = open_arguments(trace_);
    if (!reader_) return std::vector<Argument>();
    // Reading one event of a compressed file takes milliseconds.
    if (is_stopped_ && is_stopped_()) return query_stopped();
    const SliceRun& run = rows_.run_of(id);
    return reader_->read(run.source[id - run.first]);
}

Result<std::vector<Argument>> ArgumentValues::raw_arguments(uint32_t id, std::string_view key) {
    auto found = stored_.find(key);
    if (found == stored_.end())
        found = stored_.try_emplace(std::string(stored_.size() < kMostPasses ? key : "")).first;
    auto& [name, stored] = *found;
    if (!stored.store && ++stored.reads > single_reads_) {
        ArgumentStore store(name);
        if (const auto read = store.read(trace_, rows_, is_stopped_, kMostStored); !read)
            return read.error();
        stored.store.emplace(std::move(store));
    }
    if (stored.store && stored.store->has(id)) return stored.store->get(id);
    return read_one(id);
}

Result<std::vector<FlatArgument>> ArgumentValues::arguments(uint32_t id, std::string_view key) {
    const auto raw = raw_arguments(id, key);
    if (!raw) return raw.error();
    std::vector<FlatArgument> flat;
    for (const Argument& argument : *raw) flatten(argument, flat);
    return flat;
}

namespace {

// The last value of a name counts, as in a pass over all events.
ArgumentValue value_in(const std::vector<Argument>& arguments, std::string_view name) {
    std::vector<FlatArgument> flat;
    for (const Argument& argument : arguments)
        if (is_part_of(name, argument.name)) flatten(argument, flat);
    const auto found = std::find_if(flat.rbegin(), flat.rend(), [&](const FlatArgument& one) {
        return one.key == name && !std::holds_alternative<std::monostate>(one.value);
    });
    return found == flat.rend() ? ArgumentValue() : found->value;
}

}  // namespace

Result<ArgumentValue> ArgumentValues::value(std::string_view name, uint32_t id) {
    const auto raw = raw_arguments(id, {});
    if (!raw) return raw.error();
    return value_in(*raw, name);
}

Result<SqlValue> ArgumentValues::value(Key& key, uint32_t id) {
    if (key.complete || (!key.kinds.empty() && key.kinds[id] != kReadNothing))
        return key.stored(id);
    const SliceRun& run = rows_.run_of(id);
    if (key.is_kept(run, id - run.first)) return SqlValue();
    if (++key.reads > single_reads_ && keys_read_ < kMostPasses) {
        ++keys_read_;
        if (const Result<void> read = read_all(key); !read) return read.error();
        return key.stored(id);
    }
    const bool many = key.reads > single_reads_ || ++reads_of_keys_ > 2 * single_reads_;
    const auto raw = many ? raw_arguments(id, {}) : read_one(id);
    if (!raw) return raw.error();
    const ArgumentValue value = value_in(*raw, key.name);
    if (const auto* const text = std::get_if<std::string>(&value))
        return SqlValue(key.texts[key.texts.intern(*text)]);
    if (const auto* const whole = std::get_if<int64_t>(&value)) return SqlValue(*whole);
    if (const auto* const real = std::get_if<double>(&value)) return SqlValue(*real);
    return SqlValue();
}

Result<void> ArgumentValues::read_part(Key& key, const std::vector<EventPlace>& places,
                                       std::size_t begin, std::size_t end) {
    const std::unique_ptr<ArgumentScan> scan = open_argument_scan(trace_);
    if (!scan)
        return Error{ErrorCode::unsupported, Error::no_offset,
                     "arguments cannot be read back from this file"};
    std::vector<FlatArgument> flat;
    StopCheck check(is_stopped_);
    for (std::size_t i = begin; i < end; ++i) {
        if (const Result<void> going_on = check.count(); !going_on) return going_on.error();
        const auto arguments = scan->read(places[i].first);
        if (!arguments) return arguments.error();
        for (const RawArgument& raw : *arguments) {
            // Escapes are rare; names with them are compared after they are resolved.
            const bool plain = raw.name.find('\\') == std::string_view::npos;
            if (plain && !is_part_of(key.name, raw.name)) continue;
            flat.clear();
            flatten(resolved({&raw, 1}).front(), flat);
            for (const FlatArgument& one : flat)
                if (one.key == key.name) key.store(places[i].second, one.value);
        }
    }
    return {};
}

Result<void> ArgumentValues::read_all(Key& key) {
    key.fill(rows_);
    std::vector<EventPlace> places;
    for (const SliceRun& run : rows_.runs())
        for (uint32_t i = 0; i < run.count; ++i)
            if (!key.is_kept(run, i)) places.emplace_back(run.source[i], run.first + i);
    radix_sort(places, [](const auto& place) { return place.first; });
    // A compressed file can only be read from its beginning.
    const bool plain = trace_->facts.compression == "none";
    const std::size_t parts = plain ? std::max(1U, std::thread::hardware_concurrency()) : 1;
    std::vector<Result<void>> results(parts);
    parallel_for(static_cast<unsigned>(parts), parts, [&](std::size_t part) {
        results[part] = read_part(key, places, places.size() * part / parts,
                                  places.size() * (part + 1) / parts);
    });
    for (const Result<void>& result : results)
        if (!result) return result.error();
    key.complete = true;
    return {};
}

}  // namespace lanescope

#include "core/ingest/open_input.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "core/ingest/foreign.h"
#include "core/ingest/sqlite_file/sqlite_file.h"
#include "core/ingest/trace_list.h"
#include "core/source/archive.h"
#include "core/source/forward_text.h"

namespace lanescope {

namespace {

constexpr std::size_t kProbeBytes = std::size_t{64} << 10;

// "Chrome and Kineto JSON, Spall and …"
std::string names_of_formats() {
    std::string names;
    for (const Format* format : formats()) {
        const bool last = format == formats().back();
        names += fmt::format("{}{}",
                             names.empty() ? ""
                             : last        ? " and "
                                           : ", ",
                             format->text().name);
    }
    return names;
}

Error not_read(const std::string& path, const Recognised& known) {
    std::string text = fmt::format("{}: is {}, which is not read; ", path, known.what);
    text += known.advice.empty() ? fmt::format("{} are, also as gzip or zstd", names_of_formats())
                                 : known.advice;
    return {ErrorCode::unsupported, 0, std::move(text)};
}

struct BestFormat {
    const Format* format = nullptr;
    int confidence = 0;
};

// The format with the highest confidence. Errors: no format recognises the file, or two have the
// same confidence.
Result<BestFormat> find_format(const std::string& path, const Probe& probe) {
    const Format* best = nullptr;
    const Format* equal = nullptr;
    int confidence = 0;
    Recognised known;
    for (const Format* format : formats()) {
        Recognised own = format->recognise(probe);
        const int sure = own.confidence;
        if (!own.what.empty()) known = std::move(own);
        if (sure == 0 || sure < confidence) continue;
        equal = sure == confidence ? best : nullptr;
        best = format;
        confidence = sure;
    }
    if (equal)
        return Error{ErrorCode::unsupported, 0,
                     fmt::format("{}: could be of two formats: {} or {}", path, equal->text().name,
                                 best->text().name)};
    if (best) return BestFormat{best, confidence};
    return not_read(path, known.what.empty() ? recognise_foreign(probe) : known);
}

// Names of the tables of an SQLite database, which becomes the input's `database`. `most`: bytes of
// it that are unpacked if it is compressed.
Result<std::vector<std::string>> sqlite_tables(TraceInput& input, const std::atomic<bool>* cancel,
                                               uint64_t most) {
    Result<std::shared_ptr<InputFile>> plain =
        plain_database(input.file, input.compression, cancel, most);
    if (!plain) return plain.error();
    input.database = *plain;
    const Result<std::unique_ptr<SqliteFile>> opened = SqliteFile::open(*plain);
    if (!opened) return opened.error();
    std::vector<std::string> names;
    for (const SqliteTable& table : (*opened)->tables()) names.push_back(table.name);
    return names;
}

// The start of the decompressed file, for recognition.
Result<std::string> first_bytes(const TraceInput& input) {
    std::string text(kProbeBytes, '\0');
    const Result<std::size_t> got =
        read_in_order(input.file, input.compression)->read(text.data(), text.size());
    if (!got) return got.error();
    text.resize(*got);
    return text;
}

// Opens the only trace in a folder or archive.
Result<OpenedInput> open_only_trace(const std::string& path, const Result<TraceList>& list,
                                    const LoadOptions& options) {
    if (!list) return list.error();
    if (list->traces.size() != 1) return not_one_trace(path, *list);
    LoadOptions inner = options;
    if (options.file) {
        const std::atomic<bool>* const cancel =
            options.progress ? &options.progress->cancel : nullptr;
        const std::string& name = list->traces.front().path;
        Result<std::shared_ptr<InputFile>> file =
            open_in_archive({path, name.substr(path.size() + 1)}, options.file, cancel);
        if (!file) return file.error();
        inner.file = *file;
    }
    Result<OpenedInput> opened = open_input(list->traces.front().path, inner);
    if (opened) opened->notes = list->notes;
    return opened;
}

}  // namespace

Error budget_spent(const std::string& path) {
    return {ErrorCode::no_memory, Error::no_offset, fmt::format("{}: {}", path, kTooLargeForList)};
}

Result<RecognisedFile> recognise_text(const std::string& path, std::string_view start) {
    RecognisedFile known;
    known.archive = archive_kind(start);
    if (known.archive != ArchiveKind::none) return known;
    if (start.empty())
        return Error{ErrorCode::empty, 0, fmt::format("{}: the file contains no text", path)};
    const Result<BestFormat> best =
        find_format(path, {start.substr(0, kProbeBytes), Compression::none, {}});
    if (!best) return best.error();
    known.input.format = best->format;
    known.confidence = best->confidence;
    return known;
}

namespace {

Result<BestFormat> format_of_database(const std::string& path, TraceInput& input,
                                      std::string_view start, const std::atomic<bool>* cancel,
                                      uint64_t most) {
    const Result<std::vector<std::string>> tables = sqlite_tables(input, cancel, most);
    if (!tables) return tables.error();
    return find_format(path, {start, input.compression, *tables});
}

// Unpacks more and more of a compressed database until its tables are known.
Result<BestFormat> format_within(const std::string& path, TraceInput& input, std::string_view start,
                                 const std::atomic<bool>* cancel, RecogniseBudget& budget) {
    constexpr uint64_t kFirst = uint64_t{1} << 20;
    constexpr uint64_t kTimes = 16;
    for (uint64_t most = kFirst;; most *= kTimes) {
        if (most > RecogniseBudget::kMostOfOne || !budget.take(most)) return budget_spent(path);
        Result<BestFormat> found = format_of_database(path, input, start, cancel, most);
        const uint64_t unpacked = input.database ? input.database->size() : 0;
        budget.give_back(most - unpacked);
        const bool is_whole = unpacked < most;  // or cannot be unpacked
        if (found || is_whole || found.error().code == ErrorCode::cancelled) return found;
    }
}

}  // namespace

Result<RecognisedFile> recognise_file(const std::string& path, std::shared_ptr<InputFile> file,
                                      const std::atomic<bool>* cancel, RecogniseBudget* budget) {
    RecognisedFile known;
    TraceInput& input = known.input;
    input.file = std::move(file);
    char magic[8] = {};
    const Result<std::size_t> got = input.file->read_at(0, magic, sizeof magic);
    if (!got) return got.error();
    input.compression = sniff_compression({magic, *got});
    const Result<std::string> start = first_bytes(input);
    if (!start) return start.error();
    if (start->empty())
        return Error{ErrorCode::empty, 0,
                     fmt::format("{}: the {} file contains no text; is it truncated?", path,
                                 compression_name(input.compression)),
                     "Copy the file again from its origin, or record the trace again."};
    known.archive = archive_kind(*start);
    if (known.archive != ArchiveKind::none) return known;
    const bool is_database = start->starts_with(kSqliteMagic);
    const bool is_packed = is_database && input.compression != Compression::none;
    const Result<BestFormat> best =
        is_packed && budget ? format_within(path, input, *start, cancel, *budget)
        : is_database       ? format_of_database(path, input, *start, cancel, UINT64_MAX)
                            : find_format(path, {*start, input.compression, {}});
    if (!best) return best.error();
    input.format = best->format;
    known.confidence = best->confidence;
    return known;
}

Result<OpenedInput> open_input(const std::string& path, const LoadOptions& options) {
    const std::atomic<bool>* const cancel = options.progress ? &options.progress->cancel : nullptr;
    std::error_code code;
    if (!options.file && std::filesystem::is_directory(path, code))
        return open_only_trace(path, list_folder(path, cancel), options);
    Result<std::shared_ptr<InputFile>> file =
        options.file ? options.file : InputFile::open(path, cancel);
    if (!file) return file.error();
    Result<RecognisedFile> known = recognise_file(path, *file, cancel);
    if (!known) return known.error();
    if (known->archive != ArchiveKind::none) {
        // Passes the open file on, because a pipe cannot be opened again.
        LoadOptions again = options;
        again.file = *file;
        const Result<TraceList> list =
            list_archive(path, *file, known->archive, known->input.compression, cancel);
        return open_only_trace(path, list, again);
    }
    auto input = std::make_shared<TraceInput>(std::move(known->input));
    if (input->compression == Compression::gzip) input->gzip_index = std::make_shared<GzipIndex>();
    // Companions are opened only by path: a file passed in options.file may be a copy without its
    // neighbours.
    if (!options.file)
        for (const std::string& beside : input->format->companions(path))
            if (Result<std::shared_ptr<InputFile>> companion = InputFile::open(beside, cancel))
                input->companions.push_back(std::move(*companion));
    input->memory = input->format->make_memory();
    return OpenedInput{std::move(input), {}};
}

}  // namespace lanescope

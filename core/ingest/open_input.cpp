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

// The names of the tables in an SQLite database. Sets the input's `database`.
Result<std::vector<std::string>> sqlite_tables(TraceInput& input, const std::atomic<bool>* cancel) {
    Result<std::shared_ptr<InputFile>> plain =
        plain_database(input.file, input.compression, cancel);
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

Result<RecognisedFile> recognise_file(const std::string& path, std::shared_ptr<InputFile> file,
                                      const std::atomic<bool>* cancel) {
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
                                 compression_name(input.compression))};
    known.archive = archive_kind(*start);
    if (known.archive != ArchiveKind::none) return known;
    std::vector<std::string> tables;
    if (start->starts_with(kSqliteMagic)) {
        Result<std::vector<std::string>> found = sqlite_tables(input, cancel);
        if (!found) return found.error();
        tables = std::move(*found);
    }
    const Result<BestFormat> best = find_format(path, {*start, input.compression, tables});
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

// Format: one kind of file that can be loaded. Each has a folder of its own; formats.cpp lists
// them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ingest/argument_scan.h"
#include "core/ingest/build/trace_builder.h"
#include "core/ingest/load.h"
#include "core/source/compressed.h"

namespace lanescope {

class Format;

// Data that a format collects during the load and needs to read arguments later. Written only
// during the load.
struct FormatMemory {
    virtual ~FormatMemory() = default;
};

// An opened file of a known format; what Trace::source points to.
struct TraceInput {
    std::shared_ptr<InputFile> file;
    Compression compression = Compression::none;
    std::shared_ptr<GzipIndex> gzip_index;  // only for gzip files
    const Format* format = nullptr;
    // SQLite databases: the file, or an inflated copy that can be read at any offset.
    std::shared_ptr<InputFile> database = nullptr;
    // Files beside this file that the format reads together with it.
    std::vector<std::shared_ptr<InputFile>> companions = {};
    std::shared_ptr<FormatMemory> memory = nullptr;  // null: the format needs none
};

// What formats are recognised by.
struct Probe {
    std::string_view start;  // the first 64 KiB of the text, decompressed
    Compression compression = Compression::none;
    // Names of the tables; only for an SQLite database.
    std::span<const std::string> sqlite_tables = {};
};

// A format's judgement of a file.
struct Recognised {
    // How likely the file is of this format: 0: it cannot be read; 100: it begins as only files of
    // this format do.
    int confidence = 0;
    // For a file of a known kind that cannot be read: its kind ("a zip archive"), and advice
    // ("unpack it first"; empty: none).
    std::string what = {};
    std::string advice = {};
};

// A file type for desktops whose files are always traces of a format; empty: the format's files
// share their type with other files.
struct FileType {
    std::string_view mime;     // "application/x-spall-trace"
    std::string_view endings;  // separated by spaces: ".spall"
};

// The texts about a format in README, guide, `lanescope formats` and desktop entry.
struct FormatText {
    std::string_view name;   // "Spall"
    std::string_view about;  // of its files, in the plural: "binary traces of Spall"
    std::string_view page;   // below docs/formats: "spall.md"
    FileType type;
    bool may_be_compressed = false;  // with gzip or zstd
};

// How a file is to be read.
struct ReadJob {
    const TraceInput& input;
    const LoadOptions& options;
    unsigned workers = 1;
    // Called repeatedly while the builder takes batches, if set. An error ends the load.
    std::function<Result<void>(const TraceBuilder&)> between_batches;

    bool is_cancelled() const { return options.progress && options.progress->cancel.load(); }
};

class Format {
  public:
    virtual ~Format() = default;

    virtual FormatText text() const = 0;
    virtual Recognised recognise(const Probe& probe) const = 0;
    // True if files may be loaded while a program still writes them.
    virtual bool may_grow() const { return false; }
    // False if positions of events and warnings are not byte offsets.
    virtual bool has_byte_positions() const { return true; }
    // Paths of existing files beside `path` to read together with it.
    virtual std::vector<std::string> companions(const std::string& /*path*/) const { return {}; }
    // Makes TraceInput::memory; null: the format needs none.
    virtual std::shared_ptr<FormatMemory> make_memory() const { return nullptr; }

    // Passes the file's events to the builder. Reports progress, and stops on request. Damage is a
    // warning if anything can be read. Errors: the file cannot be read, is not of this format,
    // cancelled.
    virtual Result<void> read(const ReadJob& job, TraceBuilder& builder) const = 0;
    // Completes lanes and processes when all events are known; null: events say everything.
    virtual void (*complete_lanes() const)(BuilderState&) { return nullptr; }
    // Fills FileFacts::format and producer, and what else the format says of a whole trace.
    virtual void describe(Trace& trace) const = 0;

    virtual std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const = 0;
    virtual std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const = 0;
};

// All formats.
std::span<const Format* const> formats();

// The error of a read() that was cancelled.
Error cancelled(const TraceInput& input);

// Passes a batch to the builder, and counts its events as progress. Errors:
// ReadJob::between_batches returned one, or the user cancelled the load.
Result<void> take_batch(const ReadJob& job, TraceBuilder& builder, const Batch& batch);

}  // namespace lanescope

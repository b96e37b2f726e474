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

// Data that a format collects while it loads a file and needs to read arguments of events later.
// Only the load writes the data.
struct FormatMemory {
    virtual ~FormatMemory() = default;
};

// An opened file of a known format; what Trace::source points to.
struct TraceInput {
    std::shared_ptr<InputFile> file;
    Compression compression = Compression::none;
    std::shared_ptr<GzipIndex> gzip_index;  // only for gzip files
    const Format* format = nullptr;
    // Of an SQLite database: the file, or an inflated copy that can be read at any offset.
    std::shared_ptr<InputFile> database = nullptr;
    // Files beside it that its format reads together with it.
    std::vector<std::shared_ptr<InputFile>> companions = {};
    std::shared_ptr<FormatMemory> memory = nullptr;  // null: the format keeps nothing
};

// What formats are recognised by.
struct Probe {
    std::string_view start;  // the first 64 KiB of the text, decompressed
    Compression compression = Compression::none;
    std::span<const std::string> sqlite_tables = {};  // of an SQLite database: names of its tables
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

// A kind of files that hold nothing but traces of a format, for desktops; empty: files of the
// format have the names of others.
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
    // If set, to be called from time to time while the builder takes batches. Its error ends the
    // load.
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
    // False if the positions of events and warnings are no offsets in the file's text.
    virtual bool has_byte_positions() const { return true; }
    // Paths of existing files beside the one at `path` that are to be read together with it.
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

// Passes a batch to the builder, and counts its events as progress. Errors: the load is to end, by
// ReadJob::between_batches or because the user cancelled it.
Result<void> take_batch(const ReadJob& job, TraceBuilder& builder, const Batch& batch);

}  // namespace lanescope

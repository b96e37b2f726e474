// Format: one kind of file that can be loaded. Each has a folder of its own; formats.cpp lists
// them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/ingest/argument_scan.h"
#include "core/ingest/build/trace_builder.h"
#include "core/ingest/load.h"
#include "core/source/compressed.h"

namespace lanescope {

class Format;

// An opened file of a known format; what Trace::source points to.
struct TraceInput {
    std::shared_ptr<InputFile> file;
    Compression compression = Compression::none;
    std::shared_ptr<GzipIndex> gzip_index;  // only for gzip files
    const Format* format = nullptr;
};

// What formats are recognised by.
struct Probe {
    std::string_view start;  // the first 64 KiB of the text, decompressed
    Compression compression = Compression::none;
};

// How a file is to be read.
struct ReadJob {
    const TraceInput& input;
    const LoadOptions& options;
    unsigned workers = 1;
    // If set, to be called from time to time while the builder takes batches.
    std::function<void(const TraceBuilder&)> between_batches;

    bool is_cancelled() const { return options.progress && options.progress->cancel.load(); }
};

class Format {
  public:
    virtual ~Format() = default;

    virtual std::string_view name() const = 0;  // for people: "Spall"
    // How likely a file is of this format: 0: it is not; 100: it begins as only this format does.
    virtual int confidence(const Probe& probe) const = 0;
    // True if files may be loaded while a program still writes them.
    virtual bool may_grow() const { return false; }

    // Passes the file's events to the builder. Reports progress, and stops on request. Damage is a
    // warning if anything can be read. Errors: the file cannot be read, is not of this format,
    // cancelled.
    virtual Result<void> read(const ReadJob& job, TraceBuilder& builder) const = 0;
    // Fills FileFacts::format and producer, and what else the format says of a whole trace.
    virtual void describe(Trace& trace) const = 0;

    virtual std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const = 0;
    virtual std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const = 0;
};

// All formats.
std::span<const Format* const> formats();

// The error of a read() that was cancelled.
Error cancelled(const TraceInput& input);

}  // namespace lanescope

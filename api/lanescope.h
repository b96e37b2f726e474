/* Lanescope's C interface: profiles of machine-learning programs as Arrow streams.
 *
 * Link liblanescope.so. Every function that can fail returns a lanescope_status; after any other
 * value than LANESCOPE_OK, lanescope_last_error() describes the failure, and nothing was written to
 * the function's results.
 *
 * Options are the text of a JSON object whose keys are the long options of the command line without
 * "--":
 * {"by": "config", "range": "step:3", "top": 10}. NULL and "" are no options; null values count as
 * absent. Unknown keys and values of a wrong type are errors.
 *
 * Tables are streams of Arrow's C stream interface
 * (https://arrow.apache.org/docs/format/CStreamInterface.html) with one array for all rows: whole
 * numbers are int64, other numbers float64, lists list<int64>, texts dictionaries of int32 indices
 * into utf8; unknown values are null. Times are in ns. The metadata of each field has its "unit"
 * and its "definition". Release a stream by its release() callback; it stays valid after
 * lanescope_close().
 *
 * All functions may be called from any thread, and any number of threads may use one trace at a
 * time; only lanescope_close() needs that no other call uses the trace. The library changes no
 * signal handler, environment variable, locale, thread affinity or allocator of the process. */
#ifndef LANESCOPE_H
#define LANESCOPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LANESCOPE_API __attribute__((visibility("default")))
#else
#define LANESCOPE_API
#endif

struct ArrowArrayStream;

/* One file, or several that were joined on one clock. */
typedef struct lanescope_trace lanescope_trace;

typedef enum lanescope_status {
    LANESCOPE_OK = 0,
    LANESCOPE_IO = 1,          /* the operating system refused to open, read or write */
    LANESCOPE_UNSUPPORTED = 2, /* a format or feature that is recognised but not read */
    LANESCOPE_DAMAGED = 3,     /* the bytes do not follow their format */
    LANESCOPE_EMPTY = 4,       /* nothing to show: no bytes or no events */
    LANESCOPE_USAGE = 5,       /* wrong options, names or SQL */
    LANESCOPE_CANCELLED = 6,   /* a callback asked to stop, or a time limit passed */
    LANESCOPE_NO_MEMORY = 7,
    LANESCOPE_INTERNAL = 8 /* a fault of Lanescope */
} lanescope_status;

#define LANESCOPE_NO_OFFSET UINT64_MAX

typedef struct lanescope_error {
    lanescope_status status;
    const char* text;     /* a sentence for people, UTF-8 */
    const char* path;     /* the file that is wrong; "" if no single file is */
    uint64_t byte_offset; /* in the decompressed file, or in the text of a query; or
                             LANESCOPE_NO_OFFSET */
} lanescope_error;

/* The error of the calling thread's last failed call. Valid until its next call that fails. */
LANESCOPE_API const lanescope_error* lanescope_last_error(void);

/* "0.1.0". */
LANESCOPE_API const char* lanescope_version(void);

/* Called about ten times a second, on the thread that called the function, while it works.
 * bytes_total is 0 if it is unknown, both are 0 for queries. Any result but 0 cancels the call,
 * which returns LANESCOPE_CANCELLED. */
typedef int (*lanescope_progress)(void* user, uint64_t bytes_done, uint64_t bytes_total);

/* Opens one file, or joins several. progress may be NULL. Options:
 * - "align" ("start", "clock", "step:N", "event:NAME"): for several files;
 * - "specs": a file of what devices can do;
 * - "classes": a file of classes of kernels;
 * - "graph-capture": a list of traces of captures of graphs that the files replay;
 * - "compile-artifacts": a list of logs of TORCH_TRACE, and folders with logs or Inductor's cache;
 * - "workers": how many threads, 1 to 64, read and finish the trace; one for each core by default.
 *   The result does not depend on it. If there is a progress function, the calling thread waits
 *   beside them. Tables and queries use the cores of the process;
 * - "memory": how many bytes, at least 1, the load may take: the trace, what reading and finishing
 *   it needs beside that, and of several files also those that were read before. No limit by
 *   default. The need is estimated from what has been read, before each further block: it is above
 *   the true one, at times twice as high. 8 MiB for each worker and 16 MiB more are needed for any
 *   file. A load that would need more ends with LANESCOPE_NO_MEMORY, and the text says how much the
 *   whole file would need. Pages of files that the system caches do not count, nor does what tables
 *   and queries take afterwards, nor the join of several files. */
LANESCOPE_API lanescope_status lanescope_open(const char* const* paths, size_t count,
                                              const char* options, lanescope_progress progress,
                                              void* user, lanescope_trace** trace);

/* Reads up to `bytes` bytes into `buffer`; returns how many, 0 at the end, or a negative number to
 * fail. */
typedef int64_t (*lanescope_read)(void* user, void* buffer, size_t bytes);

/* Opens the stream that `read` returns. The stream is copied into a file without a name in $TMPDIR
 * or /tmp, because arguments of events are read again later. So the stream need not seek, and
 * `read` is not called after this function has returned. The system frees the copy's space after
 * lanescope_close(), or when the process ends. Options: those of lanescope_open(), "name" (the name
 * to show) and "size" (of the stream in bytes, if known: progress then has a total, and a stream
 * that does not fit into the free space is refused before it is read). LANESCOPE_IO: `read` failed
 * or ended before the size, or the copy cannot be written. */
LANESCOPE_API lanescope_status lanescope_open_stream(lanescope_read read, void* read_user,
                                                     const char* options,
                                                     lanescope_progress progress, void* user,
                                                     lanescope_trace** trace);

/* NULL is allowed. */
LANESCOPE_API void lanescope_close(lanescope_trace* trace);

/* Lists what lanescope_table() and lanescope_text() can make. Columns: name, by, kind ("table",
 * "event table", "text"), traces ("one", "several") and about. */
LANESCOPE_API lanescope_status lanescope_tables(struct ArrowArrayStream* stream);

/* The columns of a table with unit, type and definition; of all tables if name is NULL. */
LANESCOPE_API lanescope_status lanescope_columns(const char* name, struct ArrowArrayStream* stream);

/* A table by its name ("kernels", "critical-path"; "_" stands for "-" too). Options: those of
 * `lanescope table NAME`, `find` ("expression"), `histogram`, `what-if`, `findings` and `compare`.
 * "compare" takes two traces or more: A, then others; {"baseline": N} makes the first N runs of one
 * program the baseline, {"phase": "decode"} compares only a server's decode steps. "traces" and
 * "ranks" take any number of traces. All others take one. */
LANESCOPE_API lanescope_status lanescope_table(lanescope_trace* const* traces, size_t count,
                                               const char* name, const char* options,
                                               struct ArrowArrayStream* stream);

/* A text: "summary", "info", "findings", "compare" ({"format": "text" | "json" | "md"}), "timeline"
 * (SVG, options of `lanescope screenshot`), "report" (HTML). "info" also takes a trace of several
 * files, and says how these were aligned. Ends with a zero byte that is not
 * counted in bytes. lanescope_free() frees it. */
LANESCOPE_API lanescope_status lanescope_text(lanescope_trace* const* traces, size_t count,
                                              const char* name, const char* options, char** text,
                                              size_t* bytes);

/* The rows of the last statement of an SQL script; with several traces or a trace of several files,
 * the rows of each file in turn, with a column "trace". Options: "timeout" ("10s", for
 * each file), "memory" (bytes; 1 GiB), "temporary" (false: no temporary tables). A query can write
 * nothing but temporary tables, which end with the call.
 *
 * parameters: the text of a JSON array, [3, "aten::mm"], whose values are those of "?" and "?1",
 * "?2" …, or of a JSON object, {"step": 3}, for ":step", "@step" and "$step"; NULL and "" are none.
 * Values are null, numbers, texts, and true and false, which are 1 and 0; they never become part of
 * the SQL. Each statement of a script takes its own values: its first "?" is number 1.
 * LANESCOPE_USAGE for a parameter without a value (byte_offset is its place in the script if it has
 * a name), a value that no statement takes, and whole numbers of more than 64 bits. */
LANESCOPE_API lanescope_status lanescope_sql(lanescope_trace* const* traces, size_t count,
                                             const char* script, const char* parameters,
                                             const char* options, lanescope_progress progress,
                                             void* user, struct ArrowArrayStream* stream);

/* The tables that lanescope_compare_ranks() returns, by index: the forms of the table "ranks". */
#define LANESCOPE_RANK_TABLES 8
#define LANESCOPE_RANKS 0          /* clocks, and sums of waits */
#define LANESCOPE_RANK_CALLS 1     /* matched calls: arrival spread, and who came last */
#define LANESCOPE_RANK_ARRIVALS 2  /* each rank at each matched call */
#define LANESCOPE_RANK_BLAME 3     /* how long each rank waited for each other rank */
#define LANESCOPE_RANK_LATE 4      /* causes of late arrivals */
#define LANESCOPE_RANK_VERDICTS 5  /* which ranks hold the others up, and why */
#define LANESCOPE_RANK_UNMATCHED 6 /* calls that match no call of another rank, and why */
#define LANESCOPE_RANK_PROBLEMS 7  /* what is wrong with the set of ranks */

/* Compares the ranks of a job by rows taken from their traces, which need not be open. The streams
 * may come from any library. Columns may have any order; columns in brackets are optional, and
 * unknown columns are ignored. Integers may have any width, and texts may be dictionary-encoded.
 *
 * calls: rows of the table "collectives" by "call": [trace], rank, call, group, [group_size], kind,
 * [sequence], [step], [peer], [sends], [bytes], begin_ns, end_ns, [host]. trace is the number of
 * the file, which by default is the rank; all rows of a trace have one clock. work: rows of
 * "collectives" by "work": [trace], rank, call, what, name, [grid], count, time_ns. Only calls
 * whose work is known are explained. NULL: none is. traces: a row for each file: [trace], rank,
 * [world_size], [name], [rank_from]: "recorded" (the default), "name" of the file, or "order" of
 * the files, which is no rank of the job. Several ranks of one trace are numbers of its devices.
 * NULL: not known.
 *
 * work: rows of the table "collectives" by "work": [trace], rank, call, what, name, [grid], count,
 * time_ns. Only late arrivals with known work are explained. NULL: no work is known.
 *
 * traces: a row for each file: [trace], rank, [world_size], [name]. NULL: unknown.
 *
 * Options, all numbers: "min-lateness-us", "noise-factor", "uncertainty-factor", "min-cost-share",
 * "cause-share", "slow-gpu-factor", "slow-gpu-share", "slow-link-factor"; see docs/ranks.md.
 *
 * tables: an array of LANESCOPE_RANK_TABLES streams. The input streams are released
 * even if the call fails. */
LANESCOPE_API lanescope_status lanescope_compare_ranks(struct ArrowArrayStream* calls,
                                                       struct ArrowArrayStream* work,
                                                       struct ArrowArrayStream* traces,
                                                       const char* options,
                                                       struct ArrowArrayStream* tables);

/* The probability that two samples of times differ by chance alone, as in the gate of comparisons:
 * by a rank test that allows for neighbouring values that resemble each other; if `b` is one value,
 * by a prediction interval of Student's t. NaN: a sample has fewer than five values, except `b` of
 * one. */
LANESCOPE_API double lanescope_chance(const double* a, size_t count_a, const double* b,
                                      size_t count_b);

/* The last number after "rank" in a file's name, such as 12 in "rank-12.json"; -1: there is none.
 */
LANESCOPE_API int64_t lanescope_rank_in_name(const char* file_name);

/* The rows of a stream, kept so that several readers can have them. */
typedef struct lanescope_rows lanescope_rows;

/* Takes all rows of a stream that this library made, and releases the stream. */
LANESCOPE_API lanescope_status lanescope_keep(struct ArrowArrayStream* stream,
                                              lanescope_rows** rows);

LANESCOPE_API int64_t lanescope_row_count(const lanescope_rows* rows);

/* A new stream over the rows, which shares their memory; it stays valid after lanescope_drop(). */
LANESCOPE_API lanescope_status lanescope_stream_of(const lanescope_rows* rows,
                                                   struct ArrowArrayStream* stream);

/* NULL is allowed. */
LANESCOPE_API void lanescope_drop(lanescope_rows* rows);

/* Frees what lanescope_text() returned. NULL is allowed. */
LANESCOPE_API void lanescope_free(char* text);

#ifdef __cplusplus
}
#endif

#endif

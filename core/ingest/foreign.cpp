#include "core/ingest/foreign.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/ingest/perfetto/packet_stream.h"
#include "core/ingest/sqlite_file/sqlite_file.h"
#include "core/ingest/whole_json/json_probe.h"

namespace lanescope {

namespace {

using namespace std::string_view_literals;

// A format that is known by how its files begin.
struct Foreign {
    std::string_view start;
    std::string_view what;
    std::string_view advice = {};
};

constexpr std::array kForeign = {
    Foreign{"NVIDIA Tegra Profiler Report"sv, "a report of Nsight Systems",
            "run `nsys export --type sqlite -o X.sqlite X.nsys-rep` with the version that made it, "
            "or a newer one, and open X.sqlite"},
    Foreign{"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f"sv,
            "a file of records of Riegeli, as XSpace profiles of more than 2 GB are "
            "(*.xplane.riegeli)",
            "record a shorter time, so that the profiler writes *.xplane.pb"},
    Foreign{"PERFILE2"sv, "a recording of Linux's perf",
            "run `perf script -F +pid,+tid,+time > X.txt` on the machine that made it, and open "
            "X.txt"},
    Foreign{"2ELIFREP"sv, "a recording of Linux's perf, of a machine of other byte order",
            "run `perf script -F +pid,+tid,+time > X.txt` on the machine that made it, and open "
            "X.txt"},
    Foreign{"# callgrind format"sv, "a profile of Callgrind", "it has sums and no times"},
    Foreign{"version: 1\ncreator: callgrind"sv, "a profile of Callgrind",
            "it has sums and no times"},
    Foreign{"\x7f\x45LF"sv, "a program", "record it with lanescope record"},
    Foreign{"\x1f\x8b"sv, "a file compressed twice", "unpack it once"},
    Foreign{"\x28\xb5\x2f\xfd"sv, "a file compressed twice", "unpack it once"},
};

// A database that is recognised by a table with this name prefix.
struct ForeignDatabase {
    std::string_view table;
    std::string_view what;
    std::string_view advice = {};
};

constexpr std::array kForeignDatabases = {
    ForeignDatabase{"StringTable", "a database of nvprof",
                    "record the program again with Nsight Systems or lanescope record"},
};

Recognised recognise_database(std::span<const std::string> tables) {
    for (const ForeignDatabase& foreign : kForeignDatabases)
        if (std::ranges::any_of(
                tables, [&](const std::string& table) { return table.starts_with(foreign.table); }))
            return {0, std::string(foreign.what), std::string(foreign.advice)};
    return {0, "an SQLite database of a program not known here", ""};
}

bool is_mostly_text(std::string_view bytes) {
    const auto control = std::ranges::count_if(bytes, [](char c) {
        return static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\r' && c != '\t';
    });
    return control * 50 <= static_cast<std::ptrdiff_t>(bytes.size());
}

// pprof's Profile message: sample types, samples, mappings, locations, functions, and texts, of
// which the first is empty.
bool is_pprof(std::string_view bytes) {
    std::array<bool, 7> seen = {};
    bool first_text_is_empty = false;
    while (const std::optional<FieldPlace> field = read_field_place(bytes)) {
        const bool is_message = field->wire_type == 2;
        if (field->field > 14 || (field->field <= 6) != is_message) {
            // The period type is a message, and comments may be packed.
            if (field->field != 11 && field->field != 13) return false;
        }
        if (field->field == 6 && !seen[6]) first_text_is_empty = field->size == 0;
        if (field->field < seen.size()) seen[field->field] = true;
        if (field->size > bytes.size() - field->begin) break;
        bytes.remove_prefix(field->begin + field->size);
    }
    const auto known = std::ranges::count(seen, true);
    return known >= 4 && (!seen[6] || first_text_is_empty);
}

// Whether the first complete lines are stacks such as "main;work;read 12".
bool has_folded_stacks(std::string_view text) {
    constexpr int kLines = 5;
    int stacks = 0;
    for (int i = 0; i < kLines && !text.empty(); ++i) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        const std::size_t space = line.rfind(' ');
        if (space == std::string_view::npos || space + 1 == line.size()) continue;
        if (line.find_first_not_of("0123456789", space + 1) != std::string_view::npos) continue;
        if (line.substr(0, space).find(';') != std::string_view::npos) ++stacks;
    }
    return stacks >= 2 || (stacks == 1 && text.empty());
}

}  // namespace

Recognised recognise_foreign_json(std::string_view start) {
    const JsonProbe json(start);
    const auto has = [](std::string_view text, std::string_view word) {
        return text.find(word) != std::string_view::npos;
    };
    if (const std::string_view meta = json.value("meta");
        has(meta, "\"interval\"") && (has(meta, "\"processType\"") || has(meta, "\"stackwalk\"") ||
                                      has(meta, "\"preprocessedProfileVersion\"")))
        return {0, "a profile of the Firefox Profiler",
                "open it in profiler.firefox.com, or record with perf and print it with "
                "`perf script -F +pid,+tid,+time > X.txt`"};
    const std::string_view first = json.first_element();
    if (first.starts_with('{') && has(first.substr(0, 16), "\"count\"") &&
        has(start, "\"averageMs\""))
        return {0, "a profile of TensorRT's layers (--exportProfile)",
                "it has sums and no times; export times with --exportTimes"};
    if (has(first, "\"frame\"") && has(first, "\"metrics\""))
        return {0, "a profile of Proton (hatchet)",
                "it has sums and no times; record with proton.start(data=\"trace\")"};
    if (json.has("schema") && has(start, "\"nodes\"") && !has(start, "\"ph\""))
        return {0, "an execution trace of PyTorch (Chakra)",
                "open the trace that the profiler wrote in the same run"};
    if (has(json.value("event_type"), "compilation"))
        return {0, "a log of Triton's compilations (TRITON_TRACE)",
                "open the trace of the program that ran the kernels"};
    return {};
}

Recognised recognise_foreign(const Probe& probe) {
    const std::string_view start = probe.start;
    if (start.starts_with(kSqliteMagic)) return recognise_database(probe.sqlite_tables);
    for (const Foreign& foreign : kForeign)
        if (start.starts_with(foreign.start))
            return {0, std::string(foreign.what), std::string(foreign.advice)};
    if (is_pprof(start)) return {0, "a profile in the form of pprof", "it has sums and no times"};
    if (start.starts_with("<?xml") && start.find("<trace-") != std::string_view::npos)
        return {0, "an export of Instruments", ""};
    const bool is_text = is_mostly_text(start.substr(0, 512));
    if (start.starts_with('\n') && !is_text)
        return {0, "a protobuf file of a format not known here", ""};
    if (is_text && has_folded_stacks(start))
        return {0, "a file of folded stacks",
                "it has sums and no times; open what it was made from, such as the output of "
                "`perf script`"};
    if (is_text && start.substr(0, start.find('\n')).find("(ns),Duration (ns)") != start.npos)
        return {0, "a table of `nsys stats`",
                "export the report with `nsys export --type sqlite` and open that file"};
    if (is_text) return {0, "a text file that is not JSON", ""};
    return {0, "a binary file of a format not known here", ""};
}

}  // namespace lanescope

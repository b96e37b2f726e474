// Which format reads a file, and the messages about files that no format reads.
#include <doctest/doctest.h>

#include <string>

#include "core/ingest/foreign.h"
#include "core/ingest/format.h"

using namespace lanescope;
using namespace std::string_literals;

namespace {

// The name of the format that recognises a text; empty: none does.
std::string_view format_of(std::string_view start) {
    std::string_view found;
    for (const Format* format : formats())
        if (format->recognise({start, Compression::none}).confidence > 0) {
            CHECK(found == "");
            found = format->text().name;
        }
    return found;
}

std::string foreign(std::string_view start) {
    CHECK(format_of(start) == "");
    const Recognised known = recognise_foreign({start, Compression::none});
    CHECK(known.confidence == 0);
    return known.what;
}

}  // namespace

TEST_CASE("JSON is recognised by its first letter") {
    CHECK(format_of("{\"traceEvents\"") == "Chrome and Kineto JSON");
    CHECK(format_of(" \r\n\t[") == "Chrome and Kineto JSON");
    CHECK(format_of("\xef\xbb\xbf{") == "Chrome and Kineto JSON");
    CHECK(format_of("\"text\"") == "");
    CHECK(format_of("") == "");
    CHECK(format_of("  ") == "");
}

TEST_CASE("other formats are named") {
    CHECK(foreign("SQLite format 3\0 "s).find("SQLite") != std::string::npos);
    CHECK(foreign("NVIDIA Tegra Profiler Report 20\n"s) == "a report of Nsight Systems");
    CHECK(foreign("\x7f\x45LF\x02"s) == "a program");
    CHECK(foreign("\x1f\x8b\x08"s) == "a file compressed twice");
    CHECK(foreign("\x0a\x90\x01\x00\x00\x02\x03\x04"s).find("protobuf") != std::string::npos);
    CHECK(foreign("name,time\n1,2\n") == "a text file that is not JSON");
    CHECK(foreign("\nname,time\n") == "a text file that is not JSON");
    CHECK(foreign(std::string(64, '\x01')) == "a binary file of a format not known here");
}

TEST_CASE("a format says what to do with its files that cannot be read as they are") {
    const std::string spool = "\x89LSPOOL\n";
    int known = 0;
    for (const Format* format : formats()) {
        const Recognised recognised = format->recognise({spool, Compression::gzip});
        if (recognised.what.empty()) continue;
        CHECK(recognised.confidence == 0);
        CHECK(recognised.advice == "unpack it first");
        ++known;
    }
    CHECK(known == 1);
}

TEST_CASE("rocprofv3's text files are recognised by their beginning") {
    for (const Format* format : formats()) {
        const Probe probe = {R"({ "rocprofiler-sdk-tool": [])", Compression::none};
        const bool is_own = format->text().name == "rocprofv3 JSON";
        CHECK((format->recognise(probe).confidence == 100) == is_own);
    }
    CHECK(format_of("\xef\xbb\xbf\"Kind\",\"Queue_Id\",\"Kernel_Name\",\"Start_Timestamp\",\"End_"
                    "Timestamp\"\r\n") == "rocprofv3 CSV");
    CHECK(format_of("domain,function,process_id,correlation_id,start_timestamp,end_timestamp") ==
          "rocprofv3 CSV");
    CHECK(format_of("Kernel_Name,Start,End\n") == "");
    int named = 0;
    for (const Format* format : formats())
        if (format->recognise({"Name,Calls,TotalDurationNs\n", Compression::none}).what ==
            "a summary of rocprofv3")
            ++named;
    CHECK(named == 1);
}

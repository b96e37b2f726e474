// The tests' entry point. After doctest's own report it prints "N passed, N failed, N skipped",
// which scripts/test sums over all programs. If LANESCOPE_CASES names a file, only those cases run
// that it lists for the source file.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

#include "tests/skip.h"

namespace {

struct Tally {
    int passed = 0;
    int failed = 0;
    int skipped = 0;
    const char* name = "";  // of the running case
    bool skip_running = false;
    bool traces_missing = false;  // the running case asked for real traces in vain
};

// doctest creates the listener itself and tests call skip_test() from anywhere, so it is a global.
Tally tally;

struct Counter : doctest::IReporter {
    explicit Counter(const doctest::ContextOptions&) {}

    void test_case_start(const doctest::TestCaseData& data) override {
        tally.name = data.m_name;
        tally.skip_running = tally.traces_missing = false;
    }
    void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
        const char* result = "passed";
        if (!stats.testCaseSuccess) {
            ++tally.failed;
            result = "failed";
        } else if (tally.skip_running) {
            ++tally.skipped;
            result = "skipped";
        } else {
            ++tally.passed;
        }
        if (tally.traces_missing)
            std::cout << "REAL TRACES: " << result << ": " << tally.name << "\n";
    }

    void report_query(const doctest::QueryData&) override {}
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats&) override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}
};

REGISTER_LISTENER("counter", 1, Counter);

// A name as doctest's filters expect it.
std::string escaped(std::string_view name) {
    std::string text;
    for (const char character : name) {
        if (character == ',' || character == '\\') text += '\\';
        text += character;
    }
    return text;
}

// Selects the cases that `path` lists: lines of the ctest test's name, a tab, and the case.
// Returns their number.
int choose_cases(doctest::Context& context, const char* path, int argc, char** argv) {
    constexpr std::string_view kOption = "--source-file=*/tests/";  // as ctest passes it
    std::string_view entry;
    for (const std::string_view argument : std::span(argv, static_cast<std::size_t>(argc)))
        if (argument.starts_with(kOption)) entry = argument.substr(kOption.size());
    int chosen = 0;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const std::size_t tab = line.find('\t');
        if (tab == std::string::npos || line.substr(0, tab) != entry) continue;
        context.addFilter("test-case", escaped(line.substr(tab + 1)).c_str());
        ++chosen;
    }
    return chosen;
}

}  // namespace

void lanescope::testing::skip_test(const std::string& why) {
    tally.skip_running = true;
    std::cout << "SKIPPED: " << tally.name << ": " << why << "\n";
}

void lanescope::testing::note_missing_traces() {
    tally.traces_missing = true;
}

int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    const char* const listed = std::getenv("LANESCOPE_CASES");
    const int chosen = listed && *listed ? choose_cases(context, listed, argc, argv) : 0;
    int status = context.run();
    if (context.shouldExit()) return status;  // --list-test-cases and the like
    const int total = tally.passed + tally.failed + tally.skipped;
    if (total == 0) {
        std::cout << "No test case was selected, so nothing was tested.\n";
        tally.failed = status = 1;
    } else if (listed && *listed && total != chosen) {
        std::cout << listed << " lists " << chosen << " cases, and " << total << " ran.\n";
        tally.failed = status = 1;
    }
    std::cout << tally.passed << " passed, " << tally.failed << " failed, " << tally.skipped
              << " skipped" << std::endl;
    return status;
}

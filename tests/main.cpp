// The tests' entry point. After doctest's own report it prints "N passed, N failed, N skipped",
// which scripts/test sums over all programs.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <iostream>

#include "tests/skip.h"

namespace {

struct Tally {
    int passed = 0;
    int failed = 0;
    int skipped = 0;
    bool skip_running = false;
};

// doctest creates the listener itself and tests call skip_test() from anywhere, so it is a global.
Tally tally;

struct Counter : doctest::IReporter {
    explicit Counter(const doctest::ContextOptions&) {}

    void test_case_start(const doctest::TestCaseData&) override { tally.skip_running = false; }
    void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
        if (!stats.testCaseSuccess) {
            ++tally.failed;
        } else if (tally.skip_running) {
            ++tally.skipped;
        } else {
            ++tally.passed;
        }
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

}  // namespace

void lanescope::testing::skip_test(const std::string& why) {
    tally.skip_running = true;
    std::cout << "SKIPPED: " << doctest::getContextOptions()->currentTest->m_name << ": " << why
              << "\n";
}

int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    int status = context.run();
    if (context.shouldExit()) return status;  // --list-test-cases and the like
    const int total = tally.passed + tally.failed + tally.skipped;
    if (total == 0) {
        std::cout << "No test case was selected, so nothing was tested.\n";
        tally.failed = status = 1;
    }
    std::cout << tally.passed << " passed, " << tally.failed << " failed, " << tally.skipped
              << " skipped" << std::endl;
    return status;
}

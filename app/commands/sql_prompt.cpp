#include "app/commands/sql_prompt.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/line_editor.h"
#include "app/commands/output.h"
#include "app/commands/place_in_text.h"
#include "core/base/format.h"
#include "core/session/settings.h"
#include "core/sql/completion.h"
#include "core/sql/tokens.h"

namespace lanescope {

namespace {

constexpr std::size_t kMostRowsPrinted = 1000;
constexpr std::string_view kHelp =
    "A statement ends with a semicolon, and may have several lines.\n"
    ".tables          names of all tables\n"
    ".schema TABLE    columns of a table\n"
    ".help            this text\n"
    ".quit            leaves, as Ctrl+D does\n"
    "Tab completes names, Up and Ctrl+R find earlier lines, Ctrl+C stops a query.\n"
    "Tables, and what carries over from Perfetto: docs/sql.md\n";

// Ctrl+C sets this flag, which cancels the running query.
std::atomic<bool>* cancel_of_query = nullptr;

// While it exists, Ctrl+C stops the running query instead of the program. At the prompt, Ctrl+C is
// a key; between two lines, it has no effect.
class CancelOnInterrupt {
  public:
    explicit CancelOnInterrupt(std::atomic<bool>& cancel) {
        cancel_of_query = &cancel;
        struct sigaction action = {};
        action.sa_handler = [](int) { cancel_of_query->store(true); };
        action.sa_flags = SA_RESTART;
        sigaction(SIGINT, &action, &before_);
    }
    ~CancelOnInterrupt() { sigaction(SIGINT, &before_, nullptr); }
    CancelOnInterrupt(const CancelOnInterrupt&) = delete;
    CancelOnInterrupt& operator=(const CancelOnInterrupt&) = delete;

  private:
    struct sigaction before_ = {};
};

class SqlPrompt {
  public:
    SqlPrompt(SqlTraces& traces, const SqlPromptStyle& style, std::atomic<bool>& cancel)
        : traces_(traces),
          style_(style),
          cancel_(cancel),
          editor_(history_path(), [this](std::string_view before) { return complete(before); }) {
        read_names();
    }

    int run() {
        fmt::print("SQL over {}. A statement ends with a semicolon; .help explains more.\n",
                   fmt::join(traces_.names, ", "));
        while (true) {
            std::fflush(stdout);
            std::string line;
            const LineEnd end = editor_.read(script_.empty() ? "sql> " : "...> ", line);
            if (end == LineEnd::closed) break;
            if (end == LineEnd::interrupted) {
                script_.clear();
                continue;
            }
            if (script_.empty() && line.starts_with('.')) {
                if (!run_command(line)) return 0;
                continue;
            }
            if (script_.empty() && line.find_first_not_of(" \t") == std::string::npos) continue;
            script_ += line + '\n';
            if (is_complete_sql(script_)) run_script(std::exchange(script_, {}));
        }
        fmt::print("\n");
        return 0;
    }

  private:
    static std::string history_path() {
        const std::string folder = data_folder();
        return folder.empty() ? folder : folder + "/sql_history";
    }

    void read_names() {
        tables_ = traces_.connections.front()->table_names();
        functions_ = traces_.connections.front()->function_names();
    }

    LineCompletion complete(std::string_view before) const {
        const std::string text = script_ + std::string(before);
        const SqlCompletion found = complete_sql(text, text.size(), tables_, functions_);
        return {insertion_of(found, text.size() - found.begin), found.words};
    }

    // Returns false to leave.
    bool run_command(const std::string& line) {
        const std::string command = line.substr(0, line.find_first_of(" \t"));
        const std::size_t begin = line.find_first_not_of(" \t", command.size());
        std::string name = begin == std::string::npos ? "" : line.substr(begin);
        while (!name.empty() && (name.back() == ' ' || name.back() == ';')) name.pop_back();
        if (command == ".quit" || command == ".exit") return false;
        if (command == ".tables") {
            for (const SqlTableName& table : tables_) fmt::print("{}\n", table.name);
        } else if (command == ".schema") {
            print_columns(name);
        } else if (command == ".help") {
            fmt::print("{}", kHelp);
        } else {
            fmt::print("There is no {}: .help names the commands\n", command);
        }
        return true;
    }

    void print_columns(std::string_view name) const {
        bool found = false;
        for (const SqlTableName& table : tables_) {
            if (!name.empty() && !same_word(table.name, name)) continue;
            fmt::print("{}({})\n", table.name, fmt::join(table.columns, ", "));
            found = true;
        }
        if (!found) fmt::print("There is no table {}: .tables names all\n", name);
    }

    void run_script(const std::string& script) {
        const auto begin = std::chrono::steady_clock::now();
        cancel_ = false;
        Result<Table> table = traces_.run(script);
        const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begin;
        read_names();  // the script may have made tables
        if (!table) {
            std::fflush(stdout);
            report(with_place(script, table.error()), "");
            return;
        }
        if (table->column_count() == 0) return;
        print(std::move(*table), Nanos{took.count()});
    }

    void print(Table&& table, Nanos took) const {
        const std::size_t count = table.row_count();
        const bool all = count <= kMostRowsPrinted;
        if (!all) table.keep_first(kMostRowsPrinted);
        fmt::print("{}", write_table(table, style_.format, style_.text));
        fmt::print("{} {}{}, {}\n", format_count(static_cast<int64_t>(count)),
                   count == 1 ? "row" : "rows",
                   all ? ""
                       : fmt::format(", of which the first {} are shown",
                                     format_count(int64_t{kMostRowsPrinted})),
                   format_duration(took));
    }

    SqlTraces& traces_;
    const SqlPromptStyle& style_;
    std::atomic<bool>& cancel_;
    std::string script_;  // the lines of an unfinished statement
    std::vector<SqlTableName> tables_;
    std::vector<std::string> functions_;
    LineEditor editor_;
};

}  // namespace

int run_sql_prompt(SqlTraces& traces, const SqlPromptStyle& style, std::atomic<bool>& cancel) {
    const CancelOnInterrupt handler(cancel);
    return SqlPrompt(traces, style, cancel).run();
}

}  // namespace lanescope

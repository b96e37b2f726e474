#include "core/insight/compare/operator_origins.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/analysis/compile/compiled_programs.h"
#include "core/analysis/compile/compiled_work.h"
#include "core/analysis/compile/site_match.h"

namespace lanescope {

namespace {

using NamesOfEager = std::map<std::string_view, std::size_t>;  // common name to index in `rows_`

// Finds operators in the name of a fused kernel. Tries the longest names first, because operators
// contain "_", too.
std::vector<std::size_t> rows_in_name(std::string_view kernel, const NamesOfEager& eager) {
    std::vector<std::size_t> rows;
    std::string_view names = fused_names(kernel);
    while (!names.empty()) {
        std::size_t length = names.size();
        auto found = eager.end();
        for (; length != std::string_view::npos && length > 0;
             length = names.rfind('_', length - 1)) {
            found = eager.find(names.substr(0, length));
            if (found == eager.end()) found = eager.find(names.substr(names[0] == '_', length));
            if (found != eager.end()) break;
        }
        if (found != eager.end())
            rows.push_back(found->second);
        else
            length = names.find('_', 1);
        names.remove_prefix(length >= names.size() ? names.size() : length + 1);
    }
    return rows;
}

class OriginReader {
  public:
    OriginReader(const CompiledProfile& eager, const CompiledProfile& compiled)
        : compiled_(compiled) {
        for (const ProfiledOperator& one : eager.operators) {
            by_name_.emplace(common_name(one.name), rows_.size());
            OperatorOrigin& row = rows_.emplace_back();
            row.name = one.name;
            row.eager_calls = one.calls;
            row.eager_time = one.time;
        }
    }

    std::vector<OperatorOrigin> run() {
        for (const ProfiledOperator& one : compiled_.operators)
            if (const auto found = by_name_.find(common_name(one.name)); found != by_name_.end()) {
                rows_[found->second].left_calls += one.calls;
                rows_[found->second].left_time += one.time;
            }
        for (const ProfiledGraph& graph : compiled_.graphs)
            for (const ProfiledKernel& kernel : graph.kernels)
                if (kernel.calls > 0 || kernel.time > 0) add(kernel);
        std::erase_if(rows_, [](const OperatorOrigin& row) {
            return row.kernels.empty() && row.eager_calls == 0 && row.left_calls == 0;
        });
        std::ranges::stable_sort(rows_, [](const OperatorOrigin& one, const OperatorOrigin& two) {
            return std::pair(one.eager_time, one.kernel_time) >
                   std::pair(two.eager_time, two.kernel_time);
        });
        return std::move(rows_);
    }

  private:
    void add(const ProfiledKernel& kernel) {
        std::map<std::size_t, LinkGrade> rows;
        for (const std::string& name : kernel.operators)
            if (const auto found = by_name_.find(common_name(name)); found != by_name_.end())
                rows.emplace(found->second, kernel.grade);
        for (const std::size_t row : rows_in_name(kernel.name, by_name_))
            rows.emplace(row, LinkGrade::guess);
        if (rows.empty()) {
            const std::string name =
                kernel.operators.empty() ? kernel.name : joined(kernel.operators);
            const auto [known, is_new] = without_.try_emplace(name, rows_.size());
            if (is_new) rows_.emplace_back().name = name;
            rows.emplace(known->second, kernel.grade);
        }
        for (const auto& [at, grade] : rows) {
            OperatorOrigin& row = rows_[at];
            row.grade = row.kernels.empty() ? grade : weaker(row.grade, grade);
            if (std::ranges::find(row.kernels, kernel.name) == row.kernels.end())
                row.kernels.push_back(kernel.name);
            row.kernel_time += kernel.time;
        }
    }

    const CompiledProfile& compiled_;
    NamesOfEager by_name_;
    std::map<std::string, std::size_t> without_;
    std::vector<OperatorOrigin> rows_;
};

}  // namespace

std::vector<OperatorOrigin> operator_origins(const CompiledProfile& eager,
                                             const CompiledProfile& compiled) {
    return OriginReader(eager, compiled).run();
}

}  // namespace lanescope

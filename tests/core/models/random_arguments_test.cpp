// Runs every model with randomly damaged arguments: no crash, plausible results, and products
// beyond 64 bits are marked.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/models/operator_work.h"
#include "tests/core/models/valid_calls.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

constexpr std::array kFamilies = {matrix_rules,      convolution_rules, attention_rules,
                                  elementwise_rules, memory_rules,      norm_rules,
                                  custom_rules,      serving_rules,     sparse_rules};

// An operator's name for a rule, as in files.
std::string full_name(const Rule& rule) {
    std::string name(rule.name);
    if (name == "triton_*") return "triton_poi_fused_add_0";
    if (name.starts_with('*')) return "library" + name.substr(1);
    return name.find("::") == std::string::npos ? "aten::" + name : name;
}

const Rule* rule_of(std::string_view name) {
    for (const auto& family : kFamilies)
        for (const Rule& rule : family())
            if (full_name(rule) == name) return &rule;
    return nullptr;
}

// Numbers and texts that are unlikely but possible.
constexpr std::array<int64_t, 14> kSizes = {0,
                                            1,
                                            2,
                                            3,
                                            16,
                                            1000,
                                            INT32_MAX,
                                            int64_t{1} << 31,
                                            int64_t{1} << 32,
                                            int64_t{1} << 40,
                                            int64_t{1} << 62,
                                            INT64_MAX - 1,
                                            INT64_MAX,
                                            7};
constexpr std::array<std::string_view, 18> kValues = {"",
                                                      "0",
                                                      "-1",
                                                      "1",
                                                      "True",
                                                      "[0]",
                                                      "[-1]",
                                                      "[1, 1]",
                                                      "[3, 3]",
                                                      "[0, 0]",
                                                      "4096",
                                                      "2147483648",
                                                      "15",
                                                      "[True, False, True]",
                                                      "9223372036854775807",
                                                      "-9223372036854775808",
                                                      "[9223372036854775807, -9223372036854775808]",
                                                      "not a number"};
constexpr std::array<std::string_view, 9> kTypes = {"",       "float",    "c10::Half",
                                                    "double", "long int", "bool",
                                                    "Scalar", "nonsense", "c10::complex<float>"};
constexpr std::array<std::string_view, 5> kBatches = {
    "", "execute_context_1(4_16)_generation_0(0)",
    "execute_6_context_2(sq4sk6sqsq10sqsk16)_generation_2(sq2sk16sqsq2sqsk16)",
    "execute_context_1(9223372036854775807_9223372036854775807)_generation_0(0)",
    "execute_1_context_1(sq1sk1sqsq9223372036854775807sqsk9223372036854775807)_generation_1("
    "sq1sk1sqsq1sqsk1)"};

// A call as recorded, split so that each part can be damaged.
struct Draft {
    std::vector<Input> inputs;
    DataType hint = DataType::unknown;
    std::string_view batch;
    std::vector<Input> parent;
    Shape output;
    bool has_output = false;
};

class Damage {
  public:
    explicit Damage(unsigned seed) : random_(seed) {}

    template <typename Values>
    auto one_of(const Values& values) {
        return values[up_to(values.size() - 1)];
    }
    std::size_t up_to(std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>(0, limit)(random_);
    }

    void strike(Draft& draft) {
        if (draft.inputs.empty()) {
            draft.inputs.emplace_back();
            return;
        }
        Input& input = draft.inputs[up_to(draft.inputs.size() - 1)];
        switch (up_to(13)) {
            case 0:
            case 1:
            case 2:
                resize(input.shape);
                break;
            case 3:
                if (!input.shape.empty()) input.shape.erase(input.shape.begin());
                break;
            case 4:
                input.shape.push_back(one_of(kSizes));
                break;
            case 5:
            case 6:
                input.concrete = one_of(kValues);
                break;
            case 7:
                set_type(input);
                break;
            case 8:
                draft.inputs.pop_back();
                break;
            case 9:
                draft.inputs.push_back(input);
                break;
            case 10:
                make_list(input);
                break;
            case 11:
                input.strides = input.shape;
                resize(input.strides);
                break;
            case 12:
                std::swap(input, draft.inputs[up_to(draft.inputs.size() - 1)]);
                break;
            default:
                surroundings(draft);
        }
        // As parse_inputs() returns them.
        for (Input& each : draft.inputs)
            if (each.strides.size() != each.shape.size()) each.strides.clear();
    }

  private:
    void resize(Shape& shape) {
        if (shape.empty())
            shape.push_back(one_of(kSizes));
        else
            shape[up_to(shape.size() - 1)] = one_of(kSizes);
    }
    void set_type(Input& input) {
        input.type = one_of(kTypes);
        input.data_type = data_type_of(input.type);
    }
    void make_list(Input& input) {
        input.is_list = true;
        input.list.assign(up_to(3), input.shape);
        input.shape.clear();
        for (Shape& shape : input.list) resize(shape);
    }
    void surroundings(Draft& draft) {
        draft.hint = up_to(1) == 0 ? DataType::unknown : DataType::bf16;
        draft.batch = one_of(kBatches);
        if (up_to(1) == 0) draft.parent.clear();
        draft.output = {one_of(kSizes), one_of(kSizes), one_of(kSizes)};
        draft.has_output = up_to(1) == 0;
    }

    std::mt19937 random_;
};

Modelled ask(std::string_view name, const Draft& draft) {
    Call call(name, draft.inputs);
    call.hint = draft.hint;
    call.batch = draft.batch;
    call.parent = draft.parent;
    if (draft.has_output) call.output = &draft.output;
    return work_of(call);
}

std::string describe(const Draft& draft) {
    std::string text;
    for (const Input& input : draft.inputs)
        text += fmt::format("[{}{}] {} \"{}\"; ", fmt::join(input.shape, ", "),
                            input.is_list ? fmt::format(" list of {}", input.list.size()) : "",
                            data_type_name(input.data_type), input.concrete);
    return text;
}

// The error in a model's result; empty: none.
std::string nonsense_in(const Modelled& m) {
    if (!m) return {};
    const Work& w = m.work;
    for (const Count& bytes : {w.bytes_read, w.bytes_written})
        if (bytes.n < 0) return "bytes below 0";
    const bool known = w.flops.n != kNoValue;
    if (known && (w.flops.n < 0 || w.flops_dense.n < 0)) return "operations below 0";
    if (known && w.flops.n > w.flops_dense.n) return "more operations than without a mask";
    if (w.type == DataType::unknown) return "no type";
    if (bytes_of(w.type) == 0) return "a type of no size";
    for (const Count& count : {w.flops, w.flops_dense, w.bytes_read, w.bytes_written})
        if (count.saturated && !m.cut) return "cut, and not said so";
    if (m.cut && (w.note.empty() || w.has_floor || w.product))
        return "cut, and counted all the same";
    return {};
}

Draft draft_of(const ValidCall& valid) {
    const auto inputs = parse_inputs({valid.dims, valid.types, {}, valid.concrete});
    REQUIRE(inputs);
    Draft draft;
    draft.inputs = *inputs;
    draft.hint = valid.hint;
    draft.batch = valid.batch;
    if (!valid.parent.empty()) {
        const auto parent = parse_inputs({valid.parent, {}, {}, {}});
        REQUIRE(parent);
        draft.parent = *parent;
    }
    return draft;
}

}  // namespace

TEST_CASE("every model has valid arguments to start from") {
    std::set<WorkOf> reached;
    for (const ValidCall& valid : kValidCalls) {
        CAPTURE(valid.name);
        const Rule* const rule = rule_of(valid.name);
        REQUIRE(rule);
        const Modelled m = ask(valid.name, draft_of(valid));
        CHECK(m.why == NoModel::none);
        CHECK(nonsense_in(m).empty());
        CHECK_FALSE(m.cut);
        reached.insert(rule->work);
    }
    for (const auto& family : kFamilies)
        for (const Rule& rule : family()) {
            CAPTURE(rule.name);
            CHECK(reached.contains(rule.work));
        }
}

TEST_CASE("damaged arguments give a valid model or none") {
    Damage damage(6);
    // No model, a model, a model with cut numbers.
    std::map<WorkOf, std::array<std::size_t, 3>> outcomes;
    for (const auto& family : kFamilies) {
        for (const Rule& rule : family()) {
            const std::string name = full_name(rule);
            for (const ValidCall& valid : kValidCalls) {
                const Rule* const alike = rule_of(valid.name);
                if (alike->work != rule.work) continue;
                const Draft whole = draft_of(valid);
                for (int i = 0; i < 400; ++i) {
                    Draft draft = whole;
                    const std::size_t strikes = 1 + damage.up_to(3);
                    for (std::size_t s = 0; s < strikes; ++s) damage.strike(draft);
                    const Modelled m = ask(name, draft);
                    const std::string wrong = nonsense_in(m);
                    if (!wrong.empty()) {
                        CAPTURE(name);
                        CAPTURE(describe(draft));
                        FAIL_CHECK(wrong);
                    }
                    ++outcomes[rule.work][m ? m.cut ? 2 : 1 : 0];
                }
            }
        }
    }
    std::size_t models = 0;
    std::size_t cut = 0;
    for (const auto& [work, counts] : outcomes) {
        CHECK(counts[1] > 0);
        models += counts[1];
        cut += counts[2];
    }
    MESSAGE(outcomes.size() << " models: " << models << " times work, " << cut << " times cut");
    CHECK(cut > 1000);
}

TEST_CASE("growing sizes are cut where they exceed 64 bits, with a note") {
    std::size_t compared = 0;
    for (const ValidCall& valid : kValidCalls) {
        const Draft small = draft_of(valid);
        Draft large = small;
        for (Input& input : large.inputs) {
            for (int64_t& size : input.shape) size *= int64_t{1} << 33;
            for (Shape& shape : input.list)
                for (int64_t& size : shape) size *= int64_t{1} << 33;
        }
        const Modelled before = ask(valid.name, small);
        const Modelled after = ask(valid.name, large);
        if (!after) continue;
        CAPTURE(valid.name);
        const auto grew = [](const Count& a, const Count& b) {
            return b.saturated ? b.n == INT64_MAX : b.n >= a.n;
        };
        CHECK(grew(before.work.bytes_read, after.work.bytes_read));
        CHECK(grew(before.work.bytes_written, after.work.bytes_written));
        if (before.work.flops.n != kNoValue) CHECK(grew(before.work.flops, after.work.flops));
        compared += after.cut ? 1 : 0;
    }
    CHECK(compared > 60);
}

// The minimum work of an operator, given its arguments: floating-point operations, and bytes that
// memory must deliver and accept. Every family of operators has its table of rules.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/models/arguments.h"
#include "core/models/count.h"
#include "core/trace/schema.h"

namespace lanescope {

enum class Quality : uint8_t { exact, at_least, at_most, inferred };
std::string_view quality_name(Quality quality);

// Why there is no model.
enum class NoModel : uint8_t {
    none,          // there is a model
    no_operator,   // the operator that launched the kernel is unknown
    no_rule,       // the operator is not modelled
    no_shapes,     // the file has no shapes
    no_arguments,  // strides, padding or the like are not recorded
    no_type,       // the data type is not recorded
    hidden_list,   // a list of tensors that the file does not record
    data,          // depends on data in memory
    elsewhere,     // the operator's data are not among its arguments
    misfit,        // shapes do not match the operator
    unreadable,    // sizes are symbols, negative or not numbers
    cut,           // modelled, with numbers beyond 64 bits
    helper,        // an operator's secondary kernel; the work is assigned to its main kernels
    collective,    // see its message in the table collectives
    collective_unknown,
};
std::string_view no_model_reason(NoModel why);  // for people; empty for none
// Why parse_inputs() fails for these "Input Dims": unreadable, or they do not match the other
// texts.
NoModel why_unread(std::string_view dims);

struct Work {
    Count flops;        // useful operations; n == kNoValue: unknown
    Count flops_dense;  // including those that a causal mask or a window hides
    Count bytes_read;
    Count bytes_written;
    DataType type = DataType::unknown;  // data type whose peak applies
    Pipe pipe = Pipe::vector;
    Quality quality = Quality::exact;
    bool product = false;   // matrix product, convolution or attention: counts for MFU
    bool has_floor = true;  // false: not bound by its work
    bool backward = false;  // of a convolution: the two gradients are two kernels
    bool one_sum = false;   // bytes_read includes bytes written: only the sum is known
    std::string_view note;  // empty: nothing to say
};

struct Modelled {
    Work work;
    NoModel why = NoModel::none;
    bool cut = false;  // a number did not fit 64 bits, and stayed at the maximum

    explicit operator bool() const { return why == NoModel::none; }
};

// The arguments of an operator's call. Access to a missing argument sets `problem`.
class Call {
  public:
    Call(std::string_view operator_name, std::span<const Input> inputs)
        : name(operator_name), inputs_(inputs) {}

    std::string_view name;
    DataType hint = DataType::unknown;  // used for lists, and for files without types
    std::span<const Input> parent;      // inputs of the enclosing operator
    std::string_view batch;             // enclosing annotation that gives sequence lengths
    const Shape* output = nullptr;      // of a convolution whose strides are not recorded
    bool in_place = false;              // the name ends with _
    KernelEstimate estimate;            // of a Triton kernel, by the compiler that generated it
    NoModel problem = NoModel::none;

    std::size_t size() const { return inputs_.size(); }
    const Input& at(int i) const;  // an empty input beyond the last
    bool has(int i) const { return at(i).is_tensor(); }
    const Shape& shape(int i) const { return at(i).shape; }
    int64_t dim(int i, int64_t d);  // d < 0: from the last
    Count elements(int i) const { return product_of(shape(i)); }
    // Elements in memory: a dimension of stride 0 repeats one element.
    Count stored(int i) const;
    DataType type(int i);
    // Bytes of a tensor, 0 if there is none; for a list, of all its tensors.
    Count bytes(int i);
    Count bytes_of_list(int i);
    Count elements_of_list(int i);
    Count bytes_of_type(Count elements, DataType type);
    void need(bool fits, NoModel why = NoModel::misfit) {
        if (!fits && problem == NoModel::none) problem = why;
    }
    // A count as a size in a shape; marks the result if it was cut.
    int64_t kept(Count count);
    bool cut() const { return cut_; }
    // A plain argument as sizes, each from 0 to 2^31. Otherwise sets a problem and returns none.
    Shape sizes(int i);
    bool has_values() const;  // whether plain arguments are recorded
    bool flag(int i) const { return at(i).concrete == "True" || at(i).concrete == "true"; }

  private:
    std::span<const Input> inputs_;
    bool cut_ = false;
};

// The work of an operator that is bound by memory. `type`: of the operations.
Work memory_bound(Call& call, DataType type, Count flops, Count read, Count written);

struct Rule;
using WorkOf = Work (*)(Call& call, const Rule& rule);

// How an operator is modelled, and the indices of its arguments; -1: absent. Each function
// documents the meaning of the indices that it reads.
struct Rule {
    std::string_view name;  // "mm" of aten's; "*::gptq_gemm" of any other namespace
    WorkOf work;
    std::array<int16_t, 10> at = {};
};

std::span<const Rule> matrix_rules();
std::span<const Rule> convolution_rules();
std::span<const Rule> attention_rules();
std::span<const Rule> elementwise_rules();
std::span<const Rule> memory_rules();  // copies, reductions, indexing, pooling, optimizers
std::span<const Rule> norm_rules();    // and softmax
// Matrix products of other libraries than PyTorch, and generated kernels.
std::span<const Rule> custom_rules();
std::span<const Rule> serving_rules();  // of vLLM, SGLang, fbgemm
std::span<const Rule> sparse_rules();   // products with 2:4 sparse weights

// `name`: an operator's full name, such as "aten::mm".
bool has_rule(std::string_view name);
// Whether the rule reads `Call::parent`.
bool needs_parent(std::string_view name);
// Whether the rule reads `Call::batch`, and the names of such annotations.
bool needs_batch(std::string_view name);
bool gives_batch(std::string_view annotation);
Modelled work_of(Call& call);

}  // namespace lanescope

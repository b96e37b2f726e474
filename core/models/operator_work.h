// The least work of an operator by its arguments: floating-point operations, and bytes that memory
// must give and take. Every family of operators has its table of rules.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/models/arguments.h"
#include "core/models/count.h"
#include "core/trace/side_tables.h"

namespace lanescope {

enum class Quality : uint8_t { exact, at_least, at_most, inferred };
std::string_view quality_name(Quality quality);

// Why there is none.
enum class NoModel : uint8_t {
    none,          // there is one
    no_operator,   // nothing is known to have launched the kernel
    no_rule,       // the operator is not modelled
    no_shapes,     // the file has no shapes
    no_arguments,  // strides, padding or the like are not recorded
    no_type,       // nor the type of the numbers
    hidden_list,   // a list of tensors that the file leaves out
    data,          // depends on numbers in memory
    elsewhere,     // what it works on is not among its arguments
    misfit,        // shapes do not go with the operator
    unreadable,    // sizes are symbols, below 0 or no numbers at all
    cut,           // it has one, with numbers beyond 64 bits
    helper,        // an operator's secondary kernel; its main kernels have the work
    collective,    // its message is known: table collectives tells of it
    collective_unknown,
};
std::string_view no_model_reason(NoModel why);  // for people; empty for none
// Why parse_inputs() gives nothing for such "Input Dims": unreadable, or a misfit with the rest.
NoModel why_unread(std::string_view dims);

struct Work {
    Count flops;        // useful ones; n of kNoValue: not known
    Count flops_dense;  // with what a causal mask or a window hides
    Count bytes_read;
    Count bytes_written;
    DataType type = DataType::unknown;  // of the peak
    Pipe pipe = Pipe::vector;
    Quality quality = Quality::exact;
    bool product = false;   // matrix product, convolution or attention: counts for MFU
    bool has_floor = true;  // false: other things than work bound it
    bool backward = false;  // of a convolution: two gradients are two kernels
    bool one_sum = false;   // bytes_read has those written too: only their sum is known
    std::string_view note;  // empty: nothing to say
};

struct Modelled {
    Work work;
    NoModel why = NoModel::none;
    bool cut = false;  // something did not fit 64 bits, and stayed at the most

    explicit operator bool() const { return why == NoModel::none; }
};

// What an operator is called with. Asking for what is not there sets `problem`.
class Call {
  public:
    Call(std::string_view of, std::span<const Input> inputs) : name(of), inputs_(inputs) {}

    std::string_view name;
    DataType hint = DataType::unknown;  // for lists, and files without types
    std::span<const Input> parent;      // inputs of the operator around
    std::string_view batch;             // annotation around that tells lengths of sequences
    const Shape* output = nullptr;      // of a convolution whose strides are not recorded
    bool in_place = false;              // of a name with _ behind
    KernelEstimate estimate;            // of a Triton kernel, by the compiler that made it
    NoModel problem = NoModel::none;

    std::size_t size() const { return inputs_.size(); }
    const Input& at(int i) const;  // one without anything beyond the last
    bool has(int i) const { return at(i).is_tensor(); }
    const Shape& shape(int i) const { return at(i).shape; }
    int64_t dim(int i, int64_t d);  // d < 0: from the last
    Count elements(int i) const { return product_of(shape(i)); }
    // Elements that lie in memory: dimensions of stride 0 repeat one.
    Count stored(int i) const;
    DataType type(int i);
    // Bytes of a tensor, 0 of none; of a list of all its tensors.
    Count bytes(int i);
    Count bytes_of_list(int i);
    Count elements_of_list(int i);
    Count bytes_of_type(Count elements, DataType type);
    void need(bool fits, NoModel why = NoModel::misfit) {
        if (!fits && problem == NoModel::none) problem = why;
    }
    // A number for a shape, noting where it was cut.
    int64_t kept(Count count);
    bool cut() const { return cut_; }
    // The value of a plain argument as sizes: each from 0 to 2^31, else a problem and none.
    Shape sizes(int i);
    bool has_values() const;  // plain arguments are recorded
    bool flag(int i) const { return at(i).concrete == "True" || at(i).concrete == "true"; }

  private:
    std::span<const Input> inputs_;
    bool cut_ = false;
};

struct Rule;
using WorkOf = Work (*)(Call& call, const Rule& rule);

// How an operator is modelled, and where its arguments stand; -1: it has none. What the places
// mean is said at each function that reads them.
struct Rule {
    std::string_view name;  // "mm" of aten's; "*::gptq_gemm" of any other namespace
    WorkOf work;
    std::array<int16_t, 10> at = {};
};

std::span<const Rule> matrix_rules();
std::span<const Rule> convolution_rules();
std::span<const Rule> attention_rules();
std::span<const Rule> elementwise_rules();
std::span<const Rule> memory_rules();  // reductions, norms, indexing, pooling, optimizers
std::span<const Rule> custom_rules();  // products of other libraries than PyTorch, compiled kernels
std::span<const Rule> serving_rules();  // of vLLM, SGLang, fbgemm
std::span<const Rule> sparse_rules();   // products with 2:4 sparse weights

// Of an operator's full name: "aten::mm".
bool has_rule(std::string_view name);
// Whether `Call::parent` is looked at.
bool needs_parent(std::string_view name);
// Whether `Call::batch` is, and the names of such annotations.
bool needs_batch(std::string_view name);
bool tells_batch(std::string_view annotation);
Modelled work_of(Call& call);

}  // namespace lanescope

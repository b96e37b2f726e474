// Which work on a GPU copies a tensor to another place on the same GPU, and why.
#pragma once

#include "core/analysis/structure/operator_index.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

enum class TensorCopy : uint8_t {
    none,
    cast,     // to another type, as the recorded types say
    by_name,  // to another type, as the kernel's name or aten::_to_copy says
    // To the same type, inside an operator that makes a tensor contiguous or copies an operand.
    rearranged,
    // Like `rearranged`, but without a known operator: the kernel always rearranges where its
    // operator is known or, if it never is, by its name.
    rearranged_by_name,
    other,
};

class TensorCopies {
  public:
    explicit TensorCopies(const RuleInput& input);

    TensorCopy kind_of(const GpuWork& work) const;
    // The operator that made a rearranged copy.
    SliceRef cause_of(const GpuWork& work) const;

  private:
    TensorCopy kind_of_operator(const GpuWork& work, StringId name, SliceRef op) const;
    TensorCopy kind_of_name(StringId name) const;
    // Whether the types of source and destination differ; empty: they are not recorded.
    std::optional<bool> changes_type(SliceRef op) const;

    const RuleInput& input_;
    const Attribution& attribution_;
    const OperatorIndex& operators_;
    NameTest copies_, named_cast_, on_device_, to_copy_, rearranges_, strided_;
    // By name: the kind of its kernels with a known operator; `other`: they differ; `none`: there
    // are none. Only for kernels that copy.
    std::vector<TensorCopy> of_name_;
};

}  // namespace lanescope

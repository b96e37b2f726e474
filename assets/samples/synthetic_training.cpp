// The steps: loading, forward, loss, backward with overlapped collectives, optimizer.
#include "assets/samples/synthetic_training.h"

#include <fmt/format.h>

#include "assets/samples/synthetic_device.h"

namespace synthetic {

void Training::run() {
    const Scope script = m_.frame("train.py(1): <module>");
    const Scope loop = m_.frame("train.py(58): train");
    m_.spend(40'000);
    for (int i = 0; i < kSteps; ++i) step(i + 4);
    m_.synchronise_device();
}

void Training::step(int index) {
    const Scope step = m_.annotation(fmt::format("ProfilerStep#{}", index));
    if (index == 4) m_.overhead("Activity Buffer Request", 160'000);
    load_batch(index);
    if (index == 6) m_.overhead("Buffer Flush", 45'000);
    zero_gradients();
    {
        const Scope frame = m_.frame("train.py(31): training_step");
        forward();
        loss();
        report_loss();
        backward();
    }
    optimizer_step();
    m_.spend(20'000);
}

void Training::load_batch(int index) {
    const Scope next =
        m_.annotation("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
    const Scope frame = m_.frame("torch/utils/data/dataloader.py(733): __next__");
    // The second step waits for its batch: the host is late, and the GPU idles.
    m_.spend(index == 5 ? 1'400'000 : 90'000);
    const Allocation pinned = m_.allocate(kTokens * 8, false);
    for (const bool from_pinned : {true, false}) {
        const Scope to = m_.op(
            "aten::to", {tensor({kBatch, kLength}, "long int"), scalar("4"), scalar("False")});
        const Scope copy_to =
            m_.op("aten::_to_copy", {tensor({kBatch, kLength}, "long int"), scalar("4")});
        const Allocation batch = m_.allocate(kTokens * 8);
        const Scope copy = m_.op("aten::copy_", {tensor({kBatch, kLength}, "long int"),
                                                 tensor({kBatch, kLength}, "long int"),
                                                 scalar(from_pinned ? "True" : "False")});
        m_.copy(from_pinned ? Copy::host_to_device_pinned : Copy::host_to_device_pageable,
                kTokens * 8);
        m_.release(batch);
    }
    m_.release(pinned);
}

// `loss.item()`: the host waits for all work launched so far.
void Training::report_loss() {
    const Scope frame = m_.frame("train.py(36): log_loss");
    const Scope item = m_.op("aten::item", {tensor({}, "float")});
    const Scope dense = m_.op("aten::_local_scalar_dense", {tensor({}, "float")});
    m_.copy(Copy::device_to_host_pageable, 4);
    m_.synchronise_stream(kComputeStream);
}

void Training::backward() {
    const Scope frame = m_.frame("torch/_tensor.py(648): backward");
    const Scope engine =
        m_.frame("<built-in method run_backward of torch._C._EngineBase object at 0x7f11c0ffee00>");
    m_.spend(14'000);
    m_.switch_to(autograd_thread);
    int done = 0;
    const int count = static_cast<int>(tape_.size());
    while (!tape_.empty()) {
        run_node(tape_.back());
        tape_.pop_back();
        // Gradients are reduced in three buckets, each as soon as its part of the backward pass is
        // done.
        if (++done % (count / 3) == 0) all_reduce(2'800'000);
    }
    m_.switch_to(main_thread);
    // The optimizer may start when the last bucket has been reduced. The rest of that reduction is
    // exposed communication.
    m_.wait_for_stream(kComputeStream, kCommunicationStream);
}

void Training::run_node(const TapeEntry& entry) {
    const OperatorInfo info{entry.sequence, main_thread, ""};
    const Scope evaluate = m_.op("autograd::engine::evaluate_function: " + entry.node, {}, info);
    const Scope node = m_.op(entry.node, {}, info);
    m_.flow("fwdbwd", 'f', entry.sequence);
    entry.backward();
    if (entry.saved.bytes > 0) m_.release(entry.saved);
}

void Training::all_reduce(int64_t elements) {
    const std::string collective = fmt::format(
        R"(, "Collective name": "allreduce", "In msg nelems": {0}, "Out msg nelems": {0}, "Group size": 2, )"
        R"("dtype": "BFloat16", "In split size": "[]", "Out split size": "[]", "Process Group Name": "0", )"
        R"("Process Group Description": "default_pg", "Process Group Ranks": "[0, 1]", "Rank": 0, "Seq": {1})",
        elements, next_collective_++);
    const Scope reduce = m_.op("c10d::allreduce_", {tensor({elements}), scalar(""), scalar("0"),
                                                    scalar("True"), scalar("-1")});
    const Scope record =
        m_.op("record_param_comms", {tensor({elements}), scalar("0"), scalar("allreduce")},
              {-1, -1, collective});
    const Scope range = m_.annotation("nccl:all_reduce");
    m_.wait_for_stream(kCommunicationStream, kComputeStream);
    Kernel kernel;
    kernel.name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
    kernel.grid = {12, 1, 1};
    kernel.block = {512, 1, 1};
    kernel.registers = 96;
    kernel.shared_bytes = 82'240;
    kernel.duration = elements * kElement / 14;  // 14 GB/s over a fictitious link
    kernel.more_args = collective;
    m_.launch(kernel, kCommunicationStream);
}

void Training::zero_gradients() {
    const Scope range = m_.annotation("Optimizer.zero_grad#AdamW.zero_grad");
    for (const int64_t elements : {kWords * kWidth, kBlocks * 12 * kWidth * kWidth}) {
        const Scope zero = m_.op("aten::zero_", {tensor({elements})});
        m_.set(elements * kElement);
    }
}

void Training::optimizer_step() {
    const Scope range = m_.annotation("Optimizer.step#AdamW.step");
    const Scope frame = m_.frame("torch/optim/adamw.py(210): step");
    const Scope op = m_.op("aten::_fused_adamw_", {scalar("TensorList"), scalar("TensorList"),
                                                   scalar("0.0003"), scalar("0.9")});
    for (int part = 0; part < 3; ++part) {
        m_.launch(
            {"void at::native::(anonymous "
             "namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::"
             "FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
             "namespace)::FusedAdamMathFunctor<c10::BFloat16, 4> >",
             {320, 1, 1},
             {512, 1, 1},
             58,
             0,
             kernel_duration(0, 2'800'000 * 7 * kElement, 72),
             ""});
    }
    m_.copy(Copy::device_to_device, 3 * 2'800'000);
}

}  // namespace synthetic

// The layers of the model: the work that each launches, and that its backward node will launch.
#include <fmt/format.h>

#include <utility>

#include "assets/samples/synthetic_device.h"
#include "assets/samples/synthetic_training.h"

namespace synthetic {

namespace {

int64_t numel(const Dims& dims) {
    int64_t n = 1;
    for (const int64_t d : dims) n *= d;
    return n;
}

Dims activations() {
    return {kBatch, kLength, kWidth};
}

}  // namespace

// Starts the flow to the backward node that `remember` stores next.
int64_t Training::begin_forward_op() {
    return next_sequence_++;
}

void Training::remember(std::string node, int64_t saved_bytes, std::function<void()> backward) {
    TapeEntry entry{std::move(node), next_sequence_ - 1, {}, std::move(backward)};
    if (saved_bytes > 0) entry.saved = m_.allocate(saved_bytes);
    m_.flow("fwdbwd", 's', entry.sequence);
    tape_.push_back(std::move(entry));
}

void Training::gemm(std::string name, int64_t m, int64_t n, int64_t k) {
    Kernel kernel;
    kernel.name = std::move(name);
    kernel.grid = {static_cast<int>((m + 127) / 128), static_cast<int>((n + 127) / 128), 1};
    kernel.block = {256, 1, 1};
    kernel.registers = 168;
    kernel.shared_bytes = 81'920;  // more than the default limit: Kineto writes 0 % for it
    kernel.duration = kernel_duration(2 * m * n * k, kElement * (m * k + k * n + m * n), 62);
    m_.launch(kernel);
}

void Training::elementwise(const std::string& op, const std::string& functor, const Dims& dims,
                           int inputs) {
    const Scope scope =
        m_.op(op, std::vector<Input>(static_cast<std::size_t>(inputs), tensor(dims)));
    Kernel kernel;
    kernel.name = fmt::format(
        "void at::native::vectorized_elementwise_kernel<4, at::native::{}, std::array<char*, {}ul> "
        ">(int, "
        "at::native::{}, std::array<char*, {}ul>)",
        functor, inputs + 1, functor, inputs + 1);
    kernel.grid = {static_cast<int>((numel(dims) + 511) / 512), 1, 1};
    kernel.registers = 28;
    kernel.duration = kernel_duration(numel(dims), (inputs + 1) * kElement * numel(dims), 78);
    m_.launch(kernel);
}

void Training::forward() {
    const Scope model = m_.module("TinyTransformer_0", 0);
    const Scope frame = m_.frame("model.py(74): forward");
    embedding();
    for (int i = 0; i < kBlocks; ++i) block(i);
    layer_norm("LayerNorm_4", 30);
    linear("Linear_8", 31, kWidth, kWords);
}

void Training::embedding() {
    const Scope module = m_.module("Embedding_0", 1);
    const OperatorInfo info{begin_forward_op(), -1, ""};
    const Scope op = m_.op("aten::embedding",
                           {tensor({kWords, kWidth}), tensor({kBatch, kLength}, "long int"),
                            scalar("-1"), scalar("False"), scalar("False")},
                           info);
    remember("EmbeddingBackward0", kTokens * kWidth * kElement, [this] {
        const Scope grad = m_.op("aten::embedding_dense_backward",
                                 {tensor(activations()), tensor({kBatch, kLength}, "long int"),
                                  scalar("4096"), scalar("-1"), scalar("False")});
        m_.set(kWords * kWidth * kElement);
        Kernel kernel;
        kernel.name =
            "void at::native::(anonymous "
            "namespace)::embedding_backward_feature_kernel<c10::BFloat16, float, long>"
            "(long const*, c10::BFloat16 const*, c10::BFloat16*, int, long, int)";
        kernel.grid = {16, 1, 1};
        kernel.block = {32, 32, 1};
        kernel.registers = 40;
        kernel.shared_bytes = 12'288;
        kernel.duration = 42'000;
        m_.launch(kernel);
    });
    const Scope select = m_.op("aten::index_select", {tensor({kWords, kWidth}), scalar("0"),
                                                      tensor({kTokens}, "long int")});
    Kernel kernel;
    kernel.name =
        "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, "
        "unsigned int, 2, 2, -2, true>"
        "(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>, unsigned int, long)";
    kernel.grid = {320, 1, 1};
    kernel.duration = kernel_duration(0, 2 * kTokens * kWidth * kElement, 55);
    m_.launch(kernel);
}

void Training::block(int index) {
    const Scope module = m_.module(fmt::format("Block_{}", index), 2 + 14 * index);
    const Scope frame = m_.frame("model.py(52): forward");
    layer_norm(fmt::format("LayerNorm_{}", 2 * index), 3 + 14 * index);
    attention(index);
    elementwise("aten::add", "CUDAFunctor_add<c10::BFloat16>", activations(), 2);
    layer_norm(fmt::format("LayerNorm_{}", 2 * index + 1), 9 + 14 * index);
    mlp(index);
    elementwise("aten::add", "CUDAFunctor_add<c10::BFloat16>", activations(), 2);
}

void Training::layer_norm(const std::string& name, int module_id) {
    const Scope module = m_.module(name, module_id);
    const Scope outer = m_.op("aten::layer_norm",
                              {tensor(activations()), scalar("[512]"), tensor({kWidth}),
                               tensor({kWidth}), scalar("1.0000000000000001e-05"), scalar("True")});
    const OperatorInfo info{begin_forward_op(), -1, ""};
    const Scope op = m_.op("aten::native_layer_norm",
                           {tensor(activations()), scalar("[512]"), tensor({kWidth}),
                            tensor({kWidth}), scalar("1.0000000000000001e-05")},
                           info);
    const int64_t bytes = kTokens * kWidth * kElement;
    remember("NativeLayerNormBackward0", bytes, [this] {
        const Scope grad = m_.op("aten::native_layer_norm_backward",
                                 {tensor(activations()), tensor(activations()), scalar("[512]"),
                                  tensor({kTokens, 1}, "float")});
        m_.launch(
            {"void at::native::(anonymous "
             "namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float, false>"
             "(c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, "
             "c10::BFloat16 const*, c10::BFloat16*, int)",
             {static_cast<int>(kTokens), 1, 1},
             {512, 1, 1},
             36,
             64,
             kernel_duration(0, 3 * bytes, 60),
             ""});
        m_.launch(
            {"void at::native::(anonymous "
             "namespace)::GammaBetaBackwardCUDAKernelTemplate<c10::BFloat16, float, 64u, 32u, "
             "false>"
             "(long, long, c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*)",
             {8, 1, 1},
             {32, 16, 1},
             48,
             4'224,
             kernel_duration(0, 2 * bytes, 18),
             ""});
    });
    m_.launch(
        {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, "
         "float, false>"
         "(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, "
         "float*, c10::BFloat16*)",
         {static_cast<int>(kTokens), 1, 1},
         {32, 4, 1},
         32,
         24,
         kernel_duration(0, 2 * bytes, 66),
         ""});
}

void Training::linear(const std::string& name, int module_id, int64_t inputs, int64_t outputs) {
    const Scope module = m_.module(name, module_id);
    const Scope frame = m_.frame("torch/nn/modules/linear.py(130): forward");
    const Dims in = {kBatch, kLength, inputs};
    const Scope op =
        m_.op("aten::linear", {tensor(in), tensor({outputs, inputs}), tensor({outputs})});
    {
        const Scope t = m_.op("aten::t", {tensor({outputs, inputs})});
        const Scope transpose =
            m_.op("aten::transpose", {tensor({outputs, inputs}), scalar("0"), scalar("1")});
        const Scope strided =
            m_.op("aten::as_strided",
                  {tensor({outputs, inputs}), scalar(fmt::format("[{}, {}]", inputs, outputs)),
                   scalar(fmt::format("[1, {}]", inputs)), scalar("")});
    }
    const OperatorInfo info{begin_forward_op(), -1, ""};
    const Scope addmm = m_.op("aten::addmm",
                              {tensor({outputs}), tensor({kTokens, inputs}),
                               tensor({inputs, outputs}), scalar("1"), scalar("1")},
                              info);
    remember("AddmmBackward0", kTokens * outputs * kElement, [this, inputs, outputs] {
        for (const bool of_weight : {false, true}) {
            const Dims a = of_weight ? Dims{outputs, kTokens} : Dims{kTokens, outputs};
            const Dims b = of_weight ? Dims{kTokens, inputs} : Dims{outputs, inputs};
            const Scope mm = m_.op("aten::mm", {tensor(a), tensor(b)});
            gemm(of_weight ? "synthetic_gemm_bf16_128x128x32_nt"
                           : "synthetic_gemm_bf16_128x128x32_nn",
                 a[0], b[1], a[1]);
        }
        const Scope sum = m_.op(
            "aten::sum", {tensor({kTokens, outputs}), scalar("[0]"), scalar("True"), scalar("")});
        m_.launch(
            {"void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, "
             "at::native::func_wrapper_t<c10::BFloat16, "
             "at::native::sum_functor<c10::BFloat16, float, c10::BFloat16> >, unsigned int, "
             "c10::BFloat16, 4, 4> >",
             {static_cast<int>((outputs + 127) / 128), 8, 1},
             {32, 4, 1},
             40,
             2'064,
             kernel_duration(0, kTokens * outputs * kElement, 40),
             ""});
    });
    gemm("synthetic_gemm_bf16_128x128x32_tn_bias", kTokens, outputs, inputs);
}

void Training::attention(int index) {
    const Scope module = m_.module(fmt::format("SelfAttention_{}", index), 4 + 14 * index);
    const Scope frame = m_.frame("model.py(23): forward");
    linear(fmt::format("Linear_{}", 4 * index), 5 + 14 * index, kWidth, 3 * kWidth);
    {
        const Dims heads = {kBatch, kHeads, kLength, kWidth / kHeads};
        const std::vector<Input> inputs = {tensor(heads), tensor(heads), tensor(heads),
                                           scalar(""),    scalar("0."),  scalar("True")};
        const Scope outer = m_.op("aten::scaled_dot_product_attention", inputs);
        const OperatorInfo info{begin_forward_op(), -1, ""};
        const Scope op = m_.op("aten::_scaled_dot_product_flash_attention", inputs, info);
        const int64_t flop = 4 * kBatch * kHeads * kLength * kLength * (kWidth / kHeads);
        const int64_t bytes = 4 * kTokens * kWidth * kElement;
        remember("ScaledDotProductFlashAttentionBackward0", bytes, [this, inputs] {
            const Scope grad = m_.op("aten::_scaled_dot_product_flash_attention_backward", inputs);
            m_.launch(
                {"void synthetic_flash_backward_kernel<64, 64, 128, true>(synthetic_flash_params)",
                 {4, static_cast<int>(kBatch), static_cast<int>(kHeads)},
                 {256, 1, 1},
                 255,
                 131'072,
                 kernel_duration(5 * flop / 2, 2 * bytes, 34),
                 ""});
        });
        m_.launch({"void synthetic_flash_forward_kernel<64, 128, 64, true>(synthetic_flash_params)",
                   {2, static_cast<int>(kBatch), static_cast<int>(kHeads)},
                   {128, 1, 1},
                   239,
                   73'728,
                   kernel_duration(flop, bytes, 41),
                   ""});
    }
    linear(fmt::format("Linear_{}", 4 * index + 1), 6 + 14 * index, kWidth, kWidth);
}

void Training::mlp(int index) {
    const Scope module = m_.module(fmt::format("MLP_{}", index), 10 + 14 * index);
    const Scope frame = m_.frame("model.py(38): forward");
    linear(fmt::format("Linear_{}", 4 * index + 2), 11 + 14 * index, kWidth, kInner);
    {
        const Scope gelu_module = m_.module(fmt::format("GELU_{}", index), 12 + 14 * index);
        const Dims dims = {kBatch, kLength, kInner};
        const OperatorInfo info{begin_forward_op(), -1, ""};
        const Scope gelu = m_.op("aten::gelu", {tensor(dims), scalar("none")}, info);
        remember("GeluBackward0", kTokens * kInner * kElement, [this, dims] {
            elementwise("aten::gelu_backward", "GeluBackwardCUDAKernelImpl", dims, 2);
        });
        m_.launch({"triton_poi_fused_gelu_0",
                   {static_cast<int>(numel(dims) / 1024), 1, 1},
                   {128, 1, 1},
                   30,
                   0,
                   kernel_duration(8 * numel(dims), 2 * kElement * numel(dims), 80),
                   ""});
    }
    linear(fmt::format("Linear_{}", 4 * index + 3), 13 + 14 * index, kInner, kWidth);
}

void Training::loss() {
    const Scope frame = m_.frame("torch/nn/functional.py(3410): cross_entropy");
    const Scope op =
        m_.op("aten::cross_entropy_loss", {tensor({kTokens, kWords}), tensor({kTokens}, "long int"),
                                           scalar(""), scalar("1"), scalar("-100"), scalar("0.")});
    const OperatorInfo info{begin_forward_op(), -1, ""};
    const Scope softmax = m_.op("aten::_log_softmax",
                                {tensor({kTokens, kWords}), scalar("1"), scalar("False")}, info);
    const int64_t bytes = kTokens * kWords * kElement;
    remember("LogSoftmaxBackward0", bytes, [this] {
        const Scope grad =
            m_.op("aten::_log_softmax_backward_data",
                  {tensor({kTokens, kWords}), tensor({kTokens, kWords}), scalar("1")});
        m_.launch(
            {"void at::native::(anonymous namespace)::cunn_SoftMaxBackward<8, c10::BFloat16, "
             "float, c10::BFloat16>",
             {static_cast<int>(kTokens), 1, 1},
             {1024, 1, 1},
             31,
             4'096,
             kernel_duration(0, 3 * bytes, 70),
             ""});
    });
    m_.launch(
        {"void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, "
         "c10::BFloat16>",
         {static_cast<int>(kTokens), 1, 1},
         {1024, 1, 1},
         32,
         4'096,
         kernel_duration(0, 2 * bytes, 70),
         ""});
}

}  // namespace synthetic

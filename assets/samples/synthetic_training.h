// Simulates the training of a small transformer with data-parallel gradients. Each forward operator
// stores the work of its backward node; the backward pass executes it from the last to the first.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "assets/samples/synthetic_machine.h"

namespace synthetic {

// The model: tokens in a batch, width, heads, width of the MLP, vocabulary. All in bfloat16.
inline constexpr int64_t kBatch = 4;
inline constexpr int64_t kLength = 256;
inline constexpr int64_t kTokens = kBatch * kLength;
inline constexpr int64_t kWidth = 512;
inline constexpr int64_t kHeads = 8;
inline constexpr int64_t kInner = 2048;
inline constexpr int64_t kWords = 4096;
inline constexpr int64_t kElement = 2;  // bytes
inline constexpr int kBlocks = 2;

// The work of the backward pass for one forward operator.
struct TapeEntry {
    std::string node;  // "AddmmBackward0"
    int64_t sequence = 0;
    Allocation saved;  // freed when the node has run; no bytes: nothing saved
    std::function<void()> backward;
};

class Training {
  public:
    explicit Training(Machine& machine) : m_(machine) {}
    void run();

  private:
    void step(int index);
    void load_batch(int index);
    void forward();
    void block(int index);
    void attention(int index);
    void mlp(int index);
    void loss();
    void report_loss();
    void backward();
    void run_node(const TapeEntry& entry);
    void all_reduce(int64_t elements);
    void optimizer_step();
    void zero_gradients();

    void embedding();
    void layer_norm(const std::string& name, int module_id);
    void linear(const std::string& name, int module_id, int64_t inputs, int64_t outputs);
    void gemm(std::string name, int64_t m, int64_t n, int64_t k);
    void elementwise(const std::string& op, const std::string& functor, const Dims& dims,
                     int inputs);
    void remember(std::string node, int64_t saved_bytes, std::function<void()> backward);
    int64_t begin_forward_op();

    Machine& m_;
    std::vector<TapeEntry> tape_;
    int64_t next_sequence_ = 101;
    int64_t next_collective_ = 1;
};

}  // namespace synthetic

// Writes the synthetic sample, a GPU training run that never happened, as Kineto JSON to standard
// output:
//   make_synthetic_step | gzip -9n > assets/samples/synthetic_step.json.gz
#include <cstdio>
#include <string>

#include "assets/samples/synthetic_training.h"

int main() {
    synthetic::Machine machine;
    synthetic::Training(machine).run();
    const std::string text = machine.json();
    const bool written =
        std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!written) std::fputs("make_synthetic_step: cannot write\n", stderr);
    return written ? 0 : 1;
}

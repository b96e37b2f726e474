// A program with ranges of NVTX's C++ interface, for the tests of `lanescope record`.
#include <nvtx3/nvtx3.hpp>
#include <thread>
#include <vector>

struct library_domain {
    static constexpr char const* name = "library";
};

static void work(int n) {
    NVTX3_FUNC_RANGE();
    nvtx3::scoped_range_in<library_domain> range{"inside", nvtx3::payload{n},
                                                 nvtx3::rgb{255, 128, 0}};
}

int main() {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([] {
            for (int i = 0; i < 1000; ++i) work(i);
        });
    for (std::thread& thread : threads) thread.join();
    nvtx3::mark("done");
}

#include "core/trace/python_frames.h"

#include <doctest/doctest.h>

using lanescope::is_own_python_frame;

// Names as PyTorch's profiler writes them, of real traces.
TEST_CASE("frames of the user's program are distinguished from frames of libraries") {
    for (const char* own :
         {"train.py(58): train", "<module>.py(1): f", "mymodel/layers.py(12): forward",
          "/home/me/vllm/v1/engine/core.py(1105): process_output_sockets",
          "C:\\work\\train.py(3): main", "torchbench.py(7): run"}) {
        CAPTURE(own);
        CHECK(is_own_python_frame(own) == (own[0] != '<'));
    }
    for (const char* other :
         {"torch/nn/modules/module.py(1501): _call_impl",
          "torch\\nn\\modules\\linear.py(9): forward", "threading.py(982): run",
          "inspect.py(3000): bind", "PIL/Image.py(1): open",
          "<built-in method matmul of type object at 0x7>", "<frozen os>(674): __getitem__",
          "<string>(1): <module>", "nn.Module: Linear_0", "", "(3): f",
          "/usr/lib/python3.11/contextlib.py(137): __enter__",
          "/opt/venv/lib/python3.12/site-packages/foo/bar.py(4): f",
          "C:\\py\\Lib\\site-packages\\foo.py(4): f",
          "/tmp/torchinductor_root/ob/cobh.py(132): call"}) {
        CAPTURE(other);
        CHECK(!is_own_python_frame(other));
    }
}

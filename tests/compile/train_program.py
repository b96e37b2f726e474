#!/usr/bin/env python3
"""A program with compiled code that reports what it did: train_program.py MODE FOLDER, where MODE is compiled or eager.

Writes FOLDER/trace.json with PyTorch's profiler, and FOLDER/facts.json with the program's own counts and PyTorch's counters. The environment
sets the folders of logs and caches. The test finds lines by their marks ("#: NAME")."""
import json
import pathlib
import re
import sys

import torch

MODE, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
CALLS = {}


@torch.library.custom_op("lanescope::scaled", mutates_args=())
def scaled(x: torch.Tensor, factor: float) -> torch.Tensor:
    return x * factor


@scaled.register_fake
def _(x, factor):
    return torch.empty_like(x)


def loss_of(weight, bias, x):
    h = x @ weight  #: product
    h = torch.tanh(h + bias)  #: activation
    return (h * h).mean()  #: loss


def with_breaks(x):
    y = torch.sin(x) + 1  #: before
    print("a break", file=sys.stderr)  #: break
    return torch.cos(y) * 2  #: after


def with_custom_op(x):
    y = torch.relu(x) + 1  #: relu
    return scaled(y, 2.0) - 3  #: custom


def compiled(function):
    run = torch.compile(function) if MODE == "compiled" else function

    def call(*arguments):
        CALLS[function.__name__] = CALLS.get(function.__name__, 0) + 1
        return run(*arguments)

    return call


def marked_lines():
    found = {}
    for number, line in enumerate(pathlib.Path(__file__).read_text().splitlines(), 1):
        if mark := re.search(r"  #: (\w+)$", line):
            found[mark[1]] = number
    return found


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    weight, bias = torch.randn(64, 64, requires_grad=True), torch.randn(64, requires_grad=True)
    train, breaks, custom = compiled(loss_of), compiled(with_breaks), compiled(with_custom_op)

    def step(batch):
        train(weight, bias, torch.randn(batch, 64)).backward()
        with torch.no_grad():
            for parameter in (weight, bias):
                parameter -= 0.1 * parameter.grad
                parameter.grad = None
            breaks(torch.randn(16, 16))
            custom(torch.randn(16, 16))

    # Compiles a static graph first, then one for any batch size.
    for batch in (8, 16, 24):
        step(batch)
    CALLS.clear()
    batches = [8, 16, 24, 32, 40, 8]
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        for batch in batches:
            step(batch)
            profile.step()
    profile.export_chrome_trace(str(FOLDER / "trace.json"))
    facts = {"lines": marked_lines(), "calls": CALLS, "batches": batches, "torch": torch.__version__}
    if MODE == "compiled":
        from torch._dynamo.utils import counters, get_compilation_metrics
        facts["breaks"] = sum(counters["graph_break"].values())
        facts["graphs"] = counters["stats"]["unique_graphs"]
        facts["compiles"] = [{"function": one.co_name, "line": one.co_firstlineno, "guards": one.guard_count, "id": one.compile_id}
                             for one in get_compilation_metrics() if one.co_name]
    (FOLDER / "facts.json").write_text(json.dumps(facts))


if __name__ == "__main__":
    main()

"""A small model that profiles 8 steps of its training on the CPU: small_model.py OUT [compiled] [slower]. With `compiled`,
it is compiled by torch.compile; with `slower`, one of its layers is eight times as wide."""
import contextlib
import os
import sys

import torch

with contextlib.suppress(OSError):  # only root may; other programs disturb the run less then
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))

torch.set_num_threads(1)
torch.manual_seed(0)


class Block(torch.nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.up = torch.nn.Linear(width, inner)
        self.down = torch.nn.Linear(inner, width)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


out, words = sys.argv[1], sys.argv[2:]
model = torch.nn.Sequential(Block(64, 256), Block(64, 2048 if "slower" in words else 256), torch.nn.Linear(64, 8))
forward = torch.compile(model) if "compiled" in words else model
optimizer = torch.optim.SGD(model.parameters(), 0.01)
batch = torch.randn(64, 64)


def step():
    optimizer.zero_grad()
    forward(batch).square().mean().backward()
    optimizer.step()


for _ in range(30):
    step()
schedule = torch.profiler.schedule(wait=0, warmup=2, active=8)
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True, schedule=schedule,
                            on_trace_ready=lambda profiler: profiler.export_chrome_trace(out)) as profiler:
    for _ in range(10):
        step()
        profiler.step()

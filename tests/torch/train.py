"""A small training loop: train.py SECONDS [profiled]. With `profiled`, it first profiles itself for three seconds."""
import sys
import time

import torch

torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(128, 128), torch.nn.ReLU(), torch.nn.Linear(128, 8))
optimizer = torch.optim.SGD(model.parameters(), 0.01)
end = time.monotonic() + float(sys.argv[1])


def train(until):
    while time.monotonic() < until:
        optimizer.zero_grad()
        model(torch.randn(32, 128)).sum().backward()
        optimizer.step()
        time.sleep(0.005)


if "profiled" in sys.argv:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        print("profiling", flush=True)
        train(time.monotonic() + 3)
print("training", flush=True)
train(end)

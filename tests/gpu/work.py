"""A PyTorch program that uses GPUs, for gpu_test.py: work.py MODE [--profile FILE] [--device DEVICE].

MODE is `layers`, `many` (100,000 kernels), `graph` (a CUDA graph, replayed) or `streams` (three on each device). Prints the
seconds that the work took, without its warm-up. --profile records all of it with torch.profiler. Every run does the same
work."""
import argparse
import contextlib
import time

import torch


def synchronize(device):
    if device == "cuda":
        for index in range(torch.cuda.device_count()):
            torch.cuda.synchronize(index)


def layers(device, times=200):
    x = torch.ones(2048, 2048, device=device)
    w = torch.ones(2048, 2048, device=device)
    for _ in range(times):
        x = torch.relu(x @ w).mul_(1 / 2048)
    x.cpu()


def many(device, times=100_000):
    x = torch.zeros(1024, device=device)
    for _ in range(times):
        x.add_(1)


def graph(device, times=50):
    x = torch.zeros(1024, device=device)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        for _ in range(10):
            x.add_(1)
    for _ in range(times):
        captured.replay()


def streams(device, times=100):
    for index in range(torch.cuda.device_count()):
        with torch.cuda.device(index):
            for stream in [torch.cuda.Stream() for _ in range(3)]:
                with torch.cuda.stream(stream):
                    x = torch.zeros(1024, device=device)
                    for _ in range(times):
                        x.add_(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=["layers", "many", "graph", "streams"])
    parser.add_argument("--profile")
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    profiler = contextlib.nullcontext()
    if options.profile:
        profiler = torch.profiler.profile()
    with profiler:
        layers(options.device, 3)
        synchronize(options.device)
        begin = time.perf_counter()
        globals()[options.mode](options.device)
        synchronize(options.device)
        print(time.perf_counter() - begin)
    if options.profile:
        profiler.export_chrome_trace(options.profile)


main()

"""Recording PyTorch code with torch.profiler, for Lanescope."""

import os as _os


class profile:
    """What lanescope.profile() returns: a recording of the `with` block."""

    def __init__(self, path, active=None, wait=0, warmup=None, shapes=True, stacks=True, memory=True, quiet=False):
        self.path = _os.fspath(path)
        if not self.path.endswith((".json", ".json.gz")):
            raise ValueError(f"{self.path}: the name of a trace ends with .json or .json.gz")
        if _os.path.exists(self.path):
            raise FileExistsError(f"{self.path} exists: choose another name")
        if active is not None and active < 1:
            raise ValueError("active is the number of recorded steps, at least 1")
        self._active = active
        self._wait = wait
        self._warmup = warmup if warmup is not None else (1 if active is not None else 0)
        # With stacks, torch.profiler also records the calls of modules. Its with_modules is about TorchScript.
        self._switches = {"record_shapes": shapes, "profile_memory": memory, "with_stack": stacks}
        self._quiet = quiet
        self._profiler = None
        self._steps = 0
        self._written = False

    def _write(self, profiler):
        if not self._written:
            profiler.export_chrome_trace(self.path)
            self._written = True

    def __enter__(self):
        from torch.profiler import ProfilerActivity, profile as torch_profile, schedule, supported_activities

        steps = None
        if self._active is not None:
            steps = schedule(wait=self._wait, warmup=self._warmup, active=self._active, repeat=1)
        activities = supported_activities() & {ProfilerActivity.CPU, ProfilerActivity.CUDA}
        self._profiler = torch_profile(activities=activities, schedule=steps, on_trace_ready=self._write,
                                       **self._switches)
        self._profiler.__enter__()
        return self

    def step(self):
        """Ends a step."""
        self._steps += 1
        self._profiler.step()

    def __exit__(self, *exception):
        result = self._profiler.__exit__(*exception)
        self._profiler = None
        if exception[0] is None and not self._written:
            raise RuntimeError(f"Nothing was recorded: step() was called {self._steps} times, and recording begins after "
                               f"{self._wait + self._warmup} steps (wait {self._wait}, warmup {self._warmup}). Call "
                               "step() at the end of each step.")
        if exception[0] is None and not self._quiet:
            with self.trace() as trace:
                print(trace.summary())
        return result

    def trace(self):
        """Opens the recorded trace."""
        import lanescope

        return lanescope.open(self.path)

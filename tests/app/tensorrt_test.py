#!/usr/bin/env python3
"""Times that trtexec exports: spans of inferences equal those of the file."""
import json

from program import error_of, json_of, lanescope, run_all, scratch, text_of

NEW = ("startH2dMs", "endH2dMs", "startD2hMs", "endD2hMs")
OLD = ("startInMs", "endInMs", "startOutMs", "endOutMs")


def inference(at, names=NEW):
    """One object, as trtexec prints it: six digits."""
    times = [f"{at + offset:.6g}" for offset in (0, 0.125, 0.25, 0.5, 1.5, 1.75)]
    return ("{ " + f'"startEnqMs" : {times[0]}, "endEnqMs" : {times[1]}, "{names[0]}" : {times[0]}, "{names[1]}" : {times[2]}, '
            f'"startComputeMs" : {times[2]}, "endComputeMs" : {times[4]}, "{names[2]}" : {times[4]}, "{names[3]}" : {times[5]}, '
            '"computeMs" : 1.25, "latencyMs" : 1.75 }')


def written(folder, objects, name="times.json"):
    with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
        file.write("[\n  " + "\n, ".join(objects) + "\n]\n")
    return f"{folder}/{name}"


def test_spans_and_launches():
    for names in (NEW, OLD):
        with scratch() as folder:
            objects = [inference(at, names) for at in (0, 2, 4.5, 1234.25)]
            path = written(folder, objects)
            rows = json_of("sql", path, "SELECT name, ts, dur FROM slice ORDER BY ts")
            wanted = []
            for item in map(json.loads, objects):
                for name, start, end in (("enqueue", "startEnqMs", "endEnqMs"), ("Memcpy HtoD (Host -> Device)", names[0], names[1]),
                                         ("inference", "startComputeMs", "endComputeMs"), ("Memcpy DtoH (Device -> Host)", names[2], names[3])):
                    wanted.append((name, round(item[start] * 10**6), round((item[end] - item[start]) * 10**6)))
            assert sorted((row["name"], row["ts"], row["dur"]) for row in rows) == sorted(wanted), rows
            facts = json_of("info", path)
            assert facts["format"] == "tensorrt-times" and facts["gpu_activities_with_launch"] == 4, facts
            assert {warning["code"] for warning in facts["warnings"]} == {"untried_writer", "whole_inferences"}
            kernel, = [row for row in json_of("table", "kernels", path) if row["name"] == "inference"]
            assert kernel["calls"] == 4, kernel
            assert len(json_of("find", path, "args:latencyMs=1.75")) == 16
            text_of("summary", path)


def test_damaged_files():
    with scratch() as folder:
        path = written(folder, [inference(0), '{"startComputeMs": "x", "endComputeMs": 3}', "7", '{"startComputeMs": 5, "endComputeMs": 4}', inference(9)])
        counts = {warning["code"]: warning["count"] for warning in json_of("info", path)["warnings"]}
        assert counts["unreadable_time"] == 8, counts
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for cut in range(20, len(text), 7):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text[:cut])
            assert lanescope("info", path).returncode in (0, 1), cut


def test_sums_of_layers_are_refused():
    with scratch() as folder:
        path = written(folder, ['{ "count" : 100 }', '{ "name" : "conv1", "timeMs" : 3.5, "averageMs" : 0.035, "percentage" : 100 }'])
        assert "--exportTimes" in error_of("info", path, status=1)


if __name__ == "__main__":
    run_all(globals())

#!/usr/bin/env python3
"""The command line reads Spall's binary traces like all other formats."""

import json
import struct

from program import json_of, run_all, scratch, text_of


def spall_file(path):
    """Writes a trace with two nested calls of one thread, in microseconds."""

    def begin(when, name, arguments=b""):
        return struct.pack("<BBIIdBB", 3, 0, 7, 9, when, len(name), len(arguments)) + name + arguments

    def end(when):
        return struct.pack("<BIId", 4, 7, 9, when)

    with open(path, "wb") as file:
        file.write(struct.pack("<QQdQ", 0x0BADF00D, 1, 1.0, 0))
        file.write(begin(10.5, b"outer", b"size=3") + begin(11, b"inner") + end(12.25) + end(14.5))


def test_info_names_the_format_and_counts_events():
    with scratch() as folder:
        spall_file(f"{folder}/run.spall")
        facts = json_of("info", f"{folder}/run.spall")
        assert facts["format"] == "spall", facts
        assert facts["events"] == 4, facts


def test_a_conversion_to_chrome_json_keeps_calls_and_arguments():
    with scratch() as folder:
        spall_file(f"{folder}/run.spall")
        text_of("convert", f"{folder}/run.spall", "-o", f"{folder}/run.json")
        with open(f"{folder}/run.json", encoding="utf-8") as file:
            events = {e["name"]: e for e in json.load(file)["traceEvents"] if e.get("ph") == "X"}
        assert (events["outer"]["ts"], events["outer"]["dur"]) == (10.5, 4), events
        assert (events["inner"]["ts"], events["inner"]["dur"]) == (11, 1.25), events
        assert events["outer"]["args"]["args"] == "size=3", events


if __name__ == "__main__":
    run_all(globals())

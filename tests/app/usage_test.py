#!/usr/bin/env python3
"""Wrong usage, missing and unreadable files, help, and how the command line starts the viewer."""
import os
import shutil
import stat
import subprocess

from program import BIN, SAMPLES, ROOT, error_of, lanescope, run_all, scratch, text_of

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
COMMANDS = [[], ["summary"], ["compare"], ["info"], ["flame"], ["sql"], ["table"], ["table", "lanes"], ["columns"], ["formats"], ["screenshot"], ["doctor"], ["fleet"]]


def test_help_has_an_example_and_goes_to_stdout():
    for command in COMMANDS:
        text = text_of(*command, "--help")
        assert "Example" in text and "  lanescope " in text, command


def test_version_is_the_projects():
    cmake = (ROOT / "CMakeLists.txt").read_text()
    version = cmake.split("project(lanescope VERSION ")[1].split()[0]
    lines = text_of("--version").splitlines()
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    expected = f"commit {commit.stdout.strip()}" if commit.returncode == 0 else "of an unknown commit"
    assert lines[0].startswith(f"lanescope {version}, "), lines
    if "unknown" not in lines[0]:
        assert expected in lines[0], (lines, expected)
    assert any(line.startswith(("built in: ", "not built in: ")) for line in lines), lines
    assert lines[-1].startswith("compiler: "), lines


def test_help_is_a_command_too():
    assert text_of("help") == text_of("--help")
    for command in COMMANDS[1:] + [["record"], ["table", "traces"]]:
        assert text_of("help", *command) == text_of(*command, "--help"), command
    assert "lanescope table has no command nope" in error_of("help", "table", "nope", status=2)


def test_wrong_usage_exits_with_2_and_mentions_help():
    wrong = [["summary"], ["summary", SYNTHETIC, "--range", "step:99"], ["summary", SYNTHETIC, "--format", "torch"], ["info"], ["summary", "a", "b"], ["info", "a", "b", "--align", "soon"], ["info", SYNTHETIC, "--no-such-option"], ["info", SYNTHETIC, "--format", "xml"],
             ["table"], ["table", "no-such-table", SYNTHETIC], ["table", "lanes"], ["columns", "no-such-table"],
             ["table", "lanes", SYNTHETIC, "--sort", "no_such_column"], ["table", "lanes", SYNTHETIC, "--top", "0"],
             ["table", "lanes", SYNTHETIC, "--top", "-3"], ["table", "lanes", SYNTHETIC, "--range", "3ms..2ms"],
             ["table", "lanes", SYNTHETIC, "--range", "soon"], ["table", "lanes", SYNTHETIC, "--range", "step:99"],
             ["screenshot", SYNTHETIC], ["screenshot", SYNTHETIC, "-o", "x.png", "--size", "big"],
             ["screenshot", SYNTHETIC, "-o", "x.png", "--theme", "pink"], ["inof"], ["find", SYNTHETIC, "kernel", SYNTHETIC],
             ["screenshot", SYNTHETIC, "-o", "x.png", "--scale", "9"]]
    for words in wrong:
        assert "--help" in error_of(*words, status=2), words


def test_an_unknown_table_gives_the_list_of_tables():
    for words, expected in [(["no-such-table", SYNTHETIC], "no table no-such-table"), ([], "Name a table")]:
        message = error_of("table", *words, status=2)
        assert expected in message and " kernels " in message and " operators " in message, message


def test_a_wrong_number_of_rows_is_explained():
    for command in [["table", "lanes", SYNTHETIC], ["find", SYNTHETIC, "aten"]]:
        for top in ["0", "-3", "abc", "1.5", "1e300"]:
            message = error_of(*command, "--top", top, status=2)
            assert f"--top: {top} is not a number of rows; write 1 or more" in message, message
            assert len(message) < 200, message


def test_an_unknown_option_is_named():
    for command in [["info", SYNTHETIC], ["info"], ["table", "lanes", SYNTHETIC], ["doctor"], ["attach"], ["record"], []]:
        message = error_of(*command, "--no-such-option=3", status=2)
        name = " ".join(["lanescope", *(word for word in command if isinstance(word, str))])
        assert message.startswith(f"lanescope: {name} has no option --no-such-option\n"), message
        assert "one trace" not in message and f"See {name} --help" in message, message
    assert "takes one trace" in error_of("summary", SYNTHETIC, SYNTHETIC, status=2)
    assert "takes no argument x" in error_of("doctor", "x", status=2)


def test_a_number_out_of_range_gives_a_readable_range():
    what_if = ["what-if", SYNTHETIC, "--faster"]
    for words, expected in [([*what_if, "0"], "a number from 1e-06 to 1e+06"), ([*what_if, "abc"], "from 1e-06 to"),
                            ([*what_if, "inf"], "from 1e-06 to"), ([*what_if, "1e-300"], "from 1e-06 to"),
                            (["attach", "--iterations", "-1"], "from 1 to 2147483647"), (["attach", "0"], "from 1 to"),
                            (["attach", "--dynolog-port", "70000"], "from 1 to 65535"),
                            (["doctor", "--dynolog-port", "70000"], "from 1 to 65535"),
                            (["what-if", SYNTHETIC, "--top", "0"], "write 1 or more"),
                            (["screenshot", SYNTHETIC, "-o", "x.png", "--scale", "9"], "from 1 to 3")]:
        message = error_of(*words, status=2)
        assert expected in message and len(message) < 160, message


def test_the_arguments_of_a_recorded_program_are_its_own():
    with scratch() as folder:
        script = f"{folder}/args.sh"
        with open(script, "w") as file:
            file.write('#!/bin/sh\necho "$@"\n')
        os.chmod(script, 0o755)
        for before in [[], ["--"]]:
            run = lanescope("record", "-o", f"{folder}/x.spool", "--force", "--no-cuda", *before, script, "--help", "-o", "y", "--", "-x")
            assert run.returncode == 0 and run.stdout == b"--help -o y -- -x\n", run
        assert "lanescope record" in text_of("record", "--help")
        assert "lanescope record has no option --nope" in error_of("record", "--nope", script, status=2)


def test_no_argument_prints_help_as_wrong_usage():
    run = lanescope()
    assert run.returncode == 2 and run.stdout == b"" and b"Usage" in run.stderr


def test_files_that_cannot_be_read_are_named():
    with scratch() as folder:
        empty = f"{folder}/empty.json"
        open(empty, "w").close()
        secret = f"{folder}/secret.json"
        open(secret, "w").close()
        os.chmod(secret, 0)
        noise = f"{folder}/noise.json"
        with open(noise, "wb") as file:
            file.write(bytes(range(256)) * 16)
        no_events = f"{folder}/no_events.json"
        with open(no_events, "w") as file:
            file.write('{"traceEvents": []}')
        paths = [f"{folder}/missing.json", folder, empty, noise, no_events]
        if os.geteuid() != 0:
            paths.append(secret)
        for path in paths:
            for command in [["summary"], ["info"], ["table", "lanes"]]:
                assert path in error_of(*command, path, status=1), path


def test_the_window_reports_a_missing_file():
    assert "/no/such/trace.json" in error_of("/no/such/trace.json", status=1)
    assert "/no/such/trace.json" in error_of("screenshot", "/no/such/trace.json", "-o", "x.png", status=1)


def with_viewer(folder, script):
    """A copy of the program, with `script` in place of the viewer beside it."""
    program = f"{folder}/lanescope"
    shutil.copy(BIN / "lanescope", program)
    if script:
        viewer = f"{folder}/lanescope-viewer"
        with open(viewer, "w") as file:
            file.write(script)
        os.chmod(viewer, os.stat(viewer).st_mode | stat.S_IXUSR)
    return program


def test_a_missing_viewer_is_reported():
    with scratch() as folder:
        program = with_viewer(folder, None)
        for words in [[SYNTHETIC], ["screenshot", SYNTHETIC, "-o", "x.png"]]:
            message = error_of(*words, status=1, program=program)
            assert "lanescope-viewer" in message and "LANESCOPE_WINDOW" in message, message


def test_the_viewer_gets_the_trace_and_its_status_is_returned():
    with scratch() as folder:
        program = with_viewer(folder, '#!/bin/sh\nprintf "%s\\n" "$@"\nexit 7\n')
        assert text_of(SYNTHETIC, status=7, program=program).splitlines() == ["--", str(SYNTHETIC)]


def test_screenshot_passes_its_options_on():
    with scratch() as folder:
        program = with_viewer(folder, '#!/bin/sh\nprintf "%s\\n" "$@"\n')
        words = text_of("screenshot", SYNTHETIC, "-o", "x.png", "--range", "1ms..2ms", "--size", "640x480", "--theme",
                        "light", "--select", "aten::addmm", "--panel", "Statistics", "--scale", "2",
                        program=program).splitlines()
        assert words == ["--screenshot", "x.png", "--range", "1ms..2ms", "--size", "640x480", "--theme", "light",
                         "--select", "aten::addmm", "--panel", "Statistics", "--scale", "2", "--", str(SYNTHETIC)], words


run_all(globals())

#!/usr/bin/env python3
"""Where -o leads, for all commands: files, links, devices, descriptors and inputs.

No test names a node in the machine's /dev: as root, a defect would destroy it.
"""
import contextlib
import gzip
import json
import os
import pathlib
import pty
import shutil
import stat
import subprocess

from attach_processes import attach, processes
from program import BIN, SAMPLES, Skip, json_of, lanescope, run_all, scratch, text_of

TRACE = SAMPLES / "synthetic_step.json.gz"
# Each writes to the path that follows.
COMMANDS = {
    "table": ["table", "lanes", TRACE, "-o"],
    "convert": ["convert", TRACE, "-o"],
    "cut": ["cut", TRACE, "--range", "step:4", "-o"],
    "flame": ["flame", TRACE, "-o"],
    "summary": ["summary", TRACE, "-o"],
    "screenshot": ["screenshot", TRACE, "--size", "640x480", "-o"],
}


@contextlib.contextmanager
def folder_of_test():
    with scratch() as folder:
        yield pathlib.Path(folder)


def full_device(folder):
    """A node like /dev/full in a folder of ours."""
    node = folder / "full"
    try:
        os.mknod(node, 0o600 | stat.S_IFCHR, os.makedev(1, 7))
        with open(node, "rb"):
            return node
    except OSError as error:
        raise Skip(f"no device can be made here: {error}")


def refused(*words):
    run = lanescope(*words)
    assert run.returncode == 1 and run.stderr.startswith(b"lanescope"), (words, run)
    return run.stderr.decode()


def test_a_device_is_written_to_and_stays():
    with folder_of_test() as folder:
        node = full_device(folder)
        for name, words in COMMANDS.items():
            assert "No space" in refused(*words, node), name
            assert stat.S_ISCHR(os.lstat(node).st_mode), name
        assert [path.name for path in folder.iterdir()] == ["full"]


def test_attach_writes_to_a_device_and_stays():
    with folder_of_test() as folder:
        node = full_device(folder)
        with processes(folder, "writes") as [process]:
            run = lanescope(*attach(folder, process.pid, "-o", node))
        assert run.returncode == 1 and b"No space" in run.stdout, run
        assert stat.S_ISCHR(os.lstat(node).st_mode)


def test_a_pipe_is_written_to_and_stays():
    with folder_of_test() as folder:
        pipe = folder / "pipe"
        os.mkfifo(pipe)
        for name, words in COMMANDS.items():
            with subprocess.Popen([BIN / "lanescope", *map(str, words), pipe]) as run:
                written = pipe.read_bytes()
                assert run.wait() == 0 and len(written) > 100, name
            assert stat.S_ISFIFO(os.lstat(pipe).st_mode), name


def test_paths_of_descriptors_mean_the_descriptor():
    with folder_of_test() as folder:
        link = folder / "link"
        link.symlink_to("/proc/self/fd/1")
        for name, words in COMMANDS.items():
            for path in ["-", "/proc/self/fd/1", "/dev/fd/1", link]:
                run = lanescope(*words, path)
                assert run.returncode == 0 and len(run.stdout) > 100, (name, path, run.stderr)
            assert link.is_symlink(), name
        assert [path.name for path in folder.iterdir()] == ["link"]


def test_a_descriptor_that_appends_keeps_what_is_there():
    with folder_of_test() as folder:
        log = folder / "log"
        log.write_text("before\n")
        with open(log, "a") as file:
            subprocess.run([BIN / "lanescope", "table", "lanes", TRACE, "-o", f"/proc/self/fd/{file.fileno()}"],
                           pass_fds=[file.fileno()], check=True)
        assert log.read_text().startswith("before\nprocess ")


def test_links_to_files_are_followed_and_modes_are_kept():
    with folder_of_test() as folder:
        (folder / "file").touch()
        (folder / "file").chmod(0o640)
        (folder / "link").symlink_to("file")
        for words in COMMANDS.values():
            text_of(*words, folder / "link", "--force")
            assert (folder / "link").is_symlink()
            assert stat.S_IMODE(os.stat(folder / "file").st_mode) == 0o640
            assert (folder / "file").stat().st_size > 100


def test_no_input_is_destroyed():
    with folder_of_test() as folder:
        trace = folder / "trace.json.gz"
        shutil.copy(TRACE, trace)
        os.link(trace, folder / "hard.json.gz")
        (folder / "link.json.gz").symlink_to(trace)
        before = trace.read_bytes()
        for name, words in COMMANDS.items():
            for path in ["trace.json.gz", "hard.json.gz", "link.json.gz"]:
                words = [trace if word == TRACE else word for word in words]
                message = refused(*words, folder / path, "--force")
                assert "input" in message, (name, message)
        specs = folder / "specs.json"
        specs.write_text("[]")
        notes = folder / "trace.json.gz.lanescope.json"
        run = refused("table", "hotspots", trace, "--specs", specs, "-o", specs, "--force")
        assert "input" in run, run
        with open(trace, "rb") as stdin:
            run = subprocess.run([BIN / "lanescope", "table", "lanes", "-", "-o", trace, "--force"], stdin=stdin,
                                 capture_output=True)
        assert run.returncode == 1 and b"input" in run.stderr, run
        with open(trace, "ab") as stdout:
            run = subprocess.run([BIN / "lanescope", "table", "lanes", trace], stdout=stdout, stderr=subprocess.PIPE)
        assert run.returncode == 1 and b"input" in run.stderr, run
        assert trace.read_bytes() == before and specs.read_text() == "[]" and not notes.exists()


def test_a_file_of_others_needs_force():
    with folder_of_test() as folder:
        file = folder / "mine"
        profiles = {"profile": json.dumps({"traceEvents": [], "schemaVersion": 1}), "text": "thoughts\n",
                    "csv": "name,calls,mood\na,1,good\n", "array": json.dumps([{"name": "x", "ph": "X", "ts": 1}])}
        for kind, content in profiles.items():
            for name, words in COMMANDS.items():
                file.write_text(content)
                assert "--force" in refused(*words, file), (kind, name)
                assert file.read_text() == content
        shutil.copy(TRACE, file)
        assert "--force" in refused(*COMMANDS["convert"], file)
        text_of(*COMMANDS["convert"], file, "--force")


def test_files_of_ours_and_empty_files_are_replaced():
    ours = [COMMANDS["convert"], COMMANDS["screenshot"], *(["table", "lanes", TRACE, "--format", form, "-o"]
            for form in ("text", "csv", "json", "md")), ["table", "gaps", TRACE, "--group-by", "cause", "-o"],
            ["table", "gaps", TRACE, "--group-by", "cause", "--format", "csv", "-o"],
            ["summary", TRACE, "--format", "json", "-o"], ["info", TRACE, "--format", "json", "-o"],
            ["summary", TRACE, "--format", "md", "-o"], ["findings", TRACE, "--format", "md", "-o"],
            ["compare", TRACE, TRACE, "--fail-over", "5%", "--format", "md", "-o"],
            ["histogram", TRACE, "--kernel", ".", "--format", "json", "-o"], ["columns", "lanes", "-o"],
            *(["flame", TRACE, "--format", form, "-o"] for form in ("json", "svg", "speedscope"))]
    with folder_of_test() as folder:
        for number, words in enumerate(ours):
            for suffix in ["", ".gz"]:
                file = folder / f"{number}{suffix}"
                file.touch()
                text_of(*words, file)
                text_of(*words, file)
        svg = folder / "x.svg"
        for _ in range(2):
            text_of("screenshot", TRACE, "-o", svg)


def test_the_end_of_a_name_chooses_the_format():
    with folder_of_test() as folder:
        for end, form in (("csv", "csv"), ("json", "json"), ("md", "md"), ("arrow", "arrow"), ("json.gz", "json"), ("txt", "text")):
            for words in (["table", "lanes", TRACE], ["sql", TRACE, "select name from slice limit 2"]):
                text_of(*words, "-o", folder / f"by_name.{end}", "--force")
                text_of(*words, "--format", form, "-o", folder / f"by_format.{end}", "--force")
                assert (folder / f"by_name.{end}").read_bytes() == (folder / f"by_format.{end}").read_bytes(), (end, words)
        text_of("table", "lanes", TRACE, "--format", "csv", "-o", folder / "given.json")
        assert (folder / "given.json").read_text().startswith("process,")
        for end, begin in (("svg", "<svg"), ("speedscope.json", '{"$schema"'), ("json", "[\n{"), ("folded", "ProfilerStep")):
            text_of("flame", TRACE, "-o", folder / f"flame.{end}")
            assert (folder / f"flame.{end}").read_text().startswith(begin), end
        for end in ("pdf", "jpg"):
            assert "a picture is a .png or an .svg" in lanescope("screenshot", TRACE, "-o", folder / f"x.{end}").stderr.decode()
            assert not (folder / f"x.{end}").exists()


def test_a_name_that_ends_in_gz_is_compressed():
    with folder_of_test() as folder:
        for words in [["table", "lanes", TRACE, "--format", "json"], ["flame", TRACE], ["info", TRACE, "--format", "json"]]:
            text_of(*words, "-o", folder / "x.json.gz", "--force")
            assert gzip.decompress((folder / "x.json.gz").read_bytes())
        plain = folder / "plain.json"
        plain.write_bytes(gzip.decompress(TRACE.read_bytes()))
        for source in [TRACE, plain]:
            with processes(folder, "writes", env={"LANESCOPE_TEST_TRACE": str(source)}) as [process]:
                json_of(*attach(folder, process.pid, "-o", folder / "trace.json.gz", "--force"))
            assert b"traceEvents" in gzip.decompress((folder / "trace.json.gz").read_bytes())


def test_attach_checks_its_folder_before_it_captures():
    with folder_of_test() as folder:
        with processes(folder, "writes") as [process]:
            assert "nowhere" in refused(*attach(folder, process.pid, "-o", folder / "nowhere" / "x.json"))
            (folder / "other.json").write_text("{}")
            assert "--force" in refused(*attach(folder, process.pid, "-o", folder / "other.json"))


def test_binary_output_to_a_terminal_is_refused():
    main, side = pty.openpty()
    try:
        for path in ["-", "/proc/self/fd/1"]:
            run = subprocess.run([BIN / "lanescope", *map(str, COMMANDS["screenshot"]), path], stdout=side,
                                 stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=60)
            assert run.returncode == 1 and b"terminal" in run.stderr, (path, run)
    finally:
        os.close(main)
        os.close(side)


def without_a_second_file():
    """Arguments for subprocess: another user than root, whom every folder would allow a new file."""
    if os.geteuid() == 0:
        return {"user": 65534, "group": 65534, "extra_groups": []}
    return {}


def test_a_file_in_a_folder_that_is_read_only_is_written_in_place():
    with folder_of_test() as folder:
        file = folder / "x.csv"
        file.touch()
        file.chmod(0o666)
        before = file.stat().st_ino
        folder.chmod(0o555)
        try:
            words = [BIN / "lanescope", "table", "lanes", TRACE, "--format", "csv", "-o", file]
            run = subprocess.run(list(map(str, words)), capture_output=True, env={**os.environ, "HOME": "/"},
                                 **without_a_second_file())
        except PermissionError as error:
            raise Skip(f"another user cannot run the program here: {error}")
        finally:
            folder.chmod(0o755)
        assert run.returncode == 0 and b"in place" in run.stderr, run
        assert file.read_text().startswith("process,") and file.stat().st_ino == before


def test_a_file_that_is_a_mount_is_written_in_place():
    with folder_of_test() as folder:
        (folder / "a.csv").touch()
        (folder / "b.csv").touch()
        script = 'mount --bind "$1/a.csv" "$1/b.csv" || exit 77; "$2" table lanes "$3" --format csv -o "$1/b.csv"'
        run = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", folder, BIN / "lanescope", TRACE],
                             capture_output=True)
        if run.returncode == 77 or b"unshare" in run.stderr:
            raise Skip("this machine allows no mounts")
        assert run.returncode == 0 and b"in place" in run.stderr, run
        assert (folder / "a.csv").read_text().startswith("process,")


def test_a_full_disk_leaves_no_file():
    with folder_of_test() as folder:
        limited = 'ulimit -f 1; trap "" XFSZ; exec "$@"'
        for name, words in COMMANDS.items():
            if name in ("summary", "table"):
                continue  # less than a block
            run = subprocess.run(["bash", "-c", limited, "bash", BIN / "lanescope", *map(str, words), folder / "x"],
                                 capture_output=True)
            assert run.returncode == 1, (name, run)
            assert list(folder.iterdir()) == [], name


run_all(globals())

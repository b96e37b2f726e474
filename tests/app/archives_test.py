#!/usr/bin/env python3
"""Tests folders and archives on the command line: a single trace in them is opened; several are listed or opened together."""
import contextlib
import gzip
import io
import json
import os
import pathlib
import resource
import shutil
import sqlite3
import struct
import subprocess
import tarfile
import time
import warnings
import zipfile

from program import BIN, SAMPLES, error_of, json_of, lanescope, run_all, scratch, text_of, traces_here

SAMPLE = SAMPLES / "synthetic_step.json.gz"


def trace(name, count=3):
    """A small Chrome trace as bytes."""
    events = [{"ph": "X", "name": f"{name}{i}", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 5} for i in range(count)]
    return json.dumps({"traceEvents": events}).encode()


def zip_of(path, files, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def tar_of(path, files, mode="w", form=tarfile.PAX_FORMAT):
    with tarfile.open(path, mode, format=form) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def events_in(path):
    return json_of("info", path)["events"]


def name_of(path, **options):
    """The name of the trace."""
    return text_of("info", path, **options).splitlines()[0]


@contextlib.contextmanager
def temporaries():
    """Yields an environment with an empty folder for temporary files. Checks that the folder is empty again at the end."""
    with scratch() as folder:
        yield {"TMPDIR": folder}
        assert os.listdir(folder) == [], os.listdir(folder)


def listed(message):
    """The paths in the message that lists the traces."""
    return [line.split("  ")[1] for line in message.splitlines()[1:] if line.startswith("  ")]


def test_one_trace_in_an_archive_is_opened():
    sample = SAMPLE.read_bytes()
    other = {"notes.txt": b"nothing\n", "config.json": b'{"model": "x"}', "empty": b""}
    whole = json_of("info", SAMPLE)
    with scratch() as folder, temporaries() as environment:
        archives = [
            zip_of(f"{folder}/a.zip", {**other, "run/trace.json.gz": sample}),
            zip_of(f"{folder}/stored.zip", {"run/trace.json.gz": sample}, zipfile.ZIP_STORED),
            zip_of(f"{folder}/plain.zip", {"run/trace.json": gzip.decompress(sample)}),
            tar_of(f"{folder}/a.tar", {**other, "run/trace.json.gz": sample}),
            tar_of(f"{folder}/a.tar.gz", {"./run/trace.json": gzip.decompress(sample)}, "w:gz"),
            tar_of(f"{folder}/gnu.tgz", {"x" * 150 + "/trace.json.gz": sample}, "w:gz", tarfile.GNU_FORMAT),
            tar_of(f"{folder}/pax.tar", {"ü" * 150 + "/trace.json.gz": sample}),
            tar_of(f"{folder}/ustar.tar", {"y" * 90 + "/" + "x" * 90: sample}, form=tarfile.USTAR_FORMAT),
        ]
        before = sorted(os.listdir(folder))
        for path in archives:
            assert json_of("info", path, env=environment)["events"] == whole["events"] > 0, path
            name = name_of(path, env=environment)
            assert name.startswith(path + "/"), name
            assert text_of("table", "kernels", path, "--format", "csv", env=environment) == \
                text_of("table", "kernels", SAMPLE, "--format", "csv")
            # The trace's name opens the trace, too, and its arguments are read from it.
            assert events_in(name) == whole["events"]
            assert text_of("find", name, "args:stream=7", "--format", "csv") == \
                text_of("find", SAMPLE, "args:stream=7", "--format", "csv")
        assert sorted(os.listdir(folder)) == before  # nothing is written beside the archives


def test_a_folder_with_one_trace_is_opened():
    with scratch() as folder:
        run = pathlib.Path(folder) / "plugins" / "profile" / "run"
        run.mkdir(parents=True)
        (run / "trace.json").write_bytes(trace("a"))
        (run / "readme.md").write_text("text")
        (run / ".hidden.json").write_bytes(trace("hidden"))
        (pathlib.Path(folder) / ".git").mkdir()
        (pathlib.Path(folder) / ".git" / "x.json").write_bytes(trace("hidden"))
        assert events_in(folder) == 3
        for path in traces_here("xplane/mi300_jax_conv.xplane.pb"):
            (run / "trace.json").unlink()
            shutil.copy(path, run / "host.xplane.pb")
            assert events_in(folder) == events_in(path)


def test_several_traces_are_listed_with_kind_and_size():
    files = {"b/rank1.json": trace("b"), "a/rank0.json": trace("a"), "log.txt": b"text", "meta.json": b"{}"}
    with scratch() as folder:
        path = zip_of(f"{folder}/runs.zip", files)
        message = error_of("summary", path, status=2)
        assert "holds 2 traces; name one of them, as" in message, message
        assert listed(message) == [f"{path}/a/rank0.json", f"{path}/b/rank1.json"], message
        assert message.count("Chrome and Kineto JSON") == 2 and f"{len(files['a/rank0.json'])} B" in message, message
        unpacked = pathlib.Path(folder) / "unpacked"
        zipfile.ZipFile(path).extractall(unpacked)
        message = error_of("summary", unpacked, status=2)
        assert listed(message) == [f"{unpacked}/a/rank0.json", f"{unpacked}/b/rank1.json"], message
        for one in listed(message):
            assert events_in(one) == 3


def test_commands_for_several_traces_open_all():
    files = {f"rank{i}.json": trace(f"r{i}", 2 + i) for i in range(3)}
    with scratch() as folder:
        archive = tar_of(f"{folder}/runs.tar.gz", files, "w:gz")
        plain = pathlib.Path(folder) / "runs"
        plain.mkdir()
        for name, data in files.items():
            (plain / name).write_bytes(data)
        names = [plain / name for name in files]
        for path in (archive, plain):
            facts = json_of("info", path)
            assert facts["events"] == json_of("info", *names)["events"] == 9
            assert text_of("table", "traces", path, "--format", "csv") == text_of("table", "traces", *names, "--format", "csv")
            query = "select count(*) as n from slice"
            assert text_of("sql", path, query) == text_of("sql", *names, query)
            assert lanescope("compare", path).returncode == lanescope("compare", *names).returncode
            picture = f"{folder}/all.svg"
            text_of("screenshot", path, "-o", picture, "--force")
            assert "r2" in pathlib.Path(picture).read_text()


def test_databases_in_archives_are_recognised():
    for path in traces_here("nsys/rtx3080_two_kernels_full.sqlite"):
        with scratch() as folder, temporaries() as environment:
            data = pathlib.Path(path).read_bytes()
            other = f"{folder}/other.sqlite"
            sqlite3.connect(other).execute("create table t(x)").connection.close()
            files = {"run.sqlite": data, "other.sqlite": pathlib.Path(other).read_bytes()}
            assert len(data) > 1 << 18  # longer than the part by which other files are recognised
            for archive in (zip_of(f"{folder}/a.zip", files), tar_of(f"{folder}/a.tgz", files, "w:gz")):
                assert json_of("info", archive, env=environment)["events"] == events_in(path)


def test_standard_input_may_be_an_archive():
    with scratch() as folder:
        path = zip_of(f"{folder}/a.zip", {"x.json": trace("a")})
        assert json.loads(text_of("info", "-", "--format", "json", stdin=pathlib.Path(path).read_bytes()))["events"] == 3


def test_what_holds_no_trace_says_so():
    with scratch() as folder:
        path = zip_of(f"{folder}/a.zip", {"a.txt": b"text", "b.zip": pathlib.Path(
            zip_of(f"{folder}/inner.zip", {"x.json": trace("a")})).read_bytes()})
        message = error_of("info", path, status=1)
        assert "none of its 2 files is a trace" in message and "archives within it (1) are not looked into" in message, message
        assert "holds no files" in error_of("info", zip_of(f"{folder}/none.zip", {}), status=1)
        os.mkdir(f"{folder}/empty")
        assert "holds no files" in error_of("info", f"{folder}/empty", status=1)
        message = error_of("info", f"{path}/missing.json", status=1)
        assert "holds no file missing.json" in message, message
        plain = pathlib.Path(folder) / "plain.json"
        plain.write_bytes(trace("a"))
        assert "is neither a folder nor an archive" in error_of("info", f"{plain}/x.json", status=1)


def test_links_and_names_that_lead_outside_are_refused():
    with scratch() as folder, temporaries() as environment:
        secret = pathlib.Path(folder) / "secret.json"
        secret.write_bytes(trace("secret"))
        inner = pathlib.Path(folder) / "inner"
        inner.mkdir()
        path = f"{inner}/a.tar"
        with tarfile.open(path, "w") as archive:
            for name, kind, target in (("link.json", tarfile.SYMTYPE, "../secret.json"), ("hard.json", tarfile.LNKTYPE, str(secret)),
                                       ("pipe", tarfile.FIFOTYPE, ""), ("device", tarfile.CHRTYPE, "")):
                info = tarfile.TarInfo(name)
                info.type, info.linkname = kind, target
                archive.addfile(info)
            for name in ("../up.json", "/abs.json", "a/../../b.json", "new\nline.json"):
                info = tarfile.TarInfo(name)
                info.size = len(trace("x"))
                archive.addfile(info, io.BytesIO(trace("x")))
            info = tarfile.TarInfo("good.json")
            info.size = len(trace("good"))
            archive.addfile(info, io.BytesIO(trace("good")))
        assert name_of(path, env=environment) == f"{path}/good.json"
        for name, why in (("link.json", "is a link, which is not followed"), ("hard.json", "is a link"), ("pipe", "is not a regular file"),
                          ("../up.json", "has a name that leads out"), ("a/../../b.json", "has a name that leads out")):
            assert why in error_of("info", f"{path}/{name}", status=1, env=environment), name
        zipped = f"{inner}/a.zip"
        with zipfile.ZipFile(zipped, "w") as archive:
            info = zipfile.ZipInfo("link.json")
            info.create_system, info.external_attr = 3, 0o120777 << 16
            archive.writestr(info, "../secret.json")
            archive.writestr("../up.json", trace("up"))
        message = error_of("info", zipped, status=1, env=environment)
        assert "; link.json is a link, which is not followed; ../up.json has a name that leads out" in message, message
        # A folder's links to files are followed, its links to folders are not.
        os.symlink(secret, inner / "linked.json")
        os.symlink(folder, inner / "loop")
        os.unlink(path)
        os.unlink(zipped)
        assert name_of(inner) == f"{inner}/linked.json"
        assert sorted(os.listdir(folder)) == ["inner", "secret.json"]


def test_encrypted_and_unknown_methods_are_named():
    with scratch() as folder:
        path = zip_of(f"{folder}/a.zip", {"x.json": trace("a")}, zipfile.ZIP_BZIP2)
        message = error_of("info", path, status=1)
        assert "x.json is packed by the zip method 12" in message, message
        data = bytearray(pathlib.Path(zip_of(f"{folder}/b.zip", {"x.json": trace("a")})).read_bytes())
        entry = data.index(b"PK\x01\x02")
        data[entry + 8] |= 1
        pathlib.Path(path).write_bytes(data)
        assert "x.json is encrypted" in error_of("info", path, status=1)


def test_cut_archives_say_so():
    with scratch() as folder, temporaries() as environment:
        path = f"{folder}/cut"
        files = {"a.json": trace("a", 2000), "b.json": trace("b", 2000)}
        zipped = pathlib.Path(zip_of(f"{folder}/a.zip", files)).read_bytes()
        for size in (4, 40, len(zipped) // 2, len(zipped) - 1):
            pathlib.Path(path).write_bytes(zipped[:size])
            message = error_of("info", path, status=1, env=environment)
            assert "cut short" in message, (size, message)
        plain = pathlib.Path(tar_of(f"{folder}/a.tar", files)).read_bytes()
        second = plain.index(b"b.json") + 1000
        for data in (plain[:second], gzip.compress(plain[:second])):
            pathlib.Path(path).write_bytes(data)
            facts = json_of("info", path, env=environment)
            assert facts["events"] == 2000, facts
            notes = [warning["text"] for warning in facts["warnings"]]
            assert any("the tar archive is cut short after 2 files" in note for note in notes), notes
            assert any("b.json is damaged" in note for note in notes), notes
            message = error_of("info", f"{path}/b.json", status=1, env=environment)
            assert "the tar archive is cut short within this file" in message, message
            assert events_in(f"{path}/a.json") == 2000
        # Cut within the gzip stream.
        pathlib.Path(path).write_bytes(gzip.compress(plain)[:-200])
        assert lanescope("info", path, env=environment).returncode in (0, 1, 2)


def test_false_sizes_and_checksums_are_found():
    with scratch() as folder, temporaries() as environment:
        path = f"{folder}/bad.zip"
        data = pathlib.Path(zip_of(f"{folder}/a.zip", {"x.json": trace("a", 20000)})).read_bytes()
        entry = data.index(b"PK\x01\x02")
        for at, value, why in ((entry + 24, 1000, "is longer than the archive says"), (entry + 24, 1 << 31, ""),
                               (entry + 16, 7, "has a wrong checksum"), (entry + 42, 5, "is not where the list of the archive says"),
                               (entry + 42, 1 << 30, "points behind its own end")):
            bad = bytearray(data)
            struct.pack_into("<I", bad, at, value)
            pathlib.Path(path).write_bytes(bad)
            message = error_of("info", f"{path}/x.json", status=1, env=environment)
            assert why in message, (at, message)
        bad = bytearray(data)
        bad[60:80] = b"\xff" * 20
        pathlib.Path(path).write_bytes(bad)
        assert "damaged" in error_of("info", f"{path}/x.json", status=1, env=environment)
        # Larger than any disk.
        bad = bytearray(pathlib.Path(tar_of(f"{folder}/a.tar", {"x.json": trace("a")})).read_bytes())
        bad[124:136] = b"\x80" + (1 << 50).to_bytes(11, "big")
        bad[148:156] = b" " * 8
        bad[148:156] = b"%06o\0 " % sum(bad[:512])
        pathlib.Path(path).write_bytes(bad)
        message = error_of("info", f"{path}/x.json", status=1, env=environment)
        assert "more than the limit of" in message, message


def test_a_list_does_not_unpack_what_it_lists():
    """Only the start of an entry of 8 GB is unpacked for a list."""
    with scratch() as folder, temporaries() as environment:
        path = f"{folder}/bomb.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("bomb.json", "w") as bomb:
            for _ in range(64):
                bomb.write(b" " * (1 << 20))
        data = bytearray(pathlib.Path(path).read_bytes())
        entry = data.index(b"PK\x01\x02")
        struct.pack_into("<I", data, entry + 24, 0xFFFFFFF0)
        pathlib.Path(path).write_bytes(data)
        assert "none of its 1 files is a trace" in error_of("info", path, status=1, env=environment)


def test_a_database_is_not_unpacked_for_a_list():
    """Databases of 4 GB of zeros behind their first page, plain and compressed."""
    with scratch() as folder, temporaries() as environment:
        sqlite3.connect(f"{folder}/small.sqlite").execute("create table t(x)").connection.close()
        start = pathlib.Path(f"{folder}/small.sqlite").read_bytes()
        zeros = bytes(1 << 24)
        with gzip.open(f"{folder}/bomb.sqlite.gz", "wb", compresslevel=1) as bomb:
            bomb.write(start)
            for _ in range(256):
                bomb.write(zeros)
        os.mkdir(f"{folder}/runs")
        os.rename(f"{folder}/bomb.sqlite.gz", f"{folder}/runs/bomb.sqlite.gz")
        with zipfile.ZipFile(f"{folder}/a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("plain.sqlite", "w", force_zip64=True) as bomb:
                bomb.write(start)
                for _ in range(256):
                    bomb.write(zeros)
            archive.write(f"{folder}/runs/bomb.sqlite.gz", "packed.sqlite.gz")
        for path, names in ((f"{folder}/a.zip", ("plain.sqlite", "packed.sqlite.gz")), (f"{folder}/runs", ("bomb.sqlite.gz",))):
            run = subprocess.run([BIN / "lanescope", "info", path], capture_output=True, text=True, timeout=300, env={**os.environ, **environment},
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30)))
            assert run.returncode == 1, run
            assert "is a database that is not unpacked for a list; name it to open it" in run.stderr, run.stderr
            assert names[0] in run.stderr, run.stderr


def test_the_last_entry_of_a_name_is_opened():
    with scratch() as folder:
        files = [("x.json", trace("old", 2)), ("other.txt", b"text"), ("x.json", trace("new", 5))]
        with zipfile.ZipFile(f"{folder}/a.zip", "w") as archive:
            for name, data in files:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    archive.writestr(name, data)
        for name, mode in (("a.tar", "w"), ("a.tgz", "w:gz")):
            with tarfile.open(f"{folder}/{name}", mode) as archive:
                for entry, data in files:
                    info = tarfile.TarInfo(entry)
                    info.size = len(data)
                    archive.addfile(info, io.BytesIO(data))
        for name in ("a.zip", "a.tar", "a.tgz"):
            assert events_in(f"{folder}/{name}") == events_in(f"{folder}/{name}/x.json") == 5, name


def test_links_to_a_file_list_it_once():
    with scratch() as folder:
        run = pathlib.Path(folder) / "run"
        run.mkdir()
        (run / "trace.json").write_bytes(trace("a"))
        os.link(run / "trace.json", run / "zz.json")
        os.symlink(run / "trace.json", run / "a.json")
        assert name_of(run) == f"{run}/trace.json"
        (run / "b.json").write_bytes(trace("b"))
        assert listed(error_of("summary", run, status=2)) == [f"{run}/b.json", f"{run}/trace.json"]


def test_folders_that_are_too_deep_are_named():
    with scratch() as folder:
        deep = pathlib.Path(folder)
        for i in range(9):
            deep = deep / f"d{i}"
        deep.mkdir(parents=True)
        (deep / "trace.json").write_bytes(trace("a"))
        (deep.parent.parent / "other").mkdir()
        message = error_of("info", folder, status=1)
        assert f"{deep} is more than 8 folders deep and was not searched" in message, message
        (deep.parent / "near.json").write_bytes(trace("near"))
        notes = [warning["text"] for warning in json_of("info", folder)["warnings"] if warning["code"] == "not_all_of_archive"]
        assert notes and f"{deep} is more than 8 folders deep" in notes[0], notes


def test_what_cannot_be_read_is_said_as_such():
    """A folder and an archive with a damaged file, and a file without permission."""
    with scratch() as folder:
        run = pathlib.Path(folder) / "run"
        run.mkdir()
        (run / "text.txt").write_bytes(b"text")
        (run / "bad.json.gz").write_bytes(gzip.compress(trace("a"))[:10] + b"\xff" * 40)
        (run / "closed.json").write_bytes(trace("closed"))
        os.chmod(run / "closed.json", 0)
        is_closed = not os.access(run / "closed.json", os.R_OK)  # not for root
        if not is_closed:
            os.unlink(run / "closed.json")
        message = error_of("info", run, status=1)
        assert "bad.json.gz cannot be read: the gzip file contains no text" in message, message
        assert f"of its {3 if is_closed else 2} files, {2 if is_closed else 1} cannot be read, and 1 is no trace" in message, message
        assert "Record the trace again" not in message and "copy those that are damaged again" in message, message
        if is_closed:
            assert "closed.json cannot be read: cannot open: Permission denied" in message, message
        data = bytearray(pathlib.Path(zip_of(f"{folder}/a.zip", {"x.json": trace("a", 2000)})).read_bytes())
        data[60:80] = b"\xff" * 20
        pathlib.Path(f"{folder}/a.zip").write_bytes(data)
        message = error_of("info", f"{folder}/a.zip", status=1)
        assert "none of its 1 files can be read" in message and "x.json is damaged: its content in the archive is damaged" in message, message
        # What to do is not to record again.
        for path in (f"{folder}/a.zip/x.json", zip_of(f"{folder}/text.zip", {"a.txt": b"text"}), zip_of(f"{folder}/none.zip", {})):
            assert "Record the trace again" not in error_of("info", path, status=1), path


def test_reasons_are_counted_by_themselves():
    with scratch() as folder:
        path = f"{folder}/a.tar"
        with tarfile.open(path, "w") as archive:
            for name, kind in (("a", tarfile.SYMTYPE), ("b", tarfile.SYMTYPE), ("c", tarfile.FIFOTYPE), ("d", tarfile.SYMTYPE)):
                info = tarfile.TarInfo(name)
                info.type = kind
                archive.addfile(info)
        message = error_of("info", path, status=1)
        assert "; a is a link, which is not followed (and so are 2 more); c is not a regular file" in message.splitlines()[0], message


def test_names_cannot_control_the_terminal():
    bad = "\x1b[31mred\u009b32m\u202e.json"
    with scratch() as folder:
        run = pathlib.Path(folder) / "run"
        run.mkdir()
        (run / bad).write_bytes(trace("a"))
        (run / "b.json").write_bytes(trace("b"))
        (run / f"c{bad}.gz").write_bytes(b"\x1f\x8b\x08" + b"\xff" * 40)
        for words in (("summary", run), ("info", run / "missing" / bad), ("info", run / f"c{bad}.gz"), ("compare", run)):
            run_of = lanescope(*words)
            for text in (run_of.stdout, run_of.stderr):
                text = text.decode()
                assert not any(c in text for c in ("\x1b", "\u009b", "\u202e")), (words, text)
        archive = zip_of(f"{folder}/a.zip", {"c1\u009b.json": trace("a"), "dir\u202e/b.json": trace("b")})
        message = error_of("summary", archive, status=2)
        assert "\u009b" not in message and "\u202e" not in message and message.count("\ufffd") >= 2, message
        archive = zip_of(f"{folder}/one.zip", {"c1\u009b.json": trace("a")})
        assert "\u009b" not in text_of("info", archive)


def test_the_time_for_many_files_is_about_linear():
    """A list of 10 times as many files takes about 10 times as long."""
    with scratch() as folder:
        for name, mode in (("zip", None), ("tgz", "w:gz")):
            took = []
            for count in (1000, 10_000):
                files = {f"d{i % 10}/f{i}.txt": b"no trace %d" % i for i in range(count)}
                path = f"{folder}/{count}.{name}"
                zip_of(path, files) if name == "zip" else tar_of(path, files, mode)
                started = time.monotonic()
                assert f"none of its {count} files is a trace" in error_of("info", path, status=1)
                took.append(time.monotonic() - started)
            assert took[1] < 30 * took[0] + 2, (name, took)


if __name__ == "__main__":
    run_all(globals())

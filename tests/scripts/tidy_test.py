#!/usr/bin/env python3
"""scripts/tidy checks every changed file or fails. In a small repository, with a clang-tidy that only finds BAD."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, os.environ["LANESCOPE_ROOT"] + "/tests/app")
from program import ROOT, run_all, scratch

if not shutil.which("git"):
    print("SKIPPED: tidy_test: git is not installed")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(77)

CLANG_TIDY = """#!/bin/sh
[ "$1" = --version ] && exec echo "version 0"
echo "$2" >>"$CHECKED"
case $3 in *clang-analyzer*) ;; *) ! grep -l SLOW_TO_FIND "$2" || exit 1 ;; esac
! grep -l BAD "$2" $(sed -n 's/^#include "\\(.*\\)"$/\\1/p' "$2" | sed "s|^|$TREE/|")
"""
FILES = {
    "core/with_source.h": "#pragma once\n",
    "core/with_source.cpp": '#include "core/with_source.h"\n',
    "core/alone.h": "#pragma once\n",
    "core/between.h": '#pragma once\n#include "core/alone.h"\n',
    "core/user.cpp": '#include "core/between.h"\n',
    "core/third.cpp": "int third;\n",
    "README.md": "text\n",
}


class Repository:
    """A tree on a branch of main, with a compilation database that contains every source of main."""

    def __init__(self, folder):
        self.tree = pathlib.Path(folder) / "tree"
        self.programs = pathlib.Path(folder) / "programs"
        self.checked_file = pathlib.Path(folder) / "checked"
        self.environment = {
            **os.environ, "HOME": folder, "XDG_CACHE_HOME": f"{folder}/cache", "CHECKED": str(self.checked_file),
            "TREE": str(self.tree), "PATH": f"{self.programs}:{os.environ['PATH']}"}
        self.programs.mkdir()
        (self.programs / "clang-tidy").write_text(CLANG_TIDY)
        (self.programs / "clang-tidy").chmod(0o755)
        for name, text in FILES.items():
            self.write(name, text)
        self.write(".gitignore", "build/\n")
        self.write("scripts/tidy", (ROOT / "scripts" / "tidy").read_text())
        self.git("init", "-q", "-b", "main")
        self.commit()
        self.write("README.md", "longer text\n")
        self.commit()
        self.git("checkout", "-q", "-b", "work")
        self.write_commands(self.tree)

    def write(self, name, text):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def write_commands(self, tree):
        (tree / "build" / "release").mkdir(parents=True, exist_ok=True)
        entries = [{"file": str(tree / name), "command": f"c++ -I{tree} -o x.o -c {tree / name}"}
                   for name in FILES if name.endswith(".cpp")]
        (tree / "build" / "release" / "compile_commands.json").write_text(json.dumps(entries))

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.tree, check=True,
                       env=self.environment, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "change")

    def tidy(self, *words, tree=None):
        """(exit status, output, checked files)."""
        tree = tree or self.tree
        self.checked_file.write_text("")
        done = subprocess.run([sys.executable, "scripts/tidy", *words], cwd=tree, env=self.environment,
                              capture_output=True, text=True)
        checked = sorted(os.path.relpath(line, tree) for line in self.checked_file.read_text().splitlines())
        return done.returncode, done.stdout + done.stderr, checked


@contextlib.contextmanager
def repository():
    with scratch() as folder:
        yield Repository(folder)


def test_only_what_changed_is_checked():
    with repository() as repo:
        repo.write("core/third.cpp", "int changed;\n")
        repo.write("README.md", "other text\n")
        assert repo.tidy("--changed")[::2] == (0, ["core/third.cpp"])
        repo.commit()
        repo.write("core/user.cpp", "int user;\n")
        repo.commit()
        status, _, checked = repo.tidy("--changed")
        assert (status, checked) == (0, ["core/user.cpp"]), "the clean file is remembered"


def test_a_finding_fails_until_it_is_gone():
    with repository() as repo:
        repo.write("core/third.cpp", "int BAD;\n")
        for _ in range(2):
            assert repo.tidy("--changed")[::2] == (1, ["core/third.cpp"])
        repo.write("core/third.cpp", "int good;\n")
        assert repo.tidy("--changed")[0] == 0


def test_a_header_is_checked_through_its_source():
    with repository() as repo:
        repo.write("core/with_source.h", "#pragma once\nint BAD;\n")
        assert repo.tidy("--changed")[::2] == (1, ["core/with_source.cpp"])


def test_a_header_without_a_source_is_checked_through_one_that_includes_it():
    with repository() as repo:
        repo.write("core/alone.h", "#pragma once\nint changed;\n")
        assert repo.tidy("--changed")[::2] == (0, ["core/user.cpp"])
        repo.write("core/between.h", '#pragma once\n#include "core/alone.h"\nint BAD;\n')
        assert repo.tidy("--changed")[::2] == (1, ["core/user.cpp"])


def test_a_header_that_nothing_includes_fails():
    with repository() as repo:
        repo.write("core/third.h", "#pragma once\n")  # third.cpp does not include it
        status, output, checked = repo.tidy("--changed")
        assert status == 1 and "core/third.h is not reached" in output and checked == [], output


def test_a_source_that_is_not_built_fails():
    with repository() as repo:
        repo.write("core/fourth.cpp", "int fourth;\n")
        status, output, _ = repo.tidy("--changed")
        assert status == 1 and "core/fourth.cpp is not reached" in output, output
        status, output, _ = repo.tidy("core/fourth.cpp")
        assert status == 1 and "core/fourth.cpp is not reached" in output, output


def test_the_analyzer_runs_where_it_is_asked_for():
    with repository() as repo:
        repo.write("core/third.cpp", "int SLOW_TO_FIND;\n")
        assert repo.tidy("--changed")[::2] == (0, ["core/third.cpp"])
        assert repo.tidy("--changed", "--analyze")[::2] == (1, ["core/third.cpp"]), "clean without the analyzer is not clean"


def test_a_removed_file_needs_no_check():
    with repository() as repo:
        (repo.tree / "core" / "third.cpp").unlink()
        assert repo.tidy("--changed")[::2] == (0, [])


def test_everything_is_checked_where_the_commit_to_compare_with_is_not_known():
    sources = [name for name in sorted(FILES) if name.endswith(".cpp")]
    for branch, depth in (("main", 1), ("work", 1), ("work", 2)):
        with repository() as repo:
            for text in ("int once;\n", "int twice;\n"):
                repo.write("core/third.cpp", text)
                repo.commit()
            if branch == "main":
                repo.git("branch", "-q", "-f", "main", "HEAD")
            shallow = repo.tree.parent / "shallow"
            repo.git("clone", "-q", f"--depth={depth}", f"--branch={branch}", f"file://{repo.tree}", str(shallow))
            repo.write_commands(shallow)
            status, output, checked = repo.tidy("--changed", tree=shallow)
            assert (status, checked) == (0, sources), (branch, depth, output, checked)
            assert "the whole tree is checked" in output


def test_without_a_build_it_fails():
    with repository() as repo:
        shutil.rmtree(repo.tree / "build")
        status, output, _ = repo.tidy("--changed")
        assert status == 1 and "build/release is missing" in output, output


run_all(globals())

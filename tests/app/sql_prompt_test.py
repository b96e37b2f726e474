#!/usr/bin/env python3
"""lanescope sql without a query: the prompt on a pseudo terminal, and scripts on standard input."""
import fcntl
import os
import pathlib
import pty
import re
import select
import subprocess
import termios
import time

from program import BIN, SAMPLES, run_all, scratch

TRACE = SAMPLES / "synthetic_step.json.gz"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>()][0-9A-Za-z]?|\r")
FOREVER = "with recursive t(n) as (select 1 union all select n + 1 from t) select count(*) from t;"


def take_terminal():
    """Makes the pseudo terminal the one whose Ctrl+C signals the process."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Prompt:
    def __init__(self, *arguments, data=None):
        self.folder = scratch()
        self.master, slave = pty.openpty()
        environment = dict(os.environ, TERM="xterm", COLUMNS="120", LANG="C.UTF-8", XDG_DATA_HOME=str(data or self.folder.name))
        self.process = subprocess.Popen([BIN / "lanescope", "sql", TRACE, *arguments], stdin=slave, stdout=slave, stderr=slave,
                                        env=environment, start_new_session=True,
                                        preexec_fn=take_terminal)
        os.close(slave)
        self.text = ""
        self.wait_for("sql> ")

    def wait_for(self, wanted, seconds=20):
        """Returns what the program wrote until `wanted`, without escape sequences."""
        end = time.monotonic() + seconds
        while wanted not in self.text:
            assert time.monotonic() < end, f"no {wanted!r} in {self.text!r}"
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.text += ESCAPES.sub("", os.read(self.master, 65536).decode(errors="replace"))
                except OSError:
                    assert wanted in self.text, f"ended without {wanted!r}: {self.text!r}"
        before, self.text = self.text.split(wanted, 1)
        return before

    def type(self, keys):
        os.write(self.master, keys.encode())

    def ask(self, line):
        self.type(line + "\n")
        return self.wait_for("\nsql> ")

    def leave(self, keys="\x04"):
        self.type(keys)
        end = time.monotonic() + 20
        while self.process.poll() is None and time.monotonic() < end:
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    os.read(self.master, 65536)
                except OSError:
                    pass
        assert self.process.wait(1) == 0
        os.close(self.master)
        self.folder.cleanup()


def test_parameters_belong_to_a_query():
    master, slave = pty.openpty()
    run = subprocess.run([BIN / "lanescope", "sql", TRACE, "--param", "a=1"], stdin=slave, stdout=slave, stderr=subprocess.PIPE, text=True,
                         timeout=60)
    os.close(slave)
    os.close(master)
    assert run.returncode == 2 and "--param belongs to a query" in run.stderr, run


def test_statements_and_commands():
    prompt = Prompt()
    assert "42" in prompt.ask("select 6 * 7 as answer;")
    prompt.type("select 1\n")
    prompt.wait_for("...> ")
    prompt.type("+ 1 as two;\n")
    answer = prompt.wait_for("sql> ")
    assert "two" in answer and "1 row, " in answer, answer
    error = prompt.ask("select lost;")
    assert "no such column: lost" in error and "^" in error, error
    assert "kernels_by_config" in prompt.ask(".tables")
    assert "slice(id, ts, dur" in prompt.ask(".schema slice")
    assert ".schema TABLE" in prompt.ask(".help")
    assert ".help names the commands" in prompt.ask(".nothing")
    assert "of which the first 1\u2009000 are shown" in prompt.ask("with recursive t(n) as (select 1 union all select n + 1 from t limit 1500) select n from t;")
    assert "ü" in prompt.ask("select 'ü' as letter;")
    prompt.ask("create table mine(x); insert into mine values (17);")
    assert "17" in prompt.ask("select x from mine;")
    prompt.leave(".quit\n")


def test_tab_completes():
    prompt = Prompt()
    prompt.type("sel\t")
    prompt.wait_for("select ")
    prompt.type("count(*) as number from kernels_by_c\t")
    prompt.wait_for("kernels_by_config ")
    prompt.type(";\n")
    assert "number" in prompt.wait_for("\nsql> ")
    prompt.type("select thread.\t")
    assert "is_main_thread" in prompt.wait_for("utid")
    prompt.wait_for("sql> select thread.")  # shown again below the list
    prompt.type("\x03")
    prompt.wait_for("sql> ")
    prompt.leave()


def test_interrupt_stops_a_query_and_drops_a_text():
    prompt = Prompt()
    prompt.type("select wrong\n")
    prompt.wait_for("...> ")
    prompt.type("text\x03")
    prompt.wait_for("sql> ")
    assert "5" in prompt.ask("select 5 as five;")
    prompt.type(FOREVER + "\n")
    time.sleep(1)
    begin = time.monotonic()
    prompt.type("\x03")
    assert "cancelled" in prompt.wait_for("\nsql> ")
    assert time.monotonic() - begin < 5
    assert "6" in prompt.ask("select 6 as six;")
    prompt.leave()


def test_history_is_kept():
    with scratch() as data:
        first = Prompt(data=data)
        first.ask("select 111 + 222 as kept;")
        first.leave()
        assert "kept" in (pathlib.Path(data) / "lanescope" / "sql_history").read_text()
        second = Prompt(data=data)
        second.type("\x1b[A")
        second.wait_for("as kept;")
        second.type("\n")
        assert "333" in second.wait_for("\nsql> ")
        second.leave()


def test_standard_input_is_a_script():
    def run(text, *arguments):
        return subprocess.run([BIN / "lanescope", "sql", TRACE, *arguments], input=text, capture_output=True, text=True, timeout=60)
    result = run("select 1; select 6 * 7 as answer", "--format", "csv")
    assert result.returncode == 0 and result.stdout == "answer\n42\n", result
    result = run("select lost")
    assert result.returncode != 0 and "no such column" in result.stderr, result
    piped = subprocess.run([BIN / "lanescope", "sql", "-"], input="", capture_output=True, text=True, timeout=60)
    assert piped.returncode != 0 and "standard input is the trace" in piped.stderr, piped


run_all(globals())

"""An SSH server of our own on the loopback interface, with its own keys, and an `ssh` that knows only this server."""
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import time

SSHD = next((path for path in (shutil.which("sshd"), "/usr/sbin/sshd") if path and os.path.exists(path)), None)


def reason_to_skip():
    """Why no server can be started here; None if it can."""
    if not SSHD or not shutil.which("ssh"):
        return "openssh-server or openssh-client is not installed (scripts/test installs both)"
    return None


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class SshServer:
    """`with SshServer(folder) as server`: `server.path` is a PATH whose ssh reaches the server as the host `far`, and
    writes its arguments to `server.calls`."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.port = free_port()
        self.calls_path = self.folder / "calls"

    def __enter__(self):
        for name in ("host_key", "user_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name], check=True)
        shutil.copy(self.folder / "user_key.pub", self.folder / "authorized_keys")
        if os.getuid() == 0:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)  # where sshd, as root, gives up its rights
        (self.folder / "sshd_config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self.folder}/host_key\n"
            f"AuthorizedKeysFile {self.folder}/authorized_keys\nPidFile none\nStrictModes no\nUsePAM no\n"
            "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n")
        host_key = (self.folder / "host_key.pub").read_text().split()
        (self.folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {host_key[0]} {host_key[1]}\n")
        (self.folder / "ssh_config").write_text(
            f"Host far\n  HostName 127.0.0.1\n  Port {self.port}\n"
            f"Host *\n  IdentityFile {self.folder}/user_key\n  IdentitiesOnly yes\n"
            f"  UserKnownHostsFile {self.folder}/known_hosts\n  StrictHostKeyChecking yes\n  ConnectTimeout 20\n")
        programs = self.folder / "programs"
        programs.mkdir()
        real = shutil.which("ssh")
        wrapper = programs / "ssh"
        wrapper.write_text(f"#!/bin/sh\nprintf '%s\\0' \"$@\" > {self.calls_path}\n"
                           f"exec {real} -F {self.folder}/ssh_config \"$@\"\n")
        wrapper.chmod(0o755)
        self.path = f"{programs}:{os.environ['PATH']}"
        self.log = open(self.folder / "log", "wb")
        self.process = subprocess.Popen([SSHD, "-D", "-e", "-f", self.folder / "sshd_config"], stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=self.log)
        self.user = pwd.getpwuid(os.getuid()).pw_name
        for _ in range(200):
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        self.__exit__()
        raise RuntimeError("sshd did not start: " + (self.folder / "log").read_text())

    def sessions(self):
        """The processes that serve connections."""
        found = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=False)
        return [int(pid) for pid in found.stdout.split()]

    def end_sessions(self):
        """Ends all connections, as a machine that is switched off does. Killing only the children of sshd leaves the
        processes that they started."""
        for pid in self.sessions():
            below = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()
            for one in (*map(int, below), pid):
                try:
                    os.kill(one, 9)
                except ProcessLookupError:
                    pass

    def arguments(self):
        """The words of the last call of ssh."""
        return self.calls_path.read_bytes().split(b"\0")[:-1]

    def __exit__(self, *_):
        self.end_sessions()
        self.process.terminate()
        self.process.wait()
        self.log.close()

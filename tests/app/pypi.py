"""Packages from PyPI for the tests beside this file, each in a virtual environment in the build folder."""
import fcntl
import subprocess
import sys
import sysconfig
import venv

from program import BIN, Skip


def import_packages(*names):
    """Makes the packages importable; installs those that are missing. Raises Skip if that is impossible. A name may have extras:
    "moto[s3]"."""
    folder = BIN.parent / "python_packages"
    python = folder / "bin" / "python"

    def works(name):
        module = name.split("[")[0]
        return python.exists() and subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0
    with open(BIN.parent / "python_packages.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # other tests run at the same time
        for name in names:
            if works(name):
                continue
            try:
                if not python.exists():
                    venv.create(folder, with_pip=True)
            except Exception as problem:
                raise Skip(f"no virtual environment can be created: {problem}")
            pip = subprocess.run([python, "-m", "pip", "install", "-q", "--only-binary", ":all:", name],
                                 capture_output=True, text=True)
            if pip.returncode != 0 or not works(name):
                raise Skip(f"the package {name} cannot be installed: {pip.stderr.strip()[-200:]}")
    site = sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)})
    if site not in sys.path:
        sys.path.insert(0, site)

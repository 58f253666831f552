#!/usr/bin/env python3
"""Runs a program without the library and with it, and compares what it printed byte for byte.

usage: compare.py PROGRAM [NAME=VALUE…]   (settings of the library; RELOCK_BUILD_DIR in the environment)
"""
import difflib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

RUN_SECONDS = 100
SHOWN_LINES = 24


def run(program, environment, directory, name):
    """The program's exit status and its two streams. A hang is ended, with what it printed kept."""
    out, err = directory / f"{name}.out", directory / f"{name}.err"
    with open(out, "wb") as out_file, open(err, "wb") as err_file:
        process = subprocess.Popen([program], env=environment, stdin=subprocess.DEVNULL,
                                   stdout=out_file, stderr=err_file, start_new_session=True)
        try:
            status = process.wait(timeout=RUN_SECONDS)
        except subprocess.TimeoutExpired:
            status = "hangs"
        finally:
            # Also what it may have left behind; the session is its own.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
    return status, out.read_bytes(), err.read_bytes()


def show_difference(native, preloaded):
    lines = list(difflib.unified_diff(native.decode(errors="replace").splitlines(),
                                      preloaded.decode(errors="replace").splitlines(),
                                      "without the library", "with it", lineterm="", n=0))
    changed = [line for line in lines if line[:1] in "+-" and not line.startswith(("+++", "---"))]
    print(f"{len(changed)} lines differ:")
    print("\n".join(changed[:SHOWN_LINES]))


def main():
    program, settings = sys.argv[1], dict(word.split("=", 1) for word in sys.argv[2:])
    library = pathlib.Path(os.environ["RELOCK_BUILD_DIR"]) / "preload" / "librelock.so"
    clean = {name: value for name, value in os.environ.items()
             if name != "LD_PRELOAD" and not name.startswith("RELOCK_")}
    with tempfile.TemporaryDirectory(prefix="relock-conformance-") as name:
        directory = pathlib.Path(name)
        native = run(program, clean, directory, "native")
        preloaded = run(program, {**clean, "LD_PRELOAD": str(library),
                                  "RELOCK_OUTPUT": f"{directory}/%e.%p.rlk", **settings},
                        directory, "preloaded")
        recordings = len(list(directory.glob("*.rlk")))
    failed = False
    for run_name, (status, out, err) in (("without the library", native), ("with it", preloaded)):
        if status != 0 or err:
            failed = True
            last = out.decode(errors="replace").rsplit("\n", 2)[-2:]
            print(f"{run_name}: status {status}, stderr {err.decode(errors='replace')[:2000]!r}, "
                  f"last output {last}")
    if native[1] != preloaded[1]:
        failed = True
        show_difference(native[1], preloaded[1])
    # Without a recording the library was not there, and the comparison says nothing.
    if settings.get("RELOCK_RECORD") != "off" and recordings == 0:
        failed = True
        print("the library left no recording")
    lines = native[1].count(b"\n")
    skipped = native[1].count(b" skipped=no-permission")
    print(f"{lines} cases, {skipped} groups not permitted here, {recordings} recordings")
    return 1 if failed or lines == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

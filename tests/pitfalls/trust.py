"""What the library may be made to do by others than the user it runs for."""

import os
import shutil
import stat

from harness import *
from mounts import MOUNT, must_mount


def as_nobody(program, library, environment, directory):
    """The program, with the library under everything by /etc/ld.so.preload, which counts for setuid programs, too."""
    script = ("set -e\nmkdir $0/upper $0/work\nmount -t overlay none -o lowerdir=/etc,upperdir=$0/upper,workdir=$0/work /etc\n"
              "library=$1; shift\necho $library > /etc/ld.so.preload\nexec setpriv --reuid 65534 --regid 65534 --clear-groups \"$@\"")
    scratch = new_directory()
    via = [*MOUNT, "sh", "-c", f"mount -t tmpfs none {scratch}; exec sh -c '{script}' {scratch} \"$@\"", "trust"]
    return execute([*via, library, program, "return"], environment, directory)


@pitfall
def secure_execution():
    """A setuid program does nothing for who started it: the environment is not looked at, nothing is written or said."""
    must_mount()
    if os.geteuid() != 0:
        skip("needs root")
    for secure in (False, True):
        place = new_directory()
        out = place / "out"
        out.mkdir()
        for path in (place, out):
            path.chmod(0o777)
        program = place / "ends"
        shutil.copy(FIXTURES / "ends", program)
        shutil.copy(LIBRARY, place / "library.so")
        program.chmod(0o4755 if secure else 0o755)
        environment = {**clean_environment(), "RELOCK_OUTPUT": f"{out}/%e.%p.rlk", "RELOCK_POLICY": "spin-park"}
        done = as_nobody(program, place / "library.so", environment, place)
        what = "setuid" if secure else "not setuid"
        same(done[0], 4, f"{what}: status, {done}")
        same(done[2], b"", f"{what}: stderr")
        same(len(list(out.glob("ends.*.rlk"))), 0 if secure else 1, f"{what}: recordings")
        # Nor does it say that the policy is none, as setpriv does before it.
        done = as_nobody(program, place / "library.so", {**environment, "RELOCK_POLICY": "nonsense"}, place)
        same(done[2].count(b"nonsense"), 1 if secure else 2, f"{what}: lines on a policy that is none, in {done[2]}")


@pitfall
def planted():
    """The recording's name exists already: as a link, a file, a FIFO, a directory. Nothing of it is followed, opened or changed,
    and what is made is for its user alone whatever the umask."""
    before = os.umask(0)
    try:
        for kind in ("link", "dangling", "hard link", "file", "fifo", "directory"):
            place = new_directory()
            target, name = place / "target", place / "fixed.rlk"
            if kind != "dangling":
                target.write_text("precious")
            if kind in ("link", "dangling"):
                name.symlink_to(target)
            elif kind == "hard link":
                name.hardlink_to(target)
            elif kind == "file":
                name.write_text("precious")
            elif kind == "fifo":
                os.mkfifo(name)
            else:
                name.mkdir()
            for run in under_policies("ends", "return", policies=("spin-park",), native=False, output=str(name)):
                run.must_end(4)
            same(target.read_text() if target.exists() else None, None if kind == "dangling" else "precious", f"{kind}: the target")
            if kind == "file":
                same(name.read_text(), "precious", "file: its content")
            made = [p for p in place.iterdir() if p not in (name, target)]
            check(len(made) == 1, f"{kind}: made {made}")
            for path in made:
                same(stat.S_IMODE(path.lstat().st_mode), 0o600, f"{kind}: mode")
    finally:
        os.umask(before)

"""Surroundings that lack something or refuse something: control groups, /proc, clocks, system calls, memory, files, users."""

import contextlib
import platform
import random
import resource
import signal

from harness import *
from mounts import MOUNT, adds_up, must_mount, on_disk, surrounded_by


def one_recording(run):
    report = run.must_match()
    return report["recordings"][0] if report and same(len(report["recordings"]), 1, f"{run.what}: recordings") else None


@pitfall
def cpu_quota():
    """26: quotas of control groups, of both versions: the tightest of all levels, of the right controller."""
    must_mount()
    cases = {
        # what: (/proc/self/cgroup, {file below /sys/fs/cgroup: content}, quota in 1/1000 CPUs)
        "no quota": ("0::/a", {"a/cpu.max": "max 100000"}, 0),
        "a quota": ("0::/a", {"a/cpu.max": "150000 100000"}, 1500),
        "a tighter one above": ("0::/a/b/c", {"a/cpu.max": "20000 100000", "a/b/cpu.max": "50000 100000", "a/b/c/cpu.max": "max 100000"}, 200),
        "a tighter one below": ("0::/a/b", {"a/cpu.max": "200000 100000", "a/b/cpu.max": "5000 10000"}, 500),
        "a container's own root": ("0::/", {"cpu.max": "75000 100000"}, 750),
        "a group that is out of sight": ("0::/../../elsewhere", {"cpu.max": "max 100000"}, 0),
        "nonsense": ("0::/a", {"a/cpu.max": "lots"}, 0),
        "an empty file": ("0::/a", {"a/cpu.max": ""}, 0),
        "version 1": ("4:memory:/m\n3:cpu,cpuacct:/a", {"cpu/a/cpu.cfs_quota_us": "25000", "cpu/a/cpu.cfs_period_us": "50000"}, 500),
        "version 1, none": ("3:cpu,cpuacct:/a", {"cpu/a/cpu.cfs_quota_us": "-1", "cpu/a/cpu.cfs_period_us": "100000"}, 0),
        "version 1, above": ("3:cpuacct,cpu:/a/b", {"cpu/a/cpu.cfs_quota_us": "30000", "cpu/a/cpu.cfs_period_us": "100000",
                                                  "cpu/a/b/cpu.cfs_quota_us": "-1", "cpu/a/b/cpu.cfs_period_us": "100000"}, 300),
        "version 1, controllers of like names": ("3:cpuset:/s\n2:cpuacct:/t\n1:cpu:/a",
                                                 {"cpu/a/cpu.cfs_quota_us": "40000", "cpu/a/cpu.cfs_period_us": "100000",
                                                  "cpu/s/cpu.cfs_quota_us": "10000", "cpu/s/cpu.cfs_period_us": "100000"}, 400),
        "version 1, a container's own": ("1:cpu:/docker/0123", {"cpu/cpu.cfs_quota_us": "60000", "cpu/cpu.cfs_period_us": "100000"}, 600),
        "both versions": ("1:cpu:/a\n0::/b", {"b/cpu.max": "90000 100000", "cpu/a/cpu.cfs_quota_us": "80000", "cpu/a/cpu.cfs_period_us": "100000"}, 800),
    }
    for number, (what, (groups, files, quota)) in enumerate(cases.items()):
        fixed = new_directory()
        (fixed / "groups").write_text(groups + "\n")
        for name, content in files.items():
            (fixed / "cgroup" / name).parent.mkdir(parents=True, exist_ok=True)
            (fixed / "cgroup" / name).write_text(content + "\n" if content else "")
        via = surrounded_by(f"mount --bind '{fixed}/cgroup' /sys/fs/cgroup; mount --bind '{fixed}/groups' /proc/$$/cgroup")
        for policy in POLICIES if number == 1 else ("spin-park",):
            run = Run(("ends",), policy=policy, via=via)
            run.must_end(4)
            recording = one_recording(run)
            if not recording:
                continue
            same(recording["cpus_quota_milli"], quota, f"{what}: quota")
            text = run.screen()
            limits = quota and quota < 1000 * recording["cpus_allowed"]
            wanted = f"on {quota / 1000:g} CPU{'' if quota == 1000 else 's'} of cgroup quota" if limits else "on "
            check(wanted in text and limits == ("quota" in text), f"{what}: the report says of the CPUs: {text.splitlines()[1]}")


@pitfall
def no_proc():
    """/proc is not mounted, or something else is: program, command line and locks have their names all the same."""
    must_mount()
    program = FIXTURES / "ends"
    for how in ("umount -l /proc", "mount -t tmpfs none /proc"):
        for run in under_policies("ends", "return", "it's quoted", native=False, via=surrounded_by(how)):
            run.what += f" after '{how}'"
            run.must_end(4)
            recording = one_recording(run)
            if recording:
                same(recording["program"], str(program), f"{run.what}: program")
                same(recording["command"], f"{program} return 'it'\\''s quoted'", f"{run.what}: command line")
                same([path.name.split(".")[0] for path in run.files()], ["ends"], f"{run.what}: name of the recording")
                check("mutex" in run.screen(), f"{run.what}: the name of the lock in the report")
        command_without_proc(how)


def command_without_proc(how):
    """run, report and doctor say there what they say elsewhere."""
    directory = new_directory()
    via, program = surrounded_by(how), FIXTURES / "ends"
    status, out, err = execute([*via, COMMAND, "run", "-p", "spin-park", "--", program, "return"], clean_environment(), directory)
    same(status, 4, f"relock run after '{how}': status")
    check(b"covered" in err, f"relock run after '{how}': the report: {err}")
    check(out.startswith(b"expect"), f"relock run after '{how}': the program's output {out}")
    for words in (["report", *directory.glob("*.rlk")], ["doctor", program]):
        there = execute([*via, COMMAND, *words], clean_environment(), directory)
        same(there, execute([COMMAND, *words], clean_environment(), directory), f"relock {words[0]} after '{how}'")
        same(there[0], 0, f"relock {words[0]} after '{how}': status")


@pitfall
def slow_clock():
    """43: a counter the kernel does not trust, and one that must not be read: the kernel's clock, and the report says when it is slow."""
    if platform.machine() != "x86_64":
        skip("only x86-64 has a counter that may be distrusted or forbidden")
    must_mount()
    sources = new_directory() / "available_clocksource"
    sources.write_text("hpet acpi_pm \n")
    distrusted = surrounded_by(f"mount --bind '{sources}' /sys/devices/system/clocksource/clocksource0/available_clocksource")
    unknown = surrounded_by("mount -t tmpfs none /sys")
    settings = {"RELOCK_HOLDS": "all", "RELOCK_STACKS": "on"}
    for what, options, slow in (("distrusted", {"via": distrusted}, False), ("forbidden", {"after": (FIXTURES / "libno_tsc.so",)}, True)):
        for fixture in (("crowd",), ("broadcast",)):
            for run in under_policies(*fixture, policies=(*POLICIES, "spin-sleep"), settings=settings, **options):
                run.what += f" with a counter that is {what}"
                run.must_end(0)
                recording = one_recording(run)
                if recording:
                    same(recording["clock"], "monotonic", f"{run.what}: clock")
                    same("the kernel's, " in run.screen(), slow, f"{run.what}: a note on the clock in the report")
    run = Run(("crowd",), policy="spin-park", via=unknown)
    run.must_end(0)
    one_recording(run)


@pitfall
def forbidden_clock():
    """43: a program that forbids itself the counter once it runs is not killed for reading it, and times go on in one unit: the hold
    that it was done in is as long as it was, and no time is longer than the run."""
    if platform.machine() != "x86_64":
        skip("only x86-64 has a counter that may be forbidden")
    for when in ("first", "later", "held", "thread", "back", "forked", "raw", "vforked"):
        for run in under_policies("forbids_tsc", when, policies=(*POLICIES, "spin-sleep", "progress"), settings={"RELOCK_HOLDS": "all"}):
            if not run.must_end(0) or not run.must_match():
                continue
            reports = [run.report(path) for path in run.files()]
            same(len(reports), 2 if when in ("forked", "raw") else 1, f"{run.what}: recordings")
            for recording, lock in ((report["recordings"][0], report["locks"][0]) for report in reports):
                # vfork()'s child does not write to its parent's recording.
                same(recording["clock"], "tsc" if when == "vforked" else "monotonic", f"{run.what}: clock")
                for key in ("hold_max_ns", "hold_total_ns", "wait_max_ns"):
                    check(lock[key] <= recording["wall_ns"], f"{run.what}: {key} {lock[key]} in a run of {recording['wall_ns']} ns")
                if when == "held":
                    check(lock["hold_max_ns"] > 19000000, f"{run.what}: a hold of 20 ms in {lock['hold_max_ns']} ns at most")
            if when != "vforked":
                check("the kernel's, " in run.screen(), f"{run.what}: a note on the clock in the report")


def said(run):
    return run.stderr.decode(errors="replace").splitlines()


@pitfall
def turned():
    """A server that gives up root, changes its root directory or closes its streams, and forks: its own recording stands, and one
    line says that its eight children have none."""
    if os.geteuid() != 0:
        skip("only root can become another user")
    for how in ("nothing", "user", "root-directory", "streams"):
        for run in under_policies("turned", how, "recorded", quiet=False):
            same(run.status, 0, f"{run.what}: status")
            run.must_match()
            unrecorded = how in ("user", "root-directory")
            same(len(run.files()), 1 if unrecorded else 9, f"{run.what}: recordings")
            lines = said(run)
            check(len(lines) == unrecorded and all("running unrecorded" in line for line in lines), f"{run.what}: stderr {lines}")
        for run in under_policies("turned", how, "unrecorded", native=False):
            same(run.status, 0, f"{run.what}: status")
            check(len(said(run)) <= 1, f"{run.what}: stderr {said(run)}")


@pitfall
def stderr():
    """What is to be said goes to the stderr there was at the start, or nowhere: not into a file or a connection that has its number
    now; and it costs nothing where nobody reads or the file is full."""
    nowhere = {"RELOCK_REPORT": "stderr", "output": "/proc/no/such/%e.rlk"}

    def unread():
        read, write = os.pipe()
        os.dup2(write, 2)
        os.close(read)

    def full():
        fd = os.open("stderr.full", os.O_RDWR | os.O_CREAT, 0o600)
        os.truncate(fd, 4096)
        os.lseek(fd, 0, os.SEEK_END)
        os.dup2(fd, 2)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))

    output = nowhere.pop("output")
    for how, prepare in (("streams", None), ("nothing", unread), ("nothing", full), ("nothing", lambda: os.close(2))):
        for run in under_policies("turned", how, "unrecorded", settings=nowhere, output=output, quiet=False, preexec_fn=prepare):
            run.what += f" prepared by {prepare.__name__}" if prepare else ""
            same(run.status, 0, f"{run.what}: status")
            check(len(run.lines("expect")) == 1, f"{run.what}: output {run.stdout}")


@pitfall
def file_size():
    """A limit on the size of files that leaves a recording no room, from the start and set by the program: said as what it is."""
    for run in under_policies("confined", "file-size", quiet=False):
        same(run.status, 0, f"{run.what}: status")
        check(len(said(run)) == 1 and "limit on the size of files" in said(run)[0], f"{run.what}: stderr {said(run)}")
        same(run.files(), [], f"{run.what}: files left behind")
    for size in (4096, 1 << 20, 1 << 30):
        for run in under_policies("turned", "nothing", "recorded", quiet=False, native=False,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))):
            run.what += f" with files of at most {size} bytes"
            same(run.status, 0, f"{run.what}: status")
            if size < 1 << 20:
                check(len(said(run)) == 1 and "limit on the size of files" in said(run)[0], f"{run.what}: stderr {said(run)}")
            else:
                same(said(run), [], f"{run.what}: stderr")
                run.must_match(complete=False)


@pitfall
def filtered():
    """A program that allows itself few system calls, before or after its first threads: none but those is made on its behalf, and its
    recording and its child's are exact."""
    for action in ("kill", "eperm", "enosys"):
        for when in ("first", "later"):
            for run in under_policies("filtered", action, when, policies=(*POLICIES, "spin-sleep", "progress"),
                                      settings={"RELOCK_HOLDS": "all", "RELOCK_STACKS": "on", "RELOCK_REPORT": "none"}):
                run.must_end(0)
                run.must_match()
                same(len(run.files()), 2, f"{run.what}: recordings")


@pitfall
def address_space():
    """A program that lowers its limit of address space once it runs has all of that for itself, but for a small share."""
    for how in ("nothing", "setrlimit", "prlimit", "data"):
        for run in under_policies("limits_itself", how):
            if not run.must_end(0):
                continue
            run.must_match()
            same(len(run.files()), 2, f"{run.what}: recordings")
            check((run.value("space") < 512 << 20) == (how != "nothing"), f"{run.what}: address space taken: {run.value('space')}")


def read_only_at(place):
    return f"mount --bind {place} {place} && mount -o remount,bind,ro {place}"


@pitfall
def read_only():
    """The output's directory, or every directory, is on a read-only file system: the library says so and goes on without, the command
    finds another place or refuses before anything runs."""
    must_mount()
    disk = new_directory()
    for run in under_policies("turned", "nothing", "recorded", quiet=False, via=surrounded_by(read_only_at(disk)),
                              output=f"{disk}/%e.%p.rlk"):
        same(run.status, 0, f"{run.what}: status")
        check(len(said(run)) == 1 and f"{disk}/turned" in said(run)[0] and "Read-only file system" in said(run)[0], f"{run.what}: stderr {said(run)}")
    program = [FIXTURES / "ends", "return"]
    here = f"{read_only_at(disk)}; cd {disk}"
    everywhere = f"for place in /tmp /var/tmp $TMPDIR; do {read_only_at('$place')}; done; {here}"
    # what: (the surroundings, more options of relock run, status, what it says)
    cases = {"named": (read_only_at(disk), ("-o", f"{disk}/a.rlk"), 125, b"Read-only file system"),
             "current": (here, (), 4, b"the current directory is not writable, so the recording is in "),
             "everywhere": (everywhere, (), 125, b"the current directory is not writable, and no private directory"),
             "everywhere, unrecorded": (everywhere, ("--set", "record.enabled=off"), 4, b"")}
    for what, (script, options, status, says) in cases.items():
        own = new_directory()
        done = execute([*surrounded_by(script), COMMAND, "run", *options, "--", *program], {**clean_environment(), "TMPDIR": str(own)}, new_directory())
        same(done[0], status, f"relock run, read-only: {what}: status, {done}")
        check(says in done[2] and (says or not done[2]), f"relock run, read-only: {what}: {done[2]}")
        same(done[1].startswith(b"expect"), status == 4, f"relock run, read-only: {what}: the program ran")
        same(len(list(own.rglob("*.rlk"))), what == "current", f"relock run, read-only: {what}: recordings in TMPDIR")


def tmpfs_quota(disk):
    """A quota of tmpfs (Linux 6.6; not for root) that ends at once and in the middle of a recording. False: there are none here."""
    for size in (4096, 65536, 1 << 18, 1 << 20):
        for policy in POLICIES:
            mount = f"mount -t tmpfs -o usrquota,usrquota_block_hardlimit={size} none '{disk}' && chmod 777 '{disk}'"
            status, out, err, recordings = on_disk(
                mount, disk, policy, f"setpriv --reuid 65534 --regid 65534 --clear-groups '{FIXTURES / 'many_locks'}'")
            if status == 77:
                return False
            what = f"quota of {size} under {policy}"
            same(status, 0, f"{what}: status")
            adds_up(what, recordings, err, int(out.split()[1]))
            check(not err or b"quota" in err, f"{what}: stderr {err}")
    return True


def btrfs_quota(disk):
    """A quota of btrfs, for root too, which would make a mapped file a trap: none is made where one limits. False: not here."""
    made = new_directory()
    here, others = f"{disk}/here", f"{disk}/others"
    begin = (f"mkfs.btrfs -q -f '{made}/image' >/dev/null 2>&1 && mount -o loop '{made}/image' '{disk}' && btrfs quota enable '{disk}' && "
             f"btrfs quota rescan -w '{disk}' >/dev/null && btrfs subvolume create '{here}' >/dev/null && "
             f"btrfs subvolume create '{others}' >/dev/null && mkdir '{here}/below' && chmod 777 '{here}/below'")
    above = f"btrfs qgroup create 1/7 '{disk}' && btrfs qgroup assign '{here}' 1/7 '{disk}' >/dev/null && btrfs qgroup limit 16M 1/7 '{disk}'"
    # what: (how it comes to be, whether it limits)
    cases = {"none": ("true", False), "another's": (f"btrfs qgroup limit 1M '{others}'", False),
             **{f"{size} bytes": (f"btrfs qgroup limit {size} '{here}'", True) for size in (1, 1 << 16, 1 << 18, 1 << 20, 1 << 24, 1 << 40)},
             "lifted": (f"btrfs qgroup limit 1M '{here}' && btrfs qgroup limit none '{here}'", False), "of a group above": (above, True)}
    for number, (name, (limit, limits)) in enumerate(cases.items()):
        for policy in POLICIES if number == 4 else ("spin-park",):
            for who in ("", *(("setpriv --reuid 65534 --regid 65534 --clear-groups",) if limits else ())):
                with open(made / "image", "wb") as image:
                    image.truncate(1 << 30)
                status, out, err, recordings = on_disk(f"{begin} && {limit}", f"{here}/below", policy, f"{who} '{FIXTURES / 'many_locks'}'")
                if status == 77:
                    return False
                what = f"btrfs with a quota, {name}, under {policy} {who}"
                if same(status, 0, f"{what}: status"):
                    adds_up(what, recordings, err, int(out.split()[1]))
                    check((b"quota" in err) == limits, f"{what}: stderr {err}")
    return True


@pitfall
def quota():
    """A disk quota, used up before the recording begins or after: what there is adds up, or one line says why there is none."""
    must_mount()
    if os.geteuid() != 0:
        skip("only root can set quotas")
    if not any([tmpfs_quota(new_directory()), btrfs_quota(new_directory())]):
        skip("neither tmpfs nor btrfs has quotas here")


# Of the fixture "killed".
KILLED_THREADS = 4


def ends_killed(words, **more):
    """Runs it, and compares what was recorded with what was published: of each thread as much, or one acquisition more."""
    progress = new_directory() / "progress"
    for policy in (None, *POLICIES):
        progress.unlink(missing_ok=True)
        run = Run(("killed", str(progress), *words), policy=policy, **more)
        same(run.status, -signal.SIGKILL, f"{run.what}: status")
        same(run.stderr, b"", f"{run.what}: stderr")
        published = sum(int.from_bytes(progress.read_bytes()[8 * i:8 * i + 8], sys.byteorder) for i in range(KILLED_THREADS))
        report = run.report(rows=1) if policy else None
        if report:
            recorded = report["totals"]["acquired"]
            check(published <= recorded <= published + KILLED_THREADS, f"{run.what} {more}: recorded {recorded}, published {published}")
        else:
            check(not policy, f"{run.what}: no recording")


@pitfall
def killed_for_memory():
    """The kernel kills the program because its control group is out of memory: the recording, part of that memory, has all of it."""
    with memory_group(32 << 20) as enter:
        ends_killed(("memory",), settings={"RELOCK_HOLDS": "all"}, preexec_fn=enter)


@contextlib.contextmanager
def memory_group(limit):
    """A group below this process's own; yields what a process calls to enter it."""
    groups = {line.split(":")[1]: line.rstrip("\n").split(":", 2)[2] for line in open("/proc/self/cgroup")}
    first = "memory" in groups
    parent = pathlib.Path(f"/sys/fs/cgroup{'/memory' if first else ''}{groups.get('memory' if first else '', '')}")
    group = parent / f"relock-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as problem:
        skip(f"no control group can be made: {problem}")
    try:
        file = group / ("memory.limit_in_bytes" if first else "memory.max")
        try:
            file.write_text(str(limit))
        except OSError as problem:
            skip(f"the memory of a control group cannot be limited: {problem}")
        yield lambda: (group / "cgroup.procs").write_text("0")
        counted = (group / ("memory.oom_control" if first else "memory.events")).read_text().split()
        same(int(counted[counted.index("oom_kill") + 1]), 1 + len(POLICIES), "programs killed for want of memory")
    finally:
        group.rmdir()


@pitfall
def killed_at_random():
    """SIGKILL at any time, with plenty of room and with hardly any: of memory, of address space, of locks that may be told apart."""
    seed = int.from_bytes(os.urandom(4), "little")
    chance = random.Random(seed)
    print(f"seed {seed}")
    tight = {"RELOCK_MAX_MEMORY": "2MiB", "RELOCK_DEFLATE_INTERVAL": "1ms"}
    few = {"RELOCK_MAX_LOCKS": "1000", "RELOCK_DEFLATE_INTERVAL": "1ms", "RELOCK_DEFLATE_THRESHOLD": "1"}
    for settings in ({}, tight, few):
        for limit in (resource.RLIM_INFINITY, 160 << 20):
            ends_killed((str(chance.randrange(1, 20000)),), settings={"RELOCK_HOLDS": "all", **settings},
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))


@pitfall
def filling_disk():
    """The disk becomes full while the program runs, on file systems of three kinds. One that copies what it writes (btrfs) wants room
    for every page that is written to again, and looks for it in vain for milliseconds each time: few are counted there."""
    must_mount()
    made = new_directory()
    systems = {"tmpfs": (1 << 20, None, 2000), "ext4": (8 << 20, "mkfs.ext4 -q -F", 2000), "btrfs": (128 << 20, "mkfs.btrfs -q -f", 10)}
    for name, (size, make, locks) in systems.items():
        for policy in POLICIES:
            disk, image = new_directory(), made / f"{name}.{policy}"
            mount = f"mount -t tmpfs -o size={size} none '{disk}'" if not make else \
                f"truncate -s {size} '{image}'; {make} '{image}' >/dev/null 2>&1 && mount -o loop '{image}' '{disk}'"
            status, out, err, recordings = on_disk(mount, disk, policy, f"'{FIXTURES / 'fills_disk'}' '{disk}' {locks}")
            image.unlink(missing_ok=True)
            if status == 77:
                print(f"{name}: not here: {err}")
                break
            what = f"{name} that fills under {policy}"
            if same(status, 0, f"{what}: status") and same(err, b"", f"{what}: stderr"):
                adds_up(what, recordings, err, int(out.split()[1]))

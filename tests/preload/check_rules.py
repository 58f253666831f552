#!/usr/bin/env python3
"""Rules per lock: each lock waits by the policy of its rule, whatever kind it is and however it was born."""

import os
import shutil
import subprocess

from harness import *

ROUNDS = 12
NAMES = ("variable", "first", "second", "uninitialised", "spin", "rwlock")


def check_way(rec, lock, policy, what):
    """How the waits for a lock must have gone, from what the policy can and cannot do."""
    blocks, yields, sleeps = (rec.counter(lock, name) for name in ("blocks", "yields", "sleeps"))
    acquired, contended = check_lock(rec, lock, what)
    check(contended > 0, f"{what}: nobody waited for {lock}")
    did = f"{what}: {lock} under {policy}: {contended} waits, {blocks} blocks, {yields} yields, {sleeps} sleeps"
    name = policy.split(":")[0]
    if name == "native":
        check(blocks == contended and not yields and not sleeps, did)
    elif name == "spin-yield":
        check(yields > 0 and not blocks and not sleeps, did)
    elif name == "spin-sleep":
        # Its sleeps come after six yields, which on a busy machine may be all it takes.
        check(yields > 0 and not blocks, did)
    elif name == "spin-park" and lock.kind != "spin":
        check(blocks > 0 and not yields and not sleeps, did)
    elif name == "spin-park":
        check(sleeps > 0 and not yields and not blocks, did)
    else:
        raise ValueError(policy)
    if "spins=1" in policy and name in ("spin-yield", "spin-park"):
        pauses = rec.counter(lock, "pauses")
        check(pauses <= contended, f"{did}, {pauses} pauses with spins = 1")


def check_ways(run, ways, what, rec=None):
    rec = rec or run.recording()
    for lock in run.locks:
        # A reader waits behind the writer that holds; the writer side is waited for by writers.
        check_way(rec, lock, ways[lock.name], what)
    return rec


def classes_of(run):
    """{lock: rule text that selects its class}, from the report."""
    data = report_json(run.recording().path)
    by_address = {int(l["address"], 16): l["rule"] for l in data["locks"] if l["address"]}
    return {l.name: by_address[l.address] for l in run.locks}


def rules(classes, ways):
    return ";".join(f"{classes[name]}={ways[name]}" for name in ways)


def check_all(classes, ways, what, **options):
    """Under these rules, with a policy for the kind that none of them is."""
    extra = {"RELOCK_RULES": rules(classes, ways), **options.pop("extra", {})}
    run = fixture("ruled", ROUNDS, policy="progress", extra=extra, **options)
    rec = check_ways(run, ways, what)
    chosen = {int(l["address"], 16): l["policy"] for l in report_json(rec.path)["locks"] if l["address"]}
    for lock in run.locks:
        got = chosen[lock.address] or ""
        check(got.startswith(ways[lock.name]), f"{what}: the report says {lock} was given '{got}'")
    return run


FIRST = {"variable": "spin-yield:spins=1", "first": "native", "second": "spin-sleep:spins=1",
         "uninitialised": "spin-park:spins=1", "spin": "spin-yield:spins=1", "rwlock": "spin-yield:spins=1"}
SECOND = {"variable": "native", "first": "spin-yield:spins=1", "second": "native",
          "uninitialised": "spin-sleep:spins=1", "spin": "native", "rwlock": "native"}
THIRD = {"spin": "spin-park:spins=1", "rwlock": "spin-park:spins=1", "variable": "spin-sleep:spins=1",
         "first": "spin-park:spins=1", "second": "spin-yield:spins=1", "uninitialised": "native"}

if len(os.sched_getaffinity(0)) < 2:
    skip("one CPU: every policy blocks")
if not os.path.exists(COMMAND):
    skip("the command is not built")
if NATIVE:
    fixture("ruled", ROUNDS)
    finish()

# The classes are the same in another run, at other addresses.
runs = [fixture("ruled", ROUNDS) for _ in range(2)]
classes = classes_of(runs[0])
same(classes_of(runs[1]), classes, "the classes in a second run")
for name in ("variable", "first", "second", "uninitialised"):
    check(classes[name].startswith("class=ruled+0x"), f"{name} is selected by {classes[name]}")
same(len(set(classes.values())), len(NAMES), f"classes of their own: {classes}")
if open("/proc/sys/kernel/randomize_va_space").read().strip() != "0":
    check(runs[0].lock("first").address != runs[1].lock("first").address, "the addresses are the same in both runs")

for what, ways in (("first rules", FIRST), ("second rules", SECOND), ("third rules", THIRD)):
    check_all(classes, ways, what)
# Nor does it matter what is on top of it.
check_all(classes, FIRST, "all holds", holds="all")
check_all(classes, FIRST, "no stacks", extra={"RELOCK_STACKS": "off"})

# Locks that no rule is for wait by their kind's policy; the first rule that matches decides.
run = fixture("ruled", ROUNDS, policy="spin-park:spins=1",
              extra={"RELOCK_RULES": f"{classes['first']}=spin-yield:spins=1;kind=mutex,module=rule*=native;"
                                     "kind=spin=spin-sleep:spins=1;module=librules*=spin-sleep"})
check_ways(run, {"variable": "native", "first": "spin-yield", "second": "native", "uninitialised": "native",
                 "spin": "spin-sleep", "rwlock": "spin-park"}, "kinds")

# From an INI file, which comes after the environment.
ini = os.path.join(new_directory(), "rules.ini")
with open(ini, "w") as out:
    out.write(f"[relock]\npolicy = spin-park:spins=1\n[lock \"a\"]\npolicy = spin-yield\nspins = 1\n"
              f"{classes['variable'].replace('=', ' = ')}\n[lock \"b\"]\n{classes['second']}\npolicy = native\n")
run = fixture("ruled", ROUNDS, extra={"RELOCK_CONFIG": ini, "RELOCK_RULES": f"{classes['second']}=spin-sleep:spins=1"})
park = "spin-park"
check_ways(run, {"variable": "spin-yield", "first": park, "second": "spin-sleep", "uninitialised": park, "spin": park,
                 "rwlock": park}, "INI file")

# Without a recording, as the kernel sees it.
for record in ("off", "on"):
    run = fixture("ruled", ROUNDS, "trap", policy="native",
                  extra={"RELOCK_RECORD": record, "RELOCK_RULES": f"{classes['variable']}=spin-yield:spins=1;"
                                                                  f"{classes['spin']}=spin-yield:spins=1;"
                                                                  f"{classes['rwlock']}=spin-yield:spins=1"})
    if run.values.get("untrapped"):
        print("system calls cannot be trapped here; without a recording nothing is known")
        break
    for name, count in run.values.items():
        yielding = name.split("-")[0] in ("variable", "spin", "rwlock")
        check((count > 0) == yielding, f"record = {record}: {count} yields for {name}")
    same(len([n for n in os.listdir(run.directory)]), record == "on", f"record = {record}: recordings")
    same(run.stderr, "", f"record = {record}: what is said")

# A child knows where its parent's locks were born.
run = fixture("ruled", ROUNDS, "fork", policy="spin-park:spins=1", extra={"RELOCK_RULES": rules(classes, SECOND)})
check_ways(run, SECOND, "in a child", rec=[r for r in run.recordings() if any(e[4] for e in r.entries)][-1])

# Symbols are the command's to look up. Without it, one line says so and the others hold.
run = fixture("ruled", ROUNDS, policy="spin-park:spins=1",
              extra={"RELOCK_RULES": f"symbol=make_first=native;symbol=x=native;{classes['second']}=spin-yield:spins=1"})
same(len(run.stderr.splitlines()), 1, f"lines about symbols: {run.stderr}")
check("2 rules by symbol" in run.stderr and "RELOCK_RULES" in run.stderr, f"about symbols: {run.stderr}")
check_ways(run, {**dict.fromkeys(NAMES, "spin-park"), "second": "spin-yield"}, "symbols without the command")


def by_command(program, arguments, what, ways):
    """relock run, in the place of the preloading."""
    directory = new_directory()
    env = {k: v for k, v in environment(directory=directory).items() if k != "LD_PRELOAD"}
    done = subprocess.run([COMMAND, "run", "-q", *arguments, "--", program, str(ROUNDS)], env=env, cwd=directory,
                          capture_output=True, text=True, timeout=RUN_LIMIT_S)
    same(done.returncode, 0, f"{what}: exit status; {done.stderr}")
    same(done.stderr, "", f"{what}: what is said")
    run = Run(done.returncode, done.stdout, done.stderr, directory)
    if ways:
        check_ways(run, ways, what)
    return run


program = os.path.join(FIXTURES, "ruled")
by_command(program, ["-p", "spin-park:spins=1", "-r", "symbol=lock_in_var*=spin-yield:spins=1", "-r",
                     "kind=mutex,symbol=make_[ft]*=native", "-r", "symbol=first_use=spin-sleep:spins=1"],
           "symbols", {**dict.fromkeys(NAMES, "spin-park"), "variable": "spin-yield", "first": "native",
                       "uninitialised": "spin-sleep"})
by_command(program, ["-p", "native", "-r", "module=ruled,symbol=*=spin-yield:spins=1"], "all symbols",
           dict.fromkeys(NAMES, "spin-yield"))

# A program without symbols is as good: its classes are its offsets.
strip = shutil.which("strip")
if strip:
    stripped = os.path.join(new_directory(), "ruled")
    subprocess.run([strip, "-o", stripped, program], check=True)
    found = classes_of(by_command(stripped, [], "stripped", None))
    same(found, classes, "the classes without symbols")
    arguments = [word for name, way in FIRST.items() for word in ("-r", f"{found[name]}={way}")]
    by_command(stripped, ["-p", "progress", *arguments], "stripped, under rules", FIRST)
else:
    print("no strip here: programs without symbols were not tried")
finish()

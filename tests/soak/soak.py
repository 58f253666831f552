#!/usr/bin/env python3
"""A soak: random programs under random policies and settings, which random faults befall; afterwards every recording that
there is has to be readable and to add up.

    soak.py [--minutes N] [--seed S]      until the time is over
    soak.py --seed S --only 17            run 17 of that seed again; --keep keeps what it left

The last line has the figures. Exits with 1 when something did not add up. What was found is printed with the number of its
run, and the directory with all that is left of it is kept.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "preload"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import checks
import faults
import harness
import programs
from harness import COMMAND, Run

TUNABLES = {
    "spins": ["0", "1", "15", "100", "4095"],
    "yields": ["1", "3", "100"],
    "sleep": ["1us", "50us", "1ms", "2ms"],
    "hint": ["default", "none"],
    "hint_count": ["1", "7", "99"],
    "budget": ["0", "1us", "20us", "1ms"],
}


def read_policies():
    """{policy: names of its tunables}"""
    out = subprocess.run([COMMAND, "policies"], capture_output=True, text=True, check=True)
    found, name = {policy: [] for policy in harness.policies()}, None
    for line in out.stdout.splitlines():
        if line and not line.startswith(" "):
            name = line.split()[0]
        elif "=" in line and name in found:
            found[name] = [pair.split("=")[0] for pair in line.strip().split(",")]
    return found


def pick_policy(chance, policies):
    name = chance.choice(list(policies))
    tuned = [f"{key}={chance.choice(TUNABLES[key])}" for key in policies[name] if chance.random() < 0.3]
    return name + (":" + ",".join(tuned) if tuned else "")


def pick_settings(chance, policies):
    settings = {"RELOCK_POLICY": pick_policy(chance, policies)}

    def maybe(share, name, *values):
        if chance.random() < share:
            settings[name] = chance.choice(values)

    for kind in ("MUTEX", "SPIN", "RWLOCK"):
        maybe(0.2, f"RELOCK_{kind}_POLICY", pick_policy(chance, policies))
    maybe(0.2, "RELOCK_RULES", *(f"kind={kind}={pick_policy(chance, policies)}" for kind in ("mutex", "spin", "rwlock")))
    maybe(0.7, "RELOCK_HOLDS", "off", "sampled", "all", "all")
    maybe(0.3, "RELOCK_HOLD_SAMPLE", "1", "2", "1000")
    maybe(0.3, "RELOCK_STACKS", "off")
    maybe(0.3, "RELOCK_STACK_DEPTH", "1", "3", "24")
    maybe(0.5, "RELOCK_DEFLATE_INTERVAL", "1ms", "1ms", "20ms")
    maybe(0.5, "RELOCK_DEFLATE_THRESHOLD", "0", "1", "10", "50", "100")
    maybe(0.3, "RELOCK_MAX_LOCKS", "1", "10", "100", "1000", "5000")
    maybe(0.3, "RELOCK_MAX_MEMORY", "1MiB", "2MiB", "4MiB", "64MiB")
    maybe(0.1, "RELOCK_COND", "native")
    return settings


class Case:
    """One run, all of it decided by the seed and its number."""

    def __init__(self, seed, number, policies, mountable):
        chance = random.Random(f"{seed}/{number}")
        self.number = number
        self.fault = faults.pick(chance, mountable)
        kinds = programs.FOR_KILLING if self.fault.kills else programs.END_BY_THEMSELVES
        self.program = chance.choice(kinds)(chance)
        self.settings = pick_settings(chance, policies)

    def __str__(self):
        words = " ".join(f"{name}={value}" for name, value in self.settings.items())
        return f"run {self.number}: {self.program.name}; {self.fault}; {words}"

    def run(self, directory):
        """(what is wrong, recordings, acquisitions)"""
        outcome = self.fault.run(self.program.command, self.settings, directory)
        if outcome.status is None:
            return [f"did not end within {faults.RUN_LIMIT_S} s"], 0, 0
        killed = self.fault.kills and self.fault.happened
        wrong = []
        # It may have ended by itself in the moment of the signal.
        if outcome.status not in ((0, -self.fault.number) if killed else (0,)):
            wrong.append(f"exit status {outcome.status}: {outcome.stderr.strip()}")
        # Each process may say that it is not recorded, and that rules have no effect for the same reason.
        if len(outcome.stderr.splitlines()) > 1 + ("RELOCK_RULES" in self.settings) and not isinstance(self.program, programs.Forks):
            wrong.append(f"too many lines on stderr: {outcome.stderr}")
        facts = Run(outcome.status, outcome.stdout, outcome.stderr, directory)
        may_lack = isinstance(self.fault, (faults.FileSize, faults.FullDisk))
        more, recordings, acquired = checks.check_all(self.program, facts, outcome, killed and outcome.status != 0,
                                                      {"may lack": may_lack})
        return wrong + more, recordings, acquired


class Figures:
    def __init__(self):
        self.acquired = self.programs = self.faults = self.recordings = self.discrepancies = 0

    def add(self, case, wrong, recordings, acquired):
        self.programs += 1
        self.faults += case.fault.happened
        self.recordings += recordings
        self.acquired += acquired
        self.discrepancies += len(wrong)


def run_case(case, figures, keep):
    directory = tempfile.mkdtemp(prefix="relock-soak-")
    wrong, recordings, acquired = case.run(directory)
    figures.add(case, wrong, recordings, acquired)
    for problem in wrong:
        print(f"{case}\n    {problem}", flush=True)
    if wrong or keep:
        print(f"    left in {directory}", flush=True)
    else:
        faults.remove(directory)


def numbers(options):
    """Of the runs, until there have been enough."""
    if options.only is not None:
        yield options.only
        return
    end = faults.now() + options.minutes * 60
    number = 0
    while number < options.programs if options.programs else faults.now() < end:
        yield number
        number += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60, help="how long (default 60)")
    parser.add_argument("--programs", type=int, help="how many, in place of how long")
    parser.add_argument("--seed", help="what all is decided by (default: another every time)")
    parser.add_argument("--only", type=int, help="the number of one run, in place of all")
    parser.add_argument("--keep", action="store_true", help="keep what each run left")
    parser.add_argument("--show", action="store_true", help="say what is run")
    options = parser.parse_args()
    seed = options.seed or str(random.SystemRandom().randrange(1 << 32))
    policies, mountable = read_policies(), faults.can_mount()
    figures, start = Figures(), faults.now()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for number in numbers(options):
            case = Case(seed, number, policies, mountable)
            if options.show:
                print(case, flush=True)
            run_case(case, figures, options.keep)
    except KeyboardInterrupt:
        pass
    if not mountable:
        print("mounting is not permitted here, so no disk was full")
    minutes = (faults.now() - start) / 60
    print(f"soak: operations {figures.acquired}, programs {figures.programs}, faults {figures.faults}, recordings checked "
          f"{figures.recordings}, discrepancies {figures.discrepancies} (seed {seed}, {minutes:.1f} minutes)")
    sys.exit(1 if figures.discrepancies else 0)


if __name__ == "__main__":
    main()

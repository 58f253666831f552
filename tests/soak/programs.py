"""The programs a soak runs: what to start, and what their recordings have to add up to.

A program knows how many acquisitions it made: in all, and of some locks. `expected` maps the id of each of its processes
to that number, None for the only one.
"""

import json
import os
import struct

from harness import BUILD, FIXTURES

PITFALLS = os.path.join(BUILD, "tests", "pitfalls")
WORKLOADS = os.path.join(BUILD, "workloads")


class Program:
    publishes = False  # how far it got, where a killer can read it
    exact_failed = True  # all its failed tries are printed, too

    def __init__(self, path, *arguments):
        self.command = [path, *map(str, arguments)]

    @property
    def name(self):
        return " ".join([os.path.basename(self.command[0]), *self.command[1:]])

    def expected(self, run):
        return {None: sum(lock.acquired for lock in run.locks)}

    def published(self, directory):
        return None


class Publishing(Program):
    """Stores its counts in a file, one row of 64 bytes a thread."""

    publishes = True

    def __init__(self, name, threads, *arguments):
        super().__init__(os.path.join(FIXTURES, name), "progress", threads, *arguments)
        self.threads = threads

    def published(self, directory):
        """How many acquisitions were published; each thread may have made one more."""
        try:
            with open(os.path.join(directory, "progress"), "rb") as file:
                data = file.read()
        except FileNotFoundError:
            return 0
        return sum(struct.unpack_from("2Q", data, at)[1] for at in range(0, len(data), 64))


class Churn(Publishing):
    def expected(self, run):
        return {None: run.values["acquired"]}


class Many(Program):
    WAYS = ("make_alpha", "make_beta", "make_gamma", "make_delta", "first_use")

    def expected(self, run):
        made = sum(run.values[f"acquired_{way}"] for way in self.WAYS)
        return {None: made + sum(lock.acquired for lock in run.locks if lock.name != "reused")}


class Storm(Program):
    def expected(self, run):
        return {None: sum(lock.acquired for lock in run.locks) + run.values["fresh_uses"]}


class Forks(Program):
    def expected(self, run):
        children = (line.split() for line in run.stdout.splitlines() if line.startswith("child "))
        busy = {int(pid): int(count) for _, pid, count in children} if self.command[-1] == "busy" else {}
        # Its own share of the children's lock.
        return {run.values["pid"]: run.lock("parents").acquired + 1, **busy}


class Total(Program):
    """Prints `total N`."""

    def expected(self, run):
        return {None: next(int(line.split()[1]) for line in run.stdout.splitlines() if line.startswith("total "))}


class Population(Program):
    def expected(self, run):
        return {None: json.loads(run.stdout)["acquired"]}


def fixture(kind, name, *arguments):
    return kind(os.path.join(FIXTURES, name), *arguments)


def exclusion(chance):
    threads = chance.choice([2, 3, 4, 8, 16, 64])
    return fixture(Program, "exclusion", chance.choice(["mutex", "spin", "rwlock"]), threads,
                   chance.randint(10, 400000 // threads ** 2), chance.choice([0, 0, 200, 2000]))


def churn(chance):
    return Churn("churn", chance.randint(1, 8), chance.randint(1000, 30000))


def endless_churn(chance):
    return Churn("churn", chance.randint(1, 8), 0)


def victim(chance):
    return Publishing("victim", chance.choice([1, 2, 4, 8]))


def many(chance):
    return fixture(Many, "many", chance.randint(300, 10000), chance.randint(1, 8), chance.randint(1, 4))


def conds(chance):
    return fixture(Program, "conds", chance.choice(["pingpong", "broadcast", "timeouts", "c11"]), chance.randint(1, 500))


def forks(chance):
    return fixture(Forks, "forks", chance.randint(1, 20), chance.choice(["busy", "busy", "idle"]))


def shortlived(chance):
    alive = chance.choice([1, 2, 8, 32])
    return fixture(Program, "shortlived", alive * chance.randint(1, 1000 // alive), alive)


def storm(chance):
    return fixture(Storm, "storm", chance.randint(100, 10000))


def dlopen_loop(_):
    return Total(os.path.join(PITFALLS, "dlopen_loop"), *(os.path.join(PITFALLS, f"libplugin_{c}.so") for c in "ab"))


def many_locks(_):
    return Total(os.path.join(PITFALLS, "many_locks"))


def population(chance):
    return Population(os.path.join(WORKLOADS, "population"), "--json", "--locks", chance.randint(100, 4000),
                      "--threads", chance.randint(1, 4), "--batch", chance.choice([1, 16, 64]), "--live", chance.choice([1, 16]))


END_BY_THEMSELVES = (exclusion, churn, many, conds, forks, shortlived, storm, dlopen_loop, many_locks, population)
FOR_KILLING = (endless_churn, endless_churn, victim, *END_BY_THEMSELVES)

"""Benchmarks and stressors of databases and systems: their amounts of work are the result, their timings are not."""

import re

from session import Failed, program


def text_of(done):
    return done.stdout.decode(errors="replace")


def note(s, done, *patterns):
    """What each pattern finds is a fact; one that finds nothing shows that the program's output is not understood."""
    for pattern in patterns:
        found = re.findall(pattern, text_of(done), re.M)
        if not found and done.returncode == 0:
            raise Failed(f"its output has nothing like {pattern}")
        s.fact(pattern, found)


def sysbench(s, test, *options):
    done = s.run("sysbench", test, "--threads=4", "--time=0", *options, "run")
    note(s, done, r"Number of threads: *(\d+)", r"total number of events: *(\d+)")


@program("sysbench-mutex", needs=["sysbench"], equal="threads, events, exit status")
def sysbench_mutex(s):
    sysbench(s, "mutex", "--mutex-num=4", "--mutex-locks=20000", "--mutex-loops=50")


@program("sysbench-threads", needs=["sysbench"], equal="threads, events, exit status")
def sysbench_threads(s):
    sysbench(s, "threads", "--events=300", "--thread-locks=2", "--thread-yields=50")


@program("sysbench-memory", needs=["sysbench"], equal="threads, events, exit status", quick=False)
def sysbench_memory(s):
    sysbench(s, "memory", "--memory-total-size=500M", "--memory-block-size=1K")


@program("sysbench-cpu", needs=["sysbench"], equal="threads, events, exit status", quick=False)
def sysbench_cpu(s):
    sysbench(s, "cpu", "--events=5000", "--cpu-max-prime=2000")


def db_bench(s, benchmarks, num):
    done = s.run("db_bench", f"--benchmarks={benchmarks}", "--seed=1", f"--num={num}", f"--reads={num // 4}", "--threads=4",
                 f"--db={s.path('db')}", "--write_buffer_size=262144", "--max_background_jobs=3", "--cache_size=1048576")
    note(s, done, r"^(\w+) *:.* (\d+) operations;", r"^readrandom .*\((\d+ of \d+) found\)")


@program("db_bench", needs=["db_bench"], equal="operations, keys found by the same seed, exit status")
def db_bench_quick(s):
    db_bench(s, "fillrandom,readrandom,readwhilewriting", 8000)


@program("db_bench-long", needs=["db_bench"], equal="operations, keys found by the same seed, exit status", quick=False, limit_s=180)
def db_bench_long(s):
    db_bench(s, "fillrandom,overwrite,compact,readrandom,readwhilewriting,deleterandom,updaterandom", 60000)


@program("cache_bench", needs=["cache_bench"], equal="what it says it does, exit status")
def cache_bench(s):
    done = s.run("cache_bench", "--threads=4", "--ops_per_thread=20000", "--cache_size=4194304")
    note(s, done, r"^(Number of threads|Ops per thread|Cache size|Num shard bits|Max key) *: *(.*)$", r"^(Complete) in")


def kccachetest(s, *options):
    done = s.run("kccachetest", "order", "-th", "2", *options)
    lines = [l for l in text_of(done).splitlines() if not re.match(r"(time|memory|seed):|.*seed=", l)]
    return done, lines


@program("kccachetest", needs=["kccachetest"], equal="its output but for times and memory, exit status")
def kccachetest_ordered(s):
    _, lines = kccachetest(s, "15000")
    s.fact("output", lines)


@program("kccachetest-random", needs=["kccachetest"], equal="that it ends with ok, exit status", quick=False)
def kccachetest_random(s):
    _, lines = kccachetest(s, "-rnd", "100000")
    s.fact("last words", [l for l in lines if l][-1:])


@program("stress-ng", needs=["stress-ng"], equal="that it ends successfully, exit status")
def stress_ng(s):
    # Mutexes that threads of different priority fight for; --mutex-procs keeps their number small. Bounded by time: with
    # a number of operations, a first thread that is done with them before pthread_create() is back makes it exit with 3.
    # Nor may the time be over by then: real-time threads leave the one that makes them a CPU once a second.
    done = s.run("stress-ng", "--mutex", "2", "--mutex-procs", "4", "--timeout", "3", "--metrics-brief")
    s.fact("successful", b"successful run completed" in done.stderr + done.stdout)

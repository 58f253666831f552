"""Language runtimes: garbage collectors, just-in-time compilers, interpreters with a lock of their own."""

import os

from session import Failed, program

HERE = os.path.dirname(os.path.abspath(__file__))


def java(s, *options, threads=4):
    compiled = s.helper("javac", "-d", s.directory, os.path.join(HERE, "Work.java"))
    if compiled.returncode != 0:
        raise Failed("javac: " + compiled.stderr.decode(errors="replace"))
    done = s.run("java", "-Xmx64m", "-Xshare:auto", *options, "-cp", s.directory, "Work", threads, "20000")
    s.fact("output", done.stdout)


@program("java-g1", needs=["java", "javac"], equal="a checksum over all threads, exit status", limit_s=90)
def java_g1(s):
    java(s, "-XX:+UseG1GC")


@program("java-shenandoah", needs=["java", "javac"], equal="a checksum over all threads, exit status", limit_s=90)
def java_shenandoah(s):
    java(s, "-XX:+UseShenandoahGC")


@program("java-parallel", needs=["java", "javac"], equal="a checksum over all threads, exit status", quick=False, limit_s=90)
def java_parallel(s):
    java(s, "-XX:+UseParallelGC", threads=16)


@program("java-z", needs=["java", "javac"], equal="a checksum over all threads, exit status", quick=False, limit_s=90)
def java_z(s):
    java(s, "-XX:+UseZGC")


@program("python", needs=["/usr/bin/python3"], equal="a checksum over all threads, exit status")
def python(s):
    done = s.run("/usr/bin/python3", os.path.join(HERE, "work.py"), "6", "60")
    s.fact("output", done.stdout)

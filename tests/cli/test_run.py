#!/usr/bin/env python3
"""relock run changes nothing the program or its caller could see: streams, exit status, signals, environment."""

import json
import random

from harness import *


# For a command that is itself built with AddressSanitizer, whose runtime wants to be the first library.
TOLERANT = {"ASAN_OPTIONS": "verify_asan_link_order=0"}


class Status(Case):
    def test_every_exit_status(self):
        for status in range(256):
            self.assertEqual(self.run_quietly("sh", "-c", f"exit {status}").returncode, status)

    def test_signals(self):
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGABRT, signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
            done = self.run_quietly("sh", "-c", f"ulimit -c 0; kill -{int(number)} $$")
            self.assertEqual(done.returncode, 128 + number)

    def test_not_found(self):
        self.refused("run", "--", "no-such-program", status=127, says=["no-such-program", "PATH"])
        self.refused("run", "--", "./no/such", status=127, says="./no/such")
        self.refused("run", "--", "", status=127, says="''")

    def test_not_executable(self):
        self.write("plain", "text")
        self.refused("run", "--", "./plain", status=126, says=["./plain", "ermission"])
        self.refused("run", "--", self.directory, status=126, says=self.directory)
        self.write("orphan", "#!/no/such/interpreter\n", 0o755)
        self.refused("run", "--", "./orphan", status=126, says="/no/such/interpreter")
        patched_loader(self.path("loaderless"), b"/lib/ld-none.so")
        self.refused("run", "--", "./loaderless", status=126, says="/lib/ld-none.so")

    def test_script_without_a_first_line(self):
        self.write("bare", "echo $1; exit 4\n", 0o755)
        done = self.run_quietly("./bare", "word")
        self.assertEqual((done.returncode, done.stdout), (4, "word\n"))

    def test_path_is_searched_as_a_shell_does(self):
        os.makedirs(self.path("first"))
        os.makedirs(self.path("second"))
        self.write("first/tool", "no program", 0o644)
        env = environment(PATH=f"{self.path('first')}:{os.environ['PATH']}")
        self.refused("run", "--", "tool", env=env, status=126, says="first/tool")
        self.write("second/tool", "#!/bin/sh\necho second\n", 0o755)
        env = environment(PATH=f"{self.path('first')}:{self.path('second')}:{os.environ['PATH']}")
        self.assertEqual(self.run_quietly("tool", env=env).stdout, "second\n")


class Streams(Case):
    def test_stdout_byte_for_byte(self):
        content = random.Random(1).randbytes(1 << 20)
        self.write("data", content)
        done = self.relock("run", "--", "cat", "data", text=False)
        self.assertEqual((done.returncode, done.stdout), (0, content))

    def test_stdin(self):
        content = random.Random(2).randbytes(1 << 20)
        done = self.relock("run", "--", "cat", input=content, text=False)
        self.assertEqual((done.returncode, done.stdout), (0, content))

    def test_stderr_is_the_programs_when_quiet(self):
        done = self.run_quietly("sh", "-c", "printf a >&2; printf b")
        self.assertEqual((done.stdout, done.stderr), ("b", "a"))

    def test_open_files_and_closed_streams(self):
        listing = "ls /proc/self/fd | wc -l"
        for redirection in ("", "0<&-", "1>&2", "2>&-", "5</dev/null 7</dev/null"):
            outer = f"exec {redirection}; " if redirection else ""
            direct = subprocess.run(["sh", "-c", f"{outer}exec sh -c '{listing} >seen'"], cwd=self.directory,
                                    env=environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S)
            self.assertEqual(direct.returncode, 0)
            with open(self.path("seen")) as file:
                before = file.read()
            subprocess.run(["sh", "-c", f"{outer}exec {shlex.quote(COMMAND)} run -q -- sh -c '{listing} >seen'"],
                           cwd=self.directory, env=environment(), stdin=subprocess.DEVNULL, capture_output=True,
                           timeout=LIMIT_S, check=True)
            with open(self.path("seen")) as file:
                self.assertEqual(file.read(), before, redirection)


    def test_a_recording_is_not_mistaken_for_a_closed_stream(self):
        for redirection in ("2>&-", "1>&- 2>&-", "0<&- 1>&- 2>&-"):
            subprocess.run(["sh", "-c", f"exec {shlex.quote(COMMAND)} run -v -o x.rlk -- {shlex.quote(CONTEND)} {redirection}"],
                           cwd=self.directory, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=LIMIT_S)
            done = self.relock("report", "x.rlk")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("contended_lock", done.stdout)


class Inherited(Case):
    SHOW = "import os, sys, json; print(json.dumps([dict(os.environ), sys.argv, os.getcwd(), os.getpgrp() == os.getpgid(os.getppid()), " \
           "os.umask(0), [l for l in open('/proc/self/status') if l.startswith(('SigBlk', 'SigIgn'))]]))"

    def test_environment_arguments_directory_signals(self):
        def prepare():
            signal.signal(signal.SIGUSR2, signal.SIG_IGN)
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH, signal.SIGTERM])
            os.umask(0o027)

        program = [sys.executable, "-c", self.SHOW, "one", "two words", ""]
        env = environment(MARK="kept")
        direct = json.loads(subprocess.run(program, env=env, cwd=self.directory, capture_output=True, preexec_fn=prepare,
                                           timeout=LIMIT_S, check=True).stdout)
        done = self.run_quietly(*program, env=env, preexec_fn=prepare)
        self.assertEqual(done.returncode, 0, done.stderr)
        under = json.loads(done.stdout)
        added = {k: v for k, v in under[0].items() if direct[0].get(k) != v}
        self.assertEqual({k for k in added if not k.startswith("RELOCK_")}, {"LD_PRELOAD"})
        self.assertEqual(under[1:3] + under[4:], direct[1:3] + direct[4:])
        self.assertTrue(under[3], "another process group")

    def test_name_of_the_program(self):
        self.assertEqual(self.run_quietly("sh", "-c", "echo $0").stdout, "sh\n")

    def test_preloaded_libraries_stay(self):
        done = self.run_quietly("sh", "-c", 'echo "$LD_PRELOAD"', env=environment(LD_PRELOAD="libm.so.6", **TOLERANT))
        self.assertRegex(done.stdout, r"^/[^:]*librelock\.so:libm\.so\.6\n$")

    def test_run_within_a_run_preloads_once(self):
        done = self.run_quietly(COMMAND, "run", "-q", "--", "sh", "-c", 'echo "$LD_PRELOAD"')
        self.assertRegex(done.stdout, r"^(libasan[^:]*:)?/[^:]*librelock\.so\n$")


class Passing(Case):
    """Signals sent while the program runs. The program says when it is ready; nothing waits for time to pass."""

    PROGRAM = "import signal, sys\n" \
              "def got(number, frame):\n print('got', number, flush=True)\n" \
              "for n in (1, 2, 10, 12, 15): signal.signal(n, got)\n" \
              "print('ready', flush=True)\n" \
              "for line in sys.stdin: print('line', flush=True)\n" \
              "sys.exit(5)"

    def start(self, *program):
        child = subprocess.Popen([COMMAND, "run", "-q", "--", *program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 text=True, env=environment(), cwd=self.directory)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.kill)
        self.assertEqual(child.stdout.readline(), "ready\n")
        return child

    def test_forwarded(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
            child = self.start(sys.executable, "-c", self.PROGRAM)
            child.send_signal(number)
            self.assertEqual(child.stdout.readline(), f"got {int(number)}\n")
            child.stdin.close()
            self.assertEqual(child.wait(LIMIT_S), 5)

    def test_what_a_terminal_sends_is_not_sent_twice(self):
        child = self.start(sys.executable, "-c", self.PROGRAM)
        child.send_signal(signal.SIGINT)
        child.send_signal(signal.SIGQUIT)
        child.stdin.write("one\n")
        child.stdin.flush()
        self.assertEqual(child.stdout.readline(), "line\n")
        child.stdin.close()
        self.assertEqual(child.wait(LIMIT_S), 5)

    def test_ended_by_a_forwarded_signal(self):
        child = self.start("sh", "-c", "echo ready; exec cat")
        child.terminate()
        self.assertEqual(child.wait(LIMIT_S), 128 + signal.SIGTERM)
        child.stdin.close()

    def test_interrupt_typed_on_a_terminal(self):
        pid, terminal = on_terminal("run", "-q", "--", sys.executable, "-c", self.PROGRAM, directory=self.directory)
        output = b""
        while b"ready" not in output:
            output += os.read(terminal, 4096)
        os.write(terminal, b"\x03")
        while b"got 2" not in output:
            output += os.read(terminal, 4096)
        os.write(terminal, b"\x04")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 5)
        os.close(terminal)
        self.assertEqual(output.count(b"got"), 1)


class Recordings(Case):
    def recordings(self):
        return sorted(name for name in os.listdir(self.directory) if name.endswith(".rlk"))

    def test_report_goes_to_stderr(self):
        done = self.relock("run", "--", CONTEND)
        self.assertEqual((done.returncode, done.stdout), (0, "8000\n"))
        self.assertEqual(len(self.recordings()), 1)
        self.assertIn("contended_lock", done.stderr)
        self.assertIn("contend", done.stderr.splitlines()[0])
        self.assertTrue(done.stderr.splitlines()[-1].startswith("next"), done.stderr)

    def test_report_options_are_passed_on(self):
        done = self.relock("run", "--stacks", "-n", "1", "--by", "site", "-k", "contended", "--color=never", "--", CONTEND)
        self.assertEqual((done.returncode, done.stdout), (0, "8000\n"))
        self.assertIn("work", done.stderr)
        self.refused("run", "-k", "acquird", "--", CONTEND, says="nearest: 'acquired'")
        self.refused("run", "--by", "site", "-k", "acquired", "--", CONTEND, says=["site", "contended"])
        self.refused("run", "-n", "few", "--", CONTEND, says="'few'")
        self.assertEqual(len(self.recordings()), 1, "a refused run started the program")

    def test_every_policy(self):
        for policy in re.findall(r"^(\S+) ", relock("policies").stdout, re.M):
            if policy in ("pause", "next"):
                continue
            done = self.run_quietly(CONTEND, options=["-p", policy])
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "8000\n", ""), policy)

    def test_how_it_ended_is_in_the_recording(self):
        done = self.run_quietly("sh", "-c", f"{shlex.quote(CONTEND)}; exit 3")
        self.assertEqual(done.returncode, 3)
        done = self.run_quietly(CONTEND, options=["-o", "named.rlk"])
        report = json.loads(self.relock("report", "--format", "json", "named.rlk").stdout)
        recording = report["recordings"][0]
        self.assertEqual((recording["state"], recording["exit_status"]), ("exited", 0))
        self.assertGreater(recording["max_rss_kib"], 0)
        self.assertGreater(len(recording["run_id"]), 8)

    def test_several_processes(self):
        os.symlink(CONTEND, self.path("busy"))
        os.symlink(CONTEND, self.path("idle"))
        done = self.relock("run", "--", "sh", "-c", "./idle 2 1; ./busy 8 20000")
        self.assertEqual(done.stdout, "2\n160000\n")
        self.assertEqual(len(self.recordings()), 2)
        self.assertIn("1 more process was recorded", done.stderr)
        self.assertIn("9 threads", done.stderr)

    def test_newest_is_reported(self):
        self.run_quietly(CONTEND, options=["-o", "old.rlk"])
        self.run_quietly(CONTEND, options=["-o", "new.rlk"])
        os.utime(self.path("old.rlk"), (1, 1))
        report = json.loads(self.relock("report", "--format", "json").stdout)
        self.assertEqual([os.path.basename(r["path"]) for r in report["recordings"]], ["new.rlk"])
        empty = self.path("empty")
        os.mkdir(empty)
        self.refused("report", cwd=empty, says=["no recording", "relock run"])

    def test_a_program_that_changes_directory(self):
        os.mkdir(self.path("elsewhere"))
        self.run_quietly("sh", "-c", f"cd elsewhere && exec {shlex.quote(CONTEND)}")
        self.assertEqual(len(self.recordings()), 1)

    def test_percent_signs_in_the_directory(self):
        odd = self.path("100%p of it")
        os.mkdir(odd)
        done = self.relock("run", "--", CONTEND, cwd=odd)
        self.assertEqual(len(os.listdir(odd)), 1, done.stderr)
        self.assertIn("contended_lock", done.stderr)

    def test_why_there_is_no_recording(self):
        self.assertIn("second thread", self.relock("run", "--", "true").stderr)
        self.write("out.ini", '[process "contend"]\nenabled = off\n')
        os.symlink(CONTEND, self.path("link"))
        for program in (CONTEND, "./link"):
            self.assertIn("[process]", self.relock("run", "-c", "out.ini", "--", program).stderr)
        done = self.relock("run", "--set", "record.enabled=off", "--", CONTEND)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "8000\n", ""))
        self.assertEqual(self.recordings(), [])

    def test_places_that_do_not_work_are_refused_before_the_program_starts(self):
        self.refused("run", "-o", "no/such/%p.rlk", "--", CONTEND, says=["no/such", "mkdir -p", "-o"])
        self.write("file", "")
        self.refused("run", "-o", "file/%p.rlk", "--", CONTEND, says="-o")

    def test_verbose(self):
        done = self.relock("run", "-qv", "-o", "x.rlk", "--", CONTEND)
        self.assertIn("librelock.so", done.stderr)
        self.assertIn(self.path("x.rlk"), done.stderr)


class Settings(Case):
    """What the program gets is what was asked for: later wins, and stale variables do not shine through."""

    def exported(self, *arguments, **env):
        done = self.run_quietly("env", options=arguments, env=environment(**env))
        self.assertEqual(done.returncode, 0, done.stderr)
        return dict(line.split("=", 1) for line in done.stdout.splitlines() if line.startswith("RELOCK_"))

    def test_defaults_are_not_exported(self):
        self.assertEqual(set(self.exported()), {"RELOCK_OUTPUT", "RELOCK_RUN_ID"})

    def test_command_line_beats_environment(self):
        got = self.exported("-p", "spin-park:spins=7", RELOCK_MUTEX_POLICY="spin", RELOCK_POLICY="backoff", RELOCK_HOLDS="all")
        self.assertNotIn("spin", got.get("RELOCK_MUTEX_POLICY", "").split(":"))
        self.assertIn("spins=7", got["RELOCK_POLICY"])
        self.assertEqual(got["RELOCK_HOLDS"], "all")

    def test_files_are_named_absolutely(self):
        self.write("some.ini", "[relock]\npolicy = spin\n")
        got = self.exported("-c", "some.ini", "-o", "x.rlk")
        self.assertEqual(os.path.realpath(got["RELOCK_CONFIG"]), os.path.realpath(self.path("some.ini")))
        self.assertEqual(os.path.realpath(got["RELOCK_OUTPUT"]), os.path.realpath(self.path("x.rlk")))

    def test_ids_differ(self):
        self.assertNotEqual(self.exported()["RELOCK_RUN_ID"], self.exported()["RELOCK_RUN_ID"])


class Sanitized(Case):
    """Programs built with sanitizers, whose runtimes want to come first."""

    def sanitized(self, compiler, flag):
        program = self.path(f"{compiler}-{flag}")
        subprocess.run([compiler, "-g", "-O1", f"-fsanitize={flag}", "-o", program, os.path.join(SOURCE, "tests/cli/fixtures/contend.c"),
                        "-lpthread"], check=True, timeout=LIMIT_S)
        direct = subprocess.run([program], capture_output=True, text=True, timeout=LIMIT_S)
        if direct.returncode != 0:
            self.skipTest(f"{compiler} -fsanitize={flag} does not work here: {direct.stderr.splitlines()[:1]}")
        done = self.run_quietly(program, options=["-p", "spin-park"])
        self.assertEqual((done.returncode, done.stdout), (0, "8000\n"), done.stderr)
        self.assertNotIn("==", done.stderr)

    def test_address_gcc(self):
        self.sanitized("gcc", "address")

    def test_address_clang(self):
        self.sanitized("clang", "address")

    def test_thread_gcc(self):
        self.sanitized("gcc", "thread")

    def test_thread_clang(self):
        self.sanitized("clang", "thread")

    def test_undefined_gcc(self):
        self.sanitized("gcc", "undefined")


class Unreachable(Case):
    def test_static(self):
        self.refused("run", "--", STATIC, says=["statically linked", "--force"])
        done = self.relock("run", "--force", "--", STATIC)
        self.assertEqual((done.returncode, done.stdout), (0, "8000\n"))
        self.assertIn("statically linked", done.stderr)
        self.assertIn("no report", done.stderr)


if __name__ == "__main__":
    main()

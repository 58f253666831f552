#!/usr/bin/env python3
"""relock compare: what is run, measured, said and saved. Verdicts are tested where they cannot depend on the machine."""

import csv
import json
import time
import xml.etree.ElementTree

from harness import *
from page import Page, UNSEEN

ANSWERS = os.path.join(FIXTURES, "answers")


class Compare(Case):
    def setUp(self):
        super().setUp()
        # Recordings go below TMPDIR while it runs, and are to be gone afterwards.
        self.temporary = self.path("tmp")
        os.mkdir(self.temporary)
        self.env = environment(TMPDIR=self.temporary, LC_ALL="C.UTF-8")

    def compare(self, *arguments, **options):
        done = self.relock("compare", "--color=never", "-o", "result.json", *arguments, env=options.pop("env", self.env), **options)
        self.assertEqual(self.left_behind(), [], done.stderr)
        return done

    def left_behind(self):
        return [name for _, directories, files in os.walk(self.temporary) for name in directories[1:] + files]

    def compared(self, *arguments, status=0, **options):
        """The JSON of a comparison, by candidate and metric."""
        done = self.compare(*arguments, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        with open(self.path("result.json")) as file:
            result = json.load(file)
        result["done"] = done
        result["by"] = {c["name"]: {r["metric"]: r for r in c["results"]} for c in result["candidates"]}
        result["of"] = {c["name"]: c for c in result["candidates"]}
        return result

    def script(self, body):
        """A program that can tell its candidates apart: its environment names the policy."""
        return self.write("program", "#!/bin/sh\n" + body, 0o755)


class Candidates(Compare):
    def names(self, *arguments, **options):
        result = self.compared("-n", "1", "-w", "0", *arguments, "--", "true", **options)
        return [c["name"] for c in result["candidates"]], result

    def test_first_is_the_reference(self):
        names, result = self.names("-p", "spin-park", "-p", "native")
        self.assertEqual(names, ["spin-park", "native", "spin-park again"])
        self.assertEqual(result["reference"], "spin-park")

    def test_reference_can_be_named(self):
        names, result = self.names("-p", "spin-park", "-p", "native", "--reference", "native")
        self.assertEqual(names, ["spin-park", "native", "native again"])
        names, result = self.names("-p", "spin-park", "-p", "spin", "--reference", "none")
        self.assertEqual(names, ["none", "spin-park", "spin", "none again"])

    def test_one_alone_is_compared_with_native(self):
        self.assertEqual(self.names("-p", "spin")[0], ["native", "spin", "native again"])
        self.assertEqual(self.names("-p", "native")[0], ["native", "native (2)", "native again"])

    def test_sweeps(self):
        names, _ = self.names("--sweep", "spin-park:spins=15,100")
        self.assertEqual(names, ["native", "spin-park:spins=15", "spin-park:spins=100", "native again"])
        names, result = self.names("-p", "none", "-s", "rwlock=spin-yield:spins=1,2,hint=none,pause")
        self.assertEqual(names[1:5], [f"rwlock=spin-yield:spins={s},hint={h}" for s in (1, 2) for h in ("none", "pause")])
        settings = result["of"][names[1]]["settings"]
        self.assertRegex(settings, r"mutex = native; spin = native; rwlock = spin-yield:.*spins=1\b")

    def test_ini_files(self):
        self.write("own.ini", "[mutex]\npolicy = spin-park:spins=7\n")
        names, result = self.names("-p", "native", "-p", "own.ini", "-c", "latency")
        self.assertEqual(names[:3], ["native", "own.ini", "latency"])
        self.assertIn("mutex = spin-park:spins=7", result["of"]["own.ini"]["settings"])

    def test_settings_for_all(self):
        names, result = self.names("-p", "spin", "-p", "spin-park", "--set", "rwlock.policy=native")
        for name in names[:2]:
            self.assertIn("rwlock = native", result["of"][name]["settings"])

    def test_equal_ones_are_noticed(self):
        _, result = self.names("-p", "native", "-p", "spin-park", "-p", "spin-park:spins=100")
        self.assertIn("are the same", result["done"].stderr)
        _, result = self.names("-p", "native", "-p", "native")
        self.assertEqual(result["done"].stderr.count("are the same"), 0)

    def test_refused(self):
        for arguments, says in (((), "nothing to compare"), (("-p", "spin-prak"), "spin-park"),
                                (("--sweep", "spin-park"), "--sweep spin-park:spins=15,100,1000"),
                                (("--sweep", "spin-park:spins"), "is not written as"),
                                (("--sweep", "spin-park:spins=1,x"), "x"),
                                (("--sweep", "spin-park:spins=" + ",".join(map(str, range(70)))), "more than 64"),
                                (("-p", "missing.ini"), "missing.ini")):
            self.refused("compare", *arguments, "--", "true", says=says)
        self.refused("compare", "-p", "spin", "--", "no-such-program", says="no-such-program", status=127)
        self.refused("compare", "-p", "spin", "--", STATIC, says="--force")
        self.assertEqual(self.left_behind(), [])

    def test_candidates_get_their_policy_and_none_gets_nothing(self):
        program = self.script('echo "$RELOCK_POLICY|$RELOCK_MUTEX_POLICY|$RELOCK_RWLOCK_POLICY|$LD_PRELOAD" >>seen\n')
        self.compared("-n", "1", "-w", "0", "-p", "none", "-p", "spin", "-p", "rwlock=spin", "--", program)
        with open(self.path("seen")) as file:
            lines = sorted(re.sub("[^|]*librelock.so", "library", line.strip()) for line in file)
        self.assertEqual(lines, ["spin|||library", "||spin|library", "|||", "|||"])


class Running(Compare):
    def test_rounds_and_warmup(self):
        program = self.script("echo x >>count\n")
        result = self.compared("-n", "3", "--warmup", "2", "-p", "native", "-p", "spin", "--", program)
        with open(self.path("count")) as file:
            self.assertEqual(len(file.read().split()), 5 * 3)
        self.assertEqual(len(result["runs"]), 9)
        self.assertEqual((result["rounds"], result["rounds_done"], result["warmup"]), (3, 3, 2))
        for number in range(3):
            part = result["runs"][number * 3:number * 3 + 3]
            self.assertEqual([r["position"] for r in part], [1, 2, 3])
            self.assertEqual({r["candidate"] for r in part}, {"native", "spin", "native again"})

    def test_order_by_seed(self):
        def order(seed):
            return [r["candidate"] for r in self.compared("-n", "6", "-w", "0", "-p", "none", "-p", "spin", "--seed", seed,
                                                          "--", "true")["runs"]]

        first = order("17")
        self.assertEqual(first, order("17"))
        self.assertNotEqual(first, order("18"))

    def test_output_is_kept_from_the_screen(self):
        program = self.script("echo to-stdout; echo to-stderr >&2\n")
        done = self.compare("-n", "1", "-w", "0", "-p", "native", "--", program)
        self.assertNotIn("to-std", done.stdout + done.stderr)
        done = self.compare("-n", "1", "-w", "0", "--show-output", "-p", "native", "--", program)
        self.assertEqual((done.stderr.count("to-stdout"), done.stderr.count("to-stderr")), (3, 3))
        self.assertNotIn("to-std", done.stdout)

    def test_very_much_output(self):
        program = self.script("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo result 4\n")
        result = self.compared("-n", "1", "-w", "0", "-p", "native", "-m", "r=result (\\d+)", "--lower", "r", "--", program)
        self.assertEqual(result["by"]["native"]["r"]["median"], 4)

    def test_input(self):
        self.write("data", "number 41\n")
        result = self.compared("-n", "1", "-w", "0", "-p", "native", "--input", "data", "-m", "n=number (.*)", "--lower", "n", "--", "cat")
        self.assertEqual(result["by"]["native"]["n"]["median"], 41)
        done = self.compare("-n", "1", "-w", "0", "-p", "native", "--", "cat", input="not for the program")
        self.assertEqual(done.returncode, 0)

    def test_what_a_run_leaves_is_ended(self):
        program = self.script("sleep 1000 & echo $! >>left\n")
        begin = time.monotonic()
        self.compared("-n", "2", "-w", "0", "-p", "none", "-p", "native", "--", program)
        self.assertLess(time.monotonic() - begin, LIMIT_S / 2)
        with open(self.path("left")) as file:
            for pid in file.read().split():
                self.assertIn(self.state(pid), ("gone", "Z"))

    def state(self, pid):
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rsplit(") ", 1)[1][0]
        except FileNotFoundError:
            return "gone"


class Metrics(Compare):
    def test_all_of_them(self):
        result = self.compared("-n", "1", "-w", "0", "-p", "native", "-p", "spin-park", "--", CONTEND)
        self.assertEqual([m["name"] for m in result["metrics"]],
                         ["wall", "cpu", "rss", "ctxt", "wait", "wait-p99", "wait-max", "burnt"])
        for candidate in ("native", "spin-park", "native again"):
            values = {name: row["median"] for name, row in result["by"][candidate].items()}
            self.assertGreater(values["wall"], 0)
            self.assertGreater(values["cpu"], 0)
            self.assertGreater(values["rss"], 500)
            self.assertGreater(values["wait"], 0)
            self.assertGreaterEqual(values["wait-max"], values["wait-p99"])
            self.assertLessEqual(values["burnt"], values["wait"])

    def test_without_a_recording(self):
        result = self.compared("-n", "1", "-w", "0", "-p", "native", "-p", "spin", "--set", "record.enabled=off", "--", CONTEND)
        self.assertEqual([m["name"] for m in result["metrics"]], ["wall", "cpu", "rss", "ctxt"])
        result = self.compared("-n", "1", "-w", "0", "-p", "none", "-p", "native", "--", CONTEND)
        self.assertEqual([m["name"] for m in result["metrics"]], ["wall", "cpu", "rss", "ctxt"])
        self.refused("compare", "-p", "none", "-p", "native", "-m", "wait", "--", CONTEND, says="recording")

    def test_recorded_only_when_needed(self):
        program = self.script('echo "recorder ${RELOCK_RECORD:-1}" | sed s/off/0/\n')
        for metrics, recorder in (("wall", 0), ("wall,wait", 1)):
            result = self.compared("-n", "1", "-w", "0", "-p", "native", "-m", r"r=recorder (\d)", "--lower", "r", "-m", metrics, "--", program)
            self.assertEqual(result["by"]["native"]["r"]["median"], recorder)

    def test_chosen(self):
        result = self.compared("-n", "1", "-w", "0", "-p", "native", "-m", "rss,wall", "-m", "ctxt", "--", "true")
        self.assertEqual([m["name"] for m in result["metrics"]], ["rss", "wall", "ctxt"])

    def test_numbers_in_the_output(self):
        program = self.script("echo 'ops 1 ops/sec'; echo 'ops 12,345.5 ops/sec' >&2; echo 'lat: 3e-3 [ms]'\n")
        result = self.compared("-n", "1", "-w", "0", "-p", "native", "--higher", "ops", "--lower", "lat",
                               "-m", r"ops=([\d,.]+) ops/sec", "-m", r"lat=^lat: (\S+) \[ms\]$", "--", program)
        self.assertEqual(result["by"]["native"]["ops"]["median"], 12345.5)
        self.assertEqual(result["by"]["native"]["lat"]["median"], 0.003)
        self.assertEqual([m["higher_is_better"] for m in result["metrics"]], [True, False])

    def test_numbers_that_are_not_there(self):
        result = self.compared("-n", "6", "-w", "0", "-p", "native", "-m", r"x=(\d+) nowhere", "--lower", "x", "-m", "wall", "--", "true")
        self.assertEqual(result["by"]["native (2)"]["x"]["verdict"], "not measured")
        self.assertIn("not measured in any run: x", result["done"].stdout)

    def test_refused(self):
        for arguments, says in ((("-m", "wal"), "nearest: 'wall'"), (("-m", r"x=\d+", "--lower", "x"), "parentheses"),
                                (("-m", "x=(", "--lower", "x"), "regular expression"), (("-m", r"x=(\d)"), "--higher x"),
                                (("-m", r"=(\d)"), "no name"), (("--higher", "ops"), "no --metric 'ops=REGEX'"),
                                (("-m", "wall,wall"), "twice"), (("--threshold", "3"), "percentage"),
                                (("--timeout", "3"), "unit"), (("--seed", "x"), "--seed"), (("-n", "0"), "from 1"),
                                (("--ready", "true"), "--client"), (("--input", "missing"), "missing"),
                                (("-o", "x.xml"), ".json, .csv, .md, .svg and .html"), (("-o", "no/such/x.json"), "no/such")):
            self.refused("compare", "-p", "native", *arguments, "--", "true", says=says)


class Failures(Compare):
    """Each is a result of its own, and the others go on."""

    def test_status_signal_and_hang(self):
        program = self.script('case "$RELOCK_POLICY" in\nspin-yield*) echo why >&2; exit 3;;\nspin-park*) kill -SEGV $$;;\n'
                              'backoff*) sleep 1000;;\nesac\n')
        result = self.compared("-n", "7", "-w", "0", "--timeout", "1500ms", "-p", "native", "-p", "spin-yield", "-p", "spin-park",
                               "-p", "backoff", "-p", "spin", "--", program)
        for name, failure in (("spin-yield", "exit status 3, it said: why"), ("spin-park", "signal 11"), ("backoff", "within 1.5s")):
            of = result["of"][name]
            self.assertEqual((of["tried"], of["failed"], of["given_up"]), (3, 3, True))
            self.assertIn(failure, of["failure"])
            self.assertEqual(result["by"][name]["wall"]["verdict"], "failed")
            self.assertRegex(result["done"].stdout, rf"(?m)^  {name} .*failed 3 of 3")
            self.assertRegex(result["done"].stdout, rf"(?m)^failed +{name}: 3 of 3 runs.*{re.escape(failure)}")
        self.assertEqual((result["of"]["spin"]["tried"], result["of"]["spin"]["failed"]), (7, 0))
        self.assertEqual(result["of"]["native"]["tried"], 7)

    def test_status_can_be_ignored(self):
        result = self.compared("-n", "1", "-w", "0", "-p", "native", "--ignore-status", "--", "false")
        self.assertEqual(result["of"]["native"]["failed"], 0)

    def test_without_a_reference_it_says_so(self):
        done = self.compare("-n", "9", "-p", "native", "-p", "spin", "--", "false")
        self.assertEqual(done.returncode, OURS)
        self.assertIn("the reference 'native' failed 3 times in a row", done.stderr)


class Servers(Compare):
    SERVER = "import os, signal, sys, time\n" \
             "def stop(*_):\n os.remove('up')\n if 'stay' not in sys.argv: os._exit(7)\n" \
             "signal.signal(signal.SIGTERM, stop)\n" \
             "open('up', 'w').close()\n" \
             "print('listening', flush=True)\n" \
             "end = time.monotonic() + 50\n" \
             "while time.monotonic() < end: time.sleep(0.01)"

    def server(self, *arguments):
        return [sys.executable, "-c", self.SERVER, *arguments]

    def test_client_measures(self):
        result = self.compared("-n", "2", "-w", "0", "-p", "native", "-p", "spin", "--ready", "test -e up",
                               "--client", "test -e up && test -z \"$LD_PRELOAD\" && echo rate 77", "-m", r"rate=rate (\d+)", "--higher", "rate",
                               "-m", "wall,cpu,rss", "--", *self.server())
        self.assertEqual([c["failed"] for c in result["candidates"]], [0, 0, 0], result["candidates"])
        self.assertEqual(result["by"]["spin"]["rate"]["median"], 77)
        self.assertLess(result["by"]["spin"]["wall"]["median"], 5e9)
        self.assertGreater(result["by"]["spin"]["rss"]["median"], 3000)
        self.assertFalse(os.path.exists(self.path("up")))

    def failure(self, *arguments, **options):
        result = self.compared("-n", "1", "-w", "0", "-p", "native", *arguments, **options)
        return result["of"]["native"]["failure"] or ""

    def test_failing_client(self):
        self.assertIn("the client: exit status 4, it said: no luck",
                      self.failure("--ready", "test -e up", "--client", "echo no luck; exit 4", "--", *self.server()))

    def test_late_client(self):
        self.assertIn("the client did not end within 1s",
                      self.failure("--timeout", "1s", "--client", "sleep 1000", "--", *self.server()))

    def test_never_ready(self):
        self.assertIn("the server was not ready within 700ms",
                      self.failure("--timeout", "700ms", "--ready", "false", "--client", "true", "--", *self.server()))

    def test_server_that_ends_before(self):
        failure = self.failure("--ready", "false", "--client", "true", "--", "sh", "-c", "echo port taken; exit 1")
        self.assertIn("the server ended before it was ready", failure)
        self.assertIn("port taken", failure)
        self.assertIn("the server ended before its client", self.failure("--client", "sleep 1000", "--", "true"))

    def test_server_that_crashes_in_the_end(self):
        # It takes its file away: the next one is not ready before it has its trap.
        self.assertIn("the server: signal 6", self.failure("--ready", "test -e up", "--client", "true", "--", "sh", "-c",
                                                           "trap 'rm up; ulimit -c 0; kill -ABRT $$' TERM; : >up; while :; do sleep 0.01; done"))


class Interrupted(Compare):
    def start(self, *arguments):
        child = subprocess.Popen([COMMAND, "compare", "--color=never", "-o", "result.json", *arguments], env=self.env, cwd=self.directory,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.stderr.close)
        self.addCleanup(child.kill)
        return child

    def start_and_await(self, runs):
        """Three runs a round. The program tells through a pipe that it is run, so that nothing waits for time to pass."""
        os.mkfifo(self.path("runs"))
        program = self.script("echo x >runs\n")
        child = self.start("-n", "400", "-w", "0", "-p", "none", "-p", "native", "--", program)
        while runs > 0:
            with open(self.path("runs")) as file:
                runs -= len(file.read().split())
        return child

    def test_reports_what_there_is(self):
        child = self.start_and_await(3 * 7 + 2)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=LIMIT_S)
        self.assertEqual(child.returncode, 128 + signal.SIGINT, err)
        self.assertGreaterEqual(int(re.search(r"(?m)^stopped +in round (\d+) of 400", out).group(1)), 8)
        self.assertRegex(out, r"(?m)^  native +\d")
        self.assertTrue(out.splitlines()[-1].startswith("next "), out)
        with open(self.path("result.json")) as file:
            result = json.load(file)
        self.assertTrue(result["interrupted"])
        self.assertGreaterEqual(len(result["runs"]), 3 * 7)
        self.assertEqual(self.left_behind(), [])

    def test_before_anything_was_run(self):
        self.write("program", "#!/bin/sh\nkill -INT $PPID; sleep 1000\n", 0o755)
        done = self.relock("compare", "-w", "0", "-p", "native", "--", "./program", env=self.env)
        self.assertEqual(done.returncode, 128 + signal.SIGINT)
        self.assertIn("nothing to report", done.stderr)
        self.assertEqual(self.left_behind(), [])

    def test_saved_after_every_round(self):
        child = self.start_and_await(3 * 3 + 1)
        # Three rounds are over, for a run of the fourth has begun: what is saved is theirs, whatever happens now.
        child.kill()
        child.wait(LIMIT_S)
        with open(self.path("result.json")) as file:
            runs = len(json.load(file)["runs"])
        self.assertEqual((runs >= 9, runs % 3), (True, 0))


class Screens(Compare):
    def test_ends_with_the_next_command(self):
        done = self.compare("-n", "1", "-w", "0", "-p", "native", "-p", "spin", "--", "sh", "-c", "exit 0 # it's")
        self.assertEqual(done.stdout.splitlines()[-1], r"next     relock run -p native -- sh -c 'exit 0 # it'\''s'")

    def test_without_colour_on_no_terminal(self):
        done = self.relock("compare", "-n", "1", "-w", "0", "-p", "native", "--", "true", env=self.env)
        self.assertNotIn("\033", done.stdout + done.stderr)

    def test_ascii(self):
        done = self.relock("compare", "-n", "6", "-w", "0", "-p", "native", "--", "true", env=environment(TMPDIR=self.temporary, LC_ALL="C"))
        self.assertTrue(done.stdout.isascii())

    def test_own_file(self):
        done = self.relock("compare", "-n", "1", "-w", "0", "-p", "native", "--", "true", env=self.env)
        saved = re.search(r"(?m)^saved +(true-\d{8}-\d{6}\.compare\.json)$", done.stdout).group(1)
        with open(self.path(saved)) as file:
            self.assertEqual(json.load(file)["subject"], "true")

    def test_exports_agree(self):
        result = self.compared("-n", "6", "-w", "0", "-p", "native", "-p", "spin", "-o", "r.csv", "-o", "r.md", "-o", "r.svg", "--", "true")
        with open(self.path("r.csv")) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(result["metrics"]) * 3)
        for row in rows:
            cell = result["by"][row["candidate"]][row["metric"]]
            self.assertEqual(row["verdict"], cell["verdict"])
            if cell["ratio"] is not None:
                self.assertAlmostEqual(float(row["ratio"]), cell["ratio"], places=6)
        with open(self.path("r.md")) as file:
            self.assertEqual(sum(line.startswith("| ") for line in file), len(rows) + 1)
        with open(self.path("r.svg")) as file:
            self.assertTrue(file.read().startswith("<svg "))

    def test_page(self):
        hostile = b"</h1><script>alert(1)</script>\"'& \x1b[31m\x85\xff"
        done = self.relock("compare", "-n", "6", "-w", "0", "-p", "native", "-p", "spin", "-o", "r.html", "-o", "r.json", "-o", "r.svg",
                           "-o", "r.md", "--", "true", hostile, env={**self.env, "LC_ALL": "C.UTF-8"})
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = [" ".join(line.split()) for line in done.stdout.splitlines()]
        with open(self.path("r.html")) as file:
            page = Page(file.read())
        self.assertEqual("relock compare · " + page.headings[0], printed[0])
        self.assertIn("</h1><script>alert(1)</script>\"'& \\x1b[31m\\x85\\xff", page.title)
        self.assertEqual(page.paragraphs, [printed[1]])
        with open(self.path("r.json")) as file:
            measured = len(json.load(file)["metrics"])
        self.assertGreater(len(page.tables), 3)
        self.assertLessEqual(len(page.tables), measured)
        for rows in page.tables.values():
            self.assertEqual([row[0] for row in rows], ["candidate", "native", "spin", "native again"])
            for row in rows[1:]:
                cells = " ".join(cell for cell in row if cell)
                self.assertTrue([line for line in printed if line.startswith(cells)], cells)
        for name, said in page.terms:
            self.assertTrue([line for line in printed if line.endswith(said)], said)
        for name in ("r.svg", "r.md", "r.html"):
            with open(self.path(name)) as file:
                text = file.read()
            self.assertFalse(UNSEEN.search(text), name)
            if name == "r.svg":
                xml.etree.ElementTree.fromstring(text)

    def test_progress_on_a_terminal(self):
        import pty
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.directory)
            os.execve(COMMAND, [COMMAND, "compare", "-n", "2", "-w", "1", "-p", "none", "-p", "native", "--", "true"], self.env)
        output = b""
        try:
            while chunk := os.read(terminal, 4096):
                output += chunk
        except OSError:
            pass
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        os.close(terminal)
        self.assertIn(b"warm-up, run 1 of 9: ", output)
        self.assertIn(b"round 2 of 2, run 9 of 9: ", output)


class Verdicts(Compare):
    """Programs that are made so different that no machine is too noisy."""

    def test_sleeping_program(self):
        program = self.script('case "$RELOCK_POLICY" in spin-park*) sleep 0.4;; *) sleep 0.02;; esac\n')
        result = self.compared("-n", "8", "-w", "0", "-m", "wall", "-p", "native", "-p", "spin-park", "-p", "spin", "--", program)
        self.assertEqual(result["by"]["spin-park"]["wall"]["verdict"], "slower")
        self.assertEqual(result["by"]["spin"]["wall"]["verdict"], "no difference")
        self.assertTrue(result["done"].stdout.splitlines()[-1].startswith("next     relock run -p native"))
        result = self.compared("-n", "8", "-w", "0", "-m", "wall", "--color=always", "-p", "spin-park", "-p", "native", "--", program)
        self.assertIn("\033[32mfaster, ", result["done"].stdout)
        self.assertIn("next     relock run -p native", result["done"].stdout)
        result = self.compared("-n", "8", "-w", "0", "-m", "wall", "-p", "spin-park", "-p", "native", "--", program)
        self.assertEqual(result["by"]["native"]["wall"]["verdict"], "faster")
        self.assertEqual(result["by"]["native"]["wall"]["effect"], "better")
        self.assertRegex(result["done"].stdout, r"(?m)^  native .* faster, \d")
        self.assertTrue(result["done"].stdout.splitlines()[-1].startswith("next     relock run -p native"))


class Scripts(Compare):
    """The scripts that count verdicts run and can tell yes from no; what they find is not a matter of a test."""

    def script_run(self, name, *arguments):
        return subprocess.run([os.path.join(SOURCE, "scripts", "bench", name), *arguments], cwd=self.directory, env={**self.env, "RELOCK_BUILD_DIR": BUILD},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S)

    def test_a_against_a(self):
        done = self.script_run("aa-control", "-r", "1", "-n", "9", "--", "true")
        self.assertRegex(done.stdout, r"(?m)^  1: wall noise floor \d", done.stderr)
        self.assertRegex(done.stdout, r"(?m)^no difference in [01] of 1 repetitions, by 8 metrics each$")

    def test_known_verdicts(self):
        done = self.script_run("compare-verdicts", "--only", "apart", "-n", "1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout.count(": too few runs, EXPECTED no difference"), 2, done.stdout)


if __name__ == "__main__":
    main()

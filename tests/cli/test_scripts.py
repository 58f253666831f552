#!/usr/bin/env python3
"""What the scripts do about missing packages, with stand-ins for the system's tools that only note how they were called."""

from harness import *

SCRIPTS = os.path.join(SOURCE, "scripts")


class Packages(Case):
    def setUp(self):
        super().setUp()
        self.tools, self.log = self.path("tools"), self.path("log")
        os.mkdir(self.tools)
        for name in ("sh", "sed", "grep", "mktemp", "rm", "tail", "tr", "sort", "env", "cat", "sleep", "basename"):
            os.symlink(shutil.which(name), os.path.join(self.tools, name))
        self.tool("dpkg-query", 'cat "$HERE/installed"')
        self.tool("apt-get", "")
        self.tool("id", "echo 0")
        self.installed("gcc installed", "cmake deinstalled")

    def installed(self, *lines):
        self.write("installed", "".join(line + "\n" for line in lines))

    def tool(self, name, body):
        self.write(f"tools/{name}", f'#!/bin/sh\necho "{name} $*" >>"$HERE/log"\n{body}\n', 0o755)

    def need(self, packages):
        script = f". {shlex.quote(SCRIPTS)}/packages.sh; . {shlex.quote(SCRIPTS)}/lib.sh; services_directory=$HERE/run; packages_need '{packages}'; echo done"
        env = {"PATH": self.tools, "HERE": self.directory, "TMPDIR": self.directory}
        return subprocess.run([shutil.which("sh"), "-c", script, "test"], env=env, capture_output=True, text=True, timeout=LIMIT_S,
                              stdin=subprocess.DEVNULL)

    def calls(self, *tools):
        with open(self.log) as log:
            return [line.strip() for line in log if line.split()[0] in tools]

    def test_nothing_missing(self):
        done = self.need("gcc")
        self.assertEqual((done.stdout, done.stderr), ("done\n", ""))
        self.assertEqual(self.calls("apt-get"), [])

    def test_missing_is_installed_and_nothing_else(self):
        done = self.need("gcc cmake ninja-build")
        self.assertEqual(done.stdout, "done\n")
        self.assertIn("installing cmake ninja-build", done.stderr)
        calls = self.calls("apt-get")
        self.assertEqual(len(calls), 1)
        self.assertTrue(calls[0].endswith("install --no-install-recommends cmake ninja-build"), calls)

    def test_old_lists_are_fetched_once(self):
        self.tool("apt-get", 'case "$*" in *update*) : >"$HERE/updated" ;; *) [ -e "$HERE/updated" ] ;; esac')
        self.assertEqual(self.need("cmake").stdout, "done\n")
        self.assertEqual([call.split()[-1] for call in self.calls("apt-get")], ["cmake", "update", "cmake"])

    def test_what_fails_is_shown(self):
        self.tool("apt-get", "echo no such package; exit 100")
        done = self.need("cmake")
        self.assertEqual((done.returncode, done.stdout), (125, ""))
        self.assertIn("no such package", done.stderr)
        self.assertIn("install by hand: cmake", done.stderr)

    def test_without_root(self):
        self.tool("id", "echo 1000")
        done = self.need("cmake")
        self.assertEqual((done.returncode, done.stdout), (125, ""))
        self.assertIn("apt-get install --no-install-recommends cmake", done.stderr)
        self.tool("sudo", '[ "$1" = -v ] || "$@"')
        self.assertEqual(self.need("cmake").stdout, "done\n")
        self.assertEqual(len(self.calls("apt-get")), 1)

    def test_without_debian(self):
        os.remove(os.path.join(self.tools, "apt-get"))
        done = self.need("cmake")
        self.assertEqual(done.stdout, "done\n")
        self.assertIn("no Debian", done.stderr)

    def test_a_service_that_starts_is_ended_and_only_that(self):
        """A memcached that ran before, one that its package starts, and a process that is no service's."""
        sleepers = [subprocess.Popen(["sleep", "1000"]) for _ in range(3)]
        for sleeper in sleepers:
            self.addCleanup(sleeper.wait)
            self.addCleanup(sleeper.kill)
        before, started, other = sleepers
        os.makedirs(self.path("run", "memcached"))
        self.write("run/redis-server.pid", f"{before.pid}\n")
        self.write("run/other.pid", f"{other.pid}\n")
        self.tool("apt-get", f'echo {started.pid} >"$HERE/run/memcached/memcached.pid"')
        self.assertEqual(self.need("memcached").stdout, "done\n")
        self.assertEqual(started.wait(LIMIT_S), -signal.SIGTERM)
        self.assertEqual([before.poll(), other.poll()], [None, None])


class Lists(Case):
    def test_tests_need_what_the_packages_name(self):
        done = subprocess.run(["sh", "-c", f". {shlex.quote(SCRIPTS)}/packages.sh; echo $packages_services; echo $packages_programs"],
                              capture_output=True, text=True, check=True, timeout=LIMIT_S)
        services, programs = (line.split() for line in done.stdout.splitlines())
        self.assertLessEqual(set(services), set(programs))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""An installation, also one that was moved, works on its own; recordings find a place wherever one starts."""

from harness import *


class Installed(Case):
    def install(self, name="prefix"):
        prefix = self.path(name)
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True, timeout=LIMIT_S)
        os.chmod(prefix, 0o755)
        return prefix

    def loaded(self, prefix, **options):
        """The librelock.so that a program finds itself with."""
        command = os.path.join(prefix, "bin", "relock")
        done = self.relock("run", "-q", "--", "cat", "/proc/self/maps", command=command, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = set(re.findall(r"(/.*librelock\.so.*)", done.stdout))
        self.assertEqual(len(found), 1, done.stdout)
        return os.path.realpath(found.pop())

    def assertWithin(self, path, prefix):
        self.assertTrue(path.startswith(os.path.realpath(prefix) + "/"), f"{path} is not below {prefix}")

    def test_contents(self):
        prefix = self.install()
        files = [os.path.relpath(os.path.join(at, name), prefix) for at, _, names in os.walk(prefix) for name in names]
        self.assertIn("bin/relock", files)
        self.assertEqual(len([f for f in files if re.match(r"lib.*/librelock\.so$", f)]), 1, files)
        self.assertIn("share/man/man1/relock.1", files)
        self.assertGreaterEqual(len([f for f in files if f.endswith(".ini")]), 4)

    def test_finds_its_library_also_when_moved(self):
        prefix = self.install()
        self.assertWithin(self.loaded(prefix), prefix)
        moved = self.path("moved")
        os.rename(prefix, moved)
        self.assertWithin(self.loaded(moved), moved)
        os.symlink(os.path.join(moved, "bin", "relock"), self.path("link"))
        done = self.relock("run", "-q", "--", "cat", "/proc/self/maps", command=self.path("link"))
        self.assertIn(os.path.realpath(moved), done.stdout)

    def test_a_path_that_LD_PRELOAD_cannot_express(self):
        for name in ("with space", "with:colon", "$ORIGIN"):
            prefix = self.install(name)
            self.assertWithin(self.loaded(prefix), prefix)
            # A second time, when the link is there.
            self.assertWithin(self.loaded(prefix, env=environment(TMPDIR=self.directory)), prefix)
            self.assertWithin(self.loaded(prefix, env=environment(TMPDIR=self.directory)), prefix)
            done = self.relock("run", "--", CONTEND, command=os.path.join(prefix, "bin", "relock"))
            self.assertEqual((done.returncode, done.stdout), (0, "8000\n"))
            self.assertIn("contended_lock", done.stderr)

    def test_configurations_are_found(self):
        command = os.path.join(self.install(), "bin", "relock")
        done = self.relock("config", "--show", "-c", "latency", command=command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("prefix/", done.stdout)

    def test_without_its_library(self):
        prefix = self.install()
        for at, _, names in os.walk(prefix):
            for name in names:
                if name.startswith("librelock.so"):
                    os.remove(os.path.join(at, name))
        self.refused("run", "--", "true", command=os.path.join(prefix, "bin", "relock"), says=["librelock.so", "RELOCK_LIBRARY"])
        self.refused("run", "--", "true", env=environment(RELOCK_LIBRARY="/no/librelock.so"), says=["RELOCK_LIBRARY", "/no/librelock.so"])

    def test_library_override(self):
        prefix = self.install()
        library = self.loaded(prefix)
        done = self.relock("run", "-q", "--", "cat", "/proc/self/maps", env=environment(RELOCK_LIBRARY=library))
        self.assertIn(library, done.stdout)


class Unwritable(Installed):
    """Started where one may not write, as another user."""

    def setUp(self):
        super().setUp()
        if os.getuid() != 0:
            self.skipTest("needs root, to become another user")
        self.command = os.path.join(self.install(), "bin", "relock")
        shutil.copy(CONTEND, self.path("contend"))
        self.temporary = self.path("tmp")
        os.mkdir(self.temporary)
        os.chmod(self.temporary, 0o1777)
        self.private = os.path.join(self.temporary, f"relock-{NOBODY}")
        self.user = {"command": self.command, "user": NOBODY, "group": NOBODY, "extra_groups": [],
                     "env": environment(TMPDIR=self.temporary)}

    def test_private_directory(self):
        done = self.relock("run", "--", "./contend", **self.user)
        self.assertEqual((done.returncode, done.stdout), (0, "8000\n"))
        self.assertIn("contended_lock", done.stderr)
        self.assertEqual(os.stat(self.private).st_mode & 0o777, 0o700)
        self.assertEqual(len(os.listdir(self.private)), 1)

    def test_prepared_by_someone_else(self):
        trap = self.path("trap")
        os.mkdir(trap)
        os.chmod(trap, 0o777)

        def link():
            os.symlink(trap, self.private)

        def foreign():
            os.mkdir(self.private)
            os.chmod(self.private, 0o777)

        def open_to_all():
            os.mkdir(self.private)
            os.chown(self.private, NOBODY, NOBODY)
            os.chmod(self.private, 0o777)

        for prepare, undo in ((link, os.remove), (foreign, os.rmdir), (open_to_all, os.rmdir)):
            prepare()
            done = self.relock("run", "-qv", "--", "./contend", **self.user)
            self.assertEqual((done.returncode, done.stdout), (0, "8000\n"))
            self.assertEqual(os.listdir(trap), [])
            self.assertNotIn(self.temporary, done.stderr)
            undo(self.private)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""relock doctor, and what relock run refuses by the same examination: programs of every kind that cannot be reached."""

import struct

from harness import *


class Doctor(Case):
    def doctor(self, *arguments, **options):
        return self.relock("doctor", *arguments, **options)

    def unreachable(self, path, *says, **options):
        done = self.doctor(path, **options)
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        self.assertIn("\nnot reachable: ", done.stdout)
        for part in says:
            self.assertIn(part, done.stdout)
        refusal = self.relock("run", "--", path, **options)
        self.assertEqual(refusal.returncode, OURS, "run starts what doctor calls unreachable")
        self.assertIn("--force", refusal.stderr)
        return done

    def reachable(self, path, *says, **options):
        done = self.doctor(path, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("\nreachable", done.stdout)
        for part in says:
            self.assertIn(part, done.stdout)
        return done


class Programs(Doctor):
    def test_dynamic(self):
        done = self.reachable(CONTEND, "64-bit", "dynamically linked", "glibc 2.", "next    relock run -- " + CONTEND)
        self.assertRegex(done.stdout, r"mutexes +pthread_mutex_ lock, unlock; called by contend\n")
        self.assertRegex(done.stdout, r"barriers +.*contend")

    def test_looked_up_in_path(self):
        self.reachable("sh", "/sh\n")

    def test_static(self):
        self.unreachable(STATIC, "statically linked")

    def test_other_word_size(self):
        # The head of a 32-bit x86 program; the examination ends there.
        head = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, 0x8048000, 52, 0, 0, 52, 32, 0, 40, 0, 0)
        self.write("small", head + bytes(64), 0o755)
        self.unreachable("./small", "32-bit x86")

    def test_other_libc(self):
        patched_loader(self.path("musl"), b"/lib/ld-musl.so.1")
        self.unreachable("./musl", "musl")

    def test_not_there(self):
        for word, status in (("no-such-program", 127), (self.directory, 126)):
            done = self.doctor(word)
            self.assertEqual((done.returncode, done.stdout), (status, ""))
            self.assertIn(word, done.stderr)

    def test_nonsense_does_not_confuse_it(self):
        with open(CONTEND, "rb") as file:
            content = file.read()
        for length in (4, 16, 63, 64, 100, 1000, len(content) // 2, len(content) - 1):
            self.write("cut", content[:length], 0o755)
            self.assertIn(self.doctor("./cut").returncode, (0, 1, 126))
        for at in range(16, 64 + 13 * 56, 3):
            self.write("torn", content[:at] + b"\xff\xff\xff" + content[at + 3:], 0o755)
            self.assertIn(self.doctor("./torn").returncode, (0, 1, 126), f"at {at}")


class Scripts(Doctor):
    def test_interpreter_is_what_counts(self):
        self.write("plain", "#!/bin/sh\nexit 0\n", 0o755)
        self.reachable("./plain", "script", "/bin/sh")
        self.write("by-env", "#!/usr/bin/env -S sh -e\nexit 0\n", 0o755)
        self.reachable("./by-env", "/sh\n")
        self.write("bare", "exit 0\n", 0o755)
        self.reachable("./bare", "/bin/sh")
        static = self.path("static") # a script's first line cannot name a path with spaces
        shutil.copy(STATIC, static)
        self.write("of-static", f"#!{static} 1\n", 0o755)
        self.unreachable("./of-static", static)
        self.write("of-script", f"#!{self.path('of-static')}\n", 0o755)
        self.unreachable("./of-script", static)

    def test_endless(self):
        self.write("self", f"#!{self.path('self')}\n", 0o755)
        self.assertIn(self.doctor("./self").returncode, (0, 126))


class Privileges(Doctor):
    def setUp(self):
        super().setUp()
        with open("/proc/self/status") as status:
            ignored = "NoNewPrivs:\t1" in status.read()
        if os.getuid() != 0 or ignored or os.statvfs(self.directory).f_flag & os.ST_NOSUID:
            self.skipTest("needs root, and a file system and process that honour setuid")
        self.copy = self.path("copy")
        shutil.copy(CONTEND, self.copy)

    def test_setuid_to_another(self):
        os.chown(self.copy, NOBODY, -1)
        os.chmod(self.copy, 0o4755)
        self.unreachable(self.copy, "setuid")

    def test_setgid_to_another(self):
        os.chown(self.copy, -1, NOBODY)
        os.chmod(self.copy, 0o2755)
        self.unreachable(self.copy, "setgid")

    def test_setuid_to_oneself(self):
        os.chmod(self.copy, 0o4755)
        self.reachable(self.copy)

    def as_nobody(self):
        """The command where anyone may execute it, for another user."""
        shutil.copy(COMMAND, self.path("relock"))
        return {"command": self.path("relock"), "user": NOBODY, "group": NOBODY, "extra_groups": []}

    def test_setuid_root_for_others(self):
        os.chmod(self.copy, 0o4755)
        self.unreachable(self.copy, "setuid to user 0", **self.as_nobody())

    def test_file_capabilities(self):
        # struct vfs_cap_data, revision 2, effective: CAP_NET_BIND_SERVICE
        os.setxattr(self.copy, "security.capability", struct.pack("<5I", 0x02000001, 1 << 10, 0, 0, 0))
        self.unreachable(self.copy, "file capabilities", **self.as_nobody())
        self.reachable(self.copy)


class Seen(Doctor):
    """What is called shows, and what would be invisible is said."""

    def program(self, name, functions, *flags):
        """A program that imports the functions; it is never run."""
        calls = "".join(f"extern void {f}(void);\n" for f in functions)
        body = "".join(f"\t{f}();\n" for f in functions)
        self.write(name + ".c", f"{calls}int main(void)\n{{\n{body}\treturn 0;\n}}\n")
        subprocess.run(["cc", "-w", "-fno-builtin", "-o", self.path(name), self.path(name + ".c"), *flags], check=True, timeout=LIMIT_S)
        return self.path(name)

    def test_families(self):
        program = self.program("all", ["pthread_spin_lock", "pthread_rwlock_rdlock", "pthread_cond_wait", "mtx_lock", "cnd_wait",
                                       "sem_wait", "syscall", "sched_yield", "semop", "flock"])
        text = self.reachable(program).stdout
        seen, unseen = text.split("\nnot seen")
        for family in ("spinlocks", "rwlocks", "conditions", "C11 mutexes", "C11 conditions"):
            self.assertRegex(seen, rf"(?m)^  {family} .*called by all$")
        for family in ("semaphores", "futexes", "home-made waiting", "System V semaphores", "file locks"):
            self.assertRegex(unseen, rf"(?m)^  {family} ")

    def test_libraries_count(self):
        self.program("libinner.so", ["pthread_rwlock_wrlock"], "-shared", "-fPIC")
        self.program("libouter.so", ["pthread_spin_lock"], "-shared", "-fPIC", f"-L{self.directory}", "-linner", "-Wl,--no-as-needed",
                     "-linner", f"-Wl,-rpath,{self.directory}")
        program = self.program("user", [], "-Wl,--no-as-needed", f"-L{self.directory}", "-louter", "-Wl,-rpath,$ORIGIN",
                               f"-Wl,-rpath-link,{self.directory}")
        text = self.reachable(program).stdout
        self.assertRegex(text, r"spinlocks .*called by libouter\.so\n")
        self.assertRegex(text, r"rwlocks .*called by libinner\.so\n")

    def test_missing_library(self):
        gone = self.program("libgone.so", ["mtx_lock"], "-shared", "-fPIC")
        program = self.program("lacking", [], "-Wl,--no-as-needed", f"-L{self.directory}", "-lgone")
        os.remove(gone)
        self.assertRegex(self.doctor(program).stdout, r"libraries +not found.*: libgone\.so\n")

    def test_nothing_to_see(self):
        text = self.reachable(self.program("none", [])).stdout
        self.assertIn("a report will be empty", text)

    def test_own_locks(self):
        self.write("own.c", "int pthread_mutex_lock(void *m)\n{\n\treturn m != 0;\n}\nint main(void)\n{\n\treturn 0;\n}\n")
        subprocess.run(["cc", "-w", "-rdynamic", "-o", self.path("own"), self.path("own.c")], check=True, timeout=LIMIT_S)
        self.assertIn("own locks", self.reachable("./own").stdout)

    def test_sanitizers(self):
        for flag, name in (("address", "AddressSanitizer"), ("thread", "ThreadSanitizer")):
            program = self.program(flag, ["pthread_mutex_lock"], f"-fsanitize={flag}")
            self.assertIn(name, self.reachable(program).stdout)

    def test_hooks_are_known(self):
        """Every lock function the library exports has its place in the doctor's families."""
        library = os.path.join(BUILD, "preload", "librelock.so")
        exported = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True, timeout=LIMIT_S)
        names = {line.split()[-1].split("@")[0] for line in exported.stdout.splitlines()}
        locks = sorted(n for n in names if re.match(r"(pthread_(mutex|spin|rwlock|cond)|mtx|cnd)_(?!.*attr)", n))
        self.assertIn("pthread_mutex_lock", locks)
        text = re.sub(r"\s+", " ", self.reachable(self.program("hooks", locks)).stdout.split("\nnot seen")[0])
        for name in locks:
            prefix, function = re.match(r"(pthread_[a-z]+_|[a-z]+_)(\w+)$", name).groups()
            self.assertRegex(text, rf"{prefix} [a-z, ]*\b{function}\b")


if __name__ == "__main__":
    main()

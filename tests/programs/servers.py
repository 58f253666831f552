"""Servers on loopback, each on a port of its own, under clients whose requests and answers are counted."""

import re
import socket
import threading

from session import Failed, free_port, program


class Lines:
    """A line-based connection, as memcached and redis speak it."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.file = self.socket.makefile("rb")

    def ask(self, request):
        self.socket.sendall(request)
        return self.line()

    def line(self):
        line = self.file.readline()
        if not line:
            raise Failed("the server closed the connection")
        return line.rstrip(b"\r\n")

    def data(self, length):
        data = self.file.read(length + 2)
        return data[:-2]

    def close(self):
        self.file.close()
        self.socket.close()


def in_threads(count, work):
    """Runs work(0) … work(count - 1) at once; the first exception is raised here."""
    errors = []

    def one(index):
        try:
            work(index)
        except Exception as error:  # handed on below
            errors.append(error)

    threads = [threading.Thread(target=one, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]


def memcached_client(port, index):
    c = Lines(port)
    for i in range(300):
        value = b"%d-%d" % (index, i) * (1 + i % 50)
        if c.ask(b"set k%d-%d 0 0 %d\r\n%s\r\n" % (index, i, len(value), value)) != b"STORED":
            raise Failed("memcached did not store")
        word = c.ask(b"get k%d-%d\r\n" % (index, i)).split()
        if word[0] != b"VALUE" or c.data(int(word[3])) != value or c.line() != b"END":
            raise Failed("memcached returned something else")
        c.ask(b"incr counter 1\r\n")
    c.close()


def memcached_facts(s, port):
    c = Lines(port)
    s.fact("counter", int(c.ask(b"incr counter 0\r\n")))
    stats, line = {}, c.ask(b"stats\r\n")
    while line != b"END":
        _, key, value = line.split(None, 2)
        stats[key.decode()] = value.decode()
        line = c.line()
    for key in ("cmd_set", "cmd_get", "get_hits", "get_misses", "incr_hits", "curr_items", "threads"):
        s.fact(key, stats[key])
    c.close()


def memcached_server(s, port):
    return s.server("memcached", "-u", "root", "-l", "127.0.0.1", "-p", port, "-U", "0", "-t", "4", "-m", "64", port=port)


@program("memcached", needs=["memcached"], equal="every answer, the server's own counts, exit status")
def memcached(s):
    port = free_port()
    with memcached_server(s, port):
        c = Lines(port)
        c.ask(b"set counter 0 0 1\r\n0\r\n")
        c.close()
        in_threads(6, lambda index: memcached_client(port, index))
        memcached_facts(s, port)


@program("memcached-tools", needs=["memcached", "memcaslap", "memccapable"], quick=False,
         equal="memccapable's verdicts; memaslap's operations and failed verifications; exit status")
def memcached_tools(s):
    port = free_port()
    with memcached_server(s, port):
        capable = s.helper("memccapable", "-h", "127.0.0.1", "-p", port, "-a")
        s.fact("memccapable", re.findall(r"\[(pass|FAIL)\]", (capable.stdout + capable.stderr).decode(errors="replace")))
        # The load generator has threads and locks as well: it runs under the library, too.
        slap = s.run("memcaslap", "-s", f"127.0.0.1:{port}", "-T", "2", "-c", "8", "-x", "20000", "-v", "0.5")
        text = slap.stdout.decode(errors="replace")
        s.fact("memaslap ops", re.findall(r"Ops: (\d+)", text)[-1:])
        s.fact("memaslap verify_failed", re.findall(r"verify_failed: (\d+)", text)[-1:])


def redis_client(port, index):
    c = Lines(port)
    for i in range(300):
        c.ask(b"INCR counter\r\n")
        c.ask(b"RPUSH list%d %d\r\n" % (index, i))
        c.ask(b"SET k%d-%d %d\r\n" % (index, i, i * i))
        if c.ask(b"GET k%d-%d\r\n" % (index, i)) != b"$%d" % len(str(i * i)) or c.data(len(str(i * i))) != b"%d" % (i * i):
            raise Failed("redis returned something else")
    c.close()


def redis(s, *options):
    port = free_port()
    with s.server("redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no",
                  "--daemonize", "no", "--dir", s.directory, *options, port=port):
        in_threads(6, lambda index: redis_client(port, index))
        c = Lines(port)
        for request in (b"GET counter", b"DBSIZE", b"LLEN list3", b"DEL list3", b"UNLINK list4"):
            answer = c.ask(request + b"\r\n")
            s.fact(request.decode(), (answer + (c.data(int(answer[1:])) if answer[:1] == b"$" else b"")).decode())
        c.ask(b"FLUSHALL ASYNC\r\n")
        c.close()
        load = s.run("redis-benchmark", "-h", "127.0.0.1", "-p", port, "-n", "10000", "-c", "16", "-P", "8", "-q",
                     "--threads", "2", "-t", "set,get,incr,lpush,lpop")
        s.fact("redis-benchmark's tests", re.findall(rb"^(\w+): [\d.]+ requests per second", load.stdout.replace(b"\r", b"\n"), re.M))


@program("redis", needs=["redis-server", "redis-benchmark"], equal="every answer, sizes, redis-benchmark's tests, exit status")
def redis_plain(s):
    redis(s)


@program("redis-io-threads", needs=["redis-server", "redis-benchmark"], quick=False,
         equal="every answer, sizes, redis-benchmark's tests, exit status")
def redis_io_threads(s):
    redis(s, "--io-threads", "3", "--io-threads-do-reads", "yes")

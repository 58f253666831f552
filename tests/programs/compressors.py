"""Compressors with threads: the bytes are the result."""

from session import digest, program


def compare_packed(s, pack, unpack):
    packed = s.run(*pack, s.input)
    s.fact("compressed bytes", digest(packed.stdout))
    unpacked = s.run(*unpack, stdin=packed.stdout)
    s.fact("decompressed bytes", digest(unpacked.stdout))


@program("pigz", needs=["pigz"], equal="compressed and decompressed bytes, exit status")
def pigz(s):
    compare_packed(s, ["pigz", "-n", "-p", "4", "-b", "128", "-c"], ["pigz", "-d", "-c"])


@program("pbzip2", needs=["pbzip2"], equal="compressed and decompressed bytes, exit status")
def pbzip2(s):
    compare_packed(s, ["pbzip2", "-p4", "-b2", "-c"], ["pbzip2", "-d", "-p4", "-c"])


@program("zstd", needs=["zstd"], equal="compressed and decompressed bytes, exit status")
def zstd(s):
    compare_packed(s, ["zstd", "-T4", "-B512K", "-9", "-q", "-c"], ["zstd", "-d", "-q", "-c"])


@program("xz", needs=["xz"], equal="compressed and decompressed bytes, exit status")
def xz(s):
    compare_packed(s, ["xz", "-T4", "--block-size=512KiB", "-1", "-c"], ["xz", "-d", "-T4", "-c"])

#!/usr/bin/env python3
"""A recording takes no more memory than is in it, however far its disk likes to be read ahead: filling 8 MiB of page cache
holds up the first thread that comes for 100 ms."""

import ctypes
import mmap
import os

from harness import *

SPARE = 256 << 10  # bytes: pages are taken ahead, and file systems write several at once


def resident_bytes(path):
    page, size = mmap.PAGESIZE, os.path.getsize(path)
    present = (ctypes.c_ubyte * ((size + page - 1) // page))()
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mincore.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    with open(path, "r+b") as f, mmap.mmap(f.fileno(), size) as view:
        start = ctypes.c_char.from_buffer(view)
        failed = libc.mincore(ctypes.addressof(start), size, present)
        del start
    if failed:
        raise OSError(ctypes.get_errno(), "mincore")
    return sum(b & 1 for b in present) * page


run = fixture("exclusion", "mutex", 8, 2000, holds="all")
if not NATIVE:
    # Before anybody reads in it.
    path = os.path.join(run.directory, os.listdir(run.directory)[0])
    resident, used = resident_bytes(path), run.recording().header["used"]
    print(f"{resident >> 10} KiB of memory for a recording of {used >> 10} KiB")
    check(resident >= used // 2, "nothing of the recording is in memory: is this measured at all?")
    check(resident <= used + used // 8 + SPARE, f"{resident} bytes of memory for a recording of {used}")
finish()

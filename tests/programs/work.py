"""What the python run does: threads pass blocks through queues and compress them; prints a checksum.

usage: work.py THREADS BLOCKS
"""

import queue
import sys
import threading
import zlib


def main():
    threads, blocks = int(sys.argv[1]), int(sys.argv[2])
    todo, done, lock, seen = queue.Queue(8), queue.Queue(), threading.Lock(), [0]

    def work():
        while (number := todo.get()) is not None:
            packed = zlib.compress(b"%d " % number * 20000, 6)
            with lock:
                seen[0] += 1
            done.put((number, zlib.crc32(packed)))

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for w in workers:
        w.start()
    for number in range(blocks):
        todo.put(number)
    for _ in workers:
        todo.put(None)
    for w in workers:
        w.join()
    total = 0
    for number, checksum in sorted(done.get() for _ in range(blocks)):
        total = zlib.crc32(b"%d %d" % (number, checksum), total)
    print(seen[0], f"{total:08x}")


main()

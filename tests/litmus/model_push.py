#!/usr/bin/env python3
"""Two threads use lock A for the first time at once, while deflation takes a record out of the same chain
(record_push() and lock_unlink() in stats/record/locks.c).

Rows: Z is in the chain, another lock's and folded; X and Y are what the two threads push. Another thread takes Z, once
it was given back, for lock C, and pushes it into the same chain. What must hold when all is done: one record stands for
A, and both threads have its number; the chain is whole, and has every row once that was pushed and not taken out.
"""

from explore import Program, run

NONE, X, Y, Z = 0, 1, 2, 3
A, B, C = 1, 2, 3
ALIVE, FOLDED = 0, 1

MEMORY = {
    "bucket": (Z, 0),  # number, changes
    **{("lock", X): A, ("lock", Y): A, ("lock", Z): B},
    **{("flags", X): ALIVE, ("flags", Y): ALIVE, ("flags", Z): FOLDED},
    **{("next", X): NONE, ("next", Y): NONE, ("next", Z): NONE},
    "given": 0,
}


def changed(head, number, counts):
    return (number, (head[1] + 1) % 8 if counts else 0)


def search(first):
    """Sets `found` to A's record, from the register `first` on."""
    return [
        ("set", "at", first),
        ("set", "found", NONE),
        ("label", "next"),
        ("if", lambda r: r["at"] == NONE, "searched"),
        ("load", "flags", lambda r: ("flags", r["at"])),
        ("load", "lock", lambda r: ("lock", r["at"])),
        ("if", lambda r: r["flags"] == ALIVE and r["lock"] == A, "hit"),
        ("load", "at", lambda r: ("next", r["at"])),
        ("goto", "next"),
        ("label", "hit"),
        ("set", "found", lambda r: r["at"]),
        ("label", "searched"),
    ]


def push(row, counts=True, head_first=True):
    head = [("load", "head", "bucket")]
    look = search((lambda r: r["head"][0]) if head_first else (lambda r: r["early"][0]))
    return [
        ("label", "again"),
        *(head + look if head_first else [("load", "early", "bucket")] + look + head),
        ("if", lambda r: r["found"] != NONE, "there"),
        ("release", ("next", row), lambda r: r["head"][0]),
        ("cas", "pushed", "bucket", lambda r: r["head"], lambda r: changed(r["head"], row, counts)),
        ("if", lambda r: not r["pushed"], "again"),
        ("set", "found", row),
        ("label", "there"),
    ]


def unlink(counts=True, by_exchange=True):
    at_head = (
        [("cas", "out", "bucket", lambda r: r["head"], lambda r: changed(r["head"], r["after"], counts))]
        if by_exchange
        else [("release", "bucket", lambda r: changed(r["head"], r["after"], counts)), ("set", "out", 1)]
    )
    return [
        ("load", "after", ("next", Z)),
        ("label", "again"),
        ("load", "head", "bucket"),
        ("set", "at", lambda r: r["head"][0]),
        ("if", lambda r: r["at"] != Z, "inside"),
        *at_head,
        ("if", lambda r: not r["out"], "again"),
        ("goto", "end"),
        ("label", "inside"),
        ("set", "link", lambda r: r["at"]),
        ("load", "at", lambda r: ("next", r["link"])),
        ("if", lambda r: r["at"] != Z, "inside"),
        ("release", lambda r: ("next", r["link"]), lambda r: r["after"]),
        ("label", "end"),
        ("release", "given", 1),
    ]


def take_and_push(counts=True):
    return [
        ("cas", "took", "given", 1, 0),
        ("if", lambda r: not r["took"], "end"),
        ("store", ("lock", Z), C),
        ("release", ("flags", Z), ALIVE),
        ("label", "again"),
        ("load", "head", "bucket"),
        ("release", ("next", Z), lambda r: r["head"][0]),
        ("cas", "pushed", "bucket", lambda r: r["head"], lambda r: changed(r["head"], Z, counts)),
        ("if", lambda r: not r["pushed"], "again"),
        ("label", "end"),
    ]


def final(memory, registers):
    first, second, _, taker = registers
    chain, at = [], memory["bucket"][0]
    while at != NONE:
        if at in chain:
            return "the chain goes round"
        chain.append(at)
        at = memory[("next", at)]
    if first["found"] != second["found"]:
        return "two records for one lock"
    expected = {first["found"]} | ({Z} if taker["took"] else set())
    if set(chain) != expected:
        return f"rows {sorted(chain)} are in the chain, not {sorted(expected)}"
    return None


def program(counts=True, head_first=True, by_exchange=True, used_again=True):
    threads = [
        push(X, counts, head_first),
        push(Y, counts, head_first),
        unlink(counts, by_exchange),
        take_and_push(counts) if used_again else [("set", "took", 0)],
    ]
    return Program(MEMORY, threads, final)


run(
    [
        ("as it is", "x86", program(), False),
        ("as it is, the row not used again", "c11", program(used_again=False), False),
        ("changes of a bucket are not counted", "x86", program(counts=False), True),
        ("the search before the head", "x86", program(head_first=False), True),
        ("the head unlinked by a plain store", "x86", program(by_exchange=False), True),
    ]
)

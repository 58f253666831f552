#!/usr/bin/env python3
"""Deflation folds a record while a thread stores it into its entry (stats/record/deflate.c, entry.c, locks.c).

The deflating thread: flags to FOLDED by compare-and-swap, a new stamp, out of the chain, fence, then what refers to the
record is given the class's instead, and the row is given back. Another thread takes the row for lock B at once. The
user of lock A: finds the record, stores its number into its entry, fence, looks whether the record still stands; if
not it starts again. What must hold when it is satisfied, and for ever after: its entry refers to a row that is A's, or
to the class's.

Each fence is taken away once, and each order once turned round: the model must then fail, or it shows nothing.
"""

from explore import Program, run

NONE, ROW, CLASS, OTHER = 0, 1, 2, 3  # records: OTHER is one that the user makes anew
ALIVE, FOLDED = 0, 1
A, B = 1, 2

MEMORY = {
    "flags": ALIVE,  # of ROW
    "lock": A,
    "chain": ROW,  # A's
    "given": 0,  # 1: ROW is in the ring
    "entry": NONE,  # its record
}


def deflater(fence=True, refer_first=False):
    refer = [
        ("load", "record", "entry"),
        ("if", lambda r: r["record"] != ROW, "referred"),
        ("cas", "done", "entry", ROW, CLASS),
        ("label", "referred"),
    ]
    fold = [
        ("cas", "folded", "flags", ALIVE, FOLDED),
        ("if", lambda r: not r["folded"], "end"),
        ("cas", "done", "chain", ROW, NONE),
    ]
    return [
        *(refer + fold if refer_first else fold + ([("fence",)] if fence else []) + refer),
        ("release", "given", 1),
        ("label", "end"),
    ]


TAKER = [
    ("cas", "took", "given", 1, 0),
    ("if", lambda r: not r["took"], "end"),
    ("store", "lock", B),
    ("release", "flags", ALIVE),
    ("label", "end"),
]


def stands(prefix):
    """Flags first, then the address: flags of a later life are seen with its address."""
    return [("load", prefix + "_flags", "flags"), ("load", prefix + "_lock", "lock")]


def user(fence=True, look_again=True, entry_has=NONE, overwrites=False):
    """entry_has ROW: it counted for A already; its record is stored only where there is none, or, as it was, always."""
    return [
        ("label", "again"),
        ("load", "number", "chain"),
        ("if", lambda r: r["number"] == NONE, "anew"),
        *stands("found"),
        ("if", lambda r: r["found_flags"] == FOLDED or r["found_lock"] != A, "anew"),
        ("load", "has", "entry"),
        # Referred to the class meanwhile: a row of its own stays behind, and counts for the class.
        ("if", lambda r: r["has"] not in (NONE, ROW), "anew"),
        *([] if overwrites else [("if", lambda r: r["has"] == ROW, "stored")]),
        ("release", "entry", ROW),
        ("label", "stored"),
        *([("fence",)] if fence else []),
        *(
            [*stands("still"), ("if", lambda r: r["still_flags"] == FOLDED or r["still_lock"] != A, "again")]
            if look_again
            else []
        ),
        ("set", "counts", ROW),
        ("goto", "end"),
        ("label", "anew"),
        # A new record: what is in the entry counts nothing, or stays behind with what it counted.
        ("set", "counts", OTHER),
        ("label", "end"),
    ]


def final(counted):
    def check(memory, registers):
        uses = registers[2].get("counts")
        # An entry that was set aside before it counted anything may refer to anything.
        if memory["entry"] == ROW and (uses == ROW or counted) and memory["lock"] != A:
            return "an entry that counts for A refers to B's record"
        if memory["entry"] == ROW and (uses == ROW or counted) and memory["given"]:
            return "an entry that counts refers to a row that was given back"
        return None

    return check


def program(deflater_steps, user_steps, entry_has=NONE):
    memory = {**MEMORY, "entry": entry_has}
    return Program(memory, [deflater_steps, TAKER, user_steps], final(entry_has == ROW))


run(
    [
        ("as it is", "x86", program(deflater(), user()), False),
        ("as it is", "c11", program(deflater(), user()), False),
        ("an entry that counted before", "x86", program(deflater(), user(), ROW), False),
        ("an entry that counted before", "c11", program(deflater(), user(), ROW), False),
        ("no fence in lock_record_stands()", "x86", program(deflater(), user(fence=False)), True),
        ("no fence in lock_record_stands()", "c11", program(deflater(), user(fence=False)), True),
        # On x86 the compare-and-swap in front of it is a fence itself.
        ("no fence in refer_all()", "x86", program(deflater(fence=False), user()), False),
        ("no fence in refer_all()", "c11", program(deflater(fence=False), user()), True),
        ("entries before the flags", "x86", program(deflater(refer_first=True), user()), True),
        ("no second look at the record", "x86", program(deflater(), user(look_again=False)), True),
        (
            "the record stored over what deflation put there",
            "x86",
            program(deflater(), user(overwrites=True), ROW),
            True,
        ),
    ]
)

"""Goes through all interleavings of a few small threads under a memory model, and says what can become of them.

A thread is a list of steps; memory is a dictionary of words, registers belong to a thread. A step is one of

    ("load", register, place)              ("store", place, value)        ("release", place, value)
    ("cas", register, place, old, new)     ("fence",)                     ("set", register, value)
    ("if", condition, label)               ("goto", label)                ("label", name)
    ("check", condition, text)             of the thread's registers and of memory: what must hold there

`place`, values and conditions may be functions of the thread's registers. Loads are in order, as if all were acquire.
Stores wait in a buffer of the thread's, which it reads from itself; a release store leaves it after everything before,
others in any order. What a compare-and-swap does in addition is the model:

    "x86"    the whole buffer first, and it stores at once: a full barrier
    "c11"    acquire and release only: its store waits as well, though nobody else may write the place meanwhile
"""

import sys


def value_of(what, registers):
    return what(registers) if callable(what) else what


class Program:
    def __init__(self, memory, threads, final):
        self.memory = memory
        self.threads = [[step for step in thread if step[0] != "label"] for thread in threads]
        self.labels = []
        for thread in threads:
            labels, at = {}, 0
            for step in thread:
                if step[0] == "label":
                    labels[step[1]] = at
                else:
                    at += 1
            self.labels.append(labels)
        self.final = final  # of memory and all registers, when all has ended; a text is a failure


class State:
    """memory, and for each thread: where it is, its registers, its buffer of (place, value, release, owned)."""

    def __init__(self, memory, threads):
        self.memory, self.threads = memory, threads

    def key(self):
        return (
            tuple(self.memory.values()),
            tuple((at, tuple(sorted(registers.items())), tuple(buffer)) for at, registers, buffer in self.threads),
        )

    def with_thread(self, index, thread, memory=None):
        threads = list(self.threads)
        threads[index] = thread
        return State(self.memory if memory is None else memory, threads)


def may_leave(buffer, index):
    place, _, release, _ = buffer[index]
    return not (release and index > 0) and all(entry[0] != place for entry in buffer[:index])


def drains(state):
    for index, (at, registers, buffer) in enumerate(state.threads):
        for n in range(len(buffer)):
            if may_leave(buffer, n):
                place, value = buffer[n][:2]
                yield state.with_thread(
                    index, (at, registers, buffer[:n] + buffer[n + 1 :]), {**state.memory, place: value}
                )


def read(state, buffer, place):
    for entry in reversed(buffer):
        if entry[0] == place:
            return entry[1]
    return state.memory[place]


def owned_by_another(state, index, place):
    return any(
        entry[3] and entry[0] == place
        for other, (_, _, buffer) in enumerate(state.threads)
        if other != index
        for entry in buffer
    )


def step(program, model, state, index):
    """The states that one step of a thread leads to: none while it has to wait; a text: what did not hold."""
    at, registers, buffer = state.threads[index]
    if at == len(program.threads[index]):
        return []
    what = program.threads[index][at]
    name = what[0]

    def goes_to(label):
        return program.labels[index][label]

    if name == "load":
        found = read(state, buffer, value_of(what[2], registers))
        return [state.with_thread(index, (at + 1, {**registers, what[1]: found}, buffer))]
    if name in ("store", "release"):
        entry = (value_of(what[1], registers), value_of(what[2], registers), name == "release", False)
        return [state.with_thread(index, (at + 1, registers, buffer + [entry]))]
    if name == "fence":
        return [] if buffer else [state.with_thread(index, (at + 1, registers, buffer))]
    if name == "set":
        return [state.with_thread(index, (at + 1, {**registers, what[1]: value_of(what[2], registers)}, buffer))]
    if name == "if":
        return [state.with_thread(index, (goes_to(what[2]) if what[1](registers) else at + 1, registers, buffer))]
    if name == "goto":
        return [state.with_thread(index, (goes_to(what[1]), registers, buffer))]
    if name == "check":
        return (
            [state.with_thread(index, (at + 1, registers, buffer))] if what[1](registers, state.memory) else what[2]
        )
    assert name == "cas", name
    place, old, new = (value_of(part, registers) for part in what[2:])
    # What was stored to the place before is there before.
    if any(entry[0] == place for entry in buffer) or (model == "x86" and buffer):
        return []
    if owned_by_another(state, index, place):
        return []
    if state.memory[place] != old:
        return [state.with_thread(index, (at + 1, {**registers, what[1]: 0}, buffer))]
    after = {**registers, what[1]: 1}
    if model == "x86":
        return [state.with_thread(index, (at + 1, after, buffer), {**state.memory, place: new})]
    return [state.with_thread(index, (at + 1, after, buffer + [(place, new, True, True)]))]


def explore(program, model):
    """(number of states, None), or (number, what failed)."""
    first = State(program.memory, [(0, {}, []) for _ in program.threads])
    seen, todo = {first.key()}, [first]
    while todo:
        state = todo.pop()
        successors = list(drains(state))
        for index in range(len(program.threads)):
            reached = step(program, model, state, index)
            if isinstance(reached, str):
                return len(seen), reached
            successors += reached
        if not successors:
            ended = all(at == len(program.threads[i]) for i, (at, _, _) in enumerate(state.threads))
            failure = (
                program.final(state.memory, [registers for _, registers, _ in state.threads])
                if ended
                else "threads wait for each other"
            )
            if failure:
                return len(seen), failure
        for successor in successors:
            key = successor.key()
            if key not in seen:
                seen.add(key)
                todo.append(successor)
    return len(seen), None


def run(cases):
    """cases: (name, model, program, whether it must fail). A change that the model cannot see proves nothing."""
    wrong = 0
    for name, model, program, must_fail in cases:
        states, failure = explore(program, model)
        good = (failure is not None) == must_fail
        wrong += not good
        print(f"{'ok' if good else 'WRONG'}: {name} ({model}, {states} states): {failure or 'holds'}")
    sys.exit(1 if wrong else 0)

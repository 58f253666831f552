/* The second process of the process family: `conformance --peer DESCRIPTOR`. */
#ifndef RELOCK_TESTS_CONFORMANCE_PROCESS_H
#define RELOCK_TESTS_CONFORMANCE_PROCESS_H

/* Obeys orders on standard input until it ends. `memory` is the descriptor of the shared page. */
int process_peer(int memory);

#endif

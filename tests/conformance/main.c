/*
 * Conformance: runs every case of the families named on the command line (all without arguments)
 * and prints a transcript. It knows nothing of what is preloaded; the test compares its transcript
 * with that of a run without.
 */
#include "actors.h"
#include "families.h"
#include "process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--peer") == 0)
		return process_peer(atoi(argv[2]));
	actors_start();
	for (const struct family *f = families; f->run; f++) {
		bool wanted = argc < 2;

		for (int i = 1; i < argc; i++)
			wanted |= strcmp(argv[i], f->name) == 0;
		if (wanted)
			f->run();
	}
	return 0;
}

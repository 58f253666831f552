/* What a whole program's start and end take. */
#include "hotpath.h"

#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int populate_and_exit(void)
{
	uint64_t leaving;

	start_idle_thread();
	make_mutexes(100000);
	work_mutexes(lock_count);
	leaving = now_ns();
	must(write(1, &leaving, sizeof(leaving)) == sizeof(leaving), "cannot write");
	return 0;
}

/* Starts and awaits one program, its output going to `out` if that is not -1. */
static void run_program(char *const *argv, char *const *env, int out)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status;

	posix_spawn_file_actions_init(&actions);
	if (out >= 0)
		posix_spawn_file_actions_adddup2(&actions, out, 1);
	must(posix_spawn(&pid, argv[0], &actions, NULL, argv, env) == 0, "cannot start a program");
	must(waitpid(pid, &status, 0) == pid && status == 0, "a program failed");
	posix_spawn_file_actions_destroy(&actions);
}

static double startup_once(char *const *env)
{
	char *argv[] = {"/bin/true", NULL};
	uint64_t from = now_ns();

	run_program(argv, env, -1);
	return (double)(now_ns() - from);
}

static double exit_once(char *const *env)
{
	char *argv[] = {"/proc/self/exe", "populate", "0", NULL};
	uint64_t leaving;
	int ends[2];

	must(pipe(ends) == 0, "no pipe");
	run_program(argv, env, ends[1]);
	must(read(ends[0], &leaving, sizeof(leaving)) == sizeof(leaving), "cannot read");
	close(ends[0]);
	close(ends[1]);
	return (double)(now_ns() - leaving);
}

static double bench_program(double (*once)(char *const *env), char **additions)
{
	static double took[BATCHES_MAX];
	uint64_t end = now_ns() + budget_ns;
	unsigned runs = 0, variables = 0, added = 0;
	char **env;

	while (environ[variables])
		variables++;
	while (additions[added])
		added++;
	env = calloc(variables + added + 1, sizeof(*env));
	must(env != NULL, "out of memory");
	memcpy(env, additions, added * sizeof(*env));
	memcpy(env + added, environ, variables * sizeof(*env));
	once(env);
	do
		took[runs++] = once(env);
	while ((now_ns() < end || runs < 3) && runs < BATCHES_MAX);
	return median(took, runs);
}

double bench_startup(char **additions)
{
	return bench_program(startup_once, additions);
}

double bench_exit(char **additions)
{
	return bench_program(exit_once, additions);
}

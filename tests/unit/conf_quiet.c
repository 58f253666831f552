/*
 * The library reads its configuration in a constructor, under whatever allocator the program has:
 * none of that may allocate. Every allocation of this program is watched: by the sanitizer's hooks
 * where there is one, else by standing in for malloc and its kin.
 */
#include "tests/unit/conf_fixture.h"

#include <locale.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_bool armed;
static atomic_uint allocations;

static void note(void)
{
	if (atomic_load_explicit(&armed, memory_order_relaxed))
		atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED

int __sanitizer_install_malloc_and_free_hooks(
	void (*allocated)(const volatile void *, size_t), void (*freed)(const volatile void *));

static void allocated(const volatile void *block, size_t size)
{
	(void)block;
	(void)size;
	note();
}

static void freed(const volatile void *block)
{
	(void)block;
}

static void watch(void)
{
	if (__sanitizer_install_malloc_and_free_hooks(allocated, freed) == 0)
		abort();
}

#else

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
	note();
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	note();
	return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
	note();
	return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size)
{
	note();
	return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	note();
	return __libc_memalign(alignment, size);
}

static void watch(void)
{
}

#endif

static struct conf c;
static struct conf_error error;
static char ini[CONF_FILE_MAX];

static void check_quiet(char *const *environment, bool expected)
{
	static char text[32 * 1024], path[CONF_PATH_MAX];
	bool fine;

	atomic_store(&allocations, 0);
	atomic_store(&armed, true);
	fine = conf_load_process(&c, "some-executable", environment, &error);
	conf_format_all(&c, text, sizeof(text));
	conf_expand_output(
		c.settings.output, "/", "some-executable", 1, "host", 1, path, sizeof(path));
	atomic_store(&armed, false);
	ck_assert_msg(fine == expected, "%s", error.message);
	ck_assert_uint_eq(atomic_load(&allocations), 0);
}

static void check_all(void)
{
	char config[] = "RELOCK_CONFIG=" INI, policy[] = "RELOCK_POLICY=spin-park:spins=3";
	char wrong[] = "RELOCK_POLICY=spin-yeld", near[] = "RELOCK_POLCY=native";
	char missing[] = "RELOCK_CONFIG=missing.ini", spins[] = "RELOCK_MUTEX_SPINS=1";
	char *fine[] = {config, policy, NULL}, *bad[] = {config, wrong, NULL};
	char *typo[] = {near, NULL}, *none[] = {missing, NULL}, *unread[] = {spins, NULL};

	check_quiet(fine, true);
	check_quiet(bad, false);
	check_quiet(typo, false);
	check_quiet(none, false);
	check_quiet(unread, false);
}

/* The watch itself has to see something, or all is quiet for no reason. */
START_TEST(watch_sees_allocations)
{
	void *block;

	atomic_store(&allocations, 0);
	atomic_store(&armed, true);
	block = strdup("something");
	atomic_store(&armed, false);
	free(block);
	ck_assert_uint_gt(atomic_load(&allocations), 0);
}
END_TEST

START_TEST(loading_allocates_nothing)
{
	conf_format_default_ini(ini, sizeof(ini));
	strcat(ini, "[process \"*-exec[a-z]table\"]\nenabled = on\npolicy = backoff:spins=9\n"
		    "[process \"?*\"]\nenabled = off\n");
	conf_write(INI, ini, strlen(ini));
	check_all();
	conf_write(INI, "[mutex]\nspinz = 3\n", 18);
	check_quiet((char *[]){"RELOCK_CONFIG=" INI, NULL}, false);
}
END_TEST

/* A library that is loaded late finds the program's locale set. */
START_TEST(nor_under_a_locale)
{
	if (!setlocale(LC_ALL, "C.UTF-8"))
		setlocale(LC_ALL, "");
	conf_format_default_ini(ini, sizeof(ini));
	strcat(ini, "[process \"*-exec[a-z]table\"]\nenabled = on\n");
	conf_write(INI, ini, strlen(ini));
	check_all();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("conf_quiet");
	TCase *cases = tcase_create("quiet");
	SRunner *runner = srunner_create(suite);
	int failed;

	watch();
	tcase_add_test(cases, watch_sees_allocations);
	tcase_add_test(cases, loading_allocates_nothing);
	tcase_add_test(cases, nor_under_a_locale);
	suite_add_tcase(suite, cases);
	conf_fixture_enter();
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	conf_fixture_leave();
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Symbol names, and which of them say only that something is locked. */
#include "stats/report/headline.h"
#include "stats/report/names.h"
#include "tests/unit/report_tests.h"

#include <stdlib.h>
#include <string.h>

START_TEST(test_shortened_names)
{
	static const char *const cases[][2] = {
		{"main", "main"},
		{"std::vector<int, A>::push_back(int&&)", "std::vector::push_back"},
		{"void foo<int>(int)", "foo"},
		{"std::ostream& std::operator<< <char>(std::ostream&, char)", "std::operator<<"},
		{"X::operator<(X const&) const", "X::operator<"},
		{"X::operator->() const", "X::operator->"},
		{"X::operator()(int)", "X::operator()"},
		{"X::operator bool() const", "X::operator bool"},
		{"f(int)::{lambda(int)#1}::operator()(int) const", "f::lambda::operator()"},
		{"(anonymous namespace)::Pool::take(int)", "Pool::take"},
		{"name[abi:cxx11](int)", "name"},
		{"std::__cxx11::basic_string<char>::size() const", "std::basic_string::size"},
		{"std::function<void (int)>::operator()(int) const", "std::function::operator()"},
		{"decltype(auto) a::b<c>()", "a::b"},
		{"f(int) [clone .cold]", "f"},
		{"worker.constprop.0.isra.0", "worker"},
		{"A::~A()", "A::~A"},
		{"operator new(unsigned long)", "operator new"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char *name = name_shorten(cases[i][0]);

		ck_assert_str_eq(name, cases[i][1]);
		free(name);
	}
}
END_TEST

/* Whatever is in a symbol table: something comes out, and nothing is read beyond the end. */
START_TEST(test_odd_names)
{
	static const char letters[] = "<>(){}[]:, operator~lambda_Z.cold&*";
	uint64_t state = 42;

	for (int i = 0; i < 20000; i++) {
		char name[40] = "", *shown, *plain;
		size_t length = (size_t)i % (sizeof name - 1);

		for (size_t k = 0; k < length; k++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			name[k] = letters[(state >> 33) % (sizeof letters - 1)];
		}
		plain = name_demangle(name);
		shown = name_shorten(plain);
		ck_assert(length == 0 || shown[0] != '\0');
		ck_assert_uint_le(strlen(shown), strlen(plain));
		free(shown);
		free(plain);
	}
}
END_TEST

START_TEST(test_lock_vocabulary)
{
	static const char *const wrappers[] = {"lock", "Lock", "pthread_mutex_lock",
		"__gthread_mutex_lock", "mutex_lock", "port::Mutex::Lock", "port::Mutex::Mutex",
		"std::mutex::lock", "std::lock_guard::lock_guard", "std::unique_lock::unique_lock",
		"std::unique_lock::lock", "leveldb::MutexLock::MutexLock", "CondVar::Wait",
		"port::CondVar::TimedWait", "std::condition_variable::wait", "ReadLock",
		"WriteLock", "rdlock", "wrlock", "acquire", "enter", "InstrumentedMutex::Lock",
		"inline_mysql_mutex_lock", "pthreadMutexEnter", "sqlite3_mutex_enter",
		"SpinMutex::lock", "RWMutex::ReadLock", "SDL_LockMutex", "g_mutex_lock",
		"shared_mutex::lock_shared", "je_malloc_mutex_lock_slow",
		"std::__glibcxx_rwlock_wrlock", "std::__shared_mutex_pthread::lock"};
	static const char *const others[] = {"main", "LockTable::insert", "Block::Read",
		"ThreadPool::wait", "wait", "DBImpl::Write", "clock", "read", "write", "get",
		"flock_file", "Clock::now", "deadlock_detect", "cache_insert", "", "::", "0x123",
		"libfoo.so+0x10", "Monitoring::report", "unlocked_read"};

	for (size_t i = 0; i < sizeof wrappers / sizeof wrappers[0]; i++)
		ck_assert_msg(headline_is_wrapper(wrappers[i]), "%s is a wrapper", wrappers[i]);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		ck_assert_msg(!headline_is_wrapper(others[i]), "%s is no wrapper", others[i]);
}
END_TEST

Suite *report_names_suite(void)
{
	Suite *suite = suite_create("names");
	TCase *tests = tcase_create("names");

	tcase_add_test(tests, test_shortened_names);
	tcase_add_test(tests, test_odd_names);
	tcase_add_test(tests, test_lock_vocabulary);
	suite_add_tcase(suite, tests);
	return suite;
}

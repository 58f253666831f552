// C++ locks under contention: what libstdc++ calls (clocklock, clockwait), exceptions, cancellation
// and pthread_exit through frames that hold locks. A transcript like that of the C program.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using std::chrono::hours;
using std::chrono::milliseconds;
using steady = std::chrono::steady_clock;
using wall = std::chrono::system_clock;

namespace
{

constexpr int threads = 4;

void say(const char *name, const std::string &facts)
{
	std::printf("cxx/%s %s\n", name, facts.c_str());
	std::fflush(stdout);
}

template <typename Body> void in_threads(int count, Body body)
{
	std::vector<std::thread> all;

	for (int i = 0; i < count; i++)
		all.emplace_back(body, i);
	for (auto &thread : all)
		thread.join();
}

// Every third holder throws; the guard lets go on the way out.
template <typename Mutex> void exceptions(const char *name)
{
	Mutex mutex;
	long sum = 0, caught[threads] = {};

	in_threads(threads, [&](int self) {
		for (int i = 0; i < 3000; i++) {
			try {
				std::lock_guard<Mutex> guard(mutex);
				sum++;
				if (i % 3 == 0)
					throw std::runtime_error("inside");
			} catch (const std::runtime_error &) {
				caught[self]++;
			}
		}
	});
	say(name, "sum=" + std::to_string(sum) + " caught=" +
			  std::to_string(caught[0] + caught[1] + caught[2] + caught[3]));
}

// A destructor that locks, run by the exception that passes a held lock.
void nested_exceptions()
{
	std::mutex outer, inner;
	long in_destructor = 0, caught = 0;
	struct Leaves {
		std::mutex &mutex;
		long &count;
		~Leaves()
		{
			std::lock_guard<std::mutex> guard(mutex);
			count++;
		}
	};

	in_threads(threads, [&](int) {
		for (int i = 0; i < 1000; i++) {
			try {
				Leaves leaves{inner, in_destructor};
				std::lock_guard<std::mutex> guard(outer);
				throw i;
			} catch (int) {
				std::lock_guard<std::mutex> guard(inner);
				caught++;
			}
		}
	});
	say("nested-exceptions", "destructors=" + std::to_string(in_destructor) +
					 " caught=" + std::to_string(caught));
}

// std::system_error for what the lock itself refuses.
void refused()
{
	std::mutex mutex;
	std::unique_lock<std::mutex> lock(mutex);
	std::string text;

	try {
		lock.lock();
	} catch (const std::system_error &error) {
		text = error.code() == std::errc::resource_deadlock_would_occur ? "deadlock" : "?";
	}
	say("refused", "error=" + text);
}

void timed_mutex()
{
	std::timed_mutex mutex;
	std::recursive_timed_mutex recursive;
	std::string text;

	mutex.lock();
	recursive.lock();
	std::thread([&] {
		auto start = steady::now();

		text += " for=" + std::to_string(mutex.try_lock_for(milliseconds(5)));
		text += " late=" + std::to_string(steady::now() - start >= milliseconds(5));
		text += " until=" +
			std::to_string(mutex.try_lock_until(wall::now() + milliseconds(5)));
		text += " recursive=" + std::to_string(recursive.try_lock_for(milliseconds(5)));
	}).join();
	text += " mine=" + std::to_string(recursive.try_lock_for(milliseconds(5)));
	std::atomic<bool> started{false};
	std::thread waiter([&] {
		started = true;
		bool first = mutex.try_lock_for(hours(1));
		bool second = recursive.try_lock_until(wall::now() + hours(1));

		text += " then=" + std::to_string(first) + std::to_string(second);
	});
	while (!started)
		std::this_thread::yield();
	mutex.unlock();
	recursive.unlock();
	recursive.unlock();
	waiter.join();
	say("timed-mutex", text.substr(1));
}

// Neither woken nor early; then woken.
void condition_variable()
{
	std::mutex mutex;
	std::condition_variable condition;
	std::string text;
	bool ready = false;

	{
		std::unique_lock<std::mutex> lock(mutex);
		auto start = steady::now();

		text += "for=" + std::to_string(condition.wait_for(
					 lock, milliseconds(5), [&] { return ready; }));
		text += " late=" + std::to_string(steady::now() - start >= milliseconds(5));
		text += " until=" + std::to_string(condition.wait_until(lock,
					    wall::now() + milliseconds(5), [&] { return ready; }));
	}
	std::thread waker([&] {
		std::lock_guard<std::mutex> guard(mutex);

		ready = true;
		condition.notify_all();
	});
	std::unique_lock<std::mutex> lock(mutex);

	text += " woken=" +
		std::to_string(condition.wait_for(lock, hours(1), [&] { return ready; }));
	lock.unlock();
	waker.join();
	say("condition-variable", text);
}

// A queue of one, between producers and consumers, with both kinds of condition variables.
template <typename Condition, typename Mutex> void queue(const char *name)
{
	Mutex mutex;
	Condition filled, emptied;
	long slot = 0, sum = 0;

	in_threads(threads, [&](int self) {
		for (int i = 1; i <= 100; i++) {
			std::unique_lock<Mutex> lock(mutex);

			if (self % 2 == 0) {
				emptied.wait(lock, [&] { return slot == 0; });
				slot = i;
				filled.notify_one();
			} else {
				filled.wait_for(lock, hours(1), [&] { return slot != 0; });
				sum += slot;
				slot = 0;
				emptied.notify_one();
			}
		}
	});
	say(name, "sum=" + std::to_string(sum));
}

void shared_mutex()
{
	std::shared_timed_mutex mutex;
	long value = 0, torn = 0, reads[threads] = {};
	std::string text;

	in_threads(threads, [&](int self) {
		for (int i = 0; i < 2000; i++) {
			if (self == 0) {
				std::unique_lock<std::shared_timed_mutex> lock(mutex);
				value++;
			} else {
				std::shared_lock<std::shared_timed_mutex> lock(mutex);
				long seen = value;

				reads[self]++;
				torn += seen != value;
			}
		}
	});
	mutex.lock_shared();
	std::thread([&] {
		text += " shared=" + std::to_string(mutex.try_lock_shared_for(milliseconds(5)));
		mutex.unlock_shared();
		text += " exclusive=" + std::to_string(mutex.try_lock_for(milliseconds(5)));
	}).join();
	mutex.unlock_shared();
	say("shared-mutex", "value=" + std::to_string(value) + " torn=" + std::to_string(torn) +
				    " reads=" + std::to_string(reads[1] + reads[2] + reads[3]) +
				    text);
}

// A thread ends inside frames that hold locks: their destructors run, others go on.
struct Ending {
	std::mutex mutex;
	std::condition_variable condition;
	std::atomic<int> destroyed{0};
	std::atomic<int> waiting{0};
	bool exits;
	std::atomic<bool> over{false}; // never
};

struct Witness {
	Ending &ending;
	~Witness()
	{
		ending.destroyed++;
	}
};

void hold_and_end(Ending &ending, int depth)
{
	Witness witness{ending};

	if (depth > 0) {
		hold_and_end(ending, depth - 1);
		return;
	}
	std::unique_lock<std::mutex> lock(ending.mutex);

	ending.waiting++;
	if (ending.exits)
		pthread_exit(nullptr);
	while (!ending.over)
		ending.condition.wait(lock);
}

void *end_main(void *arg)
{
	hold_and_end(*static_cast<Ending *>(arg), 4);
	return arg;
}

void endings(bool exits)
{
	Ending ending;
	pthread_t all[threads];
	int cancelled = 0;

	ending.exits = exits;
	for (auto &thread : all)
		pthread_create(&thread, nullptr, end_main, &ending);
	while (ending.waiting < threads)
		std::this_thread::yield();
	for (auto &thread : all) {
		void *result = nullptr;

		if (!exits)
			pthread_cancel(thread);
		pthread_join(thread, &result);
		cancelled += result == PTHREAD_CANCELED;
	}
	say(exits ? "pthread-exit" : "cancel",
		"cancelled=" + std::to_string(cancelled) +
			" destroyed=" + std::to_string(ending.destroyed) +
			" free=" + std::to_string(ending.mutex.try_lock()));
	ending.mutex.unlock();
}

// Several locks at once, taken in opposite orders.
void scoped_lock()
{
	std::mutex first, second;
	std::recursive_mutex third;
	long sum = 0;

	in_threads(threads, [&](int self) {
		for (int i = 0; i < 1000; i++) {
			if (self % 2) {
				std::scoped_lock all(first, second, third);
				sum++;
			} else {
				std::scoped_lock all(third, second, first);
				sum++;
			}
		}
	});
	say("scoped-lock", "sum=" + std::to_string(sum));
}

void once()
{
	std::once_flag flag;
	std::atomic<int> calls{0}, failures{0};

	in_threads(threads, [&](int) {
		try {
			std::call_once(flag, [&] {
				if (++calls == 1)
					throw 1;
			});
		} catch (int) {
			failures++;
		}
	});
	say("call-once",
		"calls=" + std::to_string(calls) + " failures=" + std::to_string(failures));
}

} // namespace

int main()
{
	exceptions<std::mutex>("exceptions-mutex");
	exceptions<std::recursive_mutex>("exceptions-recursive");
	exceptions<std::timed_mutex>("exceptions-timed");
	exceptions<std::shared_mutex>("exceptions-shared");
	nested_exceptions();
	refused();
	timed_mutex();
	condition_variable();
	queue<std::condition_variable, std::mutex>("queue");
	queue<std::condition_variable_any, std::timed_mutex>("queue-any");
	shared_mutex();
	endings(false);
	endings(true);
	scoped_lock();
	once();
	return 0;
}

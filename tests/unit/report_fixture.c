/* A module to name things in: the tests load it, ask it for addresses, and see what they are
 * called. */
#include <pthread.h>
#include <stdint.h>

struct fixture_addresses {
	uintptr_t table_lock, table, table_entry, deep, in_function;
	uintptr_t inlined; /* return address inside Mutex_Lock, inlined into headline_function */
	uintptr_t mangled; /* in leveldb::DBImpl::Write() */
	uintptr_t constructor; /* in leveldb::DBImpl::DBImpl() */
};

static pthread_mutex_t fixture_table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	uint64_t other;
	pthread_mutex_t lock;
} fixture_table[8];

struct shard {
	long size;
	union {
		long other;
		struct {
			char name[16];
			struct {
				long owner;
				pthread_mutex_t lock;
			} locks[3];
		} inner;
	};
};
static struct shard fixture_shards[2][4];

/* Where the caller will go on: what a hook of relock sees. */
__attribute__((noinline)) static uintptr_t here(void)
{
	return (uintptr_t)__builtin_return_address(0);
}

static inline __attribute__((always_inline)) uintptr_t Mutex_Lock(void)
{
	uintptr_t address = here();

	__asm__ volatile("" ::: "memory");
	return address;
}

__attribute__((noinline)) static uintptr_t headline_function(void)
{
	uintptr_t address = Mutex_Lock();

	__asm__ volatile("" ::: "memory");
	return address;
}

uintptr_t fixture_write(void) __asm__("_ZN7leveldb6DBImpl5WriteERKNS_12WriteOptionsE");
__attribute__((noinline)) uintptr_t fixture_write(void)
{
	uintptr_t address = here();

	__asm__ volatile("" ::: "memory");
	return address;
}

uintptr_t fixture_construct(void) __asm__("_ZN7leveldb6DBImplC2Ev");
__attribute__((noinline)) uintptr_t fixture_construct(void)
{
	uintptr_t address = here();

	__asm__ volatile("" ::: "memory");
	return address;
}

__attribute__((noinline)) static uintptr_t function_with_a_lock(void)
{
	static struct {
		int users;
		pthread_mutex_t guard;
	} once;

	__asm__ volatile("" : : "r"(&once) : "memory");
	return (uintptr_t)&once.guard;
}

void fixture_addresses(struct fixture_addresses *out);
void fixture_addresses(struct fixture_addresses *out)
{
	out->table_lock = (uintptr_t)&fixture_table_lock;
	out->table = (uintptr_t)fixture_table;
	out->table_entry = (uintptr_t)&fixture_table[1].lock;
	out->deep = (uintptr_t)&fixture_shards[1][2].inner.locks[1].lock;
	out->in_function = function_with_a_lock();
	out->inlined = headline_function();
	out->mangled = fixture_write();
	out->constructor = fixture_construct();
}

#include "preload/readers.h"

_Atomic uint64_t readers_free_of[1u << READERS_BITS];

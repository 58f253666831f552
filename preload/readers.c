#include "preload/readers.h"

_Atomic uint8_t readers_state[1u << READERS_BITS];

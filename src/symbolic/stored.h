// stored.h: what becomes of a value that is written down as JSON, and read again.
//
// An int is a number then, and a number is a double as long as it is no integer beyond 2^53; a time is
// a text; what JSON cannot hold is an error. Whatever a step puts into the state, and whatever a call
// gives, has gone through here.
#ifndef LG_SYMBOLIC_STORED_H
#define LG_SYMBOLIC_STORED_H

#include "symbolic/value.h"

// What is read again. `*ret_fails`: when JSON cannot hold the value. What of it has failed stays so.
val value_stored(problem *p, val v, term *ret_fails);
// What is read of it where it takes the place of another value: a number may be written as the integer
// that stood there.
val value_in_kind(problem *p, val v);
// An integer of JSON beyond 2^53: an int, a uint, and beyond them an error.
val stored_large(problem *p, term integer);

#endif

// amounts.h: numbers as they stand in texts: "$1,234.56", "12.50", "7%".
#ifndef LG_AUDIT_AMOUNTS_H
#define LG_AUDIT_AMOUNTS_H

#include "base/str.h"

typedef struct audit_amount {
    size_t from, to; // bytes of the text; with the sign of dollars before it
    double value;
    bool is_money; // "$" stands before it
} audit_amount;

// The next number at or after `*at`, which goes behind it. What is part of a word or an id is none ("#W123", "HAT069",
// "2024-05-16"). False at the end.
bool audit_next_amount(lg_str text, size_t *at, audit_amount *ret);

// Are they the same, to half a cent?
bool audit_same_amount(double a, double b);

// Does the text hold a number of this value?
bool audit_holds_amount(lg_str text, double value);

#endif

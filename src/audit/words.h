// words.h: what is said in a conversation, as words: matched by phrases, without patterns to compile.
//
// A text is made plain once: lower case, one blank for any run of them, one line end for any run with one,
// typographic quotes, dashes and blanks as those of ASCII, and without the marks of Markdown for bold and code.
// Phrases are looked for in plain texts, and stand between what is no letter or digit; one that ends in `*` is the
// beginning of a word.
#ifndef LG_AUDIT_WORDS_H
#define LG_AUDIT_WORDS_H

#include "audit/audit_internal.h"

// In the case's arena; the empty text after a failure, and `c->oom`.
lg_str audit_plain(audit_case *c, lg_str text);
// Of the text of an event; made once.
lg_str audit_plain_at(audit_case *c, size_t index);

// Where a phrase stands at or after `from`; SIZE_MAX: nowhere.
size_t audit_find(lg_str plain, const char *phrase, size_t from);
bool audit_has(lg_str plain, const char *phrase);
// Any of a list that NULL ends.
bool audit_has_any(lg_str plain, const char *const *phrases);
// Does it begin with the phrase, after blanks and signs?
bool audit_begins(lg_str plain, const char *phrase);

// The next sentence from `*at` on, trimmed and not empty: it ends with `.`, `!` or `?` before a blank, with a line end,
// or with the text. False at the end.
bool audit_next_sentence(lg_str text, size_t *at, lg_str *ret);

#endif

// steps_cases.h: what a stranger would do to make a decision expensive.
//
// Rules that a hostile pack may hold, each beside data that make it worse. `text` is a string of
// `bytes`, `list` has `items` elements, as `data` says.
#ifndef LG_STEPS_CASES_H
#define LG_STEPS_CASES_H

typedef enum steps_data {
    DATA_NUMBERS, // list: 0, 1, 2 ...
    DATA_WORDS,   // list: "aaaa...": `bytes` each, the last letters differ
    DATA_RECORDS, // list: {"id": "k1", "v": {"a": [1, 2, 3], "b": "x"}}
    DATA_DIGITS,  // list: one number of `bytes` digits, `items` times
    DATA_KEYS,    // map: "key 1": 1 ...
    DATA_TEXTS,   // list: `text` itself, which is of spaces, digits, letters ...
} steps_data;

typedef struct steps_case {
    const char *name;
    const char *rule; // sees `ledger.box`: {list, map, text}
    steps_data data;
    unsigned items;
    unsigned bytes;
    const char *unit; // of which `text` is made; NULL: "a"
    const char *want; // findings; NULL: "revise: r budget"
} steps_case;

#define NEST "ledger.box.list.all(x, ledger.box.list.all(y, "
#define EACH "range(100000).all(i, "

static const steps_case steps_cases[] = {
    {"nested exists, a result of 4.4 KB", "!" NEST "x + y >= 0.0)) || ledger.box.list == []",
     DATA_NUMBERS, 1000, 0, NULL, NULL},
    {"nested over 1,000,000 numbers", NEST "x + y >= 0.0))", DATA_NUMBERS, 1000000, 0, NULL, NULL},
    {"nested over records", NEST "x.id == y.id || x.v.a != y.v.a))", DATA_RECORDS, 3000, 0, NULL,
     NULL},
    {"all of 30,000 numbers", "ledger.box.list.all(x, x >= 0.0)", DATA_NUMBERS, 30000, 0, NULL,
     "allow: "},
    {"equality of records", EACH "ledger.box.list == ledger.box.list)", DATA_RECORDS, 5000, 0, NULL,
     NULL},
    {"equality of long numbers", EACH "ledger.box.list == ledger.box.list)", DATA_DIGITS, 100,
     10000, NULL, NULL},
    {"equality of words", NEST "x == y || true))", DATA_WORDS, 1000, 1000, NULL, NULL},
    {"order of words", NEST "x <= y || true))", DATA_WORDS, 1000, 1000, NULL, NULL},
    {"in a list", NEST "x in ledger.box.list))", DATA_WORDS, 3000, 100, NULL, NULL},
    {"in a list of numbers", EACH "!(i in ledger.box.list) || i >= 0)", DATA_NUMBERS, 100000, 0,
     NULL, NULL},
    {"lookups in a large map", EACH "!(string(i) in ledger.box.map) || true)", DATA_KEYS, 200000, 0,
     NULL, NULL},
    {"keys of a large map", "ledger.box.map.all(k, ledger.box.map[k] >= 0.0)", DATA_KEYS, 300000, 0,
     NULL, NULL},
    {"concatenation of texts", EACH "(ledger.box.text + 'x') != '')", DATA_NUMBERS, 1, 100000, NULL,
     NULL},
    {"concatenation of lists", EACH "(ledger.box.list + ledger.box.list) != [])", DATA_NUMBERS,
     10000, 0, NULL, NULL},
    {"a small list, again and again", EACH "([i] + [i]) != [])", DATA_NUMBERS, 1, 0, NULL, NULL},
    {"contains, a letter that is everywhere", EACH "!ledger.box.text.contains('aab'))",
     DATA_NUMBERS, 1, 1000000, NULL, NULL},
    {"contains, a long text that almost is",
     EACH "!ledger.box.text.contains(ledger.box.text.substring(0, 5000) + 'b'))", DATA_NUMBERS, 1,
     100000, NULL, NULL},
    {"size of a text", EACH "size(ledger.box.text) > 0)", DATA_NUMBERS, 1, 1000000, NULL, NULL},
    {"charAt", EACH "ledger.box.text.charAt(i) == 'a')", DATA_NUMBERS, 1, 200000, NULL, NULL},
    {"indexOf", EACH "ledger.box.text.indexOf('aaab') < 0)", DATA_NUMBERS, 1, 100000, NULL, NULL},
    {"lastIndexOf", EACH "ledger.box.text.lastIndexOf('baaa') < 0)", DATA_NUMBERS, 1, 100000, NULL,
     NULL},
    {"replace", EACH "ledger.box.text.replace('a', 'bb') != '')", DATA_NUMBERS, 1, 100000, NULL,
     NULL},
    {"split", EACH "ledger.box.text.split('a').size() > 0)", DATA_NUMBERS, 1, 100000, NULL, NULL},
    {"split into letters", EACH "ledger.box.text.split('').size() > 0)", DATA_NUMBERS, 1, 100000,
     NULL, NULL},
    {"join", EACH "ledger.box.list.join('-') != '')", DATA_WORDS, 10000, 10, NULL, NULL},
    {"lower case", EACH "ledger.box.text.lowerAscii() != '')", DATA_NUMBERS, 1, 100000, NULL, NULL},
    {"reverse", EACH "ledger.box.text.reverse() != '')", DATA_NUMBERS, 1, 100000, "\xC3\xA9", NULL},
    {"trim", EACH "ledger.box.text.trim() == '')", DATA_NUMBERS, 1, 100000, " ", NULL},
    {"quote", EACH "strings.quote(ledger.box.text) != '')", DATA_NUMBERS, 1, 100000, "\\\\", NULL},
    {"format of numbers", EACH "'%.100f %e'.format([1e308, double(i)]) != '')", DATA_NUMBERS, 1, 0,
     NULL, NULL},
    {"format of a map", EACH "'%s'.format([ledger.box.map]) != '')", DATA_KEYS, 20000, 0, NULL,
     NULL},
    {"format of a list", EACH "'%s'.format([ledger.box.list]) != '')", DATA_NUMBERS, 20000, 0, NULL,
     NULL},
    {"numbers as text", EACH "string(double(i) / 7.0) != '')", DATA_NUMBERS, 1, 0, NULL, NULL},
    {"times as text", EACH "string(timestamp('2024-05-15T15:00:00Z') + duration('1.5h')) != '')",
     DATA_NUMBERS, 1, 0, NULL, NULL},
    {"times from text", "ledger.box.list.all(t, timestamp(t) < now || true)", DATA_TEXTS, 90000, 19,
     "2024-05-15T15:00:0Z", NULL},
    {"durations from a long text", EACH "duration(ledger.box.text) > duration('0') || true)",
     DATA_NUMBERS, 1, 100000, "1ns", NULL},
    {"doubles from a long text", EACH "double(ledger.box.text) > 0.0 || true)", DATA_NUMBERS, 1,
     100000, "7", NULL},
    {"ints from a long text", EACH "int(ledger.box.text) > 0 || true)", DATA_NUMBERS, 1, 100000,
     "7", NULL},
    {"a calculation", EACH "arithmetic(ledger.box.text) > 0.0)", DATA_NUMBERS, 1, 90000, "1**",
     NULL},
    {"why there is no value", EACH "arithmeticError('1' + ledger.box.text) == '')", DATA_NUMBERS, 1,
     3000, "+9**9", NULL},
    {"a calculation that adds powers", EACH "arithmetic('1' + ledger.box.text) > 0.0)",
     DATA_NUMBERS, 1, 3000, "+9**.9", NULL},
    {"base64", EACH "base64.encode(bytes(ledger.box.text)) != '')", DATA_NUMBERS, 1, 100000, NULL,
     NULL},
    {"a pattern that backtracks", "ledger.box.list.all(s, !s.matches('(a+)+$'))", DATA_WORDS, 1000,
     30, NULL, NULL},
    {"a pattern that begins everywhere", EACH "!ledger.box.text.matches('(a|b)*c'))", DATA_NUMBERS,
     1, 100000, NULL, NULL},
    {"a pattern that reads much and fails", EACH "!ledger.box.text.matches(r'\\\\pL{1000}b'))",
     DATA_NUMBERS, 1, 1000000, NULL, NULL},
    {"a pattern of many words", EACH "!ledger.box.text.matches('(?i)(alpha|beta|gamma|delta)x'))",
     DATA_NUMBERS, 1, 100000, "alpha ", NULL},
    {"patterns that are made on the way", EACH "!'b'.matches('(a|b)' + string(i) + '$'))",
     DATA_NUMBERS, 1, 0, NULL, NULL},
    {"a large pattern made on the way", EACH "!'b'.matches('((a|b){1000}){40}' + string(i)))",
     DATA_NUMBERS, 1, 0, NULL, NULL},
    {"distinct records", "ledger.box.list.distinct().size() > 0", DATA_RECORDS, 20000, 0, NULL,
     NULL},
    {"sorted words", EACH "ledger.box.list.sort().size() > 0)", DATA_WORDS, 10000, 200, NULL, NULL},
    {"sorted numbers", EACH "ledger.box.list.sort().size() > 0)", DATA_NUMBERS, 100000, 0, NULL,
     NULL},
    {"flatten", EACH "[ledger.box.list, ledger.box.list].flatten().size() > 0)", DATA_NUMBERS,
     100000, 0, NULL, NULL},
    {"slices", EACH "ledger.box.list.slice(0, 10).size() > 0)", DATA_NUMBERS, 100000, 0, NULL,
     NULL},
    {"maps that are made",
     EACH "{'a': i, 'b': i, 'c': i, 'd': i, 'e': i, 'f': i, 'g': i, 'h': i, 'i': i}.a == i)",
     DATA_NUMBERS, 1, 0, NULL, NULL},
    {"large maps that are made", EACH "ledger.box.map.transformMap(k, v, v).size() > 0)", DATA_KEYS,
     50000, 0, NULL, NULL},
    {"failures that are absorbed", EACH "ledger.box.nothing == 1 || true)", DATA_NUMBERS, 1, 0,
     NULL, NULL},
    {"optionals", EACH "ledger.?box.?list[?i].orValue(0.0) >= 0.0)", DATA_NUMBERS, 100000, 0, NULL,
     NULL},
    {"addresses", EACH "isIP(ledger.box.text) || true)", DATA_NUMBERS, 1, 1000000, "1:", NULL},
    {"a huge list that is never looked at", EACH "ledger.box.list.map(x, 1.0 / 0.0 == x)[0])",
     DATA_NUMBERS, 1000000, 0, NULL, NULL},
};

#endif

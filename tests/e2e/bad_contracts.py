"""Contracts and conversation rules with mistakes in them: `check` finds each, with its place and a remedy."""

import json

import _run
from _run import check

SOUND = '''pack: bank
version: 1.0.0
types:
  Account:
    type: object
    properties:
      id: {type: string}
      status: {type: string, enum: [open, closed]}
      balance: {type: number, minimum: 0}
      tags: {type: array, items: {type: string}}
      owner: {type: object, properties: {name: {type: string}}, required: [name]}
      note: {type: [string, "null"]}
    required: [id, status, balance]
state:
  accounts.*: Account
  phone: {type: object, properties: {on: {type: boolean}, bars: {type: integer}}}
ledger:
  accounts.*: Account
  phone.on: {type: boolean}
define:
  rich(a): "a.balance > 100.0"
procedures:
  recount:
    - {set: phone.on, to: "true"}
settle:
  - {set: phone.bars, to: 3}
invariants:
  - {id: never_overdrawn, that: "state.accounts.all(a, state.accounts[a].balance >= 0.0)"}
tools:
  get_account:
    kind: read
    parameters: {type: object, properties: {id: {type: string}}, required: [id]}
    returns: Account
    stores: [{at: "accounts[args.id]"}]
    gives: state.accounts[args.id]
    ensures: [{id: right_account, that: result.id == args.id}]
  get_phone:
    kind: read
    parameters: {type: object, properties: {}}
    returns: {type: boolean}
    stores: [{at: phone.on}]
    gives: state.phone.on
  close_account:
    kind: write
    parameters: {type: object, properties: {id: {type: string}, fee: {type: number}}, required: [id]}
    returns: text
    effects:
      - {set: "accounts[args.id].status", to: "'closed'"}
    answer: "closed {args.id}"
  toggle:
    kind: write
    requestor: user
    parameters: {type: object, properties: {}}
    effects: [{set: phone.on, to: "!state.phone.on"}]
rules:
  pending:
    tools: [close_account]
    that: ledger.accounts[args.id].status == "open"
    say: "Account {args.id} is not open."
conversation:
  patterns:
    asks: {message: agent, when: "message.contains('confirm')"}
  signals:
    agreed:
      since: {message: user, when: "message.contains('yes')"}
      until: {result: writes}
  rules:
    look_first:
      before: {first: {result: get_account, key: args.id}, then: {call: close_account, key: args.id}}
    after_close:
      after: {result: close_account}
      must: {call: get_account}
      within: {events: 20}
    never_twice:
      never: {from: close_account, to: close_account}
'''
SET = "{set: \"accounts[args.id].status\", to: \"'closed'\"}"

# (sentence, what to replace in the sound pack, by what, the first line of the message)
ANSWER = '    answer: "closed {args.id}"'
MISTAKES = [
    (
        "errors that are no list", ANSWER, '    errors: "Error: no"',
        "49:13: `errors` of a write lists the texts of errors after which nothing has changed",
    ),
    (
        "an error that is no text", ANSWER, "    errors: [{is: no}]",
        "49:14: an error is a text, with expressions in braces",
    ),
    (
        "an error that names what is no argument", ANSWER, '    errors: ["Error: {args.idd} not found"]',
        "49:28: unknown field `idd` of the arguments; did you mean `id`?",
    ),
    (
        "errors of a read", "    gives: state.phone.on", "    gives: state.phone.on\n    errors: ['Error: no']",
        "43:13: `errors` of a write lists the texts of errors after which nothing has changed",
    ),
    (
        "an effect on a place that is not there", SET,
        '{set: "acounts[args.id].status", to: "\'closed\'"}',
        "48:15: `acounts[args.id].status` matches no path that `state` declares; did you mean `accounts`?",
    ),
    (
        "an effect on a field that is not there", SET,
        '{set: "accounts[args.id].statu", to: "\'closed\'"}',
        "48:15: `accounts[args.id].statu` names no field of `accounts.*`; did you mean `status`?",
    ),
    (
        "an effect below a text", SET,
        '{set: "accounts[args.id].status.x", to: "\'closed\'"}',
        "48:15: `accounts[args.id].status.x` names no field of `accounts.*`",
    ),
    (
        "a key that is no argument", SET,
        '{set: "accounts[args.idd].status", to: "\'closed\'"}',
        "48:30: unknown field `idd` of the arguments; did you mean `id`?",
    ),
    (
        "an index into a record", SET,
        '{set: "accounts[args.id][3]", to: "\'closed\'"}',
        "48:15: `accounts[args.id][3]` names no field of `accounts.*`",
    ),
    (
        "a number as the key of a collection", SET,
        '{set: "accounts[3.0].status", to: "\'closed\'"}',
        "48:15: the key `3.0` must be a string",
    ),
    (
        "a text as the index of a list", SET,
        '{set: "accounts[args.id].tags[\'a\']", to: "\'closed\'"}',
        "48:15: `accounts[args.id].tags['a']` names no field of `accounts.*`",
    ),
    (
        "a number for a text", SET,
        '{set: "accounts[args.id].status", to: 5}',
        "48:15: `accounts[args.id].status` would be given int, but the state holds string there",
    ),
    (
        "a truth value for a text", SET,
        '{set: "accounts[args.id].status", to: true}',
        "48:15: `accounts[args.id].status` would be given bool, but the state holds string there",
    ),
    (
        "null for a text", SET,
        '{set: "accounts[args.id].status", to: null}',
        "48:47: this does not fit `accounts[args.id].status`: the value must be a string; got null",
    ),
    (
        "null as an expression", SET,
        '{set: "accounts[args.id].status", to: "null"}',
        "48:48: this does not fit `accounts[args.id].status`: the value must be a string; got null",
    ),
    (
        "a text that is none of the listed ones", SET,
        '{set: "accounts[args.id].status", to: "\'canceled\'"}',
        '48:48: this does not fit `accounts[args.id].status`: the value must be one of "open", "closed"; got "canceled"',
    ),
    (
        "a number below the minimum", SET,
        '{set: "accounts[args.id].balance", to: "-1"}',
        "48:49: this does not fit `accounts[args.id].balance`: the value must be at least 0; got -1",
    ),
    (
        "a fraction for an integer", SET,
        '{set: "phone.bars", to: "1.5"}',
        "48:34: this does not fit `phone.bars`: the value must be an integer; got the number 1.5",
    ),
    (
        "a branch that does not fit", SET,
        '{set: "accounts[args.id].status", to: "args.fee > 1.0 ? \'closed\' : \'canceled\'"}',
        '48:76: this does not fit `accounts[args.id].status`: the value must be one of "open", "closed"; got "canceled"',
    ),
    (
        "an argument of another type", SET,
        '{set: "accounts[args.id].status", to: args.fee}',
        "48:15: `accounts[args.id].status` would be given double, but the state holds string there",
    ),
    (
        "branches of two types", SET,
        '{set: "accounts[args.id].status", to: "args.fee > 1.0 ? \'closed\' : args.fee"}',
        "48:63: no overload of `?:` for (bool, string, double)",
    ),
    (
        "a record without what is required", SET,
        '{set: "accounts[args.id]", to: "{\'id\': args.id}"}',
        "48:41: this does not fit `accounts[args.id]`: `status` is missing",
    ),
    (
        "a record that is completed too early", SET,
        """{set: "accounts[args.id].id", to: args.id}
      - {set: "accounts[args.id]", to: "{}"}""",
        "49:41: this does not fit `accounts[args.id]`: `id` is required, but missing",
    ),
    (
        "a member of an unfinished record that does not fit", SET,
        """{set: "accounts[args.id]", to: "{'id': 5}"}
      - {set: "accounts[args.id].id", to: args.id}""",
        "48:48: this does not fit `accounts[args.id]`: /id: this gives int where string is wanted",
    ),
    (
        "a record with a field that is not there", SET,
        "{set: \"accounts[args.id]\", to: \"{'id': args.id, 'status': 'open', 'balance': 1.0, 'sttus': 'x'}\"}",
        "48:91: this does not fit `accounts[args.id]`: there is no field `sttus`; did you mean `status`?",
    ),
    (
        "a record with a field of another type", SET,
        "{set: \"accounts[args.id]\", to: \"{'id': args.id, 'status': 'open', 'balance': 'much'}\"}",
        "48:86: this does not fit `accounts[args.id]`: /balance: this gives string where double is wanted",
    ),
    (
        "a record in a record of another type", SET,
        '{set: "accounts[args.id].owner", to: "{\'name\': 5}"}',
        "48:47: this does not fit `accounts[args.id].owner`: /name: `name` must be a string; got the number 5",
    ),
    (
        "a record in a record that lacks something", SET,
        '{set: "accounts[args.id].owner", to: "{}"}',
        "48:47: this does not fit `accounts[args.id].owner`: `name` is required, but missing",
    ),
    (
        "a list of others", SET,
        '{set: "accounts[args.id].tags", to: "[1, 2]"}',
        "48:15: `accounts[args.id].tags` would be given list(int), but the state holds list(string) there",
    ),
    (
        "something appended to a text", SET,
        '{append: "accounts[args.id].status", value: "\'x\'"}',
        "48:18: `accounts[args.id].status` is no list: nothing can be appended to it",
    ),
    (
        "a number appended to texts", SET,
        '{append: "accounts[args.id].tags", value: 5}',
        "48:18: `accounts[args.id].tags` would be given int, but the state holds string there",
    ),
    (
        "null appended to texts", SET,
        '{append: "accounts[args.id].tags", value: "null"}',
        "48:52: this does not fit `accounts[args.id].tags`: the value must be a string; got null",
    ),
    (
        "a required field that is removed", SET,
        '{remove: "accounts[args.id].status"}',
        "48:18: `accounts[args.id].status` is required: it cannot be removed",
    ),
    (
        "a place that is removed", SET,
        '{remove: "phone"}',
        "48:18: `phone` is a whole place: it cannot be removed",
    ),
    (
        "a collection that is removed", SET,
        '{remove: "accounts"}',
        "48:18: `accounts` is not a whole path of `state`, such as `accounts.*`",
    ),
    (
        "a collection that is replaced", SET,
        '{set: "accounts", to: "{}"}',
        "48:15: `accounts` is not a whole path of `state`, such as `accounts.*`",
    ),
    (
        "the whole state", SET,
        '{set: "state", to: 5}',
        "48:15: `state` matches no path that `state` declares",
    ),
    (
        "a path that begins with `state.`", SET,
        '{set: "state.accounts[args.id].status", to: "\'closed\'"}',
        "48:15: `state.accounts[args.id].status` matches no path that `state` declares: leave out `state.`",
    ),
    (
        "an `each` over a text", SET,
        '{each: args.id, set: "phone.on", to: true}',
        "48:16: `each` must give a list, this gives string",
    ),
    (
        "an `each` over a number", SET,
        '{each: 5, set: "phone.on", to: true}',
        "48:16: `each` must be an expression (put it in quotes)",
    ),
    (
        "a `when` that is a text", SET,
        '{when: args.id, set: "phone.on", to: true}',
        "48:16: `when` must give a bool, this gives string",
    ),
    (
        "a `set` without `to`", SET,
        '{set: "phone.on"}',
        "48:9: this step needs `to`: an expression",
    ),
    (
        "a target that is a number", SET,
        "{set: 5, to: 5}",
        "48:15: `` is no path; write names and keys: orders[args.order_id]",
    ),
    (
        "a `do` that is a map", SET,
        "{do: {}}",
        "48:14: steps are a list (nested at most 16 levels deep)",
    ),
    (
        "a procedure that is not there", SET,
        "{run: recont}",
        "48:15: no procedure is called `recont`; did you mean `recount`?",
    ),
    (
        "a procedure that is a number", SET,
        "{run: 5}",
        "48:15: `run` is the name of a procedure",
    ),
    (
        "a step that is a word", SET,
        "recount",
        "48:9: a step must be a map",
    ),
    (
        "a step of an unknown kind", SET,
        '{sett: "phone.on", to: true}',
        "48:10: unknown key `sett` in a step; did you mean `set`?",
    ),
    (
        "an error's text with an unknown argument", SET,
        '{fail: "no {args.idd}"}',
        "48:26: unknown field `idd` of the arguments; did you mean `id`?",
    ),
    (
        "lets in a circle", SET,
        "{let: {a: b, b: a}, set: phone.on, to: a}",
        "48:19: unknown name `b`",
    ),
    (
        "a let of itself", SET,
        '{let: {a: "a + 1"}, set: phone.on, to: true}',
        "48:20: unknown name `a`",
    ),
    (
        "a let with a name that is taken", SET,
        '{let: {state: "1"}, set: phone.on, to: true}',
        "48:16: `state` cannot be bound: it is taken, reserved, or no name",
    ),
    (
        "a procedure that runs itself", '    - {set: phone.on, to: "true"}',
        "    - {run: recount}",
        "23:3: procedure `recount` runs itself, directly or through others",
    ),
    (
        "procedures that run each other", '    - {set: phone.on, to: "true"}',
        "    - {run: b}\n  b: [{run: recount}]",
        "23:3: procedure `recount` runs itself, directly or through others",
    ),
    (
        "a procedure with arguments", '    - {set: phone.on, to: "true"}',
        '    - {set: phone.on, to: "args.on"}',
        "24:33: unknown field `on` of steps that all tools share: they have no arguments",
    ),
    (
        "`settle` with a procedure that is not there", "  - {set: phone.bars, to: 3}",
        "  - {run: nothing}",
        "26:11: no procedure is called `nothing`",
    ),
    (
        "a definition of itself, never used", '"a.balance > 100.0"',
        '"rich(a)"',
        "21:13: `rich` calls itself",
    ),
    (
        "definitions in a circle, never used", '  rich(a): "a.balance > 100.0"',
        '  rich(a): "poor(a)"\n  poor(a): "rich(a)"',
        "21:13: no function, and no definition above, is called `poor`",
    ),
    (
        "a definition of a later one", '  rich(a): "a.balance > 100.0"',
        '  rich(a): "!poor(a)"\n  poor(a): "a.balance < 100.0"',
        "21:14: no function, and no definition above, is called `poor`",
    ),
    (
        "a definition with an argument too many", 'that: ledger.accounts[args.id].status == "open"',
        "that: rich(ledger.accounts[args.id], 3)",
        "58:11: `rich` wants 1 arguments, not 2",
    ),
    (
        "a definition of a record, called with a text", 'that: ledger.accounts[args.id].status == "open"',
        "that: rich(args.id)",
        "58:11: a value of type string has no field `balance`",
    ),
    (
        "a definition that is not there", 'that: ledger.accounts[args.id].status == "open"',
        "that: rch(args.id)",
        "58:11: unknown function `rch`; did you mean `rich`?",
    ),
    (
        "an invariant of ledger and state", "state.accounts.all(a, state.accounts[a].balance >= 0.0)",
        "state.accounts.size() == ledger.accounts.size()",
        "28:5: invariant `never_overdrawn` must speak of `ledger` or of `state`, and not of both",
    ),
    (
        "an invariant of nothing", "state.accounts.all(a, state.accounts[a].balance >= 0.0)",
        "1 == 2",
        "28:5: invariant `never_overdrawn` must speak of `ledger` or of `state`, and not of both",
    ),
    (
        "an invariant that the empty ledger breaks", "state.accounts.all(a, state.accounts[a].balance >= 0.0)",
        "ledger.accounts.size() > 0",
        "28:33: invariant `never_overdrawn` does not hold of the empty ledger, with which every conversation begins",
    ),
    (
        "invariants that contradict each other at the start", '  - {id: never_overdrawn, that: "state.accounts.all(a, state.accounts[a].balance >= 0.0)"}',
        '  - {id: a, that: "ledger.accounts.size() == 0"}\n  - {id: b, that: "ledger.accounts.size() >= 1"}',
        "29:19: invariant `b` does not hold of the empty ledger, with which every conversation begins",
    ),
    (
        "an invariant of the history", "state.accounts.all(a, state.accounts[a].balance >= 0.0)",
        "ledger.history.size() < 3",
        "28:5: invariant `never_overdrawn` speaks of `ledger.history`, which only grows: what was carried out cannot be discarded; write a rule",
    ),
    (
        "an invariant of a field that is not there", "state.accounts.all(a, state.accounts[a].balance >= 0.0)",
        "state.accounts.all(a, state.accounts[a].blance >= 0.0)",
        "28:74: unknown field `blance` of Account; did you mean `balance`?",
    ),
    (
        "an invariant's name twice", "invariants:\n",
        'invariants:\n  - {id: never_overdrawn, that: "state.phone.on"}\n',
        "29:5: `never_overdrawn` is there already",
    ),
    (
        "a result of another type", "gives: state.accounts[args.id]",
        "gives: state.phone.on",
        "35:12: this gives bool, but the tool returns Account",
    ),
    (
        "a text for a record", "gives: state.accounts[args.id]",
        'gives: "\'hello\'"',
        "35:12: this gives string, but the tool returns Account",
    ),
    (
        "a number for a record", "gives: state.accounts[args.id]",
        "gives: 5",
        "35:12: this gives int, but the tool returns Account",
    ),
    (
        "null for a record", "gives: state.accounts[args.id]",
        'gives: "null"',
        "35:13: this does not fit what the tool returns: the value must be an object; got null",
    ),
    (
        "a result that lacks something", "gives: state.accounts[args.id]",
        'gives: "{\'id\': args.id}"',
        "35:13: this does not fit what the tool returns: `status` is missing",
    ),
    (
        "a result with a field of another type", "gives: state.accounts[args.id]",
        "gives: \"{'id': 5, 'status': 'open', 'balance': 1.0}\"",
        "35:13: this does not fit what the tool returns: /id: `id` must be a string; got the number 5",
    ),
    (
        "a result with a value that is none of the listed ones", "gives: state.accounts[args.id]",
        "gives: \"{'id': args.id, 'status': 'opn', 'balance': 1.0}\"",
        '35:39: this does not fit what the tool returns: /status: the value must be one of "open", "closed"; got "opn"; did you mean "open"?',
    ),
    (
        "a text as the answer of a tool that returns a record", "gives: state.accounts[args.id]",
        'answer: "hello"',
        "35:13: `answer` is a text, but the tool returns Account; `gives` says which",
    ),
    (
        "a number from a tool that returns text", 'answer: "closed {args.id}"',
        "gives: 5",
        "49:12: this gives int, but the tool returns string",
    ),
    (
        "a postcondition on a field that is not there", "that: result.id == args.id",
        "that: result.idd == args.id",
        "36:48: unknown field `idd` of Account; did you mean `id`?",
    ),
    (
        "an ill-typed postcondition", "that: result.id == args.id",
        "that: result.id == 5.0",
        "36:51: no overload of `==` for (string, double)",
    ),
    (
        "a postcondition that is a text", "that: result.id == args.id",
        "that: result.id",
        "36:41: `that` must give a bool, this gives string",
    ),
    (
        "a postcondition that is always false", "that: result.id == args.id",
        'that: "false"',
        "36:41: `right_account` is the same for every call: a postcondition speaks of `result`",
    ),
    (
        "a rule that compares a field with what it never is", 'status == "open"',
        'status == "opn"',
        '58:46: `status` is never `opn`; it is one of "open", "closed"; did you mean `open`?',
    ),
    (
        "a list of such values", 'status == "open"',
        'status in ["open", "frozen"]',
        '58:55: `status` is never `frozen`; it is one of "open", "closed"',
    ),
    (
        "the same through a let", '    that: ledger.accounts[args.id].status == "open"',
        """    let: {a: "ledger.accounts[args.id]"}
    that: "'closd' != a.status" """,
        '59:12: `status` is never `closd`; it is one of "open", "closed"; did you mean `closed`?',
    ),
    (
        "a postcondition that no result can meet", "that: result.id == args.id",
        """that: "result.status == 'frozen'" """,
        '36:59: `status` is never `frozen`; it is one of "open", "closed"',
    ),
    (
        "a type that is not there", "returns: Account",
        "returns: Acount",
        "33:14: no type is called `Acount`; did you mean `Account`?",
    ),
    (
        "a rule for a tool that is not there", "[close_account]",
        "[close_acount]",
        "57:13: no tool is called `close_acount`; did you mean `close_account`?",
    ),
    (
        "a rule whose tools are a word", "[close_account]",
        "close_account",
        "57:12: rule `pending` needs `tools`: a list of write tools, or `writes` for all",
    ),
    (
        "a rule for a read", "[close_account]",
        "[get_account]",
        "57:13: `get_account` is a read tool; rules judge only tools of kind write",
    ),
    (
        "a rule for a tool of the customer's own", "[close_account]",
        "[toggle]",
        "57:13: `toggle` is a tool of the customer's own; these are not gated",
    ),
    (
        "a rule for one tool twice", "[close_account]",
        "[close_account, close_account]",
        "57:28: `close_account` is named twice",
    ),
    (
        "a rule for a number", "[close_account]",
        "[5]",
        "57:13: a tool is named by a text",
    ),
    (
        "an unknown category", '    say: "Account',
        '    category: entty\n    say: "Account',
        "59:15: `category` is one of entity, state and format",
    ),
    (
        "a rule with the category of a result", '    say: "Account',
        '    category: semantic\n    say: "Account',
        "59:15: `category` is one of entity, state and format",
    ),
    (
        "a postcondition with the category of a call", "that: result.id == args.id",
        "that: result.id == args.id, category: entity",
        "36:73: `category` is one of format, empty, semantic and update",
    ),
    (
        "an unknown requestor", "requestor: user",
        "requestor: customer",
        "52:16: `requestor` is assistant or user",
    ),
    (
        "a requestor in capitals", "requestor: user",
        "requestor: User",
        "52:16: `requestor` is assistant or user",
    ),
    (
        "an unknown word for stale records", '    say: "Account',
        '    stale: re-read\n    say: "Account',
        "59:12: `stale` is use or reread",
    ),
    (
        "an unknown kind", "kind: write",
        "kind: wirte",
        "44:11: tool `close_account` needs `kind`: read, write or generic",
    ),
    (
        "`before` with a tool that is not there", "first: {result: get_account",
        "first: {result: get_acount",
        "69:32: no tool is called `get_acount`; did you mean `get_account`?",
    ),
    (
        "`then` with a tool that is not there", "then: {call: close_account",
        "then: {call: close_acount",
        "69:73: no tool is called `close_acount`; did you mean `close_account`?",
    ),
    (
        "`after` with a tool that is not there", "after: {result: close_account}",
        "after: {result: close_acount}",
        "71:23: no tool is called `close_acount`; did you mean `close_account`?",
    ),
    (
        "an obligation on a tool that is not there", "must: {call: get_account}",
        "must: {call: get_acount}",
        "72:20: no tool is called `get_acount`; did you mean `get_account`?",
    ),
    (
        "`never` with a tool that is not there", "never: {from: close_account,",
        "never: {from: close_acount,",
        "75:21: no pattern or tool is called `close_acount`; did you mean `close_account`?",
    ),
    (
        "a pattern that is not there", "never: {from: close_account,",
        "never: {from: ask,",
        "75:21: no pattern or tool is called `ask`; did you mean `asks`?",
    ),
    (
        "a window of nothing", "within: {events: 20}",
        "within: {events: 0}",
        "73:24: a window is a whole number from 1 to 1000000000",
    ),
    (
        "a window below zero", "within: {events: 20}",
        "within: {events: -1}",
        "73:24: a window is a whole number from 1 to 1000000000",
    ),
    (
        "a window of a fraction", "within: {events: 20}",
        "within: {events: 1.5}",
        "73:24: a window is a whole number from 1 to 1000000000",
    ),
    (
        "a window that is a text", "within: {events: 20}",
        'within: {events: "20"}',
        "73:24: a window is a whole number from 1 to 1000000000",
    ),
    (
        "a window in unknown units", "within: {events: 20}",
        "within: {minutes: 20}",
        "73:16: unknown key `minutes` in a window",
    ),
    (
        "a window in two units", "within: {events: 20}",
        "within: {events: 20, turns: 1}",
        "73:15: a window has one of `events`, `turns`, `calls` and `seconds`",
    ),
    (
        "an empty window", "within: {events: 20}",
        "within: {}",
        "73:15: a window has one of `events`, `turns`, `calls` and `seconds`",
    ),
    (
        "a window without a unit", "within: {events: 20}",
        "within: 20",
        "73:15: a window must be a map",
    ),
    (
        "a window beyond the largest", "within: {events: 20}",
        "within: {events: 1000000000000000000}",
        "73:24: a window is a whole number from 1 to 1000000000",
    ),
    (
        "a window beyond all numbers", "within: {events: 20}",
        "within: {events: 1e300}",
        "73:24: a window is a whole number from 1 to 1000000000",
    ),
    (
        "a pattern without the key that others have", "then: {call: close_account, key: args.id}",
        "then: {call: close_account}",
        "69:66: `a call of close_account` needs a `key` here: another pattern of rule `look_first` has one",
    ),
    (
        "a key that is no argument", "then: {call: close_account, key: args.id}",
        "then: {call: close_account, key: args.idd}",
        "69:98: unknown field `idd` of the arguments; did you mean `id`?",
    ),
    (
        "`single_call_per_turn` with a word", "conversation:\n",
        "conversation:\n  single_call_per_turn: yes\n",
        "61:25: `single_call_per_turn` is true, false, or a map",
    ),
    (
        "a misspelt `single_call_per_turn`", "conversation:\n",
        "conversation:\n  single_call_per_trun: true\n",
        "61:3: unknown key `single_call_per_trun` in `conversation`; did you mean `single_call_per_turn`?",
    ),
    (
        "an unknown `otherwise`", "conversation:\n",
        "conversation:\n  single_call_per_turn: {otherwise: warn}\n",
        "61:37: `otherwise` is revise, block or report",
    ),
    (
        "a misspelt `must`", "      must: {call: get_account}",
        "      mus: {call: get_account}",
        "72:7: unknown key `mus` in a rule; did you mean `must`?",
    ),
    (
        "an obligation that is a number", "      must: {call: get_account}",
        "      must: 5",
        "72:13: a pattern must be a map",
    ),
    (
        "an obligation that is nothing", "      must: {call: get_account}",
        "      must: ~",
        "72:13: a pattern must be a map",
    ),
    (
        "`ends` with a tool that is not there", "conversation:\n",
        "conversation:\n  ends: trasfer\n",
        "61:9: no pattern or tool is called `trasfer`",
    ),
    (
        "a message of nobody", "{message: agent,",
        "{message: agnt,",
        "62:21: `message` is user, agent or any",
    ),
    (
        "a misspelt pattern", "{message: agent,",
        "{mesage: agent,",
        "62:12: unknown key `mesage` in a pattern; did you mean `message`?",
    ),
    (
        "a signal of itself", "until: {result: writes}",
        "until: {result: writes, when: agreed}",
        "66:37: unknown name `agreed`",
    ),
    (
        "a pattern of itself", "asks: {message: agent,",
        "asks: [asks]\n    asks2: {message: agent,",
        "62:12: no pattern or tool is called `asks`",
    ),
    (
        "a rule's name twice", "    look_first:",
        "    pending:",
        "68:5: another rule is called `pending` already",
    ),
    (
        "the result of a message", '{message: agent, when: "message.contains',
        '{message: agent, when: "result.contains',
        "62:42: no overload of `contains` for null_type.(string)",
    ),
    (
        "an obligation's text with arguments", "      within: {events: 20}",
        '      within: {events: 20}\n      say: "x {args.id}"',
        "74:16: unknown name `args`",
    ),
    (
        "a place within records", "  accounts.*: Account\n  phone",
        "  accounts.*.x: Account\n  phone",
        "15:3: a place of the state has its `*` at the end: what a record holds is said by its type",
    ),
    (
        "a place within a collection", "  phone: {type",
        "  accounts.a: Account\n  phone: {type",
        "16:3: path `accounts.a` collides with `accounts.*`: a place is a record, a collection of any key, or a group of names",
    ),
    (
        "a key of a single record", "  phone: {type",
        "  phone2: {is: Account, key: id}\n  phone: {type",
        "16:30: only a collection, such as lines.*, has a `key`",
    ),
    (
        "a key that is no field", "  accounts.*: Account\n  phone",
        "  accounts.*: {is: Account, key: idd}\n  phone",
        "15:34: the records of `accounts.*` have no field `idd`; did you mean `id`?",
    ),
    (
        "a number stored as a text", 'stores: [{at: "accounts[args.id]"}]',
        'stores: [{at: "accounts[args.id].status", value: "5"}]',
        "34:19: `accounts[args.id].status` would be given int, but the ledger holds string there",
    ),
    (
        "a stored text that is none of the listed ones", 'stores: [{at: "accounts[args.id]"}]',
        'stores: [{at: "accounts[args.id].status", value: "\'x\'"}]',
        '34:55: this does not fit `accounts[args.id].status`: the value must be one of "open", "closed"; got "x"',
    ),
    (
        "null stored as a record", 'stores: [{at: "accounts[args.id]"}]',
        'stores: [{at: "accounts[args.id]", value: "null"}]',
        "34:48: this does not fit `accounts[args.id]`: the value must be an object; got null",
    ),
    (
        "a stored record that lacks something", 'stores: [{at: "accounts[args.id]"}]',
        'stores: [{at: "accounts[args.id]", value: "{\'id\': \'x\'}"}]',
        "34:48: this does not fit `accounts[args.id]`: `status` is required, but missing",
    ),
    (
        "arguments of an unknown type", "properties: {id: {type: string}, fee",
        "properties: {id: {type: strng}, fee",
        '45:56: /properties/id/type: must be string, number, integer, boolean, array, object or null, but is the string "strng"',
    ),
    (
        "a required argument that is none", "fee: {type: number}}, required: [id]",
        "fee: {type: number}}, required: [idd]",
        "45:98: `idd` is required, but is no argument; did you mean `id`?",
    ),
]

# (sentence, what to replace, by what): near the mistakes above, and right
RIGHT = [
    ("null where null may be", SET, '{set: "accounts[args.id].note", to: "null"}'),
    ("a text of the listed ones in each branch", SET, """{set: "accounts[args.id].status", to: "args.fee > 1.0 ? 'closed' : 'open'"}"""),
    ("a whole number with a fraction of zero", SET, '{set: "phone.bars", to: "2.0"}'),
    ("a record with all that is required", SET, """{set: "accounts[args.id]", to: "{'id': args.id, 'status': 'open', 'balance': 0}"}"""),
    ("a record that later steps complete", SET, """{set: "accounts[args.id]", to: "{}"}
      - {set: "accounts[args.id].id", to: args.id}
      - {do: [{set: "accounts[args.id].status", to: "'open'"}, {set: "accounts[args.id].balance", to: 1}]}"""),
    ("a required field that is removed, and put there again", SET, """{remove: "accounts[args.id].status"}
      - {set: "accounts[args.id].status", to: "'open'"}"""),
    ("an empty list", SET, '{set: "accounts[args.id].tags", to: "[]"}'),
    ("a field that is not required, removed", SET, '{remove: "accounts[args.id].note"}'),
    ("a record that is removed", SET, '{remove: "accounts[args.id]"}'),
    ("a definition of one above", '  rich(a): "a.balance > 100.0"', '  rich(a): "a.balance > 100.0"\n  poor(a): "!rich(a)"'),
    ("an obligation on the customer's own tool", "must: {call: get_account}", "must: {call: toggle}"),
    ("the largest window", "within: {events: 20}", "within: {events: 1000000000}"),
]

STATE = {"accounts": {"a": {"id": "a", "status": "open", "balance": 5}}, "phone": {"on": True, "bars": 3}}
NOT_ALONE = SOUND.replace("state.accounts.all(a, state.accounts[a].balance >= 0.0)", "state.accounts.size() >= 2")


def mistakes(folder):
    for sentence, old, new, wanted in MISTAKES:
        check(old in SOUND, f"{sentence}: the case replaces something")
        folder.write("p.yaml", SOUND.replace(old, new, 1))
        code, _, err = folder.run("check", "p.yaml")
        lines = err.splitlines()
        check(code == 2, f"{sentence}: exit code 2", f"got {code}\n{err}")
        check(lines[:1] == ["p.yaml:" + wanted], f"{sentence}: its message", err + "\nwant:\np.yaml:" + wanted)
        caret = len(lines) > 2 and lines[2].strip() == "^"
        check(caret, f"{sentence}: a caret stands under it", err)


def right(folder):
    for sentence, old, new in [("the pack itself", "bank", "bank"), *RIGHT]:
        check(old in SOUND, f"{sentence}: the case replaces something")
        folder.write("p.yaml", SOUND.replace(old, new, 1))
        code, _, err = folder.run("check", "p.yaml")
        check(code == 0, f"{sentence} is sound", err)


def settles(folder):
    """Steps of `settle` that never come to rest, and a state that is not settled."""
    folder.write("r.yaml", SOUND.replace("{set: phone.bars, to: 3}", "{set: phone.bars, to: state.phone.bars + 1.0}"))
    code, out, _ = folder.run("check", "r.yaml")
    check(code == 0 and "`settle` may not come to rest: r.yaml:26:5: " in out, "a restless step has its place", out)
    code, out, _ = folder.run("check", "r.yaml", "--json")
    check(code == 0 and json.loads(out)["restless"] == [{"line": 26, "column": 5}], "also as JSON", out)
    code, out, _ = folder.run("check", "r.yaml", "--state", "one.json")
    check(code == 1 and "`settle` does not come to rest in one.json: phone.bars: 4, then 5" in out,
          "a state shows that it does not", out)
    folder.write("two.json", json.dumps(STATE | {"phone": {"on": True, "bars": 1}}))
    code, out, _ = folder.run("check", "p.yaml", "--state", "two.json", "--json")
    told = json.loads(out)
    check(code == 1 and told["restless"] == [], "steps at rest, and a state that is not settled", out)
    check(told["unsettled"] == [{"again": False, "what": "phone.bars: 1, then 3"}], "what it changes is told", out)


def start(folder):
    folder.write("p.yaml", NOT_ALONE)
    folder.write("one.json", json.dumps(STATE))
    code, out, _ = folder.run("check", "p.yaml")
    check(code == 0 and "at the start" not in out, "without a state its invariants are not judged", out)
    code, out, _ = folder.run("check", "p.yaml", "--state", "one.json")
    check(code == 1, "an invariant that the first state breaks is a finding", out)
    check("p.yaml:28:5: `never_overdrawn` does not hold of one.json" in out, "it has its place in the pack", out)
    two = json.loads(json.dumps(STATE))
    two["accounts"]["b"] = two["accounts"]["a"] | {"id": "b"}
    folder.write("many.jsonl", json.dumps({"task_id": 7, **STATE}) + "\n" + json.dumps({"task_id": "8", **two}) + "\n")
    code, out, _ = folder.run("check", "p.yaml", "--state", "many.jsonl", "--json")
    told = json.loads(out)
    check(code == 1 and told["states"] == 2, "every state of the file is looked at", out)
    broken = [(b["id"], b["task_id"], b["line"], b["column"], b["why"]) for b in told["broken_at_start"]]
    check(broken == [("never_overdrawn", "7", 28, 5, "it is false")], "the task is named", out)
    code, out, _ = folder.run("check", "p.yaml", "--state", "many.jsonl", "--task", "8")
    check(code == 0 and "1 state at the start: every invariant of the state holds" in out, "--task chooses", out)
    code, out, _ = folder.run("check", "p.yaml", "--state", "one.json")
    check("settle" not in out, "a state that is settled is none to speak of", out)
    settles(folder)
    help_line = "`ledgergate check --help` tells how to use it"
    folder.refuses("a task without a state", ("check", "p.yaml", "--task", "8"),
                   "ledgergate check: --task chooses among the states of --state FILE", help_line)
    folder.refuses("no such task", ("check", "p.yaml", "--state", "many.jsonl", "--task", "9"),
                   "ledgergate: many.jsonl has no state for task `9`")
    folder.write("empty.json", "{}")
    folder.refuses("a state that lacks a place", ("check", "p.yaml", "--state", "empty.json"),
                   "empty.json:1:1: /accounts: is absent: the pack's `accounts.*` stands here")
    folder.write("plain.yaml", "pack: p\nversion: '1'\ntools:\n  t: {kind: generic, parameters: {type: object}}\n")
    folder.refuses("a state for a pack that declares none", ("check", "plain.yaml", "--state", "one.json"),
                   "ledgergate check: the pack declares no `state` that one.json could be", help_line)


for test in (mistakes, right, start):
    with _run.Folder() as work:
        test(work)
_run.done()

"""Defects put into packs, one at a time: `prove` finds each, and shows a case that was carried out.

A defect is a textual patch of a pack that `check` still accepts. What is wanted of the proof is the
kind of obligation that fails, whose it is, and its reason; of a change, that the new pack is looser or
stricter, with a case that names the values that matter.
"""

import json
import os

import _run
from _run import SOURCE, check

WAREHOUSE = """pack: warehouse
version: 1.0.0
stale: reread
types:
  Item:
    type: object
    properties:
      item_id: {type: string}
      count: {type: number}
      limit: {type: number}
    required: [item_id, count, limit]
  Order:
    type: object
    properties:
      order_id: {type: string}
      item_id: {type: string}
      quantity: {type: number}
      status: {type: string, enum: [open, shipped, cancelled]}
      carrier: {type: [string, "null"]}
      label: {type: [string, "null"]}
      notes: {type: array, items: {type: string}}
    required: [order_id, item_id, quantity, status, carrier, label, notes]
ledger:
  items.*: Item
  orders.*: Order
state:
  items.*: Item
  orders.*: Order
tools:
  get_item:
    kind: read
    parameters: {type: object, properties: {item_id: {type: string}}, required: [item_id]}
    returns: Item
    stores: [{at: "items[args.item_id]"}]
    effects: [{fail: "no item {args.item_id}", when: "!(args.item_id in state.items)"}]
    gives: state.items[args.item_id]
    ensures: [{id: right_item, that: result.item_id == args.item_id}]
  get_order:
    kind: read
    parameters: {type: object, properties: {order_id: {type: string}}, required: [order_id]}
    returns: Order
    stores: [{at: "orders[args.order_id]"}]
    effects: [{fail: "no order {args.order_id}", when: "!(args.order_id in state.orders)"}]
    gives: state.orders[args.order_id]
    ensures: [{id: right_order, that: result.order_id == args.order_id}]
  ship_order:
    kind: write
    parameters:
      type: object
      properties: {order_id: {type: string}, carrier: {type: string}}
      required: [order_id, carrier]
    returns: Order
    let: {o: "state.orders[args.order_id]"}
    effects:
      - {set: "items[o.item_id].count", to: "state.items[o.item_id].count - o.quantity"}
      - {set: "orders[args.order_id].carrier", to: args.carrier}
      - {set: "orders[args.order_id].label", to: "state.orders[args.order_id].carrier"}
      - {set: "orders[args.order_id].status", to: "'shipped'"}
    gives: state.orders[args.order_id]
    ensures:
      - {id: right_order, that: result.order_id == args.order_id}
      - {id: is_shipped, that: result.status == 'shipped'}
      - {id: labelled, that: result.label == args.carrier}
  cancel_order:
    kind: write
    parameters:
      type: object
      properties: {order_id: {type: string}, reason: {type: string}}
      required: [order_id, reason]
    returns: Order
    effects:
      - {append: "orders[args.order_id].notes", value: args.reason}
      - {set: "orders[args.order_id].status", to: "'cancelled'"}
    gives: state.orders[args.order_id]
    ensures:
      - {id: is_cancelled, that: result.status == 'cancelled'}
      - {id: reason_noted, that: args.reason in result.notes}
  change_quantity:
    kind: write
    parameters:
      type: object
      properties: {order_id: {type: string}, quantity: {type: number}}
      required: [order_id, quantity]
    returns: Order
    effects:
      - {set: "orders[args.order_id].quantity", to: args.quantity}
    gives: state.orders[args.order_id]
    ensures: [{id: quantity_changed, that: result.quantity == args.quantity}]
rules:
  order_is_open:
    tools: [ship_order, cancel_order, change_quantity]
    let: {o: "ledger.orders[args.order_id]"}
    that: o.status == 'open'
    needs: ["ledger.orders[args.order_id]"]
    otherwise: block
    say: "Order {args.order_id} is {o.status}."
  enough_in_stock:
    tools: [ship_order]
    let: {o: "ledger.orders[args.order_id]", i: "ledger.items[o.item_id]"}
    that: i.count >= o.quantity
    needs: ["ledger.orders[args.order_id]", "ledger.items[ledger.orders[args.order_id].item_id]"]
    otherwise: block
    say: "Only {i.count} of {o.item_id} in stock."
  carrier_known:
    tools: [ship_order]
    that: "args.carrier in ['post', 'courier']"
    otherwise: revise
    say: "The carrier is post or courier."
  reason_given:
    tools: [cancel_order]
    that: args.reason != ''
    otherwise: revise
    say: "Give a reason."
  quantity_in_range:
    tools: [change_quantity]
    let: {o: "ledger.orders[args.order_id]", i: "ledger.items[o.item_id]"}
    that: args.quantity >= 1.0 && args.quantity <= i.limit
    needs: ["ledger.orders[args.order_id]", "ledger.items[ledger.orders[args.order_id].item_id]"]
    otherwise: revise
    say: "One order holds 1 to {i.limit} of {o.item_id}."
invariants:
  - {id: orders_by_id, that: "state.orders.all(k, state.orders[k].order_id == k)"}
  - {id: items_by_id, that: "state.items.all(k, state.items[k].item_id == k)"}
  - {id: order_has_item, that: "state.orders.all(k, state.orders[k].item_id in state.items)"}
  - {id: stock_not_negative, that: "state.items.all(k, state.items[k].count >= 0.0)"}
  - {id: quantity_positive, that: "state.orders.all(k, state.orders[k].quantity >= 1.0)"}
  - id: shipped_with_carrier
    that: "state.orders.all(k, state.orders[k].status != 'shipped' || state.orders[k].carrier != null)"
"""

# A rule without its `let` may be put before this one.
A_RULE = "  carrier_known:\n"


def rule(name, tools, that, otherwise="block", when=None):
    condition = f"    when: \"{when}\"\n" if when else ""
    return (
        A_RULE,
        f"  {name}:\n    tools: [{tools}]\n    let: {{o: \"ledger.orders[args.order_id]\"}}\n"
        f"{condition}    that: \"{that}\"\n    needs: [\"ledger.orders[args.order_id]\"]\n"
        f"    otherwise: {otherwise}\n    say: \"No.\"\n" + A_RULE,
    )


def edit(old, new):
    return (old, new)


ENOUGH = """  enough_in_stock:
    tools: [ship_order]
    let: {o: "ledger.orders[args.order_id]", i: "ledger.items[o.item_id]"}
    that: i.count >= o.quantity
    needs: ["ledger.orders[args.order_id]", "ledger.items[ledger.orders[args.order_id].item_id]"]
    otherwise: block
    say: "Only {i.count} of {o.item_id} in stock."
"""

# (what it is, pack, patches, tool, obligation, the rule, the other of two rules, words of the reason)
RULES = [
    ("a conjunction is impossible", "warehouse",
     [edit("that: o.status == 'open'", "that: o.status == 'open' && o.status == 'shipped'")],
     "cancel_order", "allowed", "", "", "order_is_open"),
    ("two rules contradict each other", "warehouse", [rule("order_is_shipped", "ship_order", "o.status == 'shipped'")],
     "ship_order", "compatible", "order_is_open", "order_is_shipped", "never be met at once"),
    ("the same makes the tool useless", "warehouse", [rule("order_is_shipped", "ship_order", "o.status == 'shipped'")],
     "ship_order", "allowed", "", "", "order_is_open, order_is_shipped"),
    ("a value that one rule asks for is refused by another", "warehouse",
     [rule("by_train", "ship_order", "args.carrier == 'train'", "revise")],
     "ship_order", "compatible", "by_train", "carrier_known", "never be met at once"),
    ("two rules of the shop contradict each other", "retail",
     [edit("  retail_exchange_status_delivered:\n    tools: [exchange_delivered_order_items]",
           "  retail_exchange_status_delivered:\n    tools: [exchange_delivered_order_items, cancel_pending_order]")],
     "cancel_pending_order", "compatible", "retail_cancel_status_pending", "retail_exchange_status_delivered", "never be met at once"),
    ("a rule of the telephone company contradicts another", "telecom",
     [edit("that: l.roaming_enabled == false", "that: l.roaming_enabled == true && l.roaming_enabled == false")],
     "enable_roaming", "allowed", "", "", "telecom_roaming_not_enabled_yet"),
    ("rules that can be met two by two cannot be met together", "warehouse",
     [rule("grows", "change_quantity", "args.quantity > o.quantity"),
      rule("is_large", "change_quantity", "o.quantity > 5.0"),
      rule("stays_small", "change_quantity", "args.quantity < 5.0")],
     "change_quantity", "allowed", "", "", "grows, is_large, stays_small"),
    ("a bound is the wrong way round", "telecom",
     [edit("args.gb_amount > 0.0 && args.gb_amount <= 2.0", "args.gb_amount <= 0.0 && args.gb_amount > 2.0")],
     "refuel_data", "allowed", "", "", "telecom_refuel_limit"),
    ("a `when` is never true", "warehouse",
     [rule("old_orders", "ship_order", "o.quantity < 3.0", "block", "o.status == 'open' && o.status == 'cancelled'")],
     "ship_order", "applies", "old_orders", "", "`when` is never true"),
    ("a `when` asks for fewer than none", "telecom", [edit("when: size(given(c)) > 0\n", "when: size(given(c)) < 0\n")],
     "suspend_line", "applies", "telecom_line_matches_phone", "", "`when` is never true"),
    ("a `when` asks for two cabins at once", "airline",
     [edit("\nrules:\n", "\nrules:\n  two_cabins:\n    tools: [cancel_reservation]\n    let: {r: \"ledger.reservations[args.reservation_id]\"}\n"
           "    when: r.cabin == 'business' && r.cabin == 'economy'\n    that: args.reservation_id != ''\n    otherwise: block\n    say: \"No.\"\n")],
     "cancel_reservation", "applies", "two_cabins", "", "`when` is never true"),
    ("`and` has become `or`, and the rule never refuses", "telecom",
     [edit("args.gb_amount > 0.0 && args.gb_amount <= 2.0", "args.gb_amount > 0.0 || args.gb_amount <= 2.0")],
     "refuel_data", "violable", "telecom_refuel_limit", "", "no call can violate it"),
    ("a rule compares a thing with itself", "warehouse", [edit("that: args.reason != ''", "that: args.reason == args.reason")],
     "cancel_order", "violable", "reason_given", "", "no call can violate it"),
    ("a rule is implied by another", "warehouse", [rule("order_not_cancelled", "ship_order", "o.status != 'cancelled'")],
     "ship_order", "needed", "order_not_cancelled", "", "other rules refuse as well"),
    ("a rule of the telephone company is implied by another", "telecom",
     [edit("  telecom_suspend_has_reason:\n",
           "  telecom_suspend_not_closed:\n    tools: [suspend_line]\n    let:\n      l: ledger.lines[args.line_id]\n"
           "    that: l.status != 'Closed'\n    otherwise: block\n    say: Closed.\n  telecom_suspend_has_reason:\n")],
     "suspend_line", "needed", "telecom_suspend_not_closed", "", "other rules refuse as well"),
]

# (what it is, pack, patches, tool, how the new pack stands to the old, words of the examples)
CHANGES = [
    ("a comparison is swapped", "warehouse", [edit("i.count >= o.quantity", "i.count <= o.quantity")],
     "ship_order", "incomparable", ("count", "quantity")),
    ("a rule looks at the wrong field", "warehouse", [edit("i.count >= o.quantity", "i.limit >= o.quantity")],
     "ship_order", "incomparable", ("count", "limit", "quantity")),
    ("a bound is off by one", "warehouse", [edit("args.quantity >= 1.0", "args.quantity >= 0.0")],
     "change_quantity", "looser", ("quantity",)),
    ("a bound that was included is left out", "warehouse", [edit("i.count >= o.quantity", "i.count > o.quantity")],
     "ship_order", "stricter", ("count", "quantity")),
    ("a rule is gone", "warehouse", [edit(ENOUGH, "")], "ship_order", "looser", ("quantity",)),
    ("a rule has no `needs`, and abstains", "warehouse",
     [edit('that: i.count >= o.quantity\n    needs: ["ledger.orders[args.order_id]", "ledger.items[ledger.orders[args.order_id].item_id]"]\n',
           "that: i.count >= o.quantity\n")],
     "ship_order", "looser", ("item_id",)),
    ("a rule more", "warehouse", [rule("small_order", "ship_order", "o.quantity < 10.0")], "ship_order", "stricter", ("quantity",)),
    ("another carrier in place of one", "warehouse", [edit("['post', 'courier']", "['post', 'train']")],
     "ship_order", "incomparable", ("train", "courier")),
    ("`and` has become `or`", "warehouse", [edit("args.quantity >= 1.0 && args.quantity", "args.quantity >= 1.0 || args.quantity")],
     "change_quantity", "looser", ("quantity",)),
    ("the wrong verdict", "warehouse", [edit("    that: args.reason != ''\n    otherwise: revise", "    that: args.reason != ''\n    otherwise: block")],
     "cancel_order", "stricter", ("reason",)),
    ("null is forgotten", "telecom", [edit("has(l.contract_end_date) && l.contract_end_date != null\n", "has(l.contract_end_date)\n")],
     "resume_line", "stricter", ("contract_end_date",)),
    ("a rule of the shop is loosened", "retail",
     [edit("          && ledger.user.payment_methods[args.payment_method_id].source == 'gift_card')\n    needs", "          )\n    needs")],
     "return_delivered_order_items", "looser", ("payment_method_id",)),
    ("a rule no longer covers a tool", "airline",
     [edit("  airline_reservation_owner:\n    tools: [cancel_reservation, update_reservation_flights,", "  airline_reservation_owner:\n    tools: [update_reservation_flights,")],
     "cancel_reservation", "looser", ("user_id",)),
    ("a rule no longer insists on its evidence", "telecom",
     [edit("    that: c.customer_id == args.customer_id\n    needs: [\"ledger.customers[args.customer_id]\"]\n", "    that: c.customer_id == args.customer_id\n")],
     "send_payment_request", "equal", ()),
    ("a bound is lower", "telecom", [edit("args.gb_amount <= 2.0", "args.gb_amount <= 1.0")], "refuel_data", "stricter", ("gb_amount",)),
    ("a comparison turned round", "airline", [edit("that: args.total_baggages >= held", "that: args.total_baggages <= held")],
     "update_reservation_baggages", "incomparable", ("total_baggages",)),
    ("one may go into a file", "repository",
     [edit("    that: ledger.fs[args.path].kind == 'directory'\n", "    that: ledger.fs[args.path].kind in ['directory', 'file']\n")],
     "change_directory", "looser", ("file",)),
    ("the directory one stands in may be removed", "repository",
     [edit("    that: args.path != ledger.cwd\n", "    that: args.path != '/' || args.path != ledger.cwd\n")],
     "remove_entry", "looser", ("path",)),
    ("the same in other words", "warehouse",
     [edit("that: args.quantity >= 1.0 && args.quantity <= i.limit", 'that: "!(i.limit < args.quantity || args.quantity < 1.0)"')],
     "change_quantity", "equal", ()),
]

CANCELLED_BEFORE = """    that: "ledger.history.exists(h, h.name == 'cancel_order')"
    otherwise: revise
    say: "Cancel something first."
"""
SHIPPED_BEFORE = CANCELLED_BEFORE.replace("cancel_order", "ship_order")

# Tools that no sequence of calls leads to: (what it is, pack, patches, tool, outcome, words of the reason or of the
# example). Without an outcome nothing is claimed of it.
REACH = [
    ("what a read returns is not stored", "warehouse",
     [edit('    stores: [{at: "items[args.item_id]"}]\n', "")],
     "ship_order", "refuted", ("ledger.items.*", "no read stores")),
    ("what a read returns is not stored, and one tool does not care", "warehouse",
     [edit('    stores: [{at: "items[args.item_id]"}]\n', "")],
     "cancel_order", "proved", ("get_order", "allow")),
    ("a store has gone to another place", "retail", [edit("      - {at: auth.user_id}", "      - {at: user.user_id}"), edit("      - {at: auth.user_id}", "      - {at: user.user_id}")],
     "cancel_pending_order", "refuted", ("ledger.auth.user_id", "no read stores")),
    ("lines are not stored any more", "telecom", [edit("      - {when: \"args.id.startsWith('L')\", at: \"lines[args.id]\"}\n", "")],
     "suspend_line", "refuted", ("ledger.lines.*",)),
    ("the working directory is not remembered", "repository", [edit("    stores:\n      - {at: cwd}\n", "")],
     "create_file", "refuted", ("ledger.cwd",)),
    ("a store has a condition under which nothing else is asked for", "warehouse",
     [edit('    stores: [{at: "items[args.item_id]"}]', "    stores: [{at: \"items[args.item_id]\", when: \"args.item_id.startsWith('S-')\"}]")],
     "ship_order", "proved", ("get_item", "S-")),
    ("a write has to come before", "warehouse",
     [edit(A_RULE, "  in_order:\n    tools: [ship_order]\n" + CANCELLED_BEFORE + A_RULE)],
     "ship_order", "proved", ("cancel_order", "ship_order")),
    ("two writes wait for each other", "warehouse",
     [edit(A_RULE, "  one:\n    tools: [ship_order]\n" + CANCELLED_BEFORE + "  two:\n    tools: [cancel_order]\n" + SHIPPED_BEFORE + A_RULE)],
     "ship_order", "refuted", ("earlier calls that can never be made",)),
    ("a postcondition refuses what the rules want", "warehouse",
     [edit("    ensures: [{id: right_item, that: result.item_id == args.item_id}]", "    ensures: [{id: right_item, that: result.count < 0.0}]"),
      edit("i.count >= o.quantity", "i.count >= 0.0 && i.count >= o.quantity")],
     "ship_order", "assumed", ("no read was found that gives the record of ledger.items.*",)),
    ("a tool that nothing allows", "warehouse",
     [edit("that: o.status == 'open'", "that: o.status == 'open' && o.status == 'shipped'")],
     "cancel_order", None, ()),
]

STALE_IS_FINE = edit("stale: reread\n", "stale: use\n")


def refill(history, stale="use"):
    """A write that may be made once or twice, as the rule about the history says, and an invariant that needs that."""
    return [
        edit("rules:\n", """  refill_item:
    kind: write
    parameters:
      type: object
      properties: {item_id: {type: string}, note: {type: string}}
      required: [item_id, note]
    effects: [{set: "items[args.item_id].count", to: "state.items[args.item_id].count + 1.0"}]
    gives: state.items[args.item_id]
rules:
  not_too_often:
    tools: [refill_item]
    that: "%s"
    otherwise: block
    say: "Once is enough."
  room_for_more:
    tools: [refill_item]
    stale: %s
    let: {i: "ledger.items[args.item_id]"}
    that: i.count + 1.0 <= i.limit
    needs: ["ledger.items[args.item_id]"]
    otherwise: block
    say: "No room."
""" % (history, stale)),
        edit("invariants:\n", "invariants:\n  - {id: not_overfull, that: \"state.items.all(k, state.items[k].count <= state.items[k].limit)\"}\n"),
    ]


OF_ITEM = "h.name == 'refill_item' && h.args.item_id == args.item_id"

# Sequences of allowed calls that break an invariant: (what it is, pack, patches, tool of the last call, the invariant, how
# many calls it takes, words of the example). Without a number of calls there is no such sequence.
SEQUENCES = [
    ("stock that was read once is counted on twice", "warehouse", [STALE_IS_FINE],
     "ship_order", "stock_not_negative", 2, ("get_item", "ship_order", "stock_not_negative")),
    ("what was read has to be read again", "warehouse", [], "ship_order", "stock_not_negative", None, ()),
    ("stock is not looked at", "warehouse", [edit(ENOUGH, "")],
     "ship_order", "stock_not_negative", 1, ("ship_order",)),
    ("a rule about the history compares too much", "warehouse", refill("!ledger.history.exists(h, h.name == tool && h.args == args)"),
     "refill_item", "not_overfull", 2, ("refill_item", "not_overfull")),
    ("the same rule as it should be", "warehouse", refill(f"!ledger.history.exists(h, {OF_ITEM})"),
     "refill_item", "not_overfull", None, ()),
    ("without the rule about the history, what was read has to be read again", "warehouse", refill("true", "reread"),
     "refill_item", "not_overfull", None, ()),
    ("three times is once too often", "warehouse",
     [edit(a, b.replace("i.count + 1.0 <= i.limit", "i.count + 2.0 <= i.limit")) for a, b in refill(f"size(ledger.history.filter(h, {OF_ITEM})) < 3")],
     "refill_item", "not_overfull", 3, ("refill_item",)),
    ("twice is not", "warehouse",
     [edit(a, b.replace("i.count + 1.0 <= i.limit", "i.count + 2.0 <= i.limit")) for a, b in refill(f"size(ledger.history.filter(h, {OF_ITEM})) < 2")],
     "refill_item", "not_overfull", None, ()),
    ("the directory that one went to is removed", "repository", [edit("stale: reread #", "stale: use #")],
     "remove_entry", "repository_cwd_is_directory", 2, ("change_directory", "remove_entry")),
    ("one has to look where one is", "repository", [], "remove_entry", "repository_cwd_is_directory", None, ()),
]


# (what it is, pack, patches, tool, obligation, the condition, words of the example)
EFFECTS = [
    ("the wrong field becomes the label", "warehouse", [edit('to: "state.orders[args.order_id].carrier"', 'to: "state.orders[args.order_id].status"')],
     "ship_order", "ensures", "labelled", ("label", "post")),
    ("the label is set before the carrier", "warehouse",
     [edit("""      - {set: "orders[args.order_id].carrier", to: args.carrier}
      - {set: "orders[args.order_id].label", to: "state.orders[args.order_id].carrier"}
""", """      - {set: "orders[args.order_id].label", to: "state.orders[args.order_id].carrier"}
      - {set: "orders[args.order_id].carrier", to: args.carrier}
""")], "ship_order", "ensures", "labelled", ("label",)),
    ("twice as much leaves the stock", "warehouse", [edit("count - o.quantity", "count - 2.0 * o.quantity")],
     "ship_order", "preserves", "stock_not_negative", ("count", "quantity")),
    ("a difference is the wrong way round", "warehouse",
     [edit("state.items[o.item_id].count - o.quantity", "o.quantity - state.items[o.item_id].count")],
     "ship_order", "preserves", "stock_not_negative", ("count", "quantity")),
    ("a step is gone", "warehouse", [edit('      - {set: "orders[args.order_id].carrier", to: args.carrier}\n', "")],
     "ship_order", "preserves", "shipped_with_carrier", ("shipped",)),
    ("the rule that guards the stock is gone", "warehouse", [edit(ENOUGH, "")],
     "ship_order", "preserves", "stock_not_negative", ("count", "quantity")),
    ("another status is set", "warehouse", [edit("to: \"'cancelled'\"", "to: \"'open'\"")],
     "cancel_order", "ensures", "is_cancelled", ("open",)),
    ("another argument is noted", "warehouse", [edit("value: args.reason", "value: args.order_id")],
     "cancel_order", "ensures", "reason_noted", ("notes", "reason")),
    ("a record is removed that others name", "warehouse",
     [edit('- {append: "orders', '- {remove: "items[state.orders[args.order_id].item_id]"}\n      - {append: "orders')],
     "cancel_order", "preserves", "order_has_item", ("items",)),
    ("a sign is turned", "warehouse", [edit("to: args.quantity}", 'to: "0.0 - args.quantity"}')],
     "change_quantity", "preserves", "quantity_positive", ("quantity",)),
    ("a bound is gone", "warehouse", [edit("args.quantity >= 1.0 && ", "")],
     "change_quantity", "preserves", "quantity_positive", ("quantity",)),
    ("a read gives another record", "warehouse",
     [edit("gives: state.orders[args.order_id]", "gives: state.orders[state.orders.filter(k, true)[0]]")],
     "get_order", "ensures", "right_order", ("orders",)),
    ("the customer's own tool breaks an invariant", "warehouse",
     [edit("rules:\n", "  lose_parcel:\n    kind: write\n    requestor: user\n    parameters: {type: object, properties: {id: {type: string}}, required: [id]}\n"
           "    effects: [{set: \"orders[args.id].carrier\", to: null}]\n    gives: \"'lost'\"\nrules:\n")],
     "lose_parcel", "preserves", "shipped_with_carrier", ("shipped", "carrier")),
    ("a directory is removed while something is in it", "repository",
     [edit("""      - fail: "{args.path}: directory not empty"
        when: "state.fs.exists(p, p != args.path && state.fs[p].parent == args.path)"
""", "")], "remove_entry", "preserves", "repository_parent_is_directory", ("parent",)),
    ("one may remove where one stands", "repository",
     [edit("    that: args.path != ledger.cwd\n", "    that: args.path == ledger.cwd\n")],
     "remove_entry", "preserves", "repository_cwd_is_directory", ("cwd",)),
    ("what is made has another parent", "repository",
     [edit("'parent': state.cwd, 'kind': 'directory'}", "'parent': path, 'kind': 'directory'}")],
     "make_directory", "ensures", "right_place", ("parent",)),
]


def text_of(pack):
    if pack == "warehouse":
        return WAREHOUSE
    folder = "examples" if pack == "repository" else "packs"
    with open(os.path.join(SOURCE, folder, pack, "pack.yaml"), encoding="utf-8") as file:
        return file.read()


def patched(sentence, pack, edits):
    text = text_of(pack)
    for old, new in edits:
        if not check(text.count(old) >= 1, f"{sentence}: the patch fits {pack}", old):
            return None
        text = text.replace(old, new, 1)
    return text


def prove(folder, *args):
    code, out, err = folder.run("prove", *args, "--timeout", "5000", "--json")
    try:
        return code, json.loads(out), err
    except ValueError:
        return code, {}, err


OF_RULES = "allowed,compatible,applies,violable,needed"


def defects_of_rules(folder):
    for sentence, pack, edits, tool, kind, name, other, reason in RULES:
        text = patched(sentence, pack, edits)
        if text is None:
            continue
        folder.write("p.yaml", text)
        code, answer, err = prove(folder, "p.yaml", "--tool", tool, "--only", OF_RULES)
        found = [
            o for o in answer.get("obligations", [])
            if o["obligation"] == kind and o["outcome"] == "refuted" and name in (o["rule"], o["other"])
            and other in (o["rule"], o["other"], "")
        ]
        if check(found, f"{sentence}: `{kind}` is refuted", err or answer):
            check(reason in found[0]["why"], f"{sentence}: the reason", found[0]["why"])
            check(found[0]["line"] > 1, f"{sentence}: it has a position", found[0])
        wanted = 0 if kind == "needed" else 1
        check(code == wanted, f"{sentence}: exit code {wanted}", f"got {code}")


def reachable(folder):
    for sentence, pack, edits, tool, outcome, words in REACH:
        text = patched(sentence, pack, edits)
        if text is None:
            continue
        folder.write("p.yaml", text)
        code, answer, err = prove(folder, "p.yaml", "--tool", tool, "--only", "reachable")
        got = answer.get("obligations", [])
        if outcome is None:
            check(answer and not got, f"{sentence}: nothing is claimed of it", err or got)
            continue
        if not check(len(got) == 1 and got[0]["outcome"] == outcome, f"{sentence}: {outcome}", err or got):
            continue
        check(got[0]["finding"] == (outcome == "refuted"), f"{sentence}: a finding if it is refuted", got)
        check(code == 1 or outcome != "refuted", f"{sentence}: exit code", code)
        check((got[0]["example"] is not None) == (outcome == "proved"), f"{sentence}: an example if it is proved", got)
        shown = json.dumps(got[0]["example"]) if outcome == "proved" else got[0]["why"]
        for word in words:
            check(word in shown, f"{sentence}: {word}", shown)


def defects_of_effects(folder):
    for sentence, pack, edits, tool, kind, name, words in EFFECTS:
        text = patched(sentence, pack, edits)
        if text is None:
            continue
        folder.write("p.yaml", text)
        code, answer, err = prove(folder, "p.yaml", "--tool", tool, "--only", "preserves,ensures")
        found = [
            o for o in answer.get("obligations", [])
            if o["obligation"] == kind and o["outcome"] == "refuted" and o["rule"] == name
        ]
        if check(found, f"{sentence}: `{kind}` is refuted", err or answer):
            example = found[0]["example"]
            check(example and example["broken"] == name, f"{sentence}: an example of it", found[0])
            check(example and "state" in example and "after" in example, f"{sentence}: before and after", found[0])
            shown = json.dumps(example)
            for word in words:
                check(word in shown, f"{sentence}: the example names {word}", shown)
        check(code == 1, f"{sentence}: exit code 1", f"got {code}")


def writes_of(example):
    return [c for c in example["calls"] if "verdict" in c]


def sequences(folder):
    for sentence, pack, edits, tool, invariant, calls, words in SEQUENCES:
        text = patched(sentence, pack, edits)
        if text is None:
            continue
        folder.write("p.yaml", text)
        code, answer, err = prove(folder, "p.yaml", "--only", "sequence", "--tool", tool)
        got = [o for o in answer.get("obligations", []) if o["rule"] == invariant]
        if not check(len(got) == 1, f"{sentence}: the claim is there", err or answer):
            continue
        outcomes = ("refuted",) if calls else ("assumed", "proved")
        check(got[0]["outcome"] in outcomes, f"{sentence}: {outcomes}", got[0])
        check(code == (1 if calls else 0), f"{sentence}: exit code", f"got {code}")
        if not calls or not got[0]["example"]:
            check(calls or got[0]["example"] is None, f"{sentence}: no example", got[0])
            continue
        example = got[0]["example"]
        check(len(writes_of(example)) == calls, f"{sentence}: {calls} calls", example)
        check({c["verdict"] for c in writes_of(example)} == {"allow"}, f"{sentence}: each is allowed", example)
        check(example["broken"] == invariant and "state" in example, f"{sentence}: what is broken, and where", example)
        for word in words:
            check(word in json.dumps(example), f"{sentence}: {word}", example)
        if calls > 1:
            code, answer, err = prove(folder, "p.yaml", "--only", "sequence", "--tool", tool, "--depth", str(calls - 1))
            check(code == 0, f"{sentence}: not with a call less", err or answer)
        folder.write("state.json", json.dumps(example["state"]))
        folder.write("calls.json", json.dumps([{"name": c["tool"], "arguments": c["args"]} for c in writes_of(example)]))
        code, out, err = folder.run("apply", "--pack", "p.yaml", "--state", "state.json", "calls.json")
        check(code == 1 and invariant in out + err, f"{sentence}: carried out it breaks the invariant", (code, out, err))


def changes(folder):
    for sentence, pack, edits, tool, relation, words in CHANGES:
        text = patched(sentence, pack, edits)
        if text is None:
            continue
        folder.write("old.yaml", text_of(pack))
        folder.write("new.yaml", text)
        code, answer, err = prove(folder, "--diff", "old.yaml", "new.yaml", "--tool", tool)
        got = [t for t in answer.get("tools", []) if t["tool"] == tool]
        if not check(len(got) == 1, f"{sentence}: {tool} is compared", err or answer):
            continue
        check(got[0]["relation"] == relation, f"{sentence}: {relation}", got[0])
        check(code == (0 if relation == "equal" else 1), f"{sentence}: exit code", f"got {code}")
        for direction in ("stricter", "looser"):
            example = got[0][direction]
            asked = relation in (direction, "incomparable")
            check((example is not None) == asked, f"{sentence}: an example where it is {direction}", got[0])
        shown = json.dumps([got[0]["stricter"], got[0]["looser"]])
        for word in words:
            check(word in shown, f"{sentence}: the example names {word}", shown)


def sound_packs(folder):
    """None of the findings is there before the pack was spoilt."""
    for pack in ("warehouse", "repository"):
        folder.write("p.yaml", text_of(pack))
        code, answer, err = prove(folder, "p.yaml")
        check(code == 0, f"{pack}: exit code 0", err or answer)
        outcomes = {o["outcome"] for o in answer.get("obligations", [])}
        check(outcomes and outcomes <= {"proved", "assumed"}, f"{pack}: nothing is refuted", answer)
        effects = [o for o in answer.get("obligations", []) if o["obligation"] in ("preserves", "ensures")]
        check(len(effects) > 20, f"{pack}: claims about effects", effects)
        open_ones = [o for o in effects if o["outcome"] != "proved"]
        check(not open_ones, f"{pack}: every claim about effects is proved", open_ones)
        kinds = ("allowed", "compatible", "applies", "violable", "needed")
        open_ones = [o for o in answer.get("obligations", []) if o["obligation"] in kinds and o["outcome"] != "proved"]
        of_sequences = {o["outcome"] for o in answer.get("obligations", []) if o["obligation"] == "sequence"}
        check(of_sequences == {"proved"}, f"{pack}: by induction no sequence breaks an invariant", of_sequences)
        if pack == "warehouse":
            check(not open_ones, f"{pack}: every claim about rules is proved", open_ones)


DESK = """pack: desk
version: '1'
types:
  Member: {type: object, properties: {member_id: {type: string}, balance: {type: number}}, required: [member_id, balance]}
  Card: {type: object, properties: {member_id: {type: string}}, required: [member_id]}
ledger:
  card.member_id: {type: string}
  members.*: Member
state:
  members.*: Member
  cards.*: Card
tools:
  find_member:
    kind: read
    parameters: {type: object, properties: {card: {type: string}}, required: [card]}
    returns: %s
    stores: [{at: card.member_id}]
    effects: [{fail: "Error: no such card", when: "!(args.card in state.cards)"}]
    gives: state.cards[args.card].member_id
  get_member:
    kind: read
    parameters: {type: object, properties: {member_id: {type: string}}, required: [member_id]}
    returns: Member
    stores: [{at: "members[args.member_id]"}]
    effects: [{fail: "Error: no such member", when: "!(args.member_id in state.members)"}]
    gives: state.members[args.member_id]
  pay:
    kind: write
    parameters:
      {type: object, properties: {member_id: {type: string}, amount: {type: number, minimum: 0}}, required: [member_id, amount]}
    effects:
      - {fail: "Error: no such member", when: "!(args.member_id in state.members)"}
      - set: members[args.member_id].balance
        to: state.members[args.member_id].balance - args.amount
rules:
  own:
    tools: writes
    that: ledger.card.member_id == args.member_id
    needs: [ledger.card.member_id]
    say: It is not the holder of the card who pays.
  enough:
    tools: writes
    that: args.amount <= ledger.members[args.member_id].balance
    needs: ["ledger.members[args.member_id]"]
    say: There is less.
invariants:
  - {id: not_negative, that: "state.members.all(m, state.members[m].balance >= 0.0)"}
"""


def results_of_reads(folder):
    """A read that gives a text is rehearsed as the ledger reads it: as JSON under a schema, else bare. And what a
    sequence has carried out is carried out."""
    for returns in ("text", "{type: string}"):
        folder.write("p.yaml", DESK % returns)
        code, answer, err = prove(folder, "p.yaml")
        claims = {(o["obligation"], o["tool"] or o["rule"]): o for o in answer.get("obligations", [])}
        found = claims.get(("sequence", "not_negative"), {})
        check(code == 1 and found.get("outcome") == "refuted", f"returns {returns}: paying twice is found", found or err)
        effective = claims.get(("effective", "pay"), {})
        check(effective.get("outcome") == "proved", f"returns {returns}: a call of the sequence is carried out", effective)
        calls = (effective.get("example") or {}).get("calls", [])
        ours = (effective.get("example") or {}).get("args")
        check(ours or (calls and calls[-1]["tool"] == "pay"), f"returns {returns}: the example is of the tool", effective)


def main():
    with _run.Folder() as folder:
        for test in (sound_packs, defects_of_rules, defects_of_effects, reachable, sequences, results_of_reads, changes):
            test(folder)
    _run.done()


if __name__ == "__main__":
    main()

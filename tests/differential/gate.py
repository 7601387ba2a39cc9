"""An agent that reads before it writes: what the gate allows and the tool rejects, and what it refuses alone.

The agent serves one customer, reads what the rules ask for, and proposes writes that are right or nearly. What is
refused is not carried out; some conversations end with it, and then the tool itself is asked what it would have
said. A rule that often refuses alone what the tool takes is too strict, unless the policy is stricter than the tool.
"""
import collections
import json
import random
import re
import time

from generate import a_flight, address, fare, odd_text

PROPOSALS_MAX = 6

# What is left to the tools: a cabin's fare and seats that no search has shown, a balance that was not read again.
LEFT_TO_THE_TOOL = re.compile("Error: (Gift card balance is not enough|Not enough seats on flight)")


def call_of(name, **arguments):
    return {"name": name, "arguments": arguments, "requestor": "assistant"}


# --- Airline ------------------------------------------------------------------------------------


class AirlineAgent:
    def __init__(self, dice, db):
        self.dice, self.db = dice, db
        users = [u for u in dice.sample(list(db.users.values()), min(30, len(db.users))) if u.reservations]
        self.user = dice.choice([u for u in users if len(u.payment_methods) > 2] or users)

    def reads(self):
        """What is read first."""
        yield call_of("get_user_details", user_id=self.user.user_id)
        for key in self.mine():
            yield from self.look_at(key)

    def mine(self):
        return [key for key in self.user.reservations[-4:] if key in self.db.reservations]

    def look_at(self, key):
        yield call_of("get_reservation_details", reservation_id=key)
        for f in self.db.reservations[key].flights:
            if self.dice.random() < 0.9:
                yield call_of("get_flight_status", flight_number=f.flight_number, date=f.date)

    def search(self, flight, date):
        return call_of("search_direct_flight", origin=flight.origin, destination=flight.destination, date=date)

    def proposal(self):
        """(reads that come first, the write)"""
        kind = self.dice.choice(["book"] * 5 + ["flights"] * 4 + ["bags"] * 2 + ["passengers", "cancel", "certificate"])
        return getattr(self, kind)()

    def again(self, call):
        """What is read after a write."""
        yield call_of("get_user_details", user_id=self.user.user_id)
        for key in self.mine():
            yield call_of("get_reservation_details", reservation_id=key)

    def people(self, count):
        made = []
        for _ in range(count):
            q = self.dice.choice([q for r in self.dice.sample(list(self.db.reservations.values()), 5) for q in r.passengers])
            made.append({"first_name": q.first_name, "last_name": q.last_name, "dob": q.dob})
        return made

    def free_bags(self, cabin, count):
        free = {"gold": 2, "silver": 1}.get(self.user.membership, 0) + {"business": 2, "economy": 1}.get(cabin, 0)
        return free * count

    def pay(self, total):
        """Methods that hold what is charged to them, in the numbers that the policy allows; sometimes one twice."""
        left, made, kinds = total, [], collections.Counter()
        methods = list(self.user.payment_methods.values())
        self.dice.shuffle(methods)
        for m in methods:
            most = {"certificate": 1, "credit_card": 1, "gift_card": 3}[m.source]
            if kinds[m.source] == most or left == 0:
                continue
            kinds[m.source] += 1
            amount = left if m.source == "credit_card" else min(left, int(m.amount))
            made.append({"payment_id": m.id, "amount": amount})
            left -= amount
        odd = self.dice.random()
        if made and odd < 0.2:  # one of them in two parts
            part = self.dice.choice(made)
            half = part["amount"] // 2
            part["amount"] -= half
            made.append({"payment_id": part["payment_id"], "amount": half})
        elif made and odd < 0.3:  # and for more than it holds
            part = self.dice.choice(made)
            made.append(dict(part))
            card = next((p for p in made if p["amount"] > part["amount"] and p is not part), None)
            if card:
                card["amount"] -= part["amount"]
        elif made and odd < 0.33:
            del self.dice.choice(made)["amount"]
        return made

    def book(self):
        dice = self.dice
        cabin, count = dice.choice(["business", "economy", "basic_economy"]), dice.choice([1, 1, 2, 3])
        flight, date = a_flight(dice, self.db, cabin, count)
        first = [self.search(flight, date)]
        flights = [{"flight_number": flight.flight_number, "date": date}]
        origin, destination, kind = flight.origin, flight.destination, "one_way"
        back = [f for f in self.db.flights.values() if f.origin == destination and f.destination == origin
                and getattr(f.dates.get(date), "status", "") == "available" and f.dates[date].available_seats[cabin] >= count]
        if back and dice.random() < 0.5:
            kind = "round_trip"
            flights.append({"flight_number": back[0].flight_number, "date": date})
            first.append(self.search(back[0], date))
        if dice.random() < 0.04:
            flights = []
        insurance = dice.choice(["yes", "no"])
        bags = dice.randint(0, 4)
        paid = max(0, bags - self.free_bags(cabin, count))
        total = fare(self.db, flights, cabin) * count + (30 * count if insurance == "yes" else 0) + 50 * paid
        return first, call_of(
            "book_reservation", user_id=self.user.user_id, origin=origin, destination=destination, flight_type=kind, cabin=cabin,
            flights=flights, passengers=self.people(count), payment_methods=self.pay(total), total_baggages=bags,
            nonfree_baggages=paid, insurance=insurance)

    def one_of_mine(self):
        return self.db.reservations[self.dice.choice(self.mine())]

    def method(self):
        return self.dice.choice([m.id for m in self.user.payment_methods.values() if m.source != "certificate"]
                                or list(self.user.payment_methods))

    def flights(self):
        dice, r, first = self.dice, self.one_of_mine(), []
        cabin = dice.choice([r.cabin, "business", "economy", "basic_economy"])
        chosen = [{"flight_number": f.flight_number, "date": f.date} for f in r.flights]
        for i, f in enumerate(r.flights):
            others = [(g, d) for g in self.db.flights.values() for d, day in g.dates.items()
                      if (g.origin, g.destination) == (f.origin, f.destination) and day.status == "available"]
            if others and dice.random() < 0.5:
                flight, date = dice.choice(others)
                first.append(self.search(flight, date))
                chosen[i] = {"flight_number": flight.flight_number, "date": date}
            elif dice.random() < 0.5:
                first.append(self.search(self.db.flights[f.flight_number], f.date))
        if dice.random() < 0.03:
            chosen = []
        return first, call_of("update_reservation_flights", reservation_id=r.reservation_id, cabin=cabin, flights=chosen,
                              payment_id=self.method())

    def bags(self):
        r = self.one_of_mine()
        total = r.total_baggages + self.dice.randint(0, 3)
        paid = max(0, total - self.free_bags(r.cabin, len(r.passengers)))
        return [], call_of("update_reservation_baggages", reservation_id=r.reservation_id, total_baggages=total,
                           nonfree_baggages=paid, payment_id=self.method())

    def passengers(self):
        r = self.one_of_mine()
        return [], call_of("update_reservation_passengers", reservation_id=r.reservation_id, passengers=self.people(len(r.passengers)))

    def cancel(self):
        return [], call_of("cancel_reservation", reservation_id=self.one_of_mine().reservation_id)

    def certificate(self):
        r = self.one_of_mine()
        return [], call_of("send_certificate", user_id=self.user.user_id, amount=self.dice.choice([50, 100]) * len(r.passengers))


# --- Retail -------------------------------------------------------------------------------------


class RetailAgent:
    def __init__(self, dice, db):
        self.dice, self.db = dice, db
        self.user = dice.choice([u for u in db.users.values() if u.orders])

    def reads(self):
        yield call_of("find_user_id_by_email", email=self.user.email)
        yield call_of("get_user_details", user_id=self.user.user_id)
        for key in self.user.orders:
            yield call_of("get_order_details", order_id=key)

    def again(self, call):
        yield call_of("get_user_details", user_id=self.user.user_id)
        if "order_id" in call["arguments"]:
            yield call_of("get_order_details", order_id=call["arguments"]["order_id"])

    def order(self, status):
        orders = [self.db.orders[key] for key in self.user.orders]
        return self.dice.choice([o for o in orders if o.status == status] or orders)

    def method(self):
        return self.dice.choice(list(self.user.payment_methods))

    def proposal(self):
        return getattr(self, self.dice.choice(["items", "items", "exchange", "exchange", "take_back", "cancel", "payment", "address"]))()

    def exchanged(self, name, status):
        dice, order = self.dice, self.order(status)
        items = dice.sample(order.items, dice.randint(1, len(order.items)))
        new, first = [], []
        for item in items:
            product = self.db.products[item.product_id]
            first.append(call_of("get_product_details", product_id=item.product_id))
            fitting = [v.item_id for v in product.variants.values() if v.available and v.item_id != item.item_id]
            new.append(dice.choice(fitting or list(product.variants)))
        return first, call_of(name, order_id=order.order_id, item_ids=[i.item_id for i in items], new_item_ids=new,
                              payment_method_id=self.method())

    def items(self):
        return self.exchanged("modify_pending_order_items", "pending")

    def exchange(self):
        return self.exchanged("exchange_delivered_order_items", "delivered")

    def take_back(self):
        order = self.order("delivered")
        items = self.dice.sample(order.items, self.dice.randint(1, len(order.items)))
        return [], call_of("return_delivered_order_items", order_id=order.order_id, item_ids=[i.item_id for i in items],
                           payment_method_id=self.method())

    def cancel(self):
        return [], call_of("cancel_pending_order", order_id=self.order("pending").order_id,
                           reason=self.dice.choice(["no longer needed", "ordered by mistake"]))

    def payment(self):
        return [], call_of("modify_pending_order_payment", order_id=self.order("pending").order_id, payment_method_id=self.method())

    def address(self):
        given = address(self.dice, self.db)
        if self.dice.random() < 0.5:
            return [], call_of("modify_user_address", user_id=self.user.user_id, **given)
        return [], call_of("modify_pending_order_address", order_id=self.order("pending").order_id, **given)


# --- Telecom ------------------------------------------------------------------------------------


class TelecomAgent:
    def __init__(self, dice, db):
        self.dice, self.db = dice, db
        self.customer = dice.choice([c for c in db.customers if c.line_ids])

    def details(self, key):
        return call_of("get_details_by_id", id=key)

    def reads(self):
        yield call_of("get_customer_by_id", customer_id=self.customer.customer_id)
        yield call_of("get_bills_for_customer", customer_id=self.customer.customer_id)
        yield from self.again(None)

    def again(self, call):
        for key in self.customer.line_ids:
            yield self.details(key)
            line = next(l for l in self.db.lines if l.line_id == key)
            yield self.details(line.plan_id)
            yield call_of("get_data_usage", customer_id=self.customer.customer_id, line_id=key)
        for key in self.customer.bill_ids:
            yield self.details(key)

    def proposal(self):
        dice = self.dice
        name = dice.choice(["suspend_line", "resume_line", "enable_roaming", "disable_roaming", "refuel_data", "send_payment_request"])
        given = {"customer_id": self.customer.customer_id}
        if name == "send_payment_request":
            given["bill_id"] = dice.choice(self.customer.bill_ids or ["B0"])
        else:
            given["line_id"] = dice.choice(self.customer.line_ids)
        if name == "suspend_line":
            given["reason"] = odd_text(dice)
        if name == "refuel_data":
            given["gb_amount"] = dice.choice([0.5, 1, 2, 2.0, 3, 0, -1])
        return [], call_of(name, **given)


AGENTS = {"airline": AirlineAgent, "retail": RetailAgent, "telecom": TelecomAgent}


# --- A run --------------------------------------------------------------------------------------


class Talk:
    """One conversation: what was proposed, and what came of it."""

    def __init__(self, domain, dice, counts, shown):
        self.domain, self.dice, self.counts, self.shown = domain, dice, counts, shown
        state = domain.generate.state(dice, domain.real) or domain.start
        domain.begin(state)
        self.agent = AGENTS[domain.name](dice, domain.real.env.tools.db)

    def tell(self, call):
        self.domain.real.call(call)
        self.domain.ours.call(call)

    def show(self, kind, call, text):
        text = re.sub(r"[A-Z0-9#]*\d[\w.#]*", "N", text)
        self.counts[kind, call["name"], text[:160]] += 1
        self.shown.setdefault((kind, call["name"], text[:160]), call)

    def propose(self):
        """False if the conversation ends with it."""
        first, call = self.agent.proposal()
        for read in first:
            self.tell(read)
        told = self.domain.ours.call(call, judge=True)
        self.counts["proposed"] += 1
        if told["verdict"] == "allow":
            self.counts["allowed"] += 1
            real = self.domain.real.call(call)
            if real["error"]:
                self.counts["allowed, and rejected"] += 1
                self.counts["of these, not listed"] += not LEFT_TO_THE_TOOL.match(real["text"])
                self.show("allowed, and rejected", call, real["text"])
            elif told["error"]:
                self.counts["allowed, taken, and an error of our effects"] += 1
                self.show("different", call, told.get("text", ""))
            for read in list(self.agent.again(call)) if self.dice.random() < 0.8 else []:
                self.tell(read)
            return not real["error"]
        self.counts["refused"] += 1
        if self.dice.random() < 0.6:
            return True
        real = self.domain.real.call(call)
        kind = "refused, and the tool rejects" if real["error"] else "refused, and the tool takes it"
        self.counts[kind] += 1
        if not real["error"]:
            self.show(kind, call, ", ".join(sorted(set(told["rules"]))))
        return False

    def go(self):
        for read in self.agent.reads():
            self.tell(read)
        for _ in range(self.dice.randint(1, PROPOSALS_MAX)):
            if not self.propose():
                break


def run(domains, options):
    """Fails if the gate allows what the tool rejects and may not leave to it, or what our effects take for an error
    where the tool does not. That the gate refuses what the tool takes is what a policy is for: it is listed."""
    failures = 0
    for domain in domains:
        counts, shown, number = collections.Counter(), {}, 0
        end = time.monotonic() + options.seconds
        while counts["proposed"] < options.calls and time.monotonic() < end:
            Talk(domain, random.Random(f"gate {options.seed}/{domain.name}/{number}"), counts, shown).go()
            number += 1
        print(f"{domain.name}: {counts['proposed']} writes in {number} conversations, seed {options.seed}")
        for key, count in sorted(((k, c) for k, c in counts.items() if isinstance(k, str)), key=lambda item: -item[1]):
            print(f"  {count:7} {key}")
        for key, count in sorted(((k, c) for k, c in counts.items() if isinstance(k, tuple)), key=lambda item: (item[0][0], -item[1])):
            print(f"  {count:7} {key[0]}: {key[1]}: {key[2]}")
            if options.tools:
                print("          " + json.dumps(shown[key]["arguments"])[:700])
        failures += counts["of these, not listed"] + counts["allowed, taken, and an error of our effects"]
    return 1 if failures else 0

"""Random calls that the tools' own signatures allow, with values of the database and odd ones."""
import json

ODD_TEXTS = ["", " ", "x", "O'Brien", 'say "hi"', "both ' and \"", "a\nb", "tab\there", "\u00fcml\u00e4ut", "\u212a", "\u0130",
             "\u03a3\u03a3", "{x}", "{", "}}", "%s", "\\", "\\n", "\u200b", "\U0001f642", "null", "0", "-1", "x" * 300, "\x7f", "\x01"]
ODD_WHOLE = [0, -1, 1, 2, 3, 7, 100, -250, 10**6, 2**31, 2**53, 2**53 + 1, 10**15, 10**18, 10**30, -(10**30), 2.0, 100.0]
ODD_NUMBERS = ODD_WHOLE + [0.5, 0.1, 1.1, 2.675, -0.5, 1e-7, 1e-300, 1e16, 1e22, 1e30, 1e300, 123456789.123, -0.0, 1 / 3]


def some(dice, values, default="x"):
    values = list(values)
    return dice.choice(values) if values else default


def often(dice, share, usual, rare):
    return usual() if dice.random() < share else rare()


def odd_text(dice):
    return dice.choice(ODD_TEXTS)


def cased(dice, text):
    """The text in other letters: what Python's lower() takes for the same, or nearly."""
    text = dice.choice([text, text.upper(), text.lower(), text.title(), text.swapcase()])
    for usual, other in (("k", "\u212a"), ("K", "\u212a"), ("i", "\u0130"), ("s", "\u017f")):
        if usual in text and dice.random() < 0.3:
            text = text.replace(usual, other, dice.randint(1, 2))
    return text


def near(dice, text):
    """Usually the text; else one that is near it, or odd."""
    return often(dice, 0.93, lambda: text,
                 lambda: dice.choice([cased(dice, text), text + " ", text[:-1], odd_text(dice), odd_text(dice)]))


def whole(dice, usual):
    return often(dice, 0.9, lambda: usual, lambda: dice.choice(ODD_WHOLE))


def money(value):
    """As a model writes it: whole numbers without a fraction."""
    return int(value) if value == int(value) else value


def expression(dice, depth=0):
    """Arithmetic, most of it well formed."""
    def number():
        return dice.choice(["0", "1", "2", "7", "10", "00", "02", "007", "1.5", "0.1", ".5", "5.", "02.5", "100", "340.25", "12.345",
                            "2.675", "0.005", "1.005", "9007199254740993", "12345678901234567890123", "0.0", "1e5", "3 4", ""])

    def usual_number():
        return str(dice.choice([dice.randint(0, 999), dice.randint(0, 99999) / 100, dice.randint(0, 9), dice.randint(1, 9) / 10]))

    kind = dice.random()
    if depth > 3 or kind < 0.35:
        return usual_number() if dice.random() < 0.8 else number()
    if kind < 0.45:
        return "(" + expression(dice, depth + 1) + ")"
    if kind < 0.52:
        return dice.choice(["-", "+", "--", "- ", " -"]) + expression(dice, depth + 1)
    operator = dice.choice(["+", "-", "*", "/", "+", "-", "*", "/", "//", "**", "/ /", "* *", " "])
    blank = dice.choice(["", " ", "  "])
    left, right = expression(dice, depth + 1), expression(dice, depth + 1)
    if operator == "**":  # small, or the interpreter takes its time
        left, right = dice.choice(["2", "10", "0", "-2", "1.5", "(2)"]), dice.choice(["0", "1", "2", "3", "-1", "0.5", "10"])
    return left + blank + operator + blank + right


def calculation(dice):
    text = expression(dice)
    if dice.random() < 0.06:
        at = dice.randint(0, len(text))
        text = text[:at] + dice.choice("()+-*/. x,e") + text[at:]
    if dice.random() < 0.04:
        at = dice.randint(0, max(len(text) - 1, 0))
        text = text[:at] + text[at + 1:]
    if dice.random() < 0.03:
        text = dice.choice(["-0", "-0.0", "0*-1", "-0.001", "0/-5", "1/0", "1//0", "1.0/0", "5/ /2", "5//2", "-5//2", "()", "1(2)", "(1)(2)",
                            "2**-1", "(-8)**0.5", "10**400", "1e400", "", " ", " 1", "1 ", "(", ")", "1+", "*1", "1..5", "1.2.3", "0x1", "1/3",
                            "(((((1)))))", "-(-(-1))", "2**3**2", "-2**2", "1,2", "1 2", "+", ".", "5.", "9" * 70, "0.1+0.2", "1.0//0.3", "7.5//2",
                            "10.0**308*10", "3*(2+1", "\u0661", "1_0", "0**0", "0**-1", "0.0**-1", "2.5e1", "1 //2", "1/ 2"])
    return text


class Retail:
    @staticmethod
    def part(dice, db):
        """A fifth of the customers with their orders, and all products."""
        users = set(dice.sample(list(db.users), len(db.users) // 5))
        db.users = {key: user for key, user in db.users.items() if key in users}
        db.orders = {key: order for key, order in db.orders.items() if order.user_id in users}

    @staticmethod
    def state(dice, real):
        return None

    @staticmethod
    def call(dice, real):
        db = real.env.tools.db
        tool = dice.choice(RETAIL_TOOLS)
        arguments = RETAIL[tool](dice, db)
        return {"name": tool, "arguments": arguments, "requestor": "assistant"}


def an_order(dice, db, part=None):
    found = [o for o in dice.sample(list(db.orders.values()), 12) if part is None or part in o.status]
    return dice.choice(found) if found else dice.choice(list(db.orders.values()))


def a_method(dice, db, order):
    user = db.users[order.user_id]
    mine = list(user.payment_methods)
    others = list(dice.choice(list(db.users.values())).payment_methods)
    return often(dice, 0.9, lambda: near(dice, some(dice, mine)), lambda: some(dice, others))


def some_items(dice, order):
    ids = [item.item_id for item in order.items]
    chosen = dice.sample(ids, dice.randint(0 if dice.random() < 0.1 else 1, len(ids)))
    if chosen and dice.random() < 0.12:
        chosen.append(dice.choice(chosen))
    return [near(dice, one) for one in chosen]


def new_items(dice, db, order, ids):
    by_id = {item.item_id: item.product_id for item in order.items}
    new = []
    for one in ids:
        product = db.products.get(by_id.get(one)) or dice.choice(list(db.products.values()))
        variants = list(product.variants.values())
        if dice.random() < 0.8:
            variants = [v for v in variants if v.available and v.item_id != one] or variants
        if dice.random() < 0.05:
            variants = list(dice.choice(list(db.products.values())).variants.values())
        new.append(near(dice, dice.choice(variants).item_id))
    if dice.random() < 0.04:
        new = new[:-1] if dice.random() < 0.5 else new + new[:1]
    return new


def address(dice, db):
    a = dice.choice(list(db.users.values())).address
    return {key: near(dice, value) for key, value in (("address1", a.address1), ("address2", a.address2), ("city", a.city),
                                                      ("state", a.state), ("country", a.country), ("zip", a.zip))}


def exchange(part):
    def make(dice, db):
        order = an_order(dice, db, part)
        ids = some_items(dice, order)
        return {"order_id": near(dice, order.order_id), "item_ids": ids, "new_item_ids": new_items(dice, db, order, ids),
                "payment_method_id": a_method(dice, db, order)}
    return make


def return_items(dice, db):
    order = an_order(dice, db, "delivered")
    return {"order_id": near(dice, order.order_id), "item_ids": some_items(dice, order), "payment_method_id": a_method(dice, db, order)}


def pay_otherwise(dice, db):
    order = an_order(dice, db, "pending")
    return {"order_id": near(dice, order.order_id), "payment_method_id": a_method(dice, db, order)}


def cancel_order(dice, db):
    order = an_order(dice, db, "pending")
    return {"order_id": near(dice, order.order_id), "reason": near(dice, dice.choice(["no longer needed", "ordered by mistake"]))}


def by_name(dice, db):
    user = dice.choice(list(db.users.values()))
    return {"first_name": cased(dice, near(dice, user.name.first_name)), "last_name": cased(dice, near(dice, user.name.last_name)),
            "zip": near(dice, user.address.zip)}


def an_item(dice, db):
    product = dice.choice(list(db.products.values()))
    return {"item_id": near(dice, dice.choice(list(product.variants)))}


def any_of(name, key):
    return lambda dice, db: {key: near(dice, dice.choice(list(getattr(db, name))))}


RETAIL = {
    "find_user_id_by_email": lambda dice, db: {"email": cased(dice, near(dice, dice.choice(list(db.users.values())).email))},
    "find_user_id_by_name_zip": by_name,
    "get_user_details": any_of("users", "user_id"),
    "get_order_details": any_of("orders", "order_id"),
    "get_product_details": any_of("products", "product_id"),
    "get_item_details": an_item,
    "list_all_product_types": lambda dice, db: {},
    "cancel_pending_order": cancel_order,
    "modify_pending_order_address": lambda dice, db: {"order_id": near(dice, an_order(dice, db, "pending").order_id), **address(dice, db)},
    "modify_pending_order_items": exchange("pending"),
    "modify_pending_order_payment": pay_otherwise,
    "return_delivered_order_items": return_items,
    "exchange_delivered_order_items": exchange("delivered"),
    "modify_user_address": lambda dice, db: {"user_id": near(dice, dice.choice(list(db.users))), **address(dice, db)},
    "calculate": lambda dice, db: {"expression": calculation(dice)},
    "transfer_to_human_agents": lambda dice, db: {"summary": odd_text(dice)},
}
RETAIL_TOOLS = list(RETAIL) + ["modify_pending_order_items", "exchange_delivered_order_items", "modify_pending_order_payment",
                               "cancel_pending_order", "return_delivered_order_items"] * 2


class Airline:
    @staticmethod
    def part(dice, db):
        """A fifth of the customers with their reservations, and each flight on their and a few other dates."""
        days = sorted({date for flight in db.flights.values() for date in flight.dates})
        first = dice.randrange(len(days) - 2)
        kept = {"2024-05-15", *days[first:first + 2], *dice.sample(days, 2)}
        users = set(dice.sample(list(db.users), len(db.users) // 5))
        db.users = {key: user for key, user in db.users.items() if key in users}
        db.reservations = {key: r for key, r in db.reservations.items() if r.user_id in users}
        held = {(f.flight_number, f.date) for r in db.reservations.values() for f in r.flights}
        for flight in db.flights.values():
            flight.dates = {date: day for date, day in flight.dates.items()
                            if date in kept or (flight.flight_number, date) in held}

    @staticmethod
    def state(dice, real):
        return None

    @staticmethod
    def call(dice, real):
        db = real.env.tools.db
        tool = dice.choice(AIRLINE_TOOLS)
        return {"name": tool, "arguments": AIRLINE[tool](dice, db), "requestor": "assistant"}


def a_reservation(dice, db):
    new = [key for key in ("HATHAT", "HATHAU", "HATHAV") if key in db.reservations]
    key = dice.choice(new) if new and dice.random() < 0.3 else dice.choice(list(db.reservations))
    return db.reservations[key]


def a_flight(dice, db, cabin=None, count=0):
    """A flight on a date, mostly one that can be booked."""
    for _ in range(30):
        flight = dice.choice(list(db.flights.values()))
        date = dice.choice(list(flight.dates))
        day = flight.dates[date]
        if day.status == "available" and (not cabin or day.available_seats[cabin] >= count):
            return flight, date
    return flight, date


def segments(dice, db, cabin, count):
    made = []
    for _ in range(dice.choice([0, 1, 1, 1, 2, 2, 3])):
        if dice.random() < 0.9:
            flight, date = a_flight(dice, db, cabin, count)
        else:
            flight = dice.choice(list(db.flights.values()))
            date = dice.choice(list(flight.dates))
        made.append({"flight_number": near(dice, flight.flight_number), "date": near(dice, date)})
    if made and dice.random() < 0.05:
        made.append(dict(made[0]))
    return made


def damaged(dice, records):
    """Now and then a member is left out, or there is one more."""
    for record in records:
        if dice.random() < 0.02 and record:
            del record[dice.choice(list(record))]
        if dice.random() < 0.03:
            record[dice.choice(["note", "price", "seat"])] = dice.choice([1, "x", None, True])
    return records


def travellers(dice, db, count=None):
    count = dice.choice([0, 1, 1, 1, 2, 2, 3, 4, 5, 6]) if count is None else count
    made = []
    for _ in range(count):
        q = dice.choice([q for r in dice.sample(list(db.reservations.values()), 5) for q in r.passengers])
        made.append({"first_name": near(dice, q.first_name), "last_name": near(dice, q.last_name), "dob": near(dice, q.dob)})
    return damaged(dice, made)


def fare(db, flights, cabin):
    total = 0
    for g in flights:
        day = getattr(db.flights.get(g.get("flight_number")), "dates", {}).get(g.get("date"))
        total += day.prices[cabin] if day is not None and day.status == "available" else 0
    return total


def payments(dice, user, total):
    """The total by some of the user's methods: stored value first, a card for the rest."""
    methods = list(user.payment_methods.values())
    dice.shuffle(methods)
    made, left = [], total
    for m in methods[:dice.randint(1, 3)]:
        amount = left if m.source == "credit_card" else min(left, int(m.amount))
        if dice.random() < 0.3 and amount > 1:
            amount = dice.randint(0, amount)
        made.append({"payment_id": m.id, "amount": amount})
        left -= amount
    if left and made and dice.random() < 0.85:
        card = next((p for p in made if "credit_card" in p["payment_id"]), None)
        if card:
            card["amount"] += left
        else:
            made[-1]["amount"] += left
    if made and dice.random() < 0.15:  # one named twice, the sum the same
        again = dict(dice.choice(made))
        part = dice.choice([0, again["amount"], again["amount"] // 2])
        made.append({"payment_id": again["payment_id"], "amount": part})
        if dice.random() < 0.8:
            dice.choice(made[:-1])["amount"] -= part
    for p in made:
        if dice.random() < 0.02:
            p["payment_id"] = near(dice, p["payment_id"][:-1])
        if dice.random() < 0.03:
            p["amount"] = dice.choice([p["amount"] + 0.5, float(p["amount"]), p["amount"] + 0.25, *ODD_NUMBERS])
    dice.shuffle(made)
    return damaged(dice, made)


def book(dice, db):
    cabin = dice.choice(["business", "economy", "basic_economy"])
    user = dice.choice(list(db.users.values()))
    rich = [u for u in dice.sample(list(db.users.values()), 40) if len(u.payment_methods) > 2]
    user = dice.choice(rich) if rich and dice.random() < 0.7 else user
    people = travellers(dice, db)
    flights = segments(dice, db, cabin, len(people))
    insurance = dice.choice(["yes", "no"])
    bags, paid_bags = whole(dice, dice.randint(0, 6)), whole(dice, dice.randint(0, 3))
    total = fare(db, flights, cabin) * len(people) + (30 * len(people) if insurance == "yes" else 0) + 50 * int(paid_bags)
    total += often(dice, 0.9, lambda: 0, lambda: dice.choice([1, -1, 30, 0.5]))
    total = money(total)
    origin, destination = dice.choice(list(db.flights.values())).origin, dice.choice(list(db.flights.values())).destination
    return {"user_id": near(dice, user.user_id), "origin": near(dice, origin), "destination": near(dice, destination),
            "flight_type": dice.choice(["round_trip", "one_way"]), "cabin": cabin, "flights": damaged(dice, flights), "passengers": people,
            "payment_methods": payments(dice, user, int(total)), "total_baggages": bags, "nonfree_baggages": paid_bags,
            "insurance": insurance}


def a_method_of(dice, db, user_id):
    user = db.users.get(user_id) or dice.choice(list(db.users.values()))
    others = dice.choice(list(db.users.values())).payment_methods
    return often(dice, 0.9, lambda: near(dice, some(dice, user.payment_methods)), lambda: some(dice, others))


def change_flights(dice, db):
    r = a_reservation(dice, db)
    cabin = dice.choice([r.cabin, r.cabin, "business", "economy", "basic_economy"])
    flights = [{"flight_number": f.flight_number, "date": f.date} for f in r.flights]
    kind = dice.random()
    if kind < 0.5 and flights:
        at = dice.randrange(len(flights))
        flight, date = a_flight(dice, db, cabin, len(r.passengers))
        flights[at] = {"flight_number": near(dice, flight.flight_number), "date": near(dice, date)}
    elif kind < 0.65:
        flights = segments(dice, db, cabin, len(r.passengers))
    elif kind < 0.7 and flights:
        flights.append(dict(flights[0]))
    return {"reservation_id": near(dice, r.reservation_id), "cabin": cabin, "flights": damaged(dice, flights),
            "payment_id": a_method_of(dice, db, r.user_id)}


def change_bags(dice, db):
    r = a_reservation(dice, db)
    return {"reservation_id": near(dice, r.reservation_id), "total_baggages": whole(dice, r.total_baggages + dice.randint(-1, 3)),
            "nonfree_baggages": whole(dice, r.nonfree_baggages + dice.randint(-1, 3)), "payment_id": a_method_of(dice, db, r.user_id)}


def change_passengers(dice, db):
    r = a_reservation(dice, db)
    count = often(dice, 0.85, lambda: len(r.passengers), lambda: dice.randint(0, 6))
    return {"reservation_id": near(dice, r.reservation_id), "passengers": travellers(dice, db, count)}


def a_search(dice, db):
    flight = dice.choice(list(db.flights.values()))
    other = dice.choice(list(db.flights.values()))
    destination = dice.choice([flight.destination, other.destination])
    return {"origin": near(dice, flight.origin), "destination": near(dice, destination), "date": near(dice, dice.choice(list(flight.dates)))}


def a_status(dice, db):
    flight = dice.choice(list(db.flights.values()))
    return {"flight_number": near(dice, flight.flight_number), "date": near(dice, dice.choice(list(flight.dates)))}


AIRLINE = {
    "book_reservation": book,
    "calculate": lambda dice, db: {"expression": calculation(dice)},
    "cancel_reservation": lambda dice, db: {"reservation_id": near(dice, a_reservation(dice, db).reservation_id)},
    "get_reservation_details": lambda dice, db: {"reservation_id": near(dice, a_reservation(dice, db).reservation_id)},
    "get_user_details": any_of("users", "user_id"),
    "list_all_airports": lambda dice, db: {},
    "search_direct_flight": a_search,
    "search_onestop_flight": a_search,
    "send_certificate": lambda dice, db: {"user_id": near(dice, dice.choice(list(db.users))), "amount": whole(dice, dice.randint(1, 8) * 50)},
    "transfer_to_human_agents": lambda dice, db: {"summary": odd_text(dice)},
    "update_reservation_baggages": change_bags,
    "update_reservation_flights": change_flights,
    "update_reservation_passengers": change_passengers,
    "get_flight_status": a_status,
}
AIRLINE_TOOLS = list(AIRLINE) + ["book_reservation"] * 6 + ["update_reservation_flights", "update_reservation_baggages"] * 3 + [
    "cancel_reservation", "update_reservation_passengers", "send_certificate"]


class Telecom:
    @staticmethod
    def state(dice, real):
        """One of the benchmark's own beginnings: a customer, some things broken, a phone with odd texts."""
        env = real.env
        real.set(TELECOM_START.setdefault("state", copy_of(real.state_file())))
        tools, phone = env.tools, env.user_tools
        customer = dice.choice(tools.db.customers)
        of_customer = [line for line in tools.db.lines if line.line_id in customer.line_ids]
        line = dice.choice(of_customer or tools.db.lines)
        if dice.random() < 0.95:
            phone.set_user_info(customer.full_name, line.phone_number)
        phone.set_user_location(dice.random() < 0.3)
        for act in dice.sample(breakages(dice, tools, phone, customer, line), dice.randint(0, 5)):
            try:
                act()
            except (AssertionError, ValueError):
                pass
        if dice.random() < 0.1:
            phone.device.sim_card_status = dice.choice(list(type(phone.device.sim_card_status)))
        if dice.random() < 0.15 and phone.device.vpn_connected:
            phone.device.vpn_details = type(phone.default_vpn_details)(
                server_address=dice.choice([None, *ODD_TEXTS]), protocol=dice.choice([None, *ODD_TEXTS]),
                server_performance=dice.choice(["unknown", "poor", "good"]))
        if dice.random() < 0.15:
            phone.device.wifi_enabled = True
            phone.device.wifi_connected = True
            phone.device.wifi_ssid = dice.choice([None, *ODD_TEXTS])
        type(phone).default_vpn_details.server_performance = type(phone.default_vpn_details.server_performance)("excellent")
        env.sync_tools()
        return copy_of(real.state_file())

    @staticmethod
    def call(dice, real):
        db, by_user = real.env.tools.db, dice.random() < 0.55
        tool = dice.choice(TELECOM_USER_TOOLS if by_user else TELECOM_TOOLS)
        arguments = (TELECOM_USER if by_user else TELECOM)[tool](dice, db, real)
        return {"name": tool, "arguments": arguments, "requestor": "user" if by_user else "assistant"}


TELECOM_START = {}


def copy_of(value):
    return json.loads(json.dumps(value))


def breakages(dice, tools, phone, customer, line):
    return [
        phone.unseat_sim_card, lambda: phone.lock_sim_card(dice.choice(["pin", "puk"])), phone.break_apn_settings, phone.break_apn_mms_setting,
        phone.break_vpn, phone.connect_vpn, phone.turn_airplane_mode_on, phone.turn_data_off, phone.turn_roaming_on, phone.turn_roaming_off,
        phone.turn_data_saver_mode_on, lambda: phone.set_wifi_calling(True, dice.choice([None, True, False])),
        lambda: phone.remove_app_permission("messaging", dice.choice(["sms", "storage"])),
        lambda: phone._set_network_mode_preference(dice.choice(["2g_only", "3g_only", "4g_only"])),
        lambda: tools.suspend_line_for_overdue_bill(customer.customer_id, line.line_id, "B1234321", dice.random() < 0.5),
        lambda: tools.set_data_usage(customer.customer_id, line.line_id, dice.choice([0.0, 3.2, 15.1, 150.0])),
        lambda: tools.enable_roaming(customer.customer_id, line.line_id), lambda: tools.disable_roaming(customer.customer_id, line.line_id),
        lambda: setattr(line, "status", type(line.status)(dice.choice(["Active", "Suspended", "Pending Activation", "Closed"]))),
        lambda: phone.surroundings.signal_strength.pop(dice.choice(list(phone.surroundings.signal_strength))),
        lambda: phone.device.app_statuses.pop(dice.choice(["messaging", "browser"])),
    ]


def customer_and_line(dice, db):
    customer = dice.choice(db.customers)
    line = some(dice, customer.line_ids)
    if dice.random() < 0.05:
        line = dice.choice(db.lines).line_id
    return {"customer_id": near(dice, customer.customer_id), "line_id": near(dice, line)}


def its_customer(dice, db, real):
    """The customer whose phone it is, if there is one, so that both sides meet."""
    number = real.env.user_tools.db.surroundings.phone_number
    line = next((l for l in db.lines if l.phone_number == number), None)
    customer = next((c for c in db.customers if line and line.line_id in c.line_ids), None)
    if not customer or dice.random() < 0.4:
        return customer_and_line(dice, db)
    return {"customer_id": near(dice, customer.customer_id), "line_id": near(dice, line.line_id)}


def details(dice, db, real):
    kind, key = dice.choice([("customers", "customer_id"), ("lines", "line_id"), ("bills", "bill_id"), ("devices", "device_id"), ("plans", "plan_id")])
    return {"id": near(dice, getattr(dice.choice(getattr(db, kind)), key))}


def a_bill(dice, db, real):
    given = its_customer(dice, db, real)
    customer = next((c for c in db.customers if c.customer_id == given["customer_id"]), dice.choice(db.customers))
    bill = some(dice, customer.bill_ids) if dice.random() < 0.9 else dice.choice(db.bills).bill_id
    return {"customer_id": given["customer_id"], "bill_id": near(dice, bill)}


def its_bills(dice, db, real):
    given = {"customer_id": its_customer(dice, db, real)["customer_id"]}
    if dice.random() < 0.6:
        given["limit"] = dice.choice([0, 1, 2, 3, 5, 12, 100, -1, -2, -100, 10**18, 10**30, 2.0, 100.0])
    return given


def by_full_name(dice, db, real):
    c = dice.choice(db.customers)
    return {"full_name": cased(dice, near(dice, c.full_name)), "dob": near(dice, c.date_of_birth)}


def a_number(dice, db, real):
    return {"phone_number": near(dice, dice.choice([dice.choice(db.customers).phone_number, dice.choice(db.lines).phone_number]))}


def refuel(dice, db, real):
    amount = often(dice, 0.7, lambda: dice.choice([1, 2, 0.5, 2.0, 1.5, 5, 0.1]), lambda: dice.choice(ODD_NUMBERS))
    return {**its_customer(dice, db, real), "gb_amount": amount}


def apn(dice, db, real):
    text = lambda: dice.choice([None, "mms", "http://mms.carrier.com/mms/wapenc", *ODD_TEXTS])
    members = {"apn_name": lambda: dice.choice(["internet", "broken", "internet", odd_text(dice)]),
               "reset_at_reboot": lambda: dice.choice([True, False, True, False, "yes", 1, 0, "off", None]),
               "mms_apn": text, "mmsc_url": text, "mms_proxy": text,
               "mms_port": lambda: dice.choice([None, 80, 8080, 0, -1, 10**18, 10**30, 1e30, 80.0, 80.5, "80", True])}
    if dice.random() < 0.7:  # what the declared type has
        members["apn_name"] = lambda: dice.choice(["internet", "broken"])
        members["reset_at_reboot"] = lambda: dice.random() < 0.5
        members["mms_port"] = lambda: dice.choice([None, 80, 8080, 0, -1, 10**18, 10**30, 1e30, 80.0])
    chosen = {key: make() for key, make in members.items() if dice.random() < 0.4}
    if dice.random() < 0.03:
        chosen[odd_text(dice)] = 1
    return {"apn_settings": chosen}


def an_app(dice, db, real):
    return {"app_name": near(dice, dice.choice(["messaging", "browser"]))}


def permission(dice, db, real):
    return {**an_app(dice, db, real), "permission": cased(dice, near(dice, dice.choice(["sms", "storage", "phone", "network", "camera", "kamera"])))}


TELECOM = {
    "get_customer_by_phone": a_number,
    "get_customer_by_id": lambda dice, db, real: {"customer_id": near(dice, dice.choice(db.customers).customer_id)},
    "get_customer_by_name": by_full_name,
    "get_details_by_id": details,
    "suspend_line": lambda dice, db, real: {**its_customer(dice, db, real), "reason": odd_text(dice)},
    "resume_line": its_customer,
    "get_bills_for_customer": its_bills,
    "send_payment_request": a_bill,
    "get_data_usage": its_customer,
    "enable_roaming": its_customer,
    "disable_roaming": its_customer,
    "transfer_to_human_agents": lambda dice, db, real: {"summary": odd_text(dice)},
    "refuel_data": refuel,
}
TELECOM_TOOLS = list(TELECOM) + ["suspend_line", "resume_line", "send_payment_request", "refuel_data", "refuel_data"]

NOTHING = ("check_status_bar check_network_status check_network_mode_preference run_speed_test toggle_airplane_mode check_sim_status "
           "reseat_sim_card toggle_data toggle_roaming check_data_restriction_status toggle_data_saver_mode check_apn_settings "
           "reset_apn_settings check_wifi_status toggle_wifi check_wifi_calling_status toggle_wifi_calling check_vpn_status connect_vpn "
           "disconnect_vpn check_installed_apps can_send_mms reboot_device check_payment_request make_payment").split()
TELECOM_USER = {
    **{name: (lambda dice, db, real: {}) for name in NOTHING},
    "set_network_mode_preference": lambda dice, db, real: {"mode": near(dice, dice.choice(["4g_5g_preferred", "4g_only", "3g_only", "2g_only"]))},
    "set_apn_settings": apn,
    "check_app_status": an_app,
    "check_app_permissions": an_app,
    "grant_app_permission": permission,
}
TELECOM_USER_TOOLS = list(TELECOM_USER) + ["set_apn_settings", "set_apn_settings", "grant_app_permission", "make_payment", "reboot_device"]

GENERATORS = {"airline": Airline, "retail": Retail, "telecom": Telecom}

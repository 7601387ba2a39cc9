"""What the policies forbid and a rule once let through, and what a refusal then has to say.

Each case is a conversation of a few reads and writes, of which the last call is looked at. It stands here
with one that is like it and fine, so that no rule passes by refusing everything.
"""

import json

import _run
from _run import SOURCE, Folder, check

PEOPLE = {"first_name": "Bo", "last_name": "Ek", "dob": "1990-01-01"}
DAY = "2024-05-20"


class Talk:
    """A conversation: reads and writes with what they return, each a message of its own."""

    def __init__(self, domain):
        self.domain = domain
        self.messages = [{"role": "user", "content": "Yes, please."}]

    def call(self, tool, args, result=None):
        number = f"call_{len(self.messages)}"
        self.messages.append({"role": "assistant", "content": None, "tool_calls": [
            {"id": number, "type": "function", "function": {"name": tool, "arguments": json.dumps(args)}}]})
        if result is not None:
            text = result if isinstance(result, str) else json.dumps(result)
            self.messages.append({"role": "tool", "tool_call_id": number, "name": tool, "content": text})
        return self


def decide(folder, talk):
    """The decision about the last call."""
    file = folder.write("talk.json", json.dumps({"messages": talk.messages}))
    _, out, err = folder.run("replay", "--json", "--pack", f"{SOURCE}/packs/{talk.domain}", file)
    lines = [json.loads(line) for line in out.splitlines()]
    decisions = [line["decision"] for line in lines if "decision" in line and "probe" not in line]
    return decisions[-1] if decisions else {"verdict": "none", "rules": [], "message": err}


# --- Airline ------------------------------------------------------------------------------------


def flight(number, day=DAY, origin="JFK", destination="SFO", price=100):
    return {"flight_number": number, "date": day, "origin": origin, "destination": destination, "price": price}


def reservation(number="RES001", **changed):
    return {"reservation_id": number, "user_id": "ann", "origin": "JFK", "destination": "SFO", "flight_type": "one_way",
            "cabin": "economy", "flights": [flight("H1")], "passengers": [PEOPLE], "payment_history": [],
            "created_at": "2024-05-01T10:00:00", "total_baggages": 0, "nonfree_baggages": 0, "insurance": "no",
            "status": None, **changed}


def airline(*reservations, membership="regular", booked=()):
    methods = {"card": {"source": "credit_card", "id": "card"},
               "gift": {"source": "gift_card", "id": "gift", "amount": 300},
               "paper": {"source": "certificate", "id": "paper", "amount": 100}}
    talk = Talk("airline").call("get_user_details", {"user_id": "ann"}, {
        "user_id": "ann", "payment_methods": methods, "membership": membership,
        "reservations": [r["reservation_id"] for r in reservations] + list(booked)})
    for one in reservations:
        talk.call("get_reservation_details", {"reservation_id": one["reservation_id"]}, one)
    return talk


def status(talk, number, word, day=DAY):
    return talk.call("get_flight_status", {"flight_number": number, "date": day}, word)


def search(talk, number, day=DAY, origin="JFK", destination="SFO"):
    seats = {"basic_economy": 9, "economy": 9, "business": 9}
    return talk.call("search_direct_flight", {"origin": origin, "destination": destination, "date": day}, [
        {"flight_number": number, "origin": origin, "destination": destination, "status": "available", "date": None,
         "available_seats": seats, "prices": {cabin: 100 for cabin in seats}}])


def update(talk, *flights, result=None, cabin="economy"):
    chosen = [{"flight_number": f["flight_number"], "date": f["date"]} for f in flights]
    return talk.call("update_reservation_flights", {"reservation_id": "RES001", "cabin": cabin, "flights": chosen,
                                                    "payment_id": "card"}, result)


def cancel(talk):
    return talk.call("cancel_reservation", {"reservation_id": "RES001"})


def book(searched=(("H1", DAY, "JFK", "SFO"),), booked=(), **changed):
    talk = airline(booked=booked)
    for one in searched:
        search(talk, *one)
    return talk.call("book_reservation", {
        "user_id": "ann", "origin": "JFK", "destination": "SFO", "flight_type": "one_way", "cabin": "economy",
        "flights": [{"flight_number": "H1", "date": DAY}], "passengers": [PEOPLE],
        "payment_methods": [{"payment_id": "card", "amount": 100}], "total_baggages": 0, "nonfree_baggages": 0,
        "insurance": "no", **changed})


def passenger(**changed):
    return book(passengers=[{**PEOPLE, **changed}])


def certificate(amount, *reservations, seen, changed=None, **profile):
    talk = airline(*reservations, **profile)
    for number, word in seen.items():
        status(talk, number, word)
    if changed:
        talk.call("cancel_reservation", {"reservation_id": changed}, reservation(changed, status="cancelled"))
    return talk.call("send_certificate", {"user_id": "ann", "amount": amount})


def airline_cases():
    legs = [flight("H1", "2024-05-20", "JFK", "ATL"), flight("H2", "2024-05-20", "ATL", "SFO"),
            flight("H3", "2024-05-25", "SFO", "DEN"), flight("H4", "2024-05-25", "DEN", "JFK")]
    basic = reservation(cabin="basic_economy", flight_type="round_trip", flights=legs)
    fixed = "airline_basic_economy_flights_fixed"
    yield "the flights of basic economy, in another cabin", update(airline(basic), *legs), "allow", None, ""
    yield "one of them left out, another twice", update(airline(basic), legs[0], legs[1], legs[1], legs[3]), "block", fixed, ""
    yield "in another order", update(airline(basic), legs[0], legs[2], legs[1], legs[3]), "block", fixed, "in this order, H1"

    basis = "airline_cancel_requires_basis"
    gone = status(airline(reservation()), "H1", "cancelled")
    yield "a flight that the airline cancelled", cancel(gone), "allow", None, ""
    moved = search(status(airline(reservation()), "H1", "cancelled"), "H9")
    update(moved, flight("H9"), result=reservation(flights=[flight("H9")]))
    yield ("one that may be in the reservation no more", cancel(moved), "revise", basis,
           'get_reservation_details(reservation_id: "RES001") first')
    moved.messages = moved.messages[:-1]
    moved.call("get_reservation_details", {"reservation_id": "RES001"}, reservation(flights=[flight("H9")]))
    yield ("one that is in the reservation no more", cancel(moved), "block", basis,
           'could change this: get_flight_status(flight_number: "H9", date: "2024-05-20").')
    odd = airline(reservation(flights=[flight('H1", date: "2024-05-20") and cancel("')]))
    yield "a flight number that would end the read", cancel(odd), "block", basis, r'flight_number: "H1\", date: \"2024-05-20\") and'
    later = airline(reservation(created_at="2024-05-15T15:00:01"))
    yield "booked in a second", cancel(later), "block", basis, "not within the last 24 hours"

    bags = {"reservation_id": "RES001", "total_baggages": 3, "nonfree_baggages": 2, "payment_id": "card"}
    added = airline(reservation())
    yield "bags are added", added.call("update_reservation_baggages", bags), "allow", None, ""
    added = airline(reservation()).call("update_reservation_baggages", bags, reservation(total_baggages=3, nonfree_baggages=2))
    fewer = {**bags, "total_baggages": 1, "nonfree_baggages": 0}
    yield ("and taken away again", added.call("update_reservation_baggages", fewer), "block", "airline_baggage_not_removed",
           "recorded 3, requested 1")
    over = "airline_reservation_not_cancelled"
    for tool, args in (("update_reservation_baggages", bags),
                       ("update_reservation_passengers", {"reservation_id": "RES001", "passengers": [PEOPLE]})):
        ended = airline(reservation(cabin="business"))
        ended.call("cancel_reservation", {"reservation_id": "RES001"}, reservation(status="cancelled"))
        yield f"{tool} of what was cancelled before", ended.call(tool, {"reservation_id": "RES001", **args}), "block", over, "already cancelled"

    two = reservation(passengers=[PEOPLE, PEOPLE], flights=[flight("H1")])
    one = reservation("RES002", flights=[flight("H2")])
    after = "airline_delay_certificate_after_change"
    seen = {"H1": "delayed", "H2": "on time"}
    yield "a delay, and nothing changed", certificate(100, two, one, seen=seen, membership="gold"), "revise", after, "of RES001"
    insured = {"membership": "gold", "seen": seen}
    wrong = certificate(100, {**two, "insurance": "yes"}, {**one, "insurance": "yes"}, changed="RES002", **insured)
    yield "a delay, and another reservation changed", wrong, "revise", after, "of RES001"
    right = certificate(100, {**two, "insurance": "yes"}, one, changed="RES001", **insured)
    yield "a delay, and its reservation changed", right, "allow", None, ""
    three = reservation("RES002", insurance="yes", passengers=[PEOPLE] * 3, flights=[flight("H2")])
    seen = {"H1": "cancelled", "H2": "delayed"}
    yield ("an insured reservation, and another's incident", certificate(100, reservation(), three, seen=seen), "block",
           "airline_certificate_basis_of_incident", "are of RES001; insured or business is RES002")
    covered = reservation(insurance="yes")
    yield "an insured one's incident", certificate(100, covered, three, seen=seen), "allow", None, ""

    amounts = "airline_book_amounts_positive"
    yield "a booking", book(), "allow", None, ""
    less = [{"payment_id": "card", "amount": 9100}, {"payment_id": "gift", "amount": -9000}]
    yield "a payment below zero", book(payment_methods=less), "revise", amounts, "gift -9000"
    none = [{"payment_id": "card", "amount": 100}, {"payment_id": "paper", "amount": 0}]
    yield "a certificate for nothing", book(payment_methods=none), "revise", amounts, "paper 0"
    yield "fewer bags than none", book(total_baggages=-5), "revise", amounts, "total_baggages is -5"
    fee = "airline_book_baggage_fee"
    paid = [{"payment_id": "card", "amount": 150}]
    yield "bags that are free, paid for", book(total_baggages=1, nonfree_baggages=1, payment_methods=paid), "revise", fee, "to sum to 100."
    yield ("the right sum with wrong bags", book(total_baggages=1, nonfree_baggages=1), "revise", "airline_book_total_matches",
           "With nonfree_baggages 0 they do.")
    yield ("a flight that nobody searched", book(searched=()), "revise", "airline_book_flights_observed",
           'search_direct_flight(origin: "JFK", destination: "SFO", date: "2024-05-20"); or, with a stop, search_onestop_flight(')
    three = ["HATHAT", "HATHAU", "HATHAV"]
    yield "a booking beside two others", book(booked=three[:2]), "allow", None, ""
    yield "a booking beside three others", book(booked=three), "block", "airline_book_three_at_most", "takes no more"

    whole = "airline_passenger_fields_complete"
    for name in ("Zoë", "李", "O'Neil", "عمر", "J."):
        yield f"the name {name}", passenger(first_name=name), "allow", None, ""
    for name in " \u00a0\u115f\u2800\u3164\uffa0\ufe0f\u034f\u180b\u17b5\u0301\u200d.":
        yield f"a name of U+{ord(name):04X}", passenger(last_name=name), "revise", whole, "Look at passengers[0]"
    for day in ("9999-99-99", "0000-00-00", "2030-01-01", "1990-1-1", "1990-01-01\n"):
        yield f"born on {day!r}", passenger(dob=day), "revise", whole, "Look at passengers[0]"

    sold = status(search(airline(reservation()), "H9"), "H9", "on time")
    yield ("a flight that is on sale no more", update(sold, flight("H9")), "revise", "airline_update_flights_on_sale",
           "H9 on 2024-05-20 is on time")
    on_sale = "airline_update_flights_on_sale"
    held = search(airline(reservation()), "H9")
    yield ("a held flight that a search does not list", update(held, flight("H1"), cabin="business"), "revise", on_sale,
           "H1 on 2024-05-20 is not in the list of the search")
    held = search(airline(reservation()), "H9")
    yield "and is kept", update(held, flight("H1")), "allow", None, ""
    held = status(search(airline(reservation()), "H9"), "H1", "available")
    yield "and is available, as was read", update(held, flight("H1"), cabin="business"), "allow", None, ""
    held = search(airline(reservation()), "H9", "2024-05-21")
    yield "a search of another day", update(held, flight("H1"), cabin="business"), "allow", None, ""

    down = update(search(airline(reservation(cabin="business")), "H1"), flight("H1"), result="Error: timed out")
    yield "a downgrade that may have happened", cancel(down), "revise", basis, 'get_reservation_details(reservation_id: "RES001")'
    down = update(search(airline(reservation(cabin="business")), "H1"), flight("H1"), result="Error: timed out")
    down.call("get_reservation_details", {"reservation_id": "RES001"}, reservation(cabin="business"))
    yield "and has not, as was read", cancel(down), "allow", None, ""
    up = update(search(airline(reservation()), "H1"), flight("H1"), cabin="business", result=reservation(cabin="business"))
    yield "an upgrade that has", cancel(up), "allow", None, ""

    first = reservation(insurance="yes")
    second = reservation("RES002", insurance="yes", flights=[flight("H2")])
    twice = "airline_no_repeated_write"
    seen = {"H1": "cancelled", "H2": "cancelled"}
    sent = "Certificate certificate_3221322 added to user ann with amount 100."
    same = {"user_id": "ann", "amount": 100}
    for incidents, verdict in ((seen, "allow"), ({**seen, "H2": "on time"}, "revise")):
        talk = certificate(100, first, second, seen=incidents)
        talk.messages = talk.messages[:-1]
        talk.call("send_certificate", same, sent).call("send_certificate", same)
        yield f"a second certificate, {incidents}", talk, verdict, twice if verdict == "revise" else None, ""


# --- Retail -------------------------------------------------------------------------------------


def order(status, method="gift_card_1", number="#W0000001"):
    item = {"name": "Shirt", "product_id": "9", "item_id": "1", "price": 10.0, "options": {}}
    return {"order_id": number, "user_id": "ann", "address": {}, "items": [item], "status": status, "fulfillments": [],
            "payment_history": [{"transaction_type": "payment", "amount": 10.0, "payment_method_id": method}]}


def retail(*orders, profile=True, balance=5, price=100.0):
    talk = Talk("retail").call("find_user_id_by_email", {"email": "ann@example.com"}, "ann")
    if profile:
        methods = {"credit_card_1": {"source": "credit_card", "id": "credit_card_1"},
                   "gift_card_1": {"source": "gift_card", "id": "gift_card_1", "balance": balance},
                   "paypal_1": {"source": "paypal", "id": "paypal_1"}}
        talk.call("get_user_details", {"user_id": "ann"}, {
            "user_id": "ann", "name": {"first_name": "Ann", "last_name": "A"}, "address": {}, "email": "ann@example.com",
            "payment_methods": methods, "orders": [o["order_id"] for o in orders]})
    for one in orders:
        talk.call("get_order_details", {"order_id": one["order_id"]}, one)
    variants = {"1": ("cotton", 10.0), "2": ("silk", price), "3": ("wool", 9.0)}
    return talk.call("get_product_details", {"product_id": "9"}, {"name": "Shirt", "product_id": "9", "variants": {
        k: {"item_id": k, "options": {"material": m}, "available": True, "price": p} for k, (m, p) in variants.items()}})


def exchange(talk, new, method, tool="exchange_delivered_order_items"):
    return talk.call(tool, {"order_id": "#W0000001", "item_ids": ["1"], "new_item_ids": new,
                            "payment_method_id": method})


def pay_with(talk, method, result=None):
    return talk.call("modify_pending_order_payment", {"order_id": "#W0000001", "payment_method_id": method}, result)


def retail_cases():
    covers, read = "retail_gift_card_covers_difference", "retail_gift_card_of_difference_read"
    given, pending = order("delivered"), order("pending", "credit_card_1")
    yield "a gift card that is too small", exchange(retail(given), ["2"], "gift_card_1"), "revise", covers, "5.00"
    exact = {"balance": 8.1, "price": 18.1}  # 18.1 - 10.0 is a little more than 8.1
    yield "one that holds it, to the cent", exchange(retail(given, **exact), ["2"], "gift_card_1"), "allow", None, ""
    modified = exchange(retail(pending, **exact), ["2"], "gift_card_1", "modify_pending_order_items")
    yield "and that tool does not round", modified, "revise", covers, "holds 8.10; the difference is 8.10000"
    yield ("an empty id", exchange(retail(given), ["3", ""], "credit_card_1"), "revise", "retail_new_items_paired",
           "new_item_ids[1] names no item: leave it out.")
    unread = exchange(retail(given, profile=False), ["2"], "gift_card_1")
    yield "one of which nobody knows what is on it", unread, "revise", read, 'get_user_details(user_id: "ann")'
    unread = exchange(retail(order("pending"), profile=False), ["2"], "gift_card_1", "modify_pending_order_items")
    yield "and for a pending order", unread, "revise", read, "90.00"
    yield "one that gets money back", exchange(retail(given, profile=False), ["3"], "gift_card_1"), "allow", None, ""
    card = exchange(retail(order("delivered", "credit_card_1"), profile=False), ["2"], "credit_card_1")
    yield "the card that paid", card, "allow", None, ""

    yield "another payment", pay_with(retail(pending), "paypal_1"), "allow", None, ""
    twice = pay_with(retail(order("pending")), "credit_card_1", result=order("pending"))
    yield "and another one once more", pay_with(twice, "paypal_1"), "block", "retail_payment_change_single", "already changed"

    yield ("an exchange for nothing", exchange(retail(given), [], "credit_card_1"), "revise", "retail_new_items_paired",
           "takes the place of the item at the same position")
    yield ("an exchange for itself", exchange(retail(given), ["1"], "credit_card_1"), "revise", "retail_new_item_differs",
           "2 (material silk; 100.00)")

    whole = {"address1": "1 Elm", "address2": "", "city": "Ulm", "state": "TX", "country": "USA", "zip": "1"}
    for text, verdict in (("Elm 5", "allow"), ("5", "allow"), (" ", "revise"), ("\u3164", "revise"), ("\u2800", "revise")):
        talk = retail().call("modify_user_address", {"user_id": "ann", **whole, "address1": text})
        rule = None if verdict == "allow" else "retail_address_complete"
        yield f"the street {text!r}", talk, verdict, rule, "" if verdict == "allow" else "Empty: address1."


def is_agreed(folder, words):
    """Is a user who says this taken to have agreed?"""
    talk = pay_with(retail(order("pending", "credit_card_1")), "paypal_1")
    talk.messages[0]["content"] = words
    decision = decide(folder, talk)
    check(decision["verdict"] == "allow", f"{words!r}: what is reported is not refused", decision)
    return "retail_confirmed_first" not in [report["rule"] for report in decision["reports"]]


def what_is_of_the_call(folder):
    """What is wrong with the call itself is told beside a rule that is told alone; and no record is missed whose id
    has not the form of one."""
    cancelled = retail(order("pending", "credit_card_1"))
    cancelled.call("cancel_pending_order", {"order_id": "W0000001", "reason": "hm"})
    decision = decide(folder, cancelled)
    check("retail_order_owner" in decision["rules"], "the order is not known", decision["rules"])
    for words in ("Order ids have the form", "The reason must be"):
        check(words in decision["message"], f"beside it: {words}", decision["message"])
    check("Evidence is missing" not in decision["message"], "no evidence is missed of what is no id", decision["message"])


def agreements(folder):
    for words in ("Yes, please", "No problem, yes go ahead", "I do not need bags. Go ahead.", "I'm not sure, but yes",
                  "I don't want insurance, please proceed", "ok"):
        check(is_agreed(folder, words), f"{words!r} is a yes")
    for words in ("No, I do not agree", "I'm not sure about that", "that is not correct!", "please don't proceed",
                  "please don\u2019t proceed", "confirmed? no", "Hello"):
        check(not is_agreed(folder, words), f"{words!r} is none")


# --- Telecom ------------------------------------------------------------------------------------

NUMBERS = {"L1": "555-0001", "L2": "555-0002"}


def customer(number="C1", lines=("L1", "L2"), bills=("B1", "B2"), phone="555-0009"):
    return {"customer_id": number, "full_name": "Ann A", "date_of_birth": "1990-01-01", "email": "ann@example.com",
            "phone_number": phone, "address": {"street": "1 Elm", "city": "Ulm", "state": "TX", "zip_code": "1"},
            "account_status": "Active", "payment_methods": [], "line_ids": list(lines), "bill_ids": list(bills),
            "created_at": "2024-01-01 00:00:00", "last_extension_date": None, "goodwill_credit_used_this_year": 0.0}


def line(number, word="Active"):
    return {"line_id": number, "phone_number": NUMBERS[number], "status": word, "plan_id": "P1", "device_id": "D1",
            "data_used_gb": 1.0, "data_refueling_gb": 0.0, "roaming_enabled": False, "contract_end_date": "2026-12-31",
            "last_plan_change_date": None, "last_sim_replacement_date": None, "suspension_start_date": None}


def bill(number, word):
    return {"bill_id": number, "customer_id": "C1", "period_start": "2025-01-01", "period_end": "2025-01-31",
            "issue_date": "2025-01-01", "total_due": 0.0, "due_date": "2025-02-01", "line_items": [], "status": word}


def by_id(talk, record):
    key = next(k for k in ("line_id", "bill_id") if k in record)
    return talk.call("get_details_by_id", {"id": record[key]}, record)


def telecom(*records, phone=None, own="555-0009"):
    talk = Talk("telecom")
    if phone:
        talk.call("get_customer_by_phone", {"phone_number": phone}, customer(phone=own))
    else:
        talk.call("get_customer_by_id", {"customer_id": "C1"}, customer())
    for record in records:
        by_id(talk, record)
    return talk


def suspend(talk, number="L1", reason="overdue", result=None):
    return talk.call("suspend_line", {"customer_id": "C1", "line_id": number, "reason": reason}, result)


def request(talk, number, result=None):
    return talk.call("send_payment_request", {"customer_id": "C1", "bill_id": number}, result)


def telecom_cases():
    one, two, late = line("L1"), line("L2"), bill("B1", "Overdue")
    single = "telecom_single_awaiting_payment"
    bills = [late, bill("B2", "Overdue")]
    sent = "Payment request sent to the customer for bill B1"
    yield "a payment request", request(telecom(*bills), "B1"), "allow", None, ""
    yield ("another one, and the first bill not read again", request(request(telecom(*bills), "B1", sent), "B2"), "revise",
           single, 'get_details_by_id(id: "B1")')
    again = by_id(request(telecom(*bills), "B1", sent), bill("B1", "Awaiting Payment"))
    yield "the first one read again, and unpaid", request(again, "B2"), "block", single, "It is B1"
    paid = by_id(request(telecom(*bills), "B1", sent), bill("B1", "Paid"))
    yield "the first one paid", request(paid, "B2"), "allow", None, ""

    active = "telecom_suspend_status_active"
    done = suspend(telecom(one, late), result={"message": "Line suspended", "line": line("L1", "Suspended")})
    yield ("suspended once more, for another reason", suspend(done, reason="asked for"), "revise", active,
           'get_details_by_id(id: "L1")')
    yield ("no reason to suspend", suspend(telecom(one, bill("B1", "Paid"))), "block", "telecom_suspend_has_reason",
           "end of its contract is 2026-12-31. Of the bills that were read B1 is Paid. Not looked at")

    matches = "telecom_line_matches_phone"
    yield "the line of the number", suspend(telecom(one, late, phone="555-0001")), "allow", None, ""
    yield ("another line, and the right one not read", suspend(telecom(two, late, phone="555-0001"), "L2"), "revise", matches,
           'get_details_by_id(id: "L1")')
    yield ("another line, and the right one read", suspend(telecom(one, two, late, phone="555-0001"), "L2"), "revise",
           matches, "The number given is 555-0001; its line is L1.")
    own = telecom(one, two, late, phone="555-0009")
    yield "a number that is of no line", suspend(own, "L2"), "allow", None, ""
    other = telecom(one, late, phone="555-0002", own="555-0002")
    other.call("get_customer_by_phone", {"phone_number": "555-0777"}, customer("C2", ["L7"], [], "555-0777"))
    talk = suspend(other)
    yield "a number of somebody else beside it", talk, "revise", matches, "The number given is 555-0002;"


def main():
    secrets = 0
    with Folder() as folder:
        agreements(folder)
        what_is_of_the_call(folder)
        for cases in (airline_cases, retail_cases, telecom_cases):
            for sentence, talk, verdict, rule, words in cases():
                decision = decide(folder, talk)
                where = f"{talk.domain}, {sentence}"
                check(decision["verdict"] == verdict, f"{where}: {verdict}", decision)
                if rule:
                    check(rule in decision["rules"], f"{where}: {rule}", decision["rules"])
                    check(words in decision["message"], f"{where}: says {words!r}", decision["message"])
                secrets += "555-0777" in decision["message"]
    check(secrets == 0, "no number of another customer is told", secrets)
    _run.done()


main()

"""A customer, a shop's tools and a model, all scripted: what every client plays.

The model looks the customer up, reads two records at once, then refunds to a card that the retail pack rules out. Asked again,
it declines. The customer agrees to the gift card; the model tries the wrong card once more beside a read, is told, and
then does it right.
"""

import json

SYSTEM = "You serve customers of an online shop."
USERS = ["Please send my grinder back, order #W4410927, and put the money on my credit card. Bruno Keita, zip 43085. Yes, do it.",
         "Not what I hoped for, but yes, please take the gift card."]

WRITE = "return_delivered_order_items"
ORDER = {
    "order_id": "#W4410927", "user_id": "bruno_keita_3308",
    "address": {"address1": "77 Mill Street", "address2": "Floor 2", "city": "Columbus", "country": "USA",
                "state": "OH", "zip": "43085"},
    "items": [{"name": "Espresso Grinder", "product_id": "5519900271", "item_id": "7729835504", "price": 189.9,
               "options": {"color": "steel"}}],
    "status": "delivered", "fulfillments": [{"tracking_id": ["660184420917"], "item_ids": ["7729835504"]}],
    "payment_history": [{"transaction_type": "payment", "amount": 189.9, "payment_method_id": "gift_card_6402195"}],
    "cancel_reason": None, "exchange_items": None, "exchange_new_items": None, "exchange_payment_method_id": None,
    "exchange_price_difference": None, "return_items": None, "return_payment_method_id": None,
}
USER = {
    "user_id": "bruno_keita_3308", "name": {"first_name": "Bruno", "last_name": "Keita"}, "address": ORDER["address"],
    "email": "bruno.keita@example.com",
    "payment_methods": {
        "gift_card_6402195": {"source": "gift_card", "id": "gift_card_6402195", "balance": 23.5},
        "credit_card_8137740": {"source": "credit_card", "id": "credit_card_8137740", "brand": "mastercard",
                                "last_four": "0391"}},
    "orders": ["#W4410927"],
}
RESULTS = {
    "find_user_id_by_name_zip": "bruno_keita_3308",
    "get_user_details": json.dumps(USER),
    "get_order_details": json.dumps(ORDER),
    WRITE: json.dumps({**ORDER, "status": "return requested", "return_items": ["7729835504"],
                       "return_payment_method_id": "gift_card_6402195"}),
}


def tool(name, description, **properties):
    return {"name": name, "description": description,
            "parameters": {"type": "object", "properties": properties, "required": list(properties),
                           "additionalProperties": False}}


TEXT = {"type": "string"}
TOOLS = [
    tool("find_user_id_by_name_zip", "Finds a customer.", first_name=TEXT, last_name=TEXT, zip=TEXT),
    tool("get_user_details", "Reads a profile.", user_id=TEXT),
    tool("get_order_details", "Reads an order.", order_id=TEXT),
    tool(WRITE, "Returns items of a delivered order.", order_id=TEXT, item_ids={"type": "array", "items": TEXT},
         payment_method_id=TEXT),
]


def call(call_id, name, **arguments):
    return call_id, name, json.dumps(arguments)


def refund(call_id, card):
    return call(call_id, WRITE, order_id="#W4410927", item_ids=["7729835504"], payment_method_id=card)


FIND = call("call_1", "find_user_id_by_name_zip", first_name="Bruno", last_name="Keita", zip="43085")
PROFILE = call("call_2", "get_user_details", user_id="bruno_keita_3308")
LOOK = call("call_3", "get_order_details", order_id="#W4410927")
WRONG = refund("call_4", "credit_card_8137740")
WRONG_AGAIN = refund("call_5", "credit_card_8137740")
LOOK_AGAIN = call("call_6", "get_order_details", order_id="#W4410927")
RIGHT = refund("call_7", "gift_card_6402195")

READS = [(None, [FIND]), ("Let me look.", [PROFILE, LOOK])]
DECLINED = "I can refund only the gift card that paid for it. Is that all right?"
DONE = "Done: $189.90 go to your gift card."
ENDING = [(None, [WRONG_AGAIN, LOOK_AGAIN]), (None, [RIGHT]), (DONE, [])]

# What the model says, one reply a request.
SCRIPTS = {
    "asked again": [*READS, (None, [WRONG]), (DECLINED, []), *ENDING],
    "mended": [*READS, (None, [WRONG]), (None, [RIGHT]), (DONE, []), (DONE, [])],
    "returned": [*READS, (None, [WRONG]), *ENDING],
    "plain": [*READS, (DECLINED, []), (None, [RIGHT]), (DONE, [])],
}
# The calls that a client makes of them behind the gate, in their order.
MADE = {
    "asked again": [FIND, PROFILE, LOOK, LOOK_AGAIN, RIGHT],
    "mended": [FIND, PROFILE, LOOK, RIGHT],
    "returned": [FIND, PROFILE, LOOK, LOOK_AGAIN, RIGHT],
    "plain": [FIND, PROFILE, LOOK, RIGHT],
}

"""A conversation of which nothing is known, as long as one wants, asked for again and again."""

import http.client
import json
import time

ORDER = {"order_id": "#W%07d", "user_id": "sofia_rossi_8776", "status": "delivered", "cancel_reason": None,
         "address": {"address1": "291 River Road", "city": "San Diego", "country": "USA", "state": "CA", "zip": "92105"},
         "items": [{"name": "Headphones", "product_id": "6992792935", "item_id": "4202497723", "price": 342.81,
                    "options": {"type": "over-ear", "connectivity": "wireless", "color": "blue"}}] * 3,
         "payment_history": [{"transaction_type": "payment", "amount": 1028.43, "payment_method_id": "credit_card_1"}]}


def conversation(size):
    """Messages of so many bytes: orders that were looked up, one after the other."""
    messages = [{"role": "user", "content": "(customer @subject@@) Please look at all of these orders."}]
    length, number = 0, 0
    while length < size:
        order = dict(ORDER, order_id=f"#W{number:07d}")
        call = {"id": f"call_{number}", "type": "function",
                "function": {"name": "get_order_details", "arguments": json.dumps({"order_id": order["order_id"]})}}
        pair = [{"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": call["id"], "content": json.dumps(order)}]
        length += sum(len(json.dumps(message)) for message in pair)
        messages += pair
        number += 1
    messages.append({"role": "user", "content": "Thank you."})
    return json.dumps({"model": "bench", "messages": messages})


def ask_again_and_again(proxy, body, took, stop):
    """Each time as another customer; seconds into `took`."""
    while not stop.is_set():
        begun = time.monotonic()
        text = body.replace("@subject@@", f"{time.monotonic_ns() % 10**10:010d}").encode()
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=60)
        try:
            connection.request("POST", proxy.path, text, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            if answer.status == 200:
                took.append(time.monotonic() - begun)
            elif not stop.is_set():
                print(f"a conversation of {len(text)} bytes: {answer.status}")
        except OSError:
            return  # the model has gone
        finally:
            connection.close()
        stop.wait(0.5)

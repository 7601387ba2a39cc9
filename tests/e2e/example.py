"""What examples/gate_a_call.c prints: the whole library in one program, built as a stranger would."""

import os
import subprocess

import _run
from _run import BIN, RETAIL, check

EXAMPLE = os.path.join(os.path.dirname(BIN), "examples", "example_gate_a_call")

WANTED = """\
Ledger of retail: what tools have returned in this conversation (3 records).
ledger.auth.user_id = "ada_1"  [find_user_id_by_email, turn 1]
ledger.user = {user_id: "ada_1", payment_methods: {2}}  [get_user_details, turn 2]
ledger.orders["#W0000001"] = {order_id: "#W0000001", user_id: "ada_1", status: "delivered", items: [1], payment_history: [1]}  [get_order_details, turn 3]

revise
return_delivered_order_items was not carried out (revise).
- retail_refund_payment_in_order_history: Refunds must go to the original payment method of #W0000001 or an existing gift card; got card_7. The order was paid with gift_2. Gift cards in the profile: gift_2. [retail policy: The refund must either go to the original payment method, or an existing gift card.]
The rules would pass with args.payment_method_id = "gift_2", if that is what is wanted.
hint: args.payment_method_id = "gift_2"
allow
"""


def run(*words):
    return subprocess.run([EXAMPLE, *words], capture_output=True, text=True, timeout=300)


def main():
    judged = run(RETAIL)
    check(judged.stdout == WANTED, "the ledger, a refusal with a hint, an allowed call", judged.stdout)
    check(judged.returncode == 0 and not judged.stderr, "exit code 0", judged.stderr)
    absent = run("no/such/pack")
    check("no/such/pack" in absent.stderr, "a pack that is not there is named", absent.stderr)
    check(absent.returncode == 2, "exit code 2 without a pack", absent.returncode)
    check(run().returncode == 2, "exit code 2 without arguments")
    _run.done()


main()

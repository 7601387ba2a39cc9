"""The options of a model, as every verb has them that asks one: what goes together, and where the key is and is not."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from _run import CONVERSATION, Folder, check, done  # noqa: E402
from scripted_model import ScriptedModel  # noqa: E402

KEY = "sk-secret-1234567890"
HERE = ("--model", "m", "--model-url", "http://127.0.0.1:9/v1")
WRONG = [
    (("--no-model", "--model", "m"), "--no-model"),
    (("--no-model", "--model-budget", "calls=1"), "--no-model"),
    (("--model-url", "http://x/v1"), "--model names"),
    (("--model-replay", "r.jsonl"), "--model names"),
    (("--model", "m"), "--model-url"),
    ((*HERE, "--model-record", "r", "--model-replay", "r"), "--model-record"),
    ((*HERE, "--model-key-env", "NO_SUCH_KEY"), "NO_SUCH_KEY"),
    ((*HERE, "--model-key-env", "EMPTY_KEY"), "EMPTY_KEY"),
    ((*HERE, "--model-key-env", "BROKEN_KEY"), "control character"),
    ((*HERE, "--model-budget", "calls=none"), "--model-budget"),
    ((*HERE, "--model-budget", "money=1"), "prices"),
    ((*HERE, "--model-prices", "1"), "--model-prices"),
    ((*HERE, "--model-prices", "1,-2"), "--model-prices"),
    ((*HERE, "--model-format", "xml"), "--model-format"),
    (("--model", "m", "--model-url", "ftp://x"), "http://"),
    (("--model", "m", "--model-url", f"http://:{KEY}@x/v1"), "password"),
    (("--model", "m", "--model-replay", "absent.jsonl"), "absent.jsonl"),
    (("--model", "m", "--model-replay", "broken.jsonl"), "broken.jsonl:1:"),
    ((*HERE, "--model-record", "no/such/folder"), "no/such/folder"),
]

with Folder() as folder:
    folder.environment |= {"EMPTY_KEY": "", "BROKEN_KEY": f"{KEY}\nX-Evil: 1", "MODEL_KEY": KEY}
    folder.write("broken.jsonl", '{"hash": 1}\n')
    for options, words in WRONG:
        code, out, err = folder.run("audit", CONVERSATION, *options)
        check(code == 2 and words in err, f"{' '.join(options)}", f"{code}\n{err}")
        check(KEY not in out + err, f"{' '.join(options)}: nothing of a key", out + err)
    with ScriptedModel([{"say": {"status": 401, "body": {"error": {"message": f"wrong key {KEY}"}}}}]) as model:
        asked = ("--model", "m", "--model-url", model.url, "--model-key-env", "MODEL_KEY", "--model-record", "r.jsonl",
                 "--model-prices", "0.15,0.60", "--model-budget", "calls=100,money=1", "--model-format", "object-schema")
        code, out, err = folder.run("audit", CONVERSATION, "--json", *asked)
        check(code in (0, 1), "a key that is refused leaves the rest as it is", f"{code}\n{err}")
        check(len(model.requests) > 0, "the model is asked")
        check(all(r.fields.get("authorization") == f"Bearer {KEY}" for r in model.requests), "with the key")
        check(all(r.json["response_format"]["type"] == "json_object" for r in model.requests), "and the format")
        with open(os.path.join(folder.path, "r.jsonl"), encoding="utf-8") as file:
            recorded = file.read()
        check(recorded and KEY not in recorded + out + err, "the key is in no output and in no recording", out + err)
        count = len(model.requests)
        code, again, err = folder.run("audit", CONVERSATION, "--json", "--model", "m", "--model-replay", "r.jsonl",
                                      "--model-prices", "0.15,0.60", "--model-format", "object-schema")
        check(again == out, "replayed, it is the same byte for byte", f"{out[:2000]}\n{again[:2000]}\n{err}")
        check(len(model.requests) == count, "and nothing is asked")
    without = folder.run("audit", CONVERSATION, "--json")
    check(folder.run("audit", CONVERSATION, "--json", "--no-model") == without, "--no-model is no model")
done()

"""Behind the simulator: recordings and real services, their statuses, what they lack, what is not asked; and what headers tell."""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from _simulate import SOURCE, Folder, McpClient, Simulator, check, done

PET = {"type": "object", "required": ["id", "name"], "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}
ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}


def said(schema):
    return {"description": "d", "content": {"application/json": {"schema": schema}}}


def body(schema):
    return {"content": {"application/json": {"schema": schema}}}


DOCUMENT = {"openapi": "3.1.0", "info": {"title": "pets", "version": "1"}, "paths": {
    "/pets": {"post": {"operationId": "createPet", "requestBody": body(PET), "responses": {"201": said(PET)}}},
    "/pets/{id}": {
        "get": {"operationId": "getPet", "parameters": [ID], "responses": {
            "200": said({"$ref": "#/components/schemas/Pet"}), "404": said({"type": "object"})}},
        "patch": {"operationId": "patchPet", "parameters": [ID], "requestBody": body({"type": "object"}),
                  "responses": {"200": said(PET), "404": said({"type": "object"})}},
        "delete": {"operationId": "deletePet", "parameters": [ID], "responses": {"204": {"description": "gone"}}}}},
    "components": {"schemas": {"Pet": PET}}}


class Pets(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        known = self.path == "/pets/7"
        text = json.dumps({"id": 7, "name": "Rex"} if known else {"detail": "no such pet"}).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def is_lacking(got, source):
    status, answer, headers = got
    check(status == 404 and answer == {"detail": "no such pet"} and headers["x-ledgergate-source"] == source,
          f"{source}: as the service said it", got)


def recorded(folder, at):
    with Simulator(folder, "pets.json", "--record", "tape.jsonl", "--to", at) as sim:
        client = sim.client()
        is_lacking(client.get("/pets/8"), "real")
        check(client.get("/pets/7")[1] == {"id": 7, "name": "Rex"}, "what is there is there")
    with open(f"{folder.path}/tape.jsonl", encoding="utf-8") as file:
        check([json.loads(line)["status"] for line in file] == [404, 200], "the tape has the statuses")
    with Simulator(folder, "pets.json", "--recorded", "tape.jsonl") as sim:
        client = sim.client()
        is_lacking(client.get("/pets/8"), "recorded")
        check(client.post("/tools/getPet", {"id": 8})[0] == 404, "by its name, too")
    folder.write("bare.jsonl", json.dumps({"name": "getPet", "arguments": {"id": 8}, "result": "no", "error": True}) + "\n"
                 + json.dumps({"name": "deletePet", "arguments": {"id": 8}, "result": "gone"}) + "\n")
    with Simulator(folder, "pets.json", "--recorded", "bare.jsonl") as sim:
        client = sim.client()
        check(client.get("/pets/8")[0] == 422, "an error of no known status")
        status, _, headers = client.ask("DELETE", "/pets/8")
        check(status == 204 and headers["x-ledgergate-source"] == "recorded", "a recorded write is replayed", (status, headers))
    with Simulator(folder, "--recorded", "bare.jsonl") as sim:
        status, answer, headers = sim.client().post("/tools/deletePet", {"id": 8})
        check((status, answer, headers["x-ledgergate-source"]) == (200, "gone", "recorded"), "without a document", answer)


def hybrid(folder, at):
    with Simulator(folder, "pets.json", "--real", at) as sim:
        client = sim.client()
        is_lacking(client.get("/pets/8"), "real")
        check(client.ask("PATCH", "/pets/8", {"name": "x"})[0] == 404, "what the service lacks is not changed")
        check(client.ask("DELETE", "/pets/9")[0] == 404, "nor deleted")
        check(client.ask("PATCH", "/pets/7", {"name": "Tom"})[0] == 200, "what it has is, here")
        check(client.get("/pets/7")[1] == {"id": 7, "name": "Tom"}, "and shown so")
        check(client.post("/pets", {"id": 8, "name": "Kit"})[0] == 201, "what is made here")
        check(client.get("/pets/8")[1] == {"id": 8, "name": "Kit"}, "is there, whatever the service says")
        check(client.ask("PATCH", "/pets/8", {"name": "Kat"})[0] == 200, "and may be changed")
    with Simulator(folder, "pets.json", "--real", "openapi:http://127.0.0.1:9") as sim:
        client = sim.client()
        status, answer, headers = client.get("/pets/7")
        check(status == 502 and headers["x-ledgergate-source"] == "real" and "could not be asked" in headers["x-ledgergate-note"],
              "what is real is not made up", (status, answer, headers))
        status, answer, _ = client.call("default", "getPet", {"id": 7})
        check(status == 200 and answer["end"] == "failed" and answer["note"], "nor on the plain face", answer)


def tools(folder):
    """What an MCP document says of its tools is passed on; without a hint nothing real is asked, and that is said."""
    folder.write("tools.json", json.dumps({"tools": [
        {"name": "get_note", "title": "A note", "annotations": {"destructiveHint": False}, "inputSchema": {"type": "object"}}]}))
    with Simulator(folder, "tools.json", "--real", "http://127.0.0.1:9/mcp") as sim:
        client = sim.client()
        tool, = McpClient(client).send("tools/list", {})[1]["result"]["tools"]
        check(tool["title"] == "A note" and tool["annotations"] == {"destructiveHint": False}, "title and annotations", tool)
        status, _, headers = client.post("/tools/get_note", {})
        check(status == 200 and "said to read" in headers["x-ledgergate-note"], "made up, and said", headers)
    with Simulator(folder, "pets.json") as sim:
        client = sim.client()
        listed = json.dumps(client.get("/tools")[1])
        check("$ref" not in listed and '"name"' in listed, "no reference leads out of the list of tools", listed)
        _, answer, _ = client.get("/pet/7")
        check("/pets/{id}" in answer["error"]["message"] and "/sessions" in answer["error"]["message"], "the nearest path", answer)


def violations(folder):
    """A rule that speaks against a call is told on every face."""
    example = os.path.join(SOURCE, "examples", "repository")
    with Simulator(folder, "--pack", example, "--state", os.path.join(example, "state.json")) as sim:
        client = sim.client()
        rules = [t["name"] for t in client.get("/tools")[1]["tools"]]
        check(rules, "the example has tools")
        status, _, headers = client.post("/tools/" + rules[0], {"no": "such argument"})
        check(status == 400 and headers["x-ledgergate-violations"].split()[0].isdigit(), "in a header", headers)
        mcp = McpClient(client)
        _, answer, headers = mcp.send("tools/call", {"name": rules[0], "arguments": {"no": 1}})
        told = answer["result"]["_meta"]["ledgergate/violations"]
        check(told[0]["rule"] and headers["x-ledgergate-violations"].startswith(f"{len(told)} "), "and in a result of MCP", answer)


with Folder() as temporary, ThreadingHTTPServer(("127.0.0.1", 0), Pets) as service:
    Thread(target=service.serve_forever, daemon=True).start()
    temporary.write("pets.json", json.dumps(DOCUMENT))
    address = f"openapi:http://127.0.0.1:{service.server_address[1]}"
    recorded(temporary, address)
    hybrid(temporary, address)
    tools(temporary)
    violations(temporary)
    service.shutdown()
done()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""growth.py VOLCANO FOLDER [LENGTH] [KIND...] - how the cost of a request grows with each of its lists and maps.

Starts the API server alone, reads the schema of every kind that it serves, and sends a dry run of a create for every list and
every map of it: once with LENGTH / 8 elements and once with LENGTH, all of them equal, then all of them different. Most of
these objects are wrong; what counts is the time until the answer. A field whose time grows more than twice as fast as its
length, and takes over a second, is a finding: one request of 3 MB could hold the server for minutes.
"""
import base64
import http.client
import json
import pathlib
import re
import ssl
import subprocess
import sys
import time

DEPTH = 12  # of nested types; the schema of custom definitions contains itself
SLOW = 1.0  # seconds


class Server:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        subprocess.run([program, "up", "-d", "--data-dir", folder, "--listen", "127.0.0.1:0", "--components", "apiserver"],
                       check=True, stdout=subprocess.DEVNULL)
        text = pathlib.Path(folder, "kubeconfig").read_text(encoding="utf-8")
        self.address = re.search(r"server: https://(\S+)", text)[1]
        self.tls = ssl.create_default_context(cadata=self.part(text, "certificate-authority").decode())
        self.tls.check_hostname = False
        for name in ("certificate", "key"):
            pathlib.Path(folder, "growth." + name).write_bytes(self.part(text, "client-" + name))
        self.tls.load_cert_chain(folder + "/growth.certificate", folder + "/growth.key")
        self.connection = None

    @staticmethod
    def part(text, name):
        return base64.b64decode(re.search(name + r"-data: (\S+)", text)[1])

    def ask(self, method, path, body=None):
        for _ in range(2):
            self.connection = self.connection or http.client.HTTPSConnection(self.address, context=self.tls, timeout=600)
            try:
                self.connection.request(method, path, body, {"Content-Type": "application/json"})
                answer = self.connection.getresponse()
                return answer.status, answer.read()
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                self.connection = None  # an idle connection was closed
        raise SystemExit("no answer to %s %s" % (method, path))

    def stop(self):
        subprocess.run([self.program, "down", "--data-dir", self.folder], check=True, stdout=subprocess.DEVNULL)


class Schemas:
    def __init__(self, all_schemas):
        self.all = all_schemas

    def resolve(self, schema):
        while True:
            if "$ref" in schema:
                schema = self.all[schema["$ref"].rpartition("/")[2]]
            elif len(schema.get("allOf", ())) == 1 and "type" not in schema:
                schema = schema["allOf"][0]
            else:
                return schema

    def sample(self, schema, number, depth=0):
        """A small value; with another number it differs in every text and number."""
        schema = self.resolve(schema)
        kind = schema.get("type")
        if "enum" in schema:
            return schema["enum"][0]
        if kind == "integer" or kind == "number":
            return number % 30000 + 1
        if kind == "boolean":
            return True
        if kind == "array":
            return [self.sample(schema.get("items", {}), number, depth + 1)] if depth < DEPTH else []
        if kind == "object" or "properties" in schema:
            names = [name for name in schema.get("properties", {})
                     if name in schema.get("required", ()) or name in ("name", "key", "type", "uid", "kind", "ip")]
            return {name: self.sample(schema["properties"][name], number, depth + 1) for name in names} if depth < DEPTH else {}
        return "x%d" % number

    def places(self, schema, seen=()):
        """Every list and map: the path to it, and what makes one of so many elements."""
        schema = self.resolve(schema)
        if len(seen) > DEPTH or any(old is schema for old in seen):
            return
        seen = seen + (schema,)
        if schema.get("type") == "array":
            items = schema.get("items", {})
            yield [], lambda count, same: [self.sample(items, 0 if same else i) for i in range(count)]
            for path, make in self.places(items, seen):
                yield [0] + path, make
        elif "additionalProperties" in schema and schema["additionalProperties"] is not True:
            inner = schema["additionalProperties"] or {}
            yield [], lambda count, same: {"k%d" % i: self.sample(inner, 0 if same else i) for i in range(count)}
        for name, inner in schema.get("properties", {}).items():
            for path, make in self.places(inner, seen):
                yield [name] + path, make


def put(sample, path, value):
    """The object with a value at a path; lists on the way get one element."""
    if not path:
        return value
    if path[0] == 0:
        return [put(sample[0] if isinstance(sample, list) and sample else {}, path[1:], value)]
    made = dict(sample) if isinstance(sample, dict) else {}
    made[path[0]] = put(made.get(path[0], {}), path[1:], value)
    return made


def kinds(server):
    """(path to post to, apiVersion, kind, schemas, schema) of everything that can be created."""
    for name, row in sorted(json.loads(server.ask("GET", "/openapi/v3")[1])["paths"].items()):
        if not re.match(r"^(api/v1|apis/[^/]+/[^/]+)$", name):
            continue
        document = json.loads(server.ask("GET", row["serverRelativeURL"])[1])
        schemas = Schemas(document.get("components", {}).get("schemas", {}))
        for path, methods in document["paths"].items():
            body = methods.get("post", {}).get("requestBody", {}).get("content", {})
            kind = methods.get("post", {}).get("x-kubernetes-group-version-kind")
            if not body or not kind or re.search(r"\{name\}", path):
                continue
            schema = next(iter(body.values()))["schema"]
            group = kind["group"] + "/" if kind["group"] else ""
            yield path.replace("{namespace}", "default"), group + kind["version"], kind["kind"], schemas, schema


def measure(server, path, version, kind, value, place):
    body = put({}, place, value)
    body.update(apiVersion=version, kind=kind)
    body.setdefault("metadata", {}).setdefault("name", "growth")
    text = json.dumps(body)
    start = time.monotonic()
    code, _ = server.ask("POST", path + "?dryRun=All", text)
    return time.monotonic() - start, code, len(text)


def is_steep(few, many):
    return many > SLOW and many > few * 16


def grow(server, where, make, length, same):
    """Both times. A machine that is busy may delay one answer, not three in a row."""
    for _ in range(3):
        path, version, kind, place = where
        few, _, _ = measure(server, path, version, kind, make(length // 8, same), place)
        many, code, size = measure(server, path, version, kind, make(length, same), place)
        if not is_steep(few, many):
            break
    return few, many, code, size


def main():
    program, folder = sys.argv[1:3]
    length = int(sys.argv[3]) if len(sys.argv) > 3 else 8000
    wanted = set(sys.argv[4:])
    server = Server(program, folder)
    tried, found, slowest = 0, 0, (0, "")
    try:
        for path, version, kind, schemas, schema in kinds(server):
            if wanted and kind not in wanted:
                continue
            for place, make in schemas.places(schema):
                for same in (True, False):
                    name = "%s %s .%s, %s" % (version, kind, ".".join(map(str, place)), "equal" if same else "different")
                    few, many, code, size = grow(server, (path, version, kind, place), make, length, same)
                    tried += 1
                    slowest = max(slowest, (many, name))
                    if is_steep(few, many):
                        found += 1
                        print("FOUND: %s: %.2f s, %.2f s for %d elements (%d bytes), answered %d" % (
                            name, few, many, length, size, code), flush=True)
    finally:
        server.stop()
    print("%d lists and maps of %d elements tried, %d grow too fast; the slowest took %.2f s: %s" % (
        tried, length, found, *slowest))
    return 1 if found or not tried else 0


if __name__ == "__main__":
    sys.exit(main())

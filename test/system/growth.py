#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""growth.py VOLCANO FOLDER [LENGTH] [all|KIND...] - how the cost of a request grows with each of its lists and maps.

Starts the API server alone, reads the schema of every kind that it serves, and sends requests for every list and every map
of it: once with LENGTH / 8 elements and once with LENGTH (fewer if the body would have more than 3 MB), all of them equal,
then all of them different. The requests, all of them dry runs:

 - a create; if no kind and not `all` is named, nothing else,
 - a replace, patches of four kinds and an apply that put the list or map into a small object that is stored,
 - if the server stores the object with the list or map: a replace, patches and applies that put the same elements in
   reverse order on top of it, one that adds a label, and reads as an object, as a Table and as a list.

Most of these objects are wrong; what counts is the time until the answer. A request whose time grows more than twice as fast
as its length, and takes over a second, is a finding: one request of 3 MB could hold a worker for minutes.
"""
import base64
import http.client
import json
import pathlib
import random
import re
import ssl
import subprocess
import sys
import time

import mutation

DEPTH = 12  # of nested types; the schema of custom definitions contains itself
SLOW = 1.0  # seconds
BODY = 2_900_000  # bytes, below the limit of a request
EACH = 9_000  # operations of a JSON patch, below their limit
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
TYPES = {"merge": "application/merge-patch+json", "strategic": "application/strategic-merge-patch+json",
         "json": "application/json-patch+json", "apply": "application/apply-patch+yaml"}


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

    def ask(self, method, path, body=None, **headers):
        for _ in range(2):
            self.connection = self.connection or http.client.HTTPSConnection(self.address, context=self.tls, timeout=600)
            try:
                self.connection.request(method, path, body, {"Content-Type": "application/json"} | headers)
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


class Place:
    """One list or map of a kind, and the requests that carry it."""

    def __init__(self, server, path, about, place):
        self.server, self.path, self.about, self.place = server, path, about, place
        self.base = None

    def body(self, base, value):
        made = put(base, self.place, value)
        made["metadata"] = dict(made.get("metadata", {}), name="growth") if isinstance(made.get("metadata", {}), dict) else {}
        return made | self.about

    def patch(self, how, value):
        if how == "json":
            return [{"op": "add", "path": "/" + "/".join(map(str, self.place)), "value": value}]
        if how == "each":
            pairs = list(value.items() if isinstance(value, dict) else (("-", one) for one in value))[:EACH]
            path = "/" + "/".join(map(str, self.place))
            return [{"op": "add", "path": path, "value": {} if isinstance(value, dict) else []}] + [
                {"op": "add", "path": path + "/" + key, "value": one} for key, one in pairs]
        return self.body({}, value) if how == "apply" else put({}, self.place, value)

    def timed(self, times, name, method, query, body=None, **headers):
        text = json.dumps(body) if body is not None else None
        path = self.path + ("" if method == "POST" or name.startswith("list") else "/growth") + query
        start = time.monotonic()
        code, _ = self.server.ask(method, path, text, **headers)
        times[name] = (time.monotonic() - start, code, len(text or ""))
        return code

    def patches(self, times, prefix, value, manager):
        for how in ("merge", "strategic", "json", "each", "apply"):
            query = "?dryRun=All&force=true&fieldManager=" + manager if how == "apply" else "?dryRun=All"
            self.timed(times, prefix + how, "PATCH", query, self.patch(how, value),
                       **{"Content-Type": TYPES.get(how, TYPES["json"])})

    def stored(self, times, value):
        """Requests to an object that has the list or map already."""
        turned = dict(reversed(value.items())) if isinstance(value, dict) else value[::-1]
        self.timed(times, "stored replace", "PUT", "?dryRun=All", self.body(self.base, turned))
        self.patches(times, "stored ", turned, "growth")
        self.patches(times, "stored, other manager, ", turned, "other")
        self.timed(times, "stored label", "PATCH", "?dryRun=All", {"metadata": {"labels": {"growth": "yes"}}},
                   **{"Content-Type": TYPES["merge"]})
        for name, accept in (("get", "application/json"), ("get Table", TABLE), ("list", "application/json"),
                             ("list Table", TABLE), ("get YAML", "application/yaml")):
            self.timed(times, name, "GET", "", Accept=accept)

    def remove(self):
        self.server.ask("PATCH", self.path + "/growth", '{"metadata":{"finalizers":null}}', **{"Content-Type": TYPES["merge"]})
        self.server.ask("DELETE", self.path + "/growth?gracePeriodSeconds=0")

    def times(self, value):
        """The time, code and bytes of every request with this value."""
        made = {}
        self.timed(made, "create", "POST", "?dryRun=All", self.body({}, value))
        if self.base is None:
            return made
        self.timed(made, "replace", "PUT", "?dryRun=All", self.body(self.base, value))
        self.patches(made, "", value, "growth")
        if self.timed(made, "dry run", "POST", "?dryRun=All", self.body(self.base, value)) in (201, 409):
            self.remove()
            if self.timed(made, "store", "POST", "", self.body(self.base, value)) == 201:
                self.stored(made, value)
            self.remove()
            self.server.ask("POST", self.path, json.dumps(self.base))
        return made


def find_base(place, kind):
    """Stores a valid object of the kind, if mutation.py knows how one looks."""
    group = place.about["apiVersion"].rpartition("/")[0]
    for seed in range(20):
        made = mutation.valid(kind if kind not in ("Job", "CronJob") else kind + "." + group, random.Random(seed)) | place.about
        if kind != "CustomResourceDefinition":
            made["metadata"]["name"] = "growth"
        made["metadata"].pop("namespace", None)
        made["metadata"].pop("finalizers", None)
        if made["metadata"]["name"] == "growth" and place.server.ask("POST", place.path, json.dumps(made))[0] == 201:
            return made
    return None


def is_steep(few, many):
    return many > SLOW and many > few * 16


def fitting(make, length, same):
    """A value of so many elements, or of as many as a body takes."""
    sample = len(json.dumps(make(200, same))) / 200 if length > 200 else 0
    return make(min(length, int(BODY / sample)) if sample else length, same)


def grow(place, make, length, same):
    """(request, both times, code, bytes). A machine that is busy may delay one answer, not three in a row."""
    many_value = fitting(make, length, same)
    few_value = make(len(many_value) // 8, same)
    for _ in range(3):
        few, many = place.times(few_value), place.times(many_value)
        rows = [(name, few[name][0] if name in few else 0.0, *many[name]) for name in many]
        steep = [row for row in rows if is_steep(row[1], row[2])]
        if not steep:
            break
    return rows, steep


def main():
    program, folder = sys.argv[1:3]
    length = int(sys.argv[3]) if len(sys.argv) > 3 else 8000
    wanted = set(sys.argv[4:])
    server = Server(program, folder)
    tried, found, slowest = 0, 0, (0, "")
    try:
        for path, version, kind, schemas, schema in kinds(server):
            if wanted and kind not in wanted and "all" not in wanted:
                continue
            about = {"apiVersion": version, "kind": kind}
            base = find_base(Place(server, path, about, []), kind) if wanted else None
            for where, make in schemas.places(schema):
                place = Place(server, path, about, where)
                place.base = base
                for same in (True, False):
                    name = "%s %s .%s, %s" % (version, kind, ".".join(map(str, where)), "equal" if same else "different")
                    rows, steep = grow(place, make, length, same)
                    tried += len(rows)
                    slowest = max(slowest, max((row[2], name + ", " + row[0]) for row in rows))
                    found += len(steep)
                    for row in steep:
                        print("FOUND: %s, %s: %.2f s, %.2f s for %d elements, answered %d, %d bytes" % (
                            name, row[0], row[1], row[2], length, *row[3:]), flush=True)
    finally:
        server.stop()
    print("%d requests with up to %d elements tried, %d grow too fast; the slowest took %.2f s: %s" % (
        tried, length, found, *slowest))
    return 1 if found or not tried else 0


if __name__ == "__main__":
    sys.exit(main())

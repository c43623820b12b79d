#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""limits.py VOLCANO FOLDER OBJECTS CLIENTS... - every limit of the API, crossed by many clients at once.

Each row of `rows` is a request at or beyond a row of src/base/limits.h. For each number of CLIENTS it
is sent by as many connections at the same time, while a process of its own asks for a small object
over and over. Printed per row: the step of the histogram that the longest turn of the loop was in, by what
its thread has computed and by the clock, the 99th and the 99.9th percentile of the innocent's latency, and
the server's memory.

Judged are only counts: each client gets an answer that the row expects, or 429; the innocent gets
nothing but good answers; unread answers stay within their bound, and none are left at the end. Times
are recorded, not judged: see docs/benchmarks.md for what they were on a machine that had nothing else
to do."""
import json
import multiprocessing
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time

MAPS = "/api/v1/namespaces/default/configmaps"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
BODY = 3 * 1024 * 1024
WAITING_ALL = 512 * 1024 * 1024  # LIMIT_SERVER_WAITING_BYTES
PATIENCE = 600  # for what never comes


class Connection:
    def __init__(self, site):
        context = ssl.create_default_context(cafile=site["folder"] + "/pki/ca.crt")
        context.check_hostname = False
        context.load_cert_chain(site["folder"] + "/pki/admin.crt", site["folder"] + "/pki/admin.key")
        raw = socket.create_connection(("127.0.0.1", site["port"]), timeout=PATIENCE)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = context.wrap_socket(raw)
        self.file = self.socket.makefile("rb", 1 << 16)

    def send(self, method, path, body=None, headers=()):
        head = [f"{method} {path} HTTP/1.1", "host: x"]
        body = body.encode() if isinstance(body, str) else body
        if body is not None:
            head.append(f"content-length: {len(body)}")
        fields = {"content-type": "application/json"}
        fields.update(headers)
        head += [f"{name}: {value}" for name, value in fields.items()]
        self.socket.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + (body or b""))

    def receive(self, keep=False):
        """The status, and the body or its length."""
        code = int(self.file.readline().split()[1])
        length, chunked, parts, total = 0, False, [], 0
        while line := self.file.readline().strip():
            name, value = line.split(b":", 1)
            length = int(value) if name.lower() == b"content-length" else length
            chunked = chunked or name.lower() == b"transfer-encoding"
        while True:
            size = int(self.file.readline(), 16) if chunked else length
            part = self.file.read(size)
            if len(part) != size:
                raise EOFError("the answer was cut off")
            total += size
            if keep:
                parts.append(part)
            if chunked:
                self.file.readline()
            if not chunked or size == 0:
                return code, b"".join(parts) if keep else total

    def ask(self, *args, keep=False, **more):
        self.send(*args, **more)
        return self.receive(keep)

    def close(self):
        self.file.close()  # which holds the socket open
        self.socket.close()


def keys(count, value='"x"'):
    return ",".join(f'"k{i}":{value}' for i in range(count))


def config_map(name, data):
    return '{"metadata":{"name":"%s"},"data":{%s}}' % (name, data)


def filled(size):
    """A body of exactly so many bytes."""
    empty = config_map("filled", '"k":""')
    return config_map("filled", '"k":"%s"' % ("x" * (size - len(empty))))


MERGE = {"content-type": "application/merge-patch+json"}
PATCH = {"content-type": "application/json-patch+json"}
APPLY = {"content-type": "application/apply-patch+yaml"}
YAML = {"content-type": "application/yaml"}
STRATEGIC = {"content-type": "application/strategic-merge-patch+json"}
DRY = MAPS + "?dryRun=All"
OPS = '{"op":"add","path":"/data/n","value":"x"}'
# The suite, whose programs are ten times as slow, has smaller rows: it looks at answers, not at times.
SCALE = 1 if len(sys.argv) < 4 or int(sys.argv[3]) >= 2000 else 0.03


def scaled(count):
    return int(count * SCALE)


PODS = "/api/v1/namespaces/default/pods"
JOBS = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
THINGS = "/apis/limits.example.com/v1/namespaces/default/things"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def env(count, value="x"):
    return [{"name": f"E{i}", "value": value} for i in range(count)]


def deployment(name, variables):
    return json.dumps({"metadata": {"name": name}, "spec": {
        "replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "i", "env": variables}]}}}})


def definition(name, properties):
    return json.dumps({"metadata": {"name": name + ".limits.example.com"}, "spec": {
        "group": "limits.example.com", "scope": "Namespaced",
        "names": {"plural": name, "singular": name[:-1], "kind": name[:-1].title(), "listKind": name[:-1].title() + "List"},
        "versions": [{"name": "v1", "served": True, "storage": True, "subresources": {"status": {}}, "schema": {
            "openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": properties},
                "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}}}]}})


def thing(name, spec):
    return json.dumps({"apiVersion": "limits.example.com/v1", "kind": "Thing", "metadata": {"name": name}, "spec": spec})


PROPERTIES = {
    "texts": {"type": "array", "items": {"type": "string", "pattern": "^([a-z]+-?)*[a-z]$", "maxLength": 60}},
    "items": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
              "items": {"type": "object", "required": ["name"], "properties": {
                  "name": {"type": "string"}, "size": {"type": "integer", "default": 1, "minimum": 0}}}},
    "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
}
ITEMS = [{"name": f"n{i}"} for i in range(scaled(20000))]


def job(count):
    return json.dumps({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "tasks"},
                       "spec": {"minAvailable": 1, "schedulerName": "volcano", "tasks": [
                           {"name": f"t{i}", "replicas": 1, "template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}}
        for i in range(count)]}})


def field(number, data):
    length, size = b"", len(data)
    while size > 127:
        length += bytes([size & 127 | 128])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + data


def protobuf(count):
    # a ConfigMap: metadata is field 1, each entry of data field 2
    data = field(1, field(1, b"wire")) + b"".join(
        field(2, field(1, b"k%d" % i) + field(2, b"x")) for i in range(count))
    return b"k8s\0" + field(1, field(1, b"v1") + field(2, b"ConfigMap")) + field(2, data)


# objects that the rows work on
stored = [
    (MAPS, config_map("large", keys(scaled(120000)))),
    (DEPLOYMENTS, deployment("envs", env(scaled(10000)))),
    (CRDS, definition("things", PROPERTIES)),
    (THINGS, thing("listed", {"items": ITEMS})),
]

# what it is; what is sent; what is answered (429 always may be)
rows = [
    ("LIMIT_BODY_BYTES", ("POST", DRY, filled(BODY)), {201, 413, 422}),
    ("LIMIT_BODY_BYTES + 1", ("POST", DRY, filled(BODY + 1)), {413}),
    ("a body of keys", ("POST", DRY, config_map("keys", keys(scaled(180000)))), {201, 413, 422}),
    ("a body of keys as YAML", ("POST", DRY,
     "metadata: {name: yaml}\ndata:\n" + "".join(f" k{i}: x\n" for i in range(scaled(180000))), YAML), {201, 422}),
    ("keys that are applied", ("PATCH", MAPS + "/applied?dryRun=All&fieldManager=limits&force=true",
     'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\ndata:\n'
     + "".join(f" k{i}: x\n" for i in range(scaled(60000))), APPLY), {200, 201, 422}),
    ("LIMIT_JSON_DEPTH", ("POST", DRY, '{"a":' + "[" * 511 + "]" * 511 + "}"), {400, 422}),
    ("LIMIT_JSON_DEPTH + 1", ("POST", DRY, '{"a":' + "[" * 600 + "]" * 600 + "}"), {400, 413}),
    ("LIMIT_YAML_NODES", ("POST", DRY, "a: &a [" + "x," * 900 + "]\n"
     + "".join(f"b{i}: &b{i} [" + "*a," * 90 + "]\n" for i in range(90)), YAML), {400, 413, 422}),
    ("LIMIT_PATCH_OPS", ("PATCH", MAPS + "/small?dryRun=All", "[" + ",".join([OPS] * 10000) + "]", PATCH),
     {200, 413, 422}),
    ("LIMIT_PATCH_OPS + 1", ("PATCH", MAPS + "/small?dryRun=All",
     "[" + ",".join([OPS] * 10001) + "]", PATCH), {413}),
    ("LIMIT_PATCH_COPY_BYTES", ("PATCH", MAPS + "/small?dryRun=All", '[{"op":"add","path":"/data","value":{"a":"%s"}},'
     % ("x" * 100000) + ",".join('{"op":"copy","from":"/data/a","path":"/data/b%d"}' % i for i in range(40))
     + "]", PATCH), {200, 413, 422}),
    ("LIMIT_HEADER_BYTES", ("GET", MAPS + "/small", None, {"x-long": "x" * 70000}), {431}),
    ("LIMIT_HEADER_COUNT", ("GET", MAPS + "/small", None, {f"x-{i}": "x" for i in range(300)}), {431}),
    ("LIMIT_URL_BYTES", ("GET", MAPS + "?x=" + "x" * 33000), {414}),
    ("LIMIT_SELECTOR_BYTES", ("GET", MAPS + "?limit=1&labelSelector=" + ",".join(["a!=b"] * 6000)),
     {200, 400, 414}),
    ("LIMIT_QUANTITY_BYTES", ("POST", "/api/v1/namespaces/default/pods?dryRun=All", json.dumps(
        {"metadata": {"name": "q"}, "spec": {"containers": [
            {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1" * 200}}}]}})), {400, 422}),
    ("keys as protobuf", ("POST", DRY, protobuf(scaled(120000)), {"content-type": "application/vnd.kubernetes.protobuf"}),
     {201, 422}),
    ("keys that replace keys", ("PUT", MAPS + "/large?dryRun=All", config_map("large", keys(scaled(120000), '"y"'))), {200}),
    ("a small patch of many keys", ("PATCH", MAPS + "/large?dryRun=All", '{"data":{"n":"x"}}', MERGE), {200}),
    ("a large patch of many keys", ("PATCH", MAPS + "/large?dryRun=All", '{"data":{%s}}' % keys(scaled(100000), '"y"'), MERGE),
     {200}),
    ("patch operations on many keys", ("PATCH", MAPS + "/large?dryRun=All", "[" + ",".join(
        '{"op":"add","path":"/data/n%d","value":"x"}' % i for i in range(scaled(10000))) + "]", PATCH), {200}),
    ("keys applied to keys", ("PATCH", MAPS + "/large?dryRun=All&fieldManager=limits&force=true",
     '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"large"},"data":{%s}}' % keys(scaled(100000), '"z"'), APPLY), {200}),
    ("a keyed list patched", ("PATCH", DEPLOYMENTS + "/envs?dryRun=All", json.dumps({"spec": {"template": {"spec": {
        "containers": [{"name": "c", "env": env(scaled(20000), "y")}]}}}}), STRATEGIC), {200}),
    ("a keyed list applied", ("PATCH", DEPLOYMENTS + "/envs?dryRun=All&fieldManager=limits&force=true",
     deployment("envs", env(scaled(20000), "z")).replace('{"metadata"', '{"apiVersion":"apps/v1","kind":"Deployment","metadata"', 1),
     APPLY), {200}),
    ("labels", ("POST", DRY, json.dumps({"metadata": {"name": "l", "labels": {f"l{i}": "x" for i in range(scaled(100000))}}})),
     {201, 422}),
    ("containers", ("POST", PODS + "?dryRun=All", json.dumps({"metadata": {"name": "many"}, "spec": {"containers": [
        {"name": f"c{i}", "image": "i"} for i in range(scaled(20000))]}})), {201, 422}),
    ("tasks of a job", ("POST", JOBS + "?dryRun=All", job(scaled(5000))), {201, 403, 422}),
    ("patterns", ("POST", THINGS + "?dryRun=All", thing("texts", {"texts": ["abc-defg-hij"] * scaled(150000)})), {201, 422}),
    ("a list by key with defaults", ("POST", THINGS + "?dryRun=All", thing("items", {"items": ITEMS})), {201}),
    ("a list by key replaced", ("PATCH", THINGS + "/listed?dryRun=All",
     json.dumps({"spec": {"items": ITEMS[::-1]}}), MERGE), {200}),
    ("a status of a large object", ("PATCH", THINGS + "/listed/status?dryRun=All", '{"status":{"a":1}}', MERGE), {200}),
    ("unknown fields", ("POST", THINGS + "?dryRun=All", thing("odd", {f"o{i}": 1 for i in range(scaled(150000))})), {201}),
    ("a definition", ("POST", CRDS + "?dryRun=All", definition("others", {
        f"p{i}": {"type": "string", "pattern": "^[a-z]+$"} for i in range(scaled(20000))})), {201, 422}),
    ("a review", ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", json.dumps(
        {"spec": {"resourceAttributes": {"verb": "get"}}, **{f"o{i}": 1 for i in range(scaled(150000))}})), {201, 400, 413, 422}),
    ("one object as YAML", ("GET", MAPS + "/large", None, {"accept": "application/yaml"}), {200}),
    ("one object, indented", ("GET", MAPS + "/large?pretty=true"), {200}),
    ("one object, compressed", ("GET", MAPS + "/large", None, {"accept-encoding": "gzip"}), {200}),
    ("one object as Table", ("GET", MAPS + "/large", None, {"accept": TABLE}), {200}),
    ("a removal of a large object", ("DELETE", MAPS + "/large?dryRun=All"), {200}),
    ("a large object that is stored", ("PUT", MAPS + "/large", config_map("large", keys(scaled(120000)))), {200}),
    ("a list", ("GET", MAPS), {200}),
    ("a list, indented", ("GET", MAPS + "?pretty=true"), {200}),
    ("a list as YAML", ("GET", MAPS, None, {"accept": "application/yaml"}), {200}),
    ("a list as Table", ("GET", MAPS, None, {"accept": TABLE}), {200}),
    ("a list in pages", ("GET", MAPS + "?limit=500", None, {"accept-encoding": "gzip"}), {200}),
    ("a removal of all", ("DELETE", MAPS + "?dryRun=All"), {200}),
]
# What is asked for and not read, this many times on each connection.
unread = [
    ("lists that are not read", ("GET", MAPS), 20),
    ("watches that are not read", ("GET", MAPS + "?watch=true"), 1),
]


def metrics(site):
    connection = Connection(site)  # one that waits for a long row would be closed as idle
    text = connection.ask("GET", "/metrics", keep=True)[1].decode()
    connection.close()
    return dict(re.findall(r"^(\S+) (\S+)$", text, re.M))


def turns(numbers, what):
    return {float(step): int(count) for step, count in (
        (re.search('le="(.*)"', name).group(1), count) for name, count in numbers.items()
        if name.startswith(f"loop_turn_{what}_seconds_bucket"))}


def longest(before, after):
    """The smallest step that every turn between the two was within."""
    made = after[float("inf")] - before[float("inf")]
    return next(step for step in sorted(after) if after[step] - before[step] >= made)


def memory(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def innocent(site, pipe):
    """Small requests until they have to end; then how long they took, and how many were not answered well."""
    connection = Connection(site)
    times, bad = [], 0
    pipe.send("ready")
    while not pipe.poll(0.005):
        start = time.monotonic()
        bad += connection.ask("GET", MAPS + "/small")[0] != 200
        times.append(time.monotonic() - start)
    pipe.send((times, bad))


class Innocent:
    def __init__(self, site):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=innocent, args=(site, other), daemon=True)
        self.process.start()
        self.pipe.recv()

    def end(self):
        self.pipe.send("end")
        times, bad = self.pipe.recv()
        self.process.join()
        times.sort()
        return (times[len(times) * 99 // 100], times[len(times) * 999 // 1000]) if times else (0, 0), bad


def run_at_once(count, work):
    """`work(index)` this many times at the same time; what each gave, or how it failed."""
    gave = [None] * count

    def one(index):
        try:
            gave[index] = work(index)
        except (OSError, EOFError, ValueError, IndexError) as problem:
            gave[index] = repr(problem)

    threads = [threading.Thread(target=one, args=(i,), daemon=True) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    return gave


def ask_once(site, row):
    connection = Connection(site)
    try:
        return connection.ask(row[0], row[1], *row[2:])[0]
    except (ConnectionError, ssl.SSLError):
        return 0  # refused before all of it was sent
    finally:
        connection.close()


def leave_unread(site, row, often):
    connection = Connection(site)
    for _ in range(often):
        connection.send(*row)
    return connection


class Run:
    def __init__(self, site, pid):
        self.site, self.pid, self.problems = site, pid, 0

    def measure(self, name, count, work):
        before = metrics(self.site)
        friend = Innocent(self.site)
        start = time.monotonic()
        gave = work()
        took = time.monotonic() - start
        late, bad = friend.end()
        after = metrics(self.site)
        cpu, wall = (longest(turns(before, what), turns(after, what)) * 1e3 for what in ("cpu", "duration"))
        print(f"{name}, {count} clients: {took:.2f} s, longest turn computed at most {cpu:g} ms and took at most {wall:g}"
              f" ms, innocent p99 {late[0] * 1e3:.1f} ms, p99.9 {late[1] * 1e3:.1f} ms, memory {memory(self.pid) >> 20} MB", flush=True)
        self.check(bad == 0, f"{name}, {count} clients: the innocent got {bad} bad answers")
        waiting = int(after["http_server_waiting_bytes"])
        self.check(waiting <= WAITING_ALL * 2, f"{name}, {count} clients: {waiting} bytes wait")
        return gave

    def check(self, good, text):
        if not good:
            self.problems += 1
            print("PROBLEM:", text, flush=True)

    def cross(self, count):
        for name, row, codes in rows:
            gave = self.measure(name, count, lambda row=row: run_at_once(count, lambda _: ask_once(self.site, row)))
            # a request that is refused early may be cut off before its answer is read
            early = codes | {429} | ({0} if codes & {413, 414, 431} else set())
            odd = [code for code in gave if code not in early]
            self.check(not odd, f"{name}, {count} clients: {len(odd)} odd answers, such as {odd[:1]}")
        for name, row, often in unread:
            held = self.measure(name, count,
                                lambda row=row, often=often: run_at_once(count, lambda _: leave_unread(self.site, row, often)))
            for connection in held:
                if isinstance(connection, Connection):
                    connection.close()
        self.settle()

    def settle(self):
        """Nothing is left when all clients have ended."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            numbers = metrics(self.site)
            if all(int(numbers[name]) <= most for name, most in (
                    ("http_server_waiting_bytes", 65536), ("apiserver_registered_watchers", 0),
                    ("apiserver_waiting_jobs", 0), ("http_server_connections", 1))):
                return
            time.sleep(0.01)
        self.check(False, "something was left behind")


def fill(site, objects):
    connection = Connection(site)
    connection.ask("POST", MAPS, config_map("small", '"k":"v"'))
    for path, body in stored:
        while connection.ask("GET", path + "?limit=1")[0] == 404:  # its definition is not established yet
            time.sleep(0.01)
        if (answer := connection.ask("POST", path, body, keep=True))[0] != 201:
            raise SystemExit(f"POST {path}: {answer}")
    for first in range(0, objects, 32):
        batch = range(first, min(objects, first + 32))
        for i in batch:
            connection.send("POST", MAPS, config_map(f"o{i}", '"k":"%s"' % ("x" * 2000)))
        for i in batch:
            connection.receive()
    connection.close()


def main():
    volcano, folder, objects, counts = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    server = subprocess.Popen([volcano, "up", "--data-dir", folder, "--listen", "127.0.0.1:0", "--components",
                               "apiserver"], stdout=subprocess.PIPE, stderr=open(folder + ".log", "w"), text=True)
    problems = 1
    try:
        server.stdout.readline()
        with open(folder + "/run.json", encoding="utf-8") as file:
            site = {"folder": folder, "port": int(json.load(file)["address"].rsplit(":", 1)[1])}
        fill(site, objects)
        run = Run(site, server.pid)
        for count in counts:
            run.cross(int(count))
        print(f"{len(rows) + len(unread)} rows, {run.problems} problems")
        problems = run.problems
    except (OSError, EOFError, IndexError, ValueError) as problem:
        print(f"PROBLEM: no answer from the server: {problem!r}")
    finally:
        server.send_signal(signal.SIGTERM)
        code = server.wait()
    if code:
        print(f"PROBLEM: the server ended with {code}; how its log begins:")
        with open(folder + ".log", encoding="utf-8", errors="replace") as log:
            print("".join(log.readlines()[:60]))
    return 1 if code or problems else 0


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main())

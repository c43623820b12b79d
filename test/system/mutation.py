# SPDX-License-Identifier: Apache-2.0
"""mutation.py VOLCANO FOLDER OPERATIONS SEED [CONNECTIONS] - mutated objects against a whole system.

One process of `volcano up` with every component and simulated nodes is sent valid objects of every kind
that it serves, mutated: extremes of integers and quantities, nulls, wrong types, duplicates, huge lists,
Unicode, cycles of owners, queues and tasks; in any order of creates, replaces, patches of four kinds,
sub-resources, deletes and lists, over several connections. Objects are made from templates and from the
OpenAPI document of the server.

A round is ROUND operations. After each one a checker, which reads nothing but the API, looks whether

 - no node is over-committed by pods that the scheduler placed,
 - no job has two pods of one task and index,

then removes what the mutation made, and runs canaries: a gang, and jobs in a queue with a capability.
They must complete, the gang with all its pods, the queue within its capability all the time. After every
second round the server is killed or stopped, and started again in the same folder with another
configuration of the scheduler.

OPERATIONS may be a time as well: 3600s. Prints what it did, the seed, and the command that repeats it
(with one connection operations are in the same order). The exit code is 1 if the process ended by
itself, if a sanitizer reported something, or if the checker found something."""
import fractions
import http.client
import json
import os
import random
import signal
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

ROUND = 1000
NODES = 6
SPACES = ["fz-a", "fz-b", "fz-c"]
NAMES = ["a", "b", "c", "d", "e", "f", "g", "h", "a.b", "x-1"]
PATIENCE = 240  # seconds for canaries, on a loaded machine with sanitizers

BIG = [0, 1, -1, 2, 64, 255, 1000, 65535, 65536, 2**31 - 1, -2**31, 2**31, 2**32, 2**53, 2**53 + 1, 2**62,
       2**63 - 1, -2**63, 2**63, 2**64 - 1, -2**64, 10**30, 1.5, 0.1, -0.0, 1e308, 5e-324]
QUANTITIES = ["0", "1", "1m", "100m", "-1", "1n", "1u", "1Ki", "1Ei", "8Ei", "7Ei", "9223372036854775807",
              "9223372036854775807m", "9223372036854775807Ei", "-9223372036854775808", "1e3", "1e18", "1e19",
              "1e-9", "1E", "0.5", ".5", "5.", "1e99", "1e-99", "+1", "1 ", "", "x", "00001", "1.0000000001",
              "4611686018427387904", "500000000000000000000", "1Gi", "16Gi", "32", "3"]
TEXTS = ["", " ", "a", "A", "0", "-", "..", ".", "/", "a/b", "a/b/c", "kubernetes.io/x", "\u0000", "\n", "\t",
         "\u202e", "\U0001f600" * 8, "\u00e9" * 70, "\ufeff", "\ud7ff", "a" * 63, "a" * 64, "a" * 253,
         "a" * 254, "x" * 5000, "%s%n%d", "${HOME}", "$(A)", "{{.}}", "null", "true", "*", "Exists", "In",
         "2026-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "1h", "-1h",
         "2562047h47m16.854775807s", "9999999999h", "fz-a", "default", "root", "node-00000", "q-a", "q-b",
         "0s", "100%", "-1%", "200%", "1-3", "nosuch", "Always", "Never", "OnFailure", "any", "*/1 * * * *"]


# --- valid objects ------------------------------------------------------------------------------

def meta(chance, **more):
    return dict({"name": chance.choice(NAMES)}, **more)


def pod_spec(chance):
    spec = {"schedulerName": "volcano", "restartPolicy": chance.choice(["Never", "OnFailure", "Always"]),
            "containers": [{"name": "c", "image": "i", "resources": {
                "requests": {"cpu": chance.choice(["100m", "1", "2"]), "memory": "64Mi"}},
                "ports": [{"containerPort": 80}], "env": [{"name": "A", "value": "1"}]}]}
    more = {
        "tolerations": [{"operator": "Exists"}],
        "nodeSelector": {"kubernetes.io/hostname": "node-00000"},
        "priorityClassName": "p-a",
        "initContainers": [{"name": "i", "image": "i", "resources": {"requests": {"cpu": "1"}}}],
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": chance.choice(NAMES)}}],
        "affinity": {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In",
                                       "values": ["node-00001", "node-00002"]}]}]}},
            "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"l": "1"}}}]}},
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "kubernetes.io/hostname",
                                       "whenUnsatisfiable": "DoNotSchedule",
                                       "labelSelector": {"matchLabels": {"l": "1"}}}],
        "schedulingGates": [{"name": "example.com/hold"}],
        "overhead": {"cpu": "10m"},
        "terminationGracePeriodSeconds": 3,
        "activeDeadlineSeconds": 5,
        "preemptionPolicy": "Never",
        "hostNetwork": True,
        "runtimeClassName": "r-a",
    }
    for key in chance.sample(sorted(more), chance.randrange(4)):
        spec[key] = more[key]
    return spec


def template(chance):
    return {"metadata": {"labels": {"l": "1"}, "annotations": {"run-seconds": "0.2"}}, "spec": pod_spec(chance)}


def vcjob_spec(chance):
    tasks = [{"name": name, "replicas": chance.randrange(1, 4), "template": template(chance)}
             for name in chance.choice([["w"], ["m", "w"], ["a", "b", "c"]])]
    spec = {"schedulerName": "volcano", "queue": chance.choice(["default", "q-a", "q-b", "q-c"]), "tasks": tasks,
            "minAvailable": chance.randrange(1, 1 + sum(task["replicas"] for task in tasks))}
    if len(tasks) > 1 and chance.random() < 0.4:
        tasks[1]["dependsOn"] = {"name": [tasks[0]["name"]], "iteration": "any"}
    more = {
        "plugins": chance.choice([{"svc": []}, {"env": [], "svc": []}, {"ssh": []},
                                  {"mpi": ["--master=m", "--worker=w", "--port=22"]},
                                  {"pytorch": ["--master=m", "--worker=w"]}, {"tensorflow": []}]),
        "policies": [{"event": "PodEvicted", "action": "RestartJob"}, {"event": "TaskCompleted",
                                                                     "action": "CompleteJob"}],
        "maxRetry": 2, "ttlSecondsAfterFinished": 1, "priorityClassName": "p-a",
        "minSuccess": 1, "runningEstimate": "5s",
        "networkTopology": {"mode": "soft", "highestTierAllowed": 1},
        "volumes": [{"mountPath": "/v", "volumeClaim": {"accessModes": ["ReadWriteOnce"],
                                                        "resources": {"requests": {"storage": "1Gi"}}}}],
    }
    for key in chance.sample(sorted(more), chance.randrange(4)):
        spec[key] = more[key]
    return spec


def valid(kind, chance):
    """A valid object of a kind (or a nearly valid one), without apiVersion and kind."""
    pick = chance.choice
    names = NAMES
    selector = {"matchLabels": {"l": "1"}}
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
             "storageClassName": pick(["s-a", "s-b", "nosuch"])}
    made = {
        "Pod": lambda: {"metadata": meta(chance, labels={"l": "1"}, annotations=pick(
            [{}, {"scheduling.k8s.io/group-name": pick(names)}, {"run-seconds": "0.1"}])),
            "spec": pod_spec(chance)},
        "Job.batch.volcano.sh": lambda: {"metadata": meta(chance), "spec": vcjob_spec(chance)},
        "CronJob.batch.volcano.sh": lambda: {"metadata": meta(chance), "spec": {
            "schedule": "*/1 * * * *", "concurrencyPolicy": "Forbid", "jobTemplate": {"spec": vcjob_spec(chance)}}},
        "JobTemplate": lambda: {"metadata": meta(chance), "spec": vcjob_spec(chance)},
        "JobFlow": lambda: {"metadata": meta(chance), "spec": {"jobRetainPolicy": pick(["retain", "delete"]), "flows": [
            {"name": name, "dependsOn": {"targets": chance.sample(names, chance.randrange(3))}}
            for name in chance.sample(names, 3)]}},
        "PodGroup": lambda: {"metadata": meta(chance), "spec": {
            "minMember": chance.randrange(4), "queue": pick(["default", "q-a", "q-b"]),
            "minResources": {"cpu": "1"}, "priorityClassName": pick(["", "p-a"])}},
        "Queue": lambda: {"metadata": {"name": pick(["q-a", "q-b", "q-c", "q-d"])}, "spec": {
            "weight": chance.randrange(1, 4), "reclaimable": True, "parent": pick(["root", "q-a", "q-b", "q-c"]),
            "capability": {"cpu": "8"}, "deserved": {"cpu": "4"}, "guarantee": {"resource": {"cpu": "1"}}}},
        "Command": lambda: {"metadata": meta(chance), "action": pick(
            ["AbortJob", "ResumeJob", "RestartJob", "TerminateJob", "CloseQueue", "OpenQueue"]), "target": {
            "apiVersion": pick(["batch.volcano.sh/v1alpha1", "scheduling.volcano.sh/v1beta1"]),
            "kind": pick(["Job", "Queue"]), "name": pick(names), "uid": "1", "controller": True}},
        "HyperNode": lambda: {"metadata": meta(chance), "spec": {"tier": chance.randrange(1, 4), "members": [
            {"type": pick(["Node", "HyperNode"]), "selector": pick(
                [{"exactMatch": {"name": pick(names + ["node-00000"])}}, {"regexMatch": {"pattern": "node-.*"}},
                 {"labelMatch": {"matchLabels": {"a": "b"}}}])}]}},
        "Node": lambda: {"metadata": {"name": "fz-" + pick("abc"), "labels": {"zone": pick("xy")}}, "spec": {}},
        "Namespace": lambda: {"metadata": {"name": pick(SPACES)}},
        "Deployment": lambda: {"metadata": meta(chance), "spec": {"replicas": 2, "selector": selector,
                                                                  "template": template(chance)}},
        "ReplicaSet": lambda: {"metadata": meta(chance), "spec": {"replicas": 2, "selector": selector,
                                                                  "template": template(chance)}},
        "DaemonSet": lambda: {"metadata": meta(chance), "spec": {"selector": selector, "template": template(chance)}},
        "StatefulSet": lambda: {"metadata": meta(chance), "spec": {
            "serviceName": "s", "selector": selector, "template": template(chance),
            "volumeClaimTemplates": [{"metadata": {"name": "v"}, "spec": claim}]}},
        "ReplicationController": lambda: {"metadata": meta(chance), "spec": {
            "replicas": 1, "selector": {"l": "1"}, "template": template(chance)}},
        "Job.batch": lambda: {"metadata": meta(chance), "spec": {"template": template(chance), "completions": 2}},
        "CronJob.batch": lambda: {"metadata": meta(chance), "spec": {
            "schedule": "* * * * *", "jobTemplate": {"spec": {"template": template(chance)}}}},
        "Service": lambda: {"metadata": meta(chance), "spec": {"selector": {"l": "1"}, "type": pick(
            ["ClusterIP", "NodePort", "LoadBalancer"]), "ports": [{"port": 80, "name": "h"}]}},
        "PersistentVolumeClaim": lambda: {"metadata": meta(chance, finalizers=pick(
            [[], ["kubernetes.io/pvc-protection"] * 3 + ["example.com/f"]])), "spec": claim},
        "PersistentVolume": lambda: {"metadata": {"name": "v-" + pick("abc")}, "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": pick(
                ["s-a", "s-b"]), "hostPath": {"path": "/tmp/fz"}}},
        "StorageClass": lambda: {"metadata": {"name": pick(["s-a", "s-b"])}, "provisioner": pick(
            ["volcano.sh/local", "kubernetes.io/no-provisioner", "p"]), "volumeBindingMode": pick(
            ["WaitForFirstConsumer", "Immediate"])},
        "PriorityClass": lambda: {"metadata": {"name": pick(["p-a", "p-b"])}, "value": pick([1, 1000, -5])},
        "RuntimeClass": lambda: {"metadata": {"name": pick(["r-a", "r-b"])}, "handler": "h",
                                 "overhead": {"podFixed": {"cpu": "10m"}}},
        "ResourceQuota": lambda: {"metadata": meta(chance), "spec": {"hard": {
            "pods": "50", "requests.cpu": "40", "count/configmaps": "90"}}},
        "LimitRange": lambda: {"metadata": meta(chance), "spec": {"limits": [{"type": "Container", "default": {
            "cpu": "500m"}, "max": {"cpu": "16"}}]}},
        "PodDisruptionBudget": lambda: {"metadata": meta(chance), "spec": {"minAvailable": 1, "selector": selector}},
        "ConfigMap": lambda: {"metadata": meta(chance, finalizers=pick([[], ["orphan"] * 5, ["example.com/f"]])),
                              "data": {"k": "v"}},
        "Secret": lambda: {"metadata": meta(chance), "stringData": {"k": "v"}},
        "CustomResourceDefinition": lambda: {"metadata": {"name": "things.fz.io"}, "spec": {
            "group": "fz.io", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"}, "versions": [
                {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}, "scale": {
                    "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
                 "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                     "spec": {"type": "object", "properties": {"replicas": {"type": "integer"}, "l": {
                         "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                         "items": {"type": "object", "required": ["k"], "properties": {
                             "k": {"type": "string"}, "v": {"x-kubernetes-int-or-string": True}}}}}},
                     "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}}}]}},
        "Thing": lambda: {"metadata": meta(chance), "spec": {"replicas": 1, "l": [{"k": "a"}, {"k": "b", "v": 1}]}},
        "Lease": lambda: {"metadata": meta(chance), "spec": {"holderIdentity": "x", "leaseDurationSeconds": 5}},
        "Event": lambda: {"metadata": meta(chance, namespace="fz-a"), "involvedObject": {
            "kind": "Pod", "namespace": "fz-a", "name": "a"}, "reason": "r", "message": "m", "type": "Normal"},
        "CSINode": lambda: {"metadata": {"name": "node-00000"}, "spec": {"drivers": [
            {"name": "p", "nodeID": "n", "allocatable": {"count": 1}}]}},
        "Numatopology": lambda: {"metadata": {"name": "node-00000"}, "spec": {"numares": {"cpu": {
            "allocatable": "0-7", "capacity": 8}}, "policies": {"CPUManagerPolicy": "static"}}},
    }
    return made[kind]() if kind in made else {"metadata": meta(chance)}


# --- mutation -------------------------------------------------------------------------------------

def places(value, path=()):
    """Every path into a value."""
    yield path
    if isinstance(value, dict):
        for key in list(value):
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for index in range(min(len(value), 8)):
            yield from places(value[index], path + (index,))


def at(value, path):
    for step in path:
        value = value[step]
    return value


def from_schema(schemas, schema, chance, depth=0):
    """A value that fits a schema of the OpenAPI document, with some of its members."""
    for _ in range(4):
        if "$ref" not in schema:
            break
        name = schema["$ref"].rsplit("/", 1)[1]
        schema = schemas.get(name, {})
        if name.endswith("Quantity"):
            return chance.choice(QUANTITIES)
    kind = schema.get("type")
    if "enum" in schema and chance.random() < 0.8:
        return chance.choice(schema["enum"])
    if kind == "object" or "properties" in schema:
        made = {}
        members = schema.get("properties", {})
        for key in members:
            if key in schema.get("required", []) or chance.random() < (0.4 if depth < 2 else 0.15):
                if depth < 7 and key not in ("apiVersion", "kind", "managedFields"):
                    made[key] = from_schema(schemas, members[key], chance, depth + 1)
        if "additionalProperties" in schema and isinstance(schema["additionalProperties"], dict):
            for _ in range(chance.randrange(3)):
                made[chance.choice(TEXTS + ["cpu", "memory", "pods"])] = from_schema(
                    schemas, schema["additionalProperties"], chance, depth + 1)
        return made
    if kind == "array":
        return [from_schema(schemas, schema.get("items", {}), chance, depth + 1)
                for _ in range(chance.choice([0, 1, 1, 2, 3]))]
    if kind == "integer":
        return chance.choice(BIG) if chance.random() < 0.5 else chance.randrange(10)
    if kind == "number":
        return chance.choice(BIG)
    if kind == "boolean":
        return chance.random() < 0.5
    return chance.choice(TEXTS + QUANTITIES + NAMES)


def other_value(old, chance):
    """In place of a value: an extreme of its type, or something of another one."""
    if chance.random() < 0.2:
        return chance.choice([None, [], {}, "", 0, True, [None], [[]], {"": None}, [{}], "x", -1])
    if isinstance(old, bool):
        return not old
    if isinstance(old, (int, float)):
        return chance.choice(BIG)
    if isinstance(old, str):
        return chance.choice(QUANTITIES if chance.random() < 0.4 else TEXTS + NAMES)
    if isinstance(old, list):
        few = chance.random()
        if few < 0.05:
            return (old or [{}]) * chance.choice([300, 2000])
        return chance.choice([old * 2, old[::-1], old + [None], old[:1] * 6, [], old + [{}], old + ["x"]])
    if isinstance(old, dict):
        return chance.choice([{}, dict(old, **{chance.choice(TEXTS): chance.choice(BIG)}), dict(list(old.items())[:1])])
    return chance.choice(BIG + TEXTS)


def deepen(chance):
    value = 1
    for _ in range(chance.choice([3, 60, 250, 500, 700])):
        value = {"a": value} if chance.random() < 0.5 else [value]
    return value


class Mutator:
    def __init__(self, schemas, chance):
        self.schemas, self.chance = schemas, chance

    def schema_of(self, api_version, kind):
        group, _, version = api_version.rpartition("/")
        for schema in self.schemas.values():
            for row in schema.get("x-kubernetes-group-version-kind", []):
                if row["kind"] == kind and row["version"] == version and row["group"] == group:
                    return schema
        return {}

    def owners(self, thing):
        chance = self.chance
        kinds = [("v1", "ConfigMap"), ("v1", "Pod"), ("batch.volcano.sh/v1alpha1", "Job"), ("v1", "Namespace"),
                 ("no.such/v1", "Thing")]
        made = []
        for _ in range(chance.randrange(1, 4)):
            version, kind = chance.choice(kinds)
            made.append({"apiVersion": version, "kind": kind, "name": chance.choice(NAMES),
                         "uid": chance.choice(thing.uids) if thing.uids else "1", "controller": chance.random() < 0.2,
                         "blockOwnerDeletion": chance.random() < 0.5})
        return made

    def mutate(self, thing, value):
        chance = self.chance
        for _ in range(chance.choice([0, 0, 0, 1, 1, 1, 2, 3])):
            how = chance.random()
            paths = [path for path in places(value) if path]
            if not paths:
                return value
            path = chance.choice(paths)
            parent, last = at(value, path[:-1]), path[-1]
            if how < 0.55:
                parent[last] = other_value(parent[last], chance)
            elif how < 0.65:
                del parent[last]
            elif how < 0.85:
                schema = self.schema_of(thing.version, thing.kind)
                made = from_schema(self.schemas, schema, chance)
                if isinstance(made, dict):
                    key = chance.choice(sorted(made) or ["metadata"])
                    if key == "metadata":
                        made[key] = dict(made.get(key) or {}, name=chance.choice(NAMES))
                        made[key].pop("namespace", None)
                    if isinstance(made.get(key), dict) and isinstance(value.get(key), dict):
                        value[key] = dict(value[key], **made[key])
                    else:
                        value[key] = made.get(key)
            elif how < 0.93 and isinstance(value.get("metadata"), dict):
                value["metadata"][chance.choice(["ownerReferences"] * 3 + ["finalizers"])] = self.owners(thing) \
                    if chance.random() < 0.7 else chance.choice(
                        [["orphan"] * 5, ["foregroundDeletion"] * 2 + ["a.b/c"], ["example.com/f"] * 9, None])
            elif how < 0.95:
                parent[last] = deepen(chance)
            elif isinstance(parent, dict):
                parent[chance.choice(TEXTS)] = chance.choice(TEXTS)
        return value


# --- the server -----------------------------------------------------------------------------------

PLUGINS = ["priority", "gang", "conformance", "overcommit", "drf", "predicates", "proportion", "nodeorder", "binpack",
           "capacity", "cdp", "pdb", "resourcequota", "sla", "task-topology", "tdm",
           "resource-strategy-fit"]
ACTIONS = ["allocate", "backfill", "reclaim", "preempt", "gangpreempt", "gangreclaim", "shuffle"]


def configuration(chance):
    """For the scheduler: what is usual, and some of the rest."""
    plugins = ["priority", "gang", "conformance", "predicates", "nodeorder"]
    plugins.append(chance.choice(["proportion", "capacity"]))
    plugins += [name for name in PLUGINS if name not in plugins + ["proportion", "capacity"] and chance.random() < 0.4]
    actions = ["enqueue"] + [name for name in ACTIONS if name == "allocate" or chance.random() < 0.6]
    text = 'actions: "%s"\ntiers:\n- plugins:\n' % ", ".join(actions)
    for number, name in enumerate(plugins):
        text += ("- plugins:\n" if number == 3 else "") + "  - name: %s\n" % name
    return text


class Server:
    def __init__(self, volcano, folder):
        self.volcano, self.folder, self.process, self.starts = volcano, folder, None, 0
        self.log = open(folder + ".log", "ab+")

    def start(self, chance):
        with open(self.folder + ".yaml", "w", encoding="utf-8") as file:
            file.write(configuration(chance))
        environment = dict(os.environ, UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1",
                           ASAN_OPTIONS="detect_stack_use_after_return=1:strict_string_checks=1:detect_leaks=0")
        self.process = subprocess.Popen(
            [self.volcano, "up", "--data-dir", self.folder, "--listen", "127.0.0.1:0", "--simulate-nodes", str(NODES),
             "--scheduler-conf", self.folder + ".yaml", "--log-level", "warn"],
            stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment)
        self.starts += 1
        line = self.process.stdout.readline()
        if "https://" not in line:
            raise Finding("the server did not start: %r" % line)
        threading.Thread(target=self.drain, args=(self.process.stdout,), daemon=True).start()
        self.address = urllib.parse.urlparse(line.split(" at ")[1].split(",")[0]).netloc
        self.tls = ssl.create_default_context(cafile=self.folder + "/pki/ca.crt")
        self.tls.load_cert_chain(self.folder + "/pki/admin.crt", self.folder + "/pki/admin.key")

    @staticmethod
    def drain(stdout):
        for _ in stdout:
            pass

    def stop(self, by):
        self.process.send_signal(by)
        code = self.process.wait(timeout=PATIENCE)
        if by == signal.SIGTERM and code != 0:
            raise Finding("the server ended with %d when it was asked to stop" % code)

    def is_alive(self):
        return self.process.poll() is None

    def tail(self):
        self.log.flush()
        with open(self.folder + ".log", "rb") as file:
            text = file.read().decode(errors="replace")
        for word in ("runtime error", "ERROR: AddressSanitizer", "Assertion"):
            place = text.rfind(word)
            if place >= 0:
                return text[max(0, place - 300):place + 5000].split("Shadow bytes")[0]
        return text[-3000:]


class Finding(Exception):
    pass


class Client:
    """One connection; what it asked last is kept for a report."""

    def __init__(self, server):
        self.server, self.connection, self.last, self.codes = server, None, [], {}

    def ask(self, method, path, body=None, kind="application/json", accept="application/json"):
        data = None if body is None else (body if isinstance(body, str) else json.dumps(body))
        self.last = (self.last + ["%s %s %s %s" % (method, path, kind, (data or "")[:3000])])[-6:]
        if isinstance(data, str):
            data = data.encode("utf-8", "surrogatepass")
        for attempt in (0, 1):
            if self.connection is None:
                self.connection = http.client.HTTPSConnection(self.server.address, context=self.server.tls,
                                                              timeout=PATIENCE)
            try:
                self.connection.request(method, path, data, {"Content-Type": kind, "Accept": accept})
                answer = self.connection.getresponse()
                text = answer.read()
                self.codes[answer.status] = self.codes.get(answer.status, 0) + 1
                return answer.status, text
            except (http.client.HTTPException, OSError) as error:
                self.connection.close()
                self.connection = None
                if attempt or not self.server.is_alive():
                    raise Finding("no answer: %r" % error) from error
        return 0, b""

    def read(self, path):
        for _ in range(50):
            code, text = self.ask("GET", path)
            if code != 429:
                break
            time.sleep(0.1)
        if code >= 400:
            raise Finding("GET %s: %d %s" % (path, code, text[:300]))
        return json.loads(text)


# --- operations -----------------------------------------------------------------------------------

class Thing:
    def __init__(self, version, row):
        self.version, self.kind, self.plural = version, row["kind"], row["name"]
        self.namespaced, self.verbs, self.uids = row["namespaced"], row["verbs"], []
        self.subs = []
        base = "/api/" if "/" not in version else "/apis/"
        self.base = base + version

    def key(self):
        group = self.version.rpartition("/")[0]
        return self.kind + "." + group if self.kind in ("Job", "CronJob") else self.kind

    def path(self, chance):
        if self.plural == "customresourcedefinitions" or not self.namespaced:
            return self.base + "/" + self.plural
        return "%s/namespaces/%s/%s" % (self.base, chance.choice(SPACES), self.plural)


SKIPPED = {"selfsubjectaccessreviews", "componentstatuses", "bindings"}


def discover(client):
    things = []
    versions = ["v1"]
    for group in client.read("/apis")["groups"]:
        versions += [row["groupVersion"] for row in group["versions"]]
    for version in versions:
        found = client.read(("/api/" if "/" not in version else "/apis/") + version)
        rows = {}
        for row in found["resources"]:
            name, _, sub = row["name"].partition("/")
            if not sub and name not in SKIPPED:
                rows[name] = Thing(version, row)
                things.append(rows[name])
            elif sub and name in rows:
                rows[name].subs.append(sub)
    return things


# The more of a system looks at a kind, the more often it is chosen.
WEIGHTS = {"Pod": 12, "Job": 12, "PodGroup": 6, "Queue": 8, "CustomResourceDefinition": 2, "Thing": 3, "ConfigMap": 3,
           "PersistentVolumeClaim": 4, "PersistentVolume": 3, "HyperNode": 3, "Command": 3, "JobFlow": 4,
           "JobTemplate": 3, "Node": 3, "CronJob": 2, "StorageClass": 2, "ResourceQuota": 2}


class Worker:
    def __init__(self, server, things, schemas, seed, made):
        self.client, self.things, self.made = Client(server), things, made
        self.chance = random.Random(seed)
        self.weights = [WEIGHTS.get(thing.kind, 1) for thing in things]
        self.mutator = Mutator(schemas, self.chance)
        self.count = 0
        self.kinds = {}  # by kind: how many were tried, and how many were created
        self.slow = (0, "")

    def name(self, thing):
        value = valid(thing.key(), self.chance)
        return value["metadata"]["name"]

    def make(self, thing):
        value = valid(thing.key(), self.chance)
        value["apiVersion"], value["kind"] = thing.version, thing.kind
        return value

    def step(self):
        chance = self.chance
        thing = chance.choices(self.things, self.weights)[0]
        collection = thing.path(chance)
        item = collection + "/" + urllib.parse.quote(self.name(thing))
        if self.made.get(thing.kind) and chance.random() < 0.8:
            item = chance.choice(self.made[thing.kind])
        started = time.monotonic()
        what = chance.choices(["create", "replace", "patch", "sub", "delete", "list", "sweep", "raw"],
                              [40, 12, 18, 10, 10, 7, 0.3, 2])[0]
        getattr(self, what)(thing, collection, item)
        took = time.monotonic() - started
        if took > self.slow[0] and self.client.last:
            self.slow = (took, self.client.last[-1][:200])
        self.count += 1

    def note(self, thing, collection, text):
        try:
            made = json.loads(text)["metadata"]
            uid = made["uid"]
            self.made[thing.kind] = (self.made.get(thing.kind, []) + [
                collection + "/" + urllib.parse.quote(made["name"])])[-6:]
        except (ValueError, KeyError, TypeError):
            return
        for other in self.things[:40]:
            other.uids = (other.uids + [uid])[-20:]

    def keeps_off(self, thing, item):
        """Nodes of the server's own are the checker's; so are the queues that canaries use."""
        return thing.kind in ("Node", "Queue", "CSINode") and not item.rsplit("/", 1)[1].startswith(
            ("fz-", "q-"))

    def create(self, thing, collection, item):
        value = self.mutator.mutate(thing, self.make(thing))
        if thing.kind == "Pod":
            self.unbind(value)
        query = self.chance.choice([""] * 6 + ["?dryRun=All", "?fieldValidation=Strict", "?fieldManager=x"])
        code, text = self.client.ask("POST", collection + query, value)
        row = self.kinds.setdefault(thing.key(), [0, 0])
        row[0] += 1
        if code < 300:
            row[1] += 1
            self.note(thing, collection, text)

    def unbind(self, value):
        """Pods on nodes of the server's own are placed by the scheduler alone."""
        if isinstance(value, dict) and isinstance(value.get("spec"), dict):
            name = value["spec"].get("nodeName")
            if isinstance(name, str) and name.startswith("node-"):
                value["spec"]["nodeName"] = "fz-a"

    def current(self, item):
        code, text = self.client.ask("GET", item)
        return json.loads(text) if code == 200 else None

    def replace(self, thing, collection, item):
        value = self.current(item) if self.chance.random() < 0.7 else self.make(thing)
        if not value or self.keeps_off(thing, item):
            return
        value = self.mutator.mutate(thing, value)
        if isinstance(value.get("metadata"), dict) and self.chance.random() < 0.3:
            value["metadata"].pop("resourceVersion", None)
        if thing.kind == "Pod":
            self.unbind(value)
        self.client.ask("PUT", item, value)

    def patch(self, thing, collection, item):
        chance = self.chance
        if self.keeps_off(thing, item):
            return
        value = self.mutator.mutate(thing, self.make(thing))
        how = chance.randrange(4)
        if how == 0:
            self.client.ask("PATCH", item, value, "application/merge-patch+json")
        elif how == 1:
            self.client.ask("PATCH", item, value, "application/strategic-merge-patch+json")
        elif how == 2:
            value.setdefault("metadata", {})
            self.client.ask("PATCH", item + "?fieldManager=%s&force=%s" % (chance.choice("xyz"), chance.choice(
                ["true", "false"])), value, "application/apply-patch+yaml")
        else:
            ops = []
            paths = [path for path in places(value) if path] or [("metadata",)]
            for _ in range(chance.randrange(1, 5)):
                path = "/" + "/".join(str(step).replace("~", "~0").replace("/", "~1") for step in chance.choice(paths))
                ops.append({"op": chance.choice(["add", "remove", "replace", "copy", "move", "test"]), "path": path,
                            "from": chance.choice(["/metadata", "/spec", path]), "value": other_value(
                                chance.choice([1, "a", [], {}]), chance)})
            self.client.ask("PATCH", item, ops, "application/json-patch+json")

    def sub(self, thing, collection, item):
        chance = self.chance
        if not thing.subs or self.keeps_off(thing, item):
            return
        sub = chance.choice(thing.subs)
        if sub in ("log", "exec", "attach", "portforward", "proxy", "resize"):
            return
        if sub == "binding":
            self.client.ask("POST", item + "/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {}, "target": {
                "kind": "Node", "name": chance.choice(["fz-a", "fz-b", "nosuch", ""])}})
            return
        if sub == "eviction":
            self.client.ask("POST", item + "/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {
                "name": item.rsplit("/", 1)[1]}, "deleteOptions": {"gracePeriodSeconds": chance.choice(BIG)}})
            return
        value = self.current(item + "/" + sub if sub == "scale" else item) or self.make(thing)
        if sub == "status":
            made = from_schema(self.mutator.schemas, self.mutator.schema_of(thing.version, thing.kind).get(
                "properties", {}).get("status", {}), chance)
            value = {"status": made} if chance.random() < 0.5 else dict(value, status=made)
            if thing.plural == "customresourcedefinitions" and chance.random() < 0.5:
                value = {"status": {"acceptedNames": {"plural": chance.choice(TEXTS), "kind": chance.choice(TEXTS)}}}
        value = self.mutator.mutate(thing, value)
        if chance.random() < 0.5:
            self.client.ask("PATCH", item + "/" + sub, value, "application/merge-patch+json")
        else:
            self.client.ask("PUT", item + "/" + sub, value)

    def delete(self, thing, collection, item):
        chance = self.chance
        if self.keeps_off(thing, item) or thing.kind == "Namespace" and chance.random() < 0.8:
            return
        options = {"propagationPolicy": chance.choice(["Foreground", "Background", "Orphan"])}
        if chance.random() < 0.3:
            options["gracePeriodSeconds"] = chance.choice(BIG)
        if chance.random() < 0.1:
            options = self.mutator.mutate(thing, options)
        self.client.ask("DELETE", item, options if chance.random() < 0.7 else None)

    def list(self, thing, collection, item):
        chance = self.chance
        words = {"limit": chance.choice(BIG), "resourceVersion": chance.choice(BIG + ["x"]),
                 "labelSelector": chance.choice(["l=1", "l in (1,2)", "!l", "a b", "l=1,l=2", "x" * 300]),
                 "fieldSelector": chance.choice(["metadata.name=a", "spec.nodeName!=x", "status.phase=Running", "a"]),
                 "continue": chance.choice(TEXTS), "pretty": "true", "timeoutSeconds": chance.choice(BIG),
                 "resourceVersionMatch": chance.choice(["Exact", "NotOlderThan", "x"])}
        query = urllib.parse.urlencode({key: words[key] for key in chance.sample(sorted(words), chance.randrange(4))})
        accept = chance.choice(["application/json", "application/yaml",
                                "application/json;as=Table;v=v1;g=meta.k8s.io",
                                "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
                                "application/vnd.kubernetes.protobuf", "*/*", "x/y"])
        if chance.random() < 0.1:
            query = "watch=true&timeoutSeconds=0&sendInitialEvents=true&resourceVersionMatch=NotOlderThan" \
                    if chance.random() < 0.3 else "watch=true&timeoutSeconds=1&resourceVersion=" + str(
                        chance.choice(BIG))
            if "timeoutSeconds=0" in query:
                query = query.replace("timeoutSeconds=0", "timeoutSeconds=1")
        self.client.ask("GET", (collection if chance.random() < 0.7 else item) + "?" + query, accept=accept)

    def sweep(self, thing, collection, item):
        if "/namespaces/fz-" in collection:
            self.client.ask("DELETE", collection)

    def raw(self, thing, collection, item):
        """Not even JSON, or not what it says."""
        text = json.dumps(self.make(thing))
        cut = self.chance.randrange(len(text))
        self.client.ask(self.chance.choice(["POST", "PUT"]), collection, self.chance.choice(
            [text[:cut], text[:cut] + "\\u0000" + text[cut:], text + text, "[" * 600, "null", '"x"', "[]", "",
             text.replace('"', "'"), text.replace(":", ": !!binary ")]), self.chance.choice(
            ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "text/plain"]))


# --- the checker ------------------------------------------------------------------------------------

SUFFIXES = {"": 1, "n": fractions.Fraction(1, 10**9), "u": fractions.Fraction(1, 10**6), "m": fractions.Fraction(1, 1000),
            "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18, "Ki": 2**10, "Mi": 2**20,
            "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}


def quantity(text):
    text = str(text)
    number = text.rstrip("numkMGTPEi")
    if "e" in text[1:] or "E" in text[1:-1] and not text.endswith("Ei"):
        return fractions.Fraction(text)
    return fractions.Fraction(number) * SUFFIXES[text[len(number):]]


def add_all(into, these, times=1):
    for name, text in (these or {}).items():
        into[name] = into.get(name, 0) + quantity(text) * times


def pod_requests(spec):
    """What a pod asks for, as Kubernetes counts it."""
    total, most, sidecars = {}, {}, {}
    for container in spec.get("initContainers") or []:
        asked = {}
        add_all(asked, (container.get("resources") or {}).get("requests"))
        if container.get("restartPolicy") == "Always":
            for name, value in asked.items():
                sidecars[name] = sidecars.get(name, 0) + value
            asked = {}
        for name in set(asked) | set(sidecars):
            most[name] = max(most.get(name, 0), asked.get(name, 0) + sidecars.get(name, 0))
    for container in spec["containers"]:
        add_all(total, (container.get("resources") or {}).get("requests"))
    for name, value in sidecars.items():
        total[name] = total.get(name, 0) + value
    for name, value in most.items():
        total[name] = max(total.get(name, 0), value)
    for name, text in ((spec.get("resources") or {}).get("requests") or {}).items():
        total[name] = quantity(text)
    add_all(total, spec.get("overhead"))
    total["pods"] = 1
    return total


def check_nodes(client):
    """No node has more on it than it can have, by the scheduler's doing."""
    nodes = {node["metadata"]["name"]: node for node in client.read("/api/v1/nodes")["items"]}
    used = {name: {} for name in nodes if name.startswith("node-")}
    for pod in client.read("/api/v1/pods")["items"]:
        node = pod["spec"].get("nodeName")
        if node in used and (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed"):
            for name, value in pod_requests(pod["spec"]).items():
                used[node][name] = used[node].get(name, 0) + value
    for node, sums in used.items():
        for name in ("cpu", "memory", "pods"):
            capacity = quantity(nodes[node]["status"]["allocatable"][name])
            if sums.get(name, 0) > capacity:
                raise Finding("%s is over-committed: %s of %s %s" % (node, float(sums[name]), float(capacity), name))


def check_indices(client):
    seen = {}
    for pod in client.read("/api/v1/pods")["items"]:
        labels = pod["metadata"].get("labels") or {}
        owners = [owner["uid"] for owner in pod["metadata"].get("ownerReferences") or [] if owner.get("controller")]
        notes = pod["metadata"].get("annotations") or {}
        if not owners or "volcano.sh/task-index" not in labels or "volcano.sh/task-spec" not in notes:
            continue
        key = (owners[0], notes["volcano.sh/task-spec"], labels["volcano.sh/task-index"])
        name = "%s-%s-%s" % (notes.get("volcano.sh/job-name"), key[1], key[2])
        if name == pod["metadata"]["name"] and seen.setdefault(key, name) != name:
            raise Finding("two pods have the index %r: %s" % (key, name))


def clean(client, things):
    """Everything that was mutated goes, finalizers as well."""
    for _ in range(3):
        for thing in things:
            if "deletecollection" not in thing.verbs and "delete" not in thing.verbs:
                continue
            paths = ["%s/namespaces/%s/%s" % (thing.base, space, thing.plural) for space in SPACES] \
                if thing.namespaced else [thing.base + "/" + thing.plural]
            if thing.kind in ("Namespace", "Event", "ServiceAccount"):
                continue
            for path in paths:
                code, text = client.ask("GET", path)
                if code != 200:
                    continue
                for item in json.loads(text).get("items") or []:
                    clean_one(client, thing, path, item)
    return


def clean_one(client, thing, path, item):
    name = item["metadata"]["name"]
    if not thing.namespaced and not name.startswith(("fz-", "q-", "v-", "s-", "p-", "r-", "things.fz.io")) \
            and name not in NAMES:
        return
    if item["metadata"].get("finalizers") and thing.kind != "CustomResourceDefinition":
        client.ask("PATCH", path + "/" + urllib.parse.quote(name), {"metadata": {"finalizers": None}},
                   "application/merge-patch+json")
    client.ask("DELETE", path + "/" + urllib.parse.quote(name), {"gracePeriodSeconds": 0,
                                                                 "propagationPolicy": "Background"})


def make_namespace(client, name):
    client.ask("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})


def canary(name, queue, replicas, cpu):
    return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": name}, "spec": {
        "schedulerName": "volcano", "queue": queue, "minAvailable": replicas, "tasks": [{
            "name": "w", "replicas": replicas, "template": {"metadata": {"annotations": {"run-seconds": "0.3"}}, "spec": {
                "restartPolicy": "Never", "nodeSelector": {"kubernetes.io/hostname": "node-00001"}, "containers": [{
                    "name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]}}}]}}


JOBS = "/apis/batch.volcano.sh/v1alpha1/namespaces/canary/jobs"


def run_canaries(client, number):
    names = ["gang-%d" % number] + ["cap-%d-%d" % (number, i) for i in range(4)]
    make_namespace(client, "canary")
    client.ask("POST", "/apis/scheduling.volcano.sh/v1beta1/queues", {
        "apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "canary"}, "spec": {"weight": 1, "reclaimable": False, "capability": {"cpu": "2"}}})
    for name in names:
        job = canary(name, "default" if name.startswith("gang") else "canary", 3 if name.startswith("gang") else 1, "1")
        code, text = client.ask("POST", JOBS, job)
        if code not in (200, 201):
            raise Finding("a canary is refused: %d %s" % (code, text[:500]))
    deadline = time.monotonic() + PATIENCE
    while True:
        held = 0
        for pod in client.read("/api/v1/namespaces/canary/pods")["items"]:
            if pod["metadata"]["name"].startswith("cap-") and pod["spec"].get("nodeName") \
                    and pod["status"].get("phase") not in ("Succeeded", "Failed"):
                held += 1
        if held > 2:
            raise Finding("a queue of 2 CPUs has %d pods of 1 CPU each" % held)
        jobs = {job["metadata"]["name"]: job for job in client.read(JOBS)["items"]}
        phases = {name: (jobs.get(name, {}).get("status") or {}).get("state", {}).get("phase") for name in names}
        if all(phase == "Completed" for phase in phases.values()):
            break
        if time.monotonic() > deadline:
            raise Finding("canaries do not complete: %s %s" % (phases, [
                pod["status"] for pod in client.read("/api/v1/namespaces/canary/pods")["items"]]))
        time.sleep(0.1)
    pods = [pod["metadata"]["name"] for pod in client.read("/api/v1/namespaces/canary/pods")["items"]]
    gang = sorted(name for name in pods if name.startswith(names[0] + "-"))
    if gang != [names[0] + "-w-%d" % i for i in range(3)]:
        raise Finding("the gang has the pods %s" % gang)
    for name in names:
        client.ask("DELETE", JOBS + "/" + name)


# --- the whole ----------------------------------------------------------------------------------------

def prepare(server):
    client = Client(server)
    for space in SPACES:
        make_namespace(client, space)
    crd = dict(valid("CustomResourceDefinition", random.Random(0)), apiVersion="apiextensions.k8s.io/v1",
               kind="CustomResourceDefinition")
    # A definition that is being deleted, held by finalizers that the mutation made, would never be served.
    definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    for _ in range(100):
        code, text = client.ask("GET", definitions + "/" + crd["metadata"]["name"])
        if code != 200 or not json.loads(text)["metadata"].get("deletionTimestamp"):
            break
        client.ask("PATCH", definitions + "/" + crd["metadata"]["name"], {"metadata": {"finalizers": None}},
                   "application/merge-patch+json")
        time.sleep(0.1)
    client.ask("POST", definitions, crd)
    # what others refer to, so that many of them are valid
    for path, version, kind, body in [
            ("/apis/scheduling.volcano.sh/v1beta1/queues", "scheduling.volcano.sh/v1beta1", "Queue", {
                "metadata": {"name": name}, "spec": {"weight": 1, "reclaimable": True}}) for name in (
                    "q-a", "q-b", "q-c")] + [
            ("/apis/scheduling.k8s.io/v1/priorityclasses", "scheduling.k8s.io/v1", "PriorityClass", {
                "metadata": {"name": "p-a"}, "value": 10}),
            ("/apis/node.k8s.io/v1/runtimeclasses", "node.k8s.io/v1", "RuntimeClass", {
                "metadata": {"name": "r-a"}, "handler": "h"}),
            ("/apis/storage.k8s.io/v1/storageclasses", "storage.k8s.io/v1", "StorageClass", {
                "metadata": {"name": "s-a"}, "provisioner": "p", "volumeBindingMode": "WaitForFirstConsumer"})]:
        client.ask("POST", path, dict(body, apiVersion=version, kind=kind))
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        things = discover(client)
        if any(thing.kind == "Thing" for thing in things):
            break
        time.sleep(0.1)
    while time.monotonic() < deadline and len(client.read("/api/v1/nodes")["items"]) < NODES:
        time.sleep(0.1)
    schemas = client.read("/openapi/v2")["definitions"]
    return client, things, schemas


def run_round(server, things, schemas, seed, operations, connections):
    made = {}  # by kind: what was created, for all of them
    workers = [Worker(server, things, schemas, "%s/%d" % (seed, i), made) for i in range(connections)]
    failures = []

    def work(worker):
        try:
            while worker.count < operations // connections and not failures:
                worker.step()
        except Finding as finding:
            failures.append(finding)
        except Exception as error:  # pylint: disable=broad-except
            failures.append(error)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return workers, failures


def report(server, workers, seed, round_number, why):
    print("FOUND in round %d: %s" % (round_number, why))
    for number, worker in enumerate(workers):
        print("connection %d, last requests:" % number)
        for line in worker.client.last:
            print("  " + line)
    if not server.is_alive():
        print("the server ended with %s" % server.process.returncode)
    print(server.tail())


def main():
    volcano, folder, amount, seed = sys.argv[1:5]
    connections = int(sys.argv[5]) if len(sys.argv) > 5 else 4
    seconds = int(amount[:-1]) if amount.endswith("s") else None
    rounds = None if seconds else max(1, int(amount) // ROUND)
    again = "python3 test/system/mutation.py %s FOLDER %s %s %d" % (volcano, amount, seed, connections)
    print("seed %s; again: %s" % (seed, again), flush=True)
    server = Server(volcano, folder)
    chance = random.Random(seed)
    started, number, total, codes, workers, slow = time.monotonic(), 0, 0, {}, [], (0, "")
    kinds = {}
    try:
        server.start(chance)
        while number < rounds if rounds else time.monotonic() - started < seconds:
            client, things, schemas = prepare(server)
            workers, failures = run_round(server, things, schemas, "%s/%d" % (seed, number), ROUND, connections)
            for worker in workers:
                total += worker.count
                slow = max(slow, worker.slow)
                for kind, row in worker.kinds.items():
                    kinds[kind] = [a + b for a, b in zip(row, kinds.get(kind, [0, 0]))]
                for code, count in worker.client.codes.items():
                    codes[code] = codes.get(code, 0) + count
            if failures:
                raise failures[0]
            check_nodes(client)
            check_indices(client)
            clean(client, things)
            run_canaries(client, number)
            number += 1
            print("round %d: %d operations, %s" % (number, total, " ".join(
                "%s: %d" % pair for pair in sorted(codes.items()))), flush=True)
            if number % 2 == 0:
                server.stop(chance.choice([signal.SIGKILL, signal.SIGTERM]))
                server.start(chance)
        server.stop(signal.SIGTERM)
    except Exception as found:  # pylint: disable=broad-except
        time.sleep(1)
        report(server, workers, seed, number, found)
        print("seed %s; again: %s" % (seed, again))
        if server.is_alive():
            server.stop(signal.SIGKILL)
        if not isinstance(found, (Finding, subprocess.TimeoutExpired)):
            raise
        return 1
    print("created, of how many: " + ", ".join("%s %d/%d" % (kind, row[1], row[0])
                                               for kind, row in sorted(kinds.items())))
    print("%d operations in %d s, %d starts, nothing found; the slowest took %.1f s: %s" % (
        total, time.monotonic() - started, server.starts, slow[0], slow[1]))
    return 0


if __name__ == "__main__":
    sys.setrecursionlimit(20000)
    threading.stack_size(64 * 1024 * 1024)
    sys.exit(main())

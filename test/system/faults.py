# SPDX-License-Identifier: Apache-2.0
"""faults.py BIN FOLDER [--seed N] [--seconds S] [--pods N] [--nodes N] [--kill] [--real KUBECONFIG] - whole gangs
through a network and an API server that misbehave (faulty_proxy.py).

vc-scheduler and vc-controller-manager run as processes of their own, two of each with --kill, each with a faulty proxy
of its own. Jobs are made over the given time, faults happen all along; --kill kills the leaders every few seconds and the
API server now and then, all with SIGKILL. Then everything behaves, and all jobs must complete. A process that ends
is started again, as a kubelet does. --real uses a cluster that runs already, with Volcano's kinds and simulated nodes.

An auditor watches the pods at the server itself, and in the order of their changes holds:

 - a pod gets one node, and keeps it;
 - no node ever has more than its capacity;
 - no job ever has more pods than it asks for;
 - at the end every job is completed, all of its pods had a node, and none is left without an owner.

Prints what happened; the exit code is 1, with the reasons, when something did not hold."""
import argparse
import asyncio
import base64
import collections
import itertools
import json
import os
import random
import re
import signal
import ssl
import sys
import tempfile
import time

from faulty_proxy import Faults, FaultyProxy, Place, read_head, read_pieces, write_head

JOBS = "/apis/batch.volcano.sh/v1alpha1/namespaces/{}/jobs"
QUEUE = "/apis/scheduling.volcano.sh/v1beta1/queues/default"
CPUS_PER_POD = 4
SLOW = 5 if os.environ.get("ASAN_OPTIONS") or "asan" in sys.argv[1] else 1
STORM = Faults(refuse=40, swap=40, half_open=20, drop=30, lose=30, stall=10, conflict=60, gone=60, busy=40, broken=40, away=40,
               stale=500, delay=100, delay_seconds=0.5, stall_seconds=3, cut_bytes=100_000)


def read_kubeconfig(path):
    """A Place. Only what our own files and kubeadm's have: certificates, as data or as files."""
    with open(path, encoding="utf-8") as file:
        text = file.read()

    def data(key):
        found = re.search(r'"?%s-data"?: *"?([A-Za-z0-9+/=]+)' % key, text)
        if found:
            return base64.b64decode(found.group(1))
        with open(re.search(r'"?%s"?: *"?([^"\n,}]+)' % key, text).group(1).strip(), "rb") as source:
            return source.read()
    host, port = re.search(r'server"?: *"?https://([^":\n]+):(\d+)', text).groups()
    context = ssl.create_default_context(cadata=data("certificate-authority").decode())
    with tempfile.NamedTemporaryFile() as pair:
        pair.write(data("client-certificate") + b"\n" + data("client-key"))
        pair.flush()
        context.load_cert_chain(pair.name)
    return Place(host, int(port), context)


class World:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.home = options.folder + "/home"
        self.place = None
        self.server = None
        self.programs = []
        self.running = {}  # (program, copy) -> process, its proxy, its log
        self.wrong = []
        self.storm = True
        self.counts = collections.Counter()

    def fail(self, text):
        if len(self.wrong) < 20:
            self.wrong.append(text)

    # --- the server ---

    async def start_server(self):
        if self.options.real:
            self.place = read_kubeconfig(self.options.real)
            return
        address = f"127.0.0.1:{self.place.port}" if self.place else "127.0.0.1:0"
        while True:  # right after a kill the port may not be free yet
            self.server = await asyncio.create_subprocess_exec(
                self.options.bin + "/volcano", "up", "--data-dir", self.home, "--listen", address, "--components",
                "apiserver,node", "--simulate-nodes", str(self.options.nodes), "--log-level", "warn",
                stdout=asyncio.subprocess.PIPE, stderr=open(self.options.folder + "/server.log", "ab"))
            line = await self.server.stdout.readline()
            if b"https://" in line:
                break
            await self.server.wait()
            self.counts["server starts that failed"] += 1
            if self.counts["server starts that failed"] > 20:
                raise SystemExit("the server does not start: " + open(self.options.folder + "/server.log").read()[-2000:])
        self.place = read_kubeconfig(self.home + "/kubeconfig")

    async def kill_server(self):
        self.server.kill()
        await self.server.wait()
        self.counts["kills of the server"] += 1
        await self.start_server()

    async def ask(self, method, path, body=None):
        """The answer's code and document, from the server itself; asked again until there is an answer."""
        text = json.dumps(body).encode() if body is not None else b""
        while True:
            try:
                reader, writer = await asyncio.open_connection(self.place.host, self.place.port, ssl=self.place.tls,
                                                               limit=1 << 20)
                try:
                    write_head(writer, f"{method} {path} HTTP/1.1",
                               {"host": "server", "content-type": "application/json",
                                "content-length": str(len(text)), "connection": "close"})
                    writer.write(text)
                    first, fields = await read_head(reader)
                    answer = b"".join([piece async for piece in read_pieces(reader, fields)])
                finally:
                    writer.transport.abort()
                return int(first.split(" ")[1]), json.loads(answer or b"null")
            except (OSError, asyncio.IncompleteReadError):
                await asyncio.sleep(0.2)

    # --- programs ---

    def start_programs(self):
        copies = 2 if self.options.kill else 1
        for name in ["vc-scheduler", "vc-controller-manager"]:
            for copy in range(copies):
                self.programs.append(asyncio.create_task(self.keep(name, copy)))

    async def keep(self, name, copy):
        """Runs a program, again and again. Each process has a proxy of its own, which remembers nothing."""
        for start in itertools.count():
            log_path = f"{self.options.folder}/{name}-{copy}-{start}.log"
            proxy = FaultyProxy(self.options.folder, lambda: self.place, STORM if self.storm else Faults(),
                                self.random.getrandbits(32))
            await proxy.start()
            with open(log_path, "ab") as log:
                process = await asyncio.create_subprocess_exec(
                    f"{self.options.bin}/{name}", "--kubeconfig", proxy.kubeconfig, "--leader-elect-resource-namespace",
                    self.options.namespace, f"--leader-elect={'true' if self.options.kill else 'false'}",
                    "--leader-elect-lease-duration", f"{6 * SLOW}s", "--leader-elect-renew-deadline", f"{4 * SLOW}s",
                    "--leader-elect-retry-period", "1s", "--enable-healthz=false", "--enable-metrics=false",
                    stdout=log, stderr=log)
            self.running[name, copy] = process, proxy, log_path
            try:
                code = await process.wait()
            finally:
                if process.returncode is None:
                    process.terminate()
                    await process.wait()
                for fault, times in proxy.did.items():
                    self.counts[f"fault {fault}"] += times
                await proxy.stop()
            self.counts[f"ends of {name} with {code}"] += 1
            if code not in (1, -signal.SIGKILL):
                self.fail(f"{name} ended with {code}: see its log")
            if not self.options.kill and self.counts[f"ends of {name} with 1"] > 3:
                self.fail(f"{name} ends again and again")
                return

    async def kill_now_and_then(self):
        for turn in itertools.count():
            await asyncio.sleep(self.random.uniform(2, 5) * SLOW)
            if turn % 4 == 2 and not self.options.real:
                await self.kill_server()
                continue
            for (name, _), (process, _, log_path) in self.running.items():
                if process.returncode is None and self.random.random() < 0.9 and self.leads(log_path):
                    process.kill()
                    self.counts[f"kills of a leading {name}"] += 1

    @staticmethod
    def leads(log_path):
        with open(log_path, encoding="utf-8", errors="replace") as file:
            return "msg=leading" in file.read()

    def calm(self):
        self.storm = False
        for _, proxy, _ in self.running.values():
            proxy.faults = Faults()

    # --- jobs ---

    def job(self, name, pods):
        template = {"metadata": {"annotations": {"run-seconds": "%.1f" % self.random.uniform(0, 2)}},
                    "spec": {"restartPolicy": "Never", "schedulerName": "volcano", "containers": [
                        {"name": "c", "image": "x", "resources": {"requests": {"cpu": str(CPUS_PER_POD)}}}]}}
        return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": name},
                "spec": {"schedulerName": "volcano", "queue": "default", "minAvailable": pods, "tasks": [
                    {"name": "t", "replicas": pods, "template": template}]}}

    async def make_jobs(self, auditor):
        left, number = self.options.pods, 0
        begin, most = time.monotonic(), max(2, self.options.nodes * 2)
        while left:
            pods = min(left, self.random.randint(1, most))
            made = self.options.pods - left
            await asyncio.sleep(max(0, begin + self.options.seconds * 0.8 * made / self.options.pods - time.monotonic()))
            name = f"j{number}"
            auditor.wanted[name] = pods
            code, answer = await self.ask("POST", JOBS.format(self.options.namespace), self.job(name, pods))
            if code not in (201, 409):  # 409: made by a request whose answer was lost with the server
                raise SystemExit(f"job {name}: {code} {answer}")
            left, number = left - pods, number + 1

    async def is_open(self):
        code, queue = await self.ask("GET", QUEUE)
        return code == 200 and (queue.get("status") or {}).get("state") == "Open"

    async def unfinished(self):
        _, jobs = await self.ask("GET", JOBS.format(self.options.namespace))
        phases = {job["metadata"]["name"]: ((job.get("status") or {}).get("state") or {}).get("phase")
                  for job in jobs["items"]}
        return {name: phase for name, phase in phases.items() if phase != "Completed"}, len(phases)


class Auditor:
    """What was true of pods at any time, in the order of their changes."""

    def __init__(self, world):
        self.world = world
        self.wanted = {}                            # job -> pods
        self.pods = {}                              # uid -> (node, cpus) of those that use a node
        self.node_of = {}                           # uid -> the node it ever had
        self.alive = collections.defaultdict(dict)  # job -> {uid: name} of pods that exist
        self.used = collections.Counter()
        self.capacity = {}
        self.bound = collections.defaultdict(set)   # job -> names of pods that had a node
        self.version = None
        self.events = 0

    def drop(self, uid):
        node, cpus = self.pods.pop(uid, (None, 0))
        self.used[node] -= cpus

    def note(self, kind, pod):
        meta, spec, status = pod["metadata"], pod["spec"], pod.get("status") or {}
        uid, node = meta["uid"], spec.get("nodeName")
        job = (meta.get("annotations") or {}).get("volcano.sh/job-name")
        if job not in self.wanted:
            return
        self.events += 1
        if node:
            before = self.node_of.setdefault(uid, node)
            if before != node:
                self.world.fail(f"{meta['name']} was on {before} and is on {node}")
            self.bound[job].add(meta["name"])
        if kind == "DELETED":
            self.alive[job].pop(uid, None)
        else:
            self.alive[job][uid] = meta["name"]
            if len(self.alive[job]) > self.wanted[job]:
                self.world.fail(f"job {job} wants {self.wanted[job]} pods and has {sorted(self.alive[job].values())}")
        over = kind == "DELETED" or status.get("phase") in ("Succeeded", "Failed")
        if over:
            self.drop(uid)
        elif node and uid not in self.pods:
            self.pods[uid] = node, CPUS_PER_POD
            self.used[node] += CPUS_PER_POD
            if self.used[node] > self.capacity.get(node, 0):
                self.world.fail(f"{node} has {self.used[node]} of {self.capacity.get(node)} CPUs in use")

    async def run(self):
        while True:
            try:
                await self.watch()
            except (OSError, asyncio.IncompleteReadError, ValueError, json.JSONDecodeError):
                await asyncio.sleep(0.1)

    async def list(self):
        _, nodes = await self.world.ask("GET", "/api/v1/nodes")
        self.capacity = {node["metadata"]["name"]: int(node["status"]["allocatable"]["cpu"]) for node in nodes["items"]}
        _, pods = await self.world.ask("GET", f"/api/v1/namespaces/{self.world.options.namespace}/pods")
        there = {pod["metadata"]["uid"] for pod in pods["items"]}
        for uid in [uid for job in self.alive.values() for uid in job if uid not in there]:
            self.drop(uid)
            for job in self.alive.values():
                job.pop(uid, None)
        for pod in sorted(pods["items"], key=lambda pod: int(pod["metadata"]["resourceVersion"])):
            self.note("MODIFIED", pod)
        self.version = pods["metadata"]["resourceVersion"]

    async def watch(self):
        if self.version is None:
            await self.list()
        place = self.world.place
        reader, writer = await asyncio.open_connection(place.host, place.port, ssl=place.tls, limit=1 << 20)
        try:
            write_head(writer, f"GET /api/v1/namespaces/{self.world.options.namespace}/pods?watch=1&resourceVersion="
                       f"{self.version} HTTP/1.1", {"host": "server"})
            first, fields = await read_head(reader)
            if " 200 " not in first:
                self.version = None
                return
            rest = b""
            async for piece in read_pieces(reader, fields):
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    event = json.loads(line)
                    if event["type"] == "ERROR":
                        self.version = None
                        return
                    self.version = event["object"]["metadata"]["resourceVersion"]
                    self.note(event["type"], event["object"])
        finally:
            writer.transport.abort()

    def check_end(self):
        for job, pods in self.wanted.items():
            if len(self.bound[job]) != pods:
                self.world.fail(f"job {job}: {len(self.bound[job])} of {pods} pods had a node")


async def wait_for_end(world, auditor):
    end = time.monotonic() + 240 * SLOW
    left, known = {}, 0
    while time.monotonic() < end and not world.wrong:
        left, known = await world.unfinished()
        if not left and known == len(auditor.wanted):
            break
        await asyncio.sleep(0.5)
    else:
        world.fail(f"{len(left)} jobs of {known} are not completed: {dict(list(left.items())[:10])}")
    if known != len(auditor.wanted):
        world.fail(f"{len(auditor.wanted)} jobs were made, {known} are there")


def check_logs(world):
    for name in os.listdir(world.options.folder):
        if name.endswith(".log"):
            with open(f"{world.options.folder}/{name}", encoding="utf-8", errors="replace") as file:
                for line in file:
                    if "Sanitizer" in line or "runtime error" in line or "assertion" in line.lower():
                        world.fail(f"{name}: {line.strip()}")


async def run(options):
    world = World(options)
    auditor = Auditor(world)
    tasks = []
    await world.start_server()
    await world.ask("POST", "/api/v1/namespaces", {"metadata": {"name": options.namespace}})
    await world.ask("POST", f"/api/v1/namespaces/{options.namespace}/serviceaccounts", {"metadata": {"name": "default"}})
    try:
        while len((await world.ask("GET", "/api/v1/nodes"))[1]["items"]) < options.nodes:
            await asyncio.sleep(0.2)
        tasks.append(asyncio.create_task(auditor.run()))
        world.start_programs()
        while not await world.is_open():
            await asyncio.sleep(0.2)
        if options.kill:
            tasks.append(asyncio.create_task(world.kill_now_and_then()))
        begin = time.monotonic()
        await world.make_jobs(auditor)
        await asyncio.sleep(max(0, begin + options.seconds - time.monotonic()))
        if options.kill:
            tasks.pop().cancel()
        if world.server and world.server.returncode is not None:
            await world.start_server()
        world.calm()
        calm = time.monotonic()
        await wait_for_end(world, auditor)
        print(f"{len(auditor.wanted)} jobs, {options.pods} pods, {auditor.events} changes of pods; "
              f"storm {calm - begin:.0f} s, then {time.monotonic() - calm:.1f} s to the end")
        auditor.check_end()
    finally:
        for task in tasks + world.programs:
            task.cancel()
        await asyncio.gather(*tasks, *world.programs, return_exceptions=True)
        if options.real:
            await world.ask("DELETE", f"/api/v1/namespaces/{options.namespace}")
        elif world.server and world.server.returncode is None:
            world.server.terminate()
            await world.server.wait()
    check_logs(world)
    for what, times in sorted(world.counts.items()):
        print(f"{what}: {times}")
    for text in world.wrong:
        print("WRONG:", text)
    return 1 if world.wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--pods", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=10)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--real")
    parser.add_argument("--namespace", default="faults")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    print(f"seed {options.seed}")
    sys.exit(asyncio.run(run(options)))


main()

# SPDX-License-Identifier: Apache-2.0
"""api-kill.py VOLCANO FOLDER ROUNDS SEED - kill the server again and again while many write to it.

Writers create and change config maps over HTTPS and remember what was acknowledged; a watcher follows
from the last revision that it saw. After a random number of acknowledgements the server gets SIGKILL
and is started again. Then:

 - every acknowledged write is there, with its revision and content, unless a later one to the same
   object was under way when the server was killed: then that one may be there instead;
 - the watcher has seen no revision twice and none out of order, and what it knows is what a list says.

Prints what it did; the exit code is 1, with the reason, when something was lost."""
import http.client
import json
import random
import ssl
import subprocess
import sys
import threading
import urllib.parse

MAPS = "/api/v1/namespaces/default/configmaps"


class Server:
    def __init__(self, volcano, folder):
        self.volcano, self.folder, self.process = volcano, folder, None

    def start(self):
        self.process = subprocess.Popen(
            [self.volcano, "up", "--data-dir", self.folder, "--listen", "127.0.0.1:0", "--components", "apiserver",
             "--log-level", "warn"], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if "https://" not in line:
            raise SystemExit("the server did not start: " + line)
        self.address = urllib.parse.urlparse(line.split(" at ")[1].split(",")[0]).netloc
        self.tls = ssl.create_default_context(cafile=self.folder + "/pki/ca.crt")
        self.tls.load_cert_chain(self.folder + "/pki/admin.crt", self.folder + "/pki/admin.key")

    def connect(self, timeout=200):
        return http.client.HTTPSConnection(self.address, context=self.tls, timeout=timeout)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Known:
    """What is acknowledged, and what may have happened in addition to that."""

    def __init__(self):
        self.lock = threading.Lock()
        self.acknowledged = {}  # name -> (revision, value)
        self.unsure = {}        # name -> value of the write whose answer never came
        self.count = 0
        self.enough = threading.Event()
        self.wanted = 0

    def note(self, name, revision, value):
        with self.lock:
            self.acknowledged[name] = (revision, value)
            self.unsure.pop(name, None)
            self.count += 1
            if self.count >= self.wanted:
                self.enough.set()


def write(server, known, writer, seed):
    chance = random.Random(seed)
    connection = server.connect()
    own = [name for name in known.acknowledged if name.startswith("w%d-" % writer)]
    serial = len(own)
    while True:
        new = not own or chance.random() < 0.5
        name = "w%d-%d" % (writer, serial) if new else chance.choice(own)
        value = str(chance.getrandbits(40))
        body = json.dumps({"metadata": {"name": name, "labels": {"kill": "yes"}}, "data": {"v": value}})
        with known.lock:
            known.unsure[name] = value
        try:
            connection.request("POST" if new else "PUT", MAPS if new else MAPS + "/" + name, body,
                               {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            return
        if new and answer.status == 409:  # made by a write whose answer never came
            own.append(name)
            serial += 1
            continue
        if answer.status not in (200, 201):
            raise SystemExit("%s: %d %s" % (name, answer.status, text))
        known.note(name, int(json.loads(text)["metadata"]["resourceVersion"]), value)
        if new:
            own.append(name)
            serial += 1


class Watcher(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.state, self.revision, self.events, self.relists, self.wrong = {}, 0, 0, 0, None

    def follow(self, server):
        """Until the connection breaks."""
        try:
            self.watch(server)
        except (OSError, http.client.HTTPException, ValueError):
            pass

    def watch(self, server):
        connection = server.connect(timeout=None)
        if self.revision == 0:
            self.relist(connection)
        connection.request("GET", MAPS + "?watch=1&labelSelector=kill&resourceVersion=%d" % self.revision)
        answer = connection.getresponse()
        for line in answer:
            event = json.loads(line)
            if event["type"] == "ERROR":  # too old: the history before the restart is lost
                self.revision = 0
                return self.watch(server)
            metadata = event["object"]["metadata"]
            revision = int(metadata["resourceVersion"])
            if revision <= self.revision:
                self.wrong = "revision %d after %d" % (revision, self.revision)
            self.revision = revision
            self.events += 1
            self.state[metadata["name"]] = revision
        return None

    def relist(self, connection):
        listed = fetch(connection)
        for name, revision in self.state.items():
            if name not in listed["items"] or listed["items"][name][0] < revision:
                self.wrong = "%s was seen at %d and is %s now" % (name, revision, listed["items"].get(name))
        self.state = {name: item[0] for name, item in listed["items"].items()}
        self.revision = listed["revision"]
        self.relists += 1


def fetch(connection):
    connection.request("GET", MAPS + "?labelSelector=kill")
    body = json.loads(connection.getresponse().read())
    items = {item["metadata"]["name"]: (int(item["metadata"]["resourceVersion"]), item["data"]["v"])
             for item in body["items"]}
    return {"revision": int(body["metadata"]["resourceVersion"]), "items": items}


def check(server, known):
    items = fetch(server.connect())["items"]
    for name, (revision, value) in known.acknowledged.items():
        there = items.get(name)
        if there is None:
            raise SystemExit("%s was acknowledged at %d and is lost" % (name, revision))
        if there == (revision, value):
            continue
        if known.unsure.get(name) != there[1] or there[0] <= revision:
            raise SystemExit("%s was acknowledged as %s and is %s" % (name, (revision, value), there))
    for name, (revision, value) in items.items():
        known.acknowledged[name] = (revision, value)
    known.unsure.clear()
    return len(items)


def main():
    volcano, folder, rounds, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    chance = random.Random(seed)
    server, known, watcher, total = Server(volcano, folder), Known(), Watcher(), 0
    for life in range(rounds + 1):
        server.start()
        objects = check(server, known)
        if life == rounds:
            break
        total += known.count
        known.count, known.wanted = 0, chance.randint(1, 60)
        known.enough.clear()
        threads = [threading.Thread(target=write, args=(server, known, i, chance.random()), daemon=True)
                   for i in range(8)]
        threads.append(threading.Thread(target=watcher.follow, args=(server,), daemon=True))
        for thread in threads:
            thread.start()
        if not known.enough.wait(200):
            raise SystemExit("nothing is acknowledged any more")
        server.kill()
        for thread in threads:
            thread.join()
        if watcher.wrong:
            raise SystemExit("the watcher: " + watcher.wrong)
    total += known.count
    watcher.relist(server.connect())
    server.kill()
    if watcher.wrong:
        raise SystemExit("the watcher: " + watcher.wrong)
    print("killed %d times, %d writes acknowledged, %d objects, %d events seen, %d lists, seed %d"
          % (rounds, total, objects, watcher.events, watcher.relists, seed))


main()

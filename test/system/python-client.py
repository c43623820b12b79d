# SPDX-License-Identifier: Apache-2.0
"""What programs do with the Python client of Kubernetes, against a server named by KUBECONFIG.

Prints TAP. Nothing here sleeps: what takes time is waited for by a watch."""
import sys
import threading

import yaml
from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.exceptions import ApiException

NS = "python"
count = failures = 0


def ok(truth, what, detail=""):
    global count, failures
    count += 1
    print(f"{'ok' if truth else 'not ok'} {count} - {what}")
    if not truth:
        failures += 1
        print(f"#   {detail}")


def same(got, want, what):
    ok(got == want, what, f"got {got!r}, want {want!r}")


def refused(what, code, words, call, *args, **kwargs):
    """The call ends with an error of this code that says these words."""
    try:
        call(*args, **kwargs)
        ok(False, what, "it succeeded")
    except ApiException as error:
        ok(error.status == code and words in error.body, what, f"{error.status} {error.body}")


def config_map(name, data, labels=None):
    meta = client.V1ObjectMeta(name=name, labels=labels)
    return client.V1ConfigMap(metadata=meta, data=data)


def objects(core):
    made = core.create_namespaced_config_map(NS, config_map("c", {"a": "1"}, {"x": "1"}))
    ok(made.metadata.uid and made.metadata.resource_version, "an object is made")
    refused("a second one is refused", 409, "AlreadyExists", core.create_namespaced_config_map,
            NS, config_map("c", {}))
    refused("so is a bad name", 422, "a lowercase RFC 1123 subdomain", core.create_namespaced_config_map,
            NS, config_map("Bad_", {}))
    same(core.read_namespaced_config_map("c", NS).data, {"a": "1"}, "it is read")
    core.create_namespaced_config_map(NS, config_map("d", {}, {"x": "2"}))
    listed = core.list_namespaced_config_map(NS, label_selector="x in (1,2)")
    same(sorted(item.metadata.name for item in listed.items), ["c", "d"], "they are listed by label")
    page = core.list_namespaced_config_map(NS, label_selector="x", limit=1)
    ok(page.metadata._continue, "a page names the next")
    rest = core.list_namespaced_config_map(NS, label_selector="x", limit=1,
                                           _continue=page.metadata._continue)
    same(len(page.items) + len(rest.items), 2, "which has the rest")
    one = core.list_namespaced_config_map(NS, field_selector="metadata.name=d")
    same([item.metadata.name for item in one.items], ["d"], "by field")
    refused("an object that is not there", 404, "not found", core.read_namespaced_config_map, "none", NS)


def changes(core):
    core.patch_namespaced_config_map("c", NS, {"data": {"b": "2"}})
    same(core.read_namespaced_config_map("c", NS).data, {"a": "1", "b": "2"}, "a patch")
    core.patch_namespaced_config_map("c", NS, [{"op": "remove", "path": "/data/b"}])
    made = core.read_namespaced_config_map("c", NS)
    same(made.data, {"a": "1"}, "a JSON patch")
    made.data["a"] = "3"
    same(core.replace_namespaced_config_map("c", NS, made).data, {"a": "3"}, "a new version")
    refused("an old version is a conflict", 409, "the object has been modified",
            core.replace_namespaced_config_map, "c", NS, made)
    dry = core.create_namespaced_config_map(NS, config_map("dry", {}), dry_run="All")
    same(dry.metadata.name, "dry", "a dry run answers")
    refused("and leaves nothing", 404, "not found", core.read_namespaced_config_map, "dry", NS)


def watching(core):
    start = core.list_namespaced_config_map(NS).metadata.resource_version
    seen = []

    def look():
        for event in watch.Watch().stream(core.list_namespaced_config_map, NS, timeout_seconds=60,
                                          resource_version=start):
            seen.append((event["type"], event["object"].metadata.name))
            if event["type"] == "DELETED":
                break

    reader = threading.Thread(target=look)
    reader.start()
    core.create_namespaced_config_map(NS, config_map("w", {}))
    core.patch_namespaced_config_map("w", NS, {"data": {"a": "1"}})
    core.delete_namespaced_config_map("w", NS)
    reader.join(60)
    same(seen, [("ADDED", "w"), ("MODIFIED", "w"), ("DELETED", "w")], "a watch reports everything")


def pods(core):
    pod = {"metadata": {"name": "p"}, "spec": {"schedulerName": "nobody", "containers": [
        {"name": "c", "image": "x:1", "resources": {"requests": {"cpu": "0.5"}}}]}}
    made = core.create_namespaced_pod(NS, pod)
    same(made.spec.containers[0].resources.requests["cpu"], "500m", "a quantity is canonical")
    same(made.status.phase, "Pending", "a pod starts pending")
    core.patch_namespaced_pod_status("p", NS, {"status": {"phase": "Running"}})
    same(core.read_namespaced_pod("p", NS).status.phase, "Running", "its status is its own")
    core.patch_namespaced_pod("p", NS, {"spec": {"containers": [{"name": "c", "image": "x:2"}]}})
    same(core.read_namespaced_pod("p", NS).spec.containers[0].image, "x:2", "lists merge by name")
    gone = core.delete_namespaced_pod("p", NS, grace_period_seconds=0)
    same(gone.metadata.name, "p", "it goes")


def owners(core):
    for policy in ("Background", "Foreground", "Orphan"):
        owner = core.create_namespaced_config_map(NS, config_map("owner", {}))
        owned = config_map("owned", {})
        owned.metadata.owner_references = [client.V1OwnerReference(
            api_version="v1", kind="ConfigMap", name="owner", uid=owner.metadata.uid)]
        start = core.create_namespaced_config_map(NS, owned).metadata.resource_version
        core.delete_namespaced_config_map("owner", NS, propagation_policy=policy)
        ended = set()
        for event in watch.Watch().stream(core.list_namespaced_config_map, NS, timeout_seconds=60,
                                          resource_version=start):
            if event["type"] == "DELETED":
                ended.add(event["object"].metadata.name)
            if ended == ({"owner"} if policy == "Orphan" else {"owner", "owned"}):
                break
        if policy == "Orphan":
            kept = core.read_namespaced_config_map("owned", NS)
            ok(not kept.metadata.owner_references, "orphan: the owned one stays, free")
            core.delete_namespaced_config_map("owned", NS)
        else:
            same(ended, {"owner", "owned"}, f"{policy.lower()}: both go")


def custom(api, folder):
    with open(f"{folder}/clusters.yaml", encoding="utf-8") as text:
        definition = yaml.safe_load(text)
    extensions = client.ApiextensionsV1Api(api)
    start = extensions.list_custom_resource_definition().metadata.resource_version
    utils.create_from_dict(api, definition)
    for event in watch.Watch().stream(extensions.list_custom_resource_definition, timeout_seconds=60,
                                      resource_version=start):
        status = event["object"].status
        if any(c.type == "Established" and c.status == "True" for c in status.conditions or []):
            break
    ok(True, "a large definition is established")
    objects_api = client.CustomObjectsApi(api)
    place = ("databases.example.com", "v1", NS, "clusters")
    body = {"apiVersion": "databases.example.com/v1", "kind": "Cluster", "metadata": {"name": "db"},
            "spec": {"version": "16.2", "storage": {"size": "1Gi"}}}
    made = objects_api.create_namespaced_custom_object(*place, body)
    same((made["spec"]["replicas"], made["spec"]["storage"]["reclaim"]), (3, "Retain"),
         "an object has its defaults")
    refused("a wrong one is reported", 422, "spec.replicas", objects_api.patch_namespaced_custom_object,
            *place, "db", {"spec": {"replicas": 99}})
    objects_api.patch_namespaced_custom_object_status(*place, "db", {"status": {"phase": "Running"}})
    same(objects_api.get_namespaced_custom_object(*place, "db")["status"]["phase"], "Running",
         "its status is set")
    objects_api.patch_namespaced_custom_object_scale(*place, "db", {"spec": {"replicas": 5}})
    same(objects_api.get_namespaced_custom_object(*place, "db")["spec"]["replicas"], 5, "it is scaled")
    clusters = dynamic.DynamicClient(api).resources.get(api_version="databases.example.com/v1",
                                                        kind="Cluster")
    same(clusters.get(name="db", namespace=NS).spec.version, "16.2", "the dynamic client finds it")
    same(len(clusters.get(namespace=NS, field_selector="spec.version=16.2").items), 1,
         "and selects it by its field")
    extensions.delete_custom_resource_definition("clusters.databases.example.com")


def volcano(api):
    place = ("scheduling.volcano.sh", "v1beta1", "queues")
    queues = client.CustomObjectsApi(api)
    made = queues.create_cluster_custom_object(*place, {
        "apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue",
        "metadata": {"name": "python"}, "spec": {"weight": 2}})
    same(made["spec"]["weight"], 2, "a queue of Volcano's")
    refused("one that is wrong", 422, "dequeueStrategy", queues.patch_cluster_custom_object, *place,
            "python", {"spec": {"dequeueStrategy": "odd"}})


def main():
    config.load_kube_config()
    api = client.ApiClient()
    core = client.CoreV1Api(api)
    ok(client.VersionApi(api).get_code().major == "1", "the server has a version")
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NS)))
    objects(core)
    changes(core)
    watching(core)
    pods(core)
    owners(core)
    custom(api, sys.argv[1])
    volcano(api)
    core.delete_namespace(NS)
    print(f"1..{count}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

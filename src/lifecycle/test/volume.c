/* SPDX-License-Identifier: Apache-2.0 */
/* Claims and volumes: each row is a claim, the volumes and the class that there are, and the plan that
 * follows. */
#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "lifecycle/volume_lifecycle.h"
#include "model/core/persistentvolume.h"
#include "quoted.h"
#include "tap.h"

#include "base/banned.h"

#define CLAIM(meta, spec, status)                                                             \
	"{'metadata':{'namespace':'ns','name':'c','uid':'u1'" meta                            \
	"},'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'2Gi'}" \
	"}" spec "},'status':{" status "}}"
#define OF_CLASS ",'storageClassName':'k'"
#define PV(name, size, spec, status)                                                            \
	"{'metadata':{'name':'" name "','resourceVersion':'7'},'spec':{'storageClassName':'k'," \
	"'accessModes':['ReadWriteOnce','ReadOnlyMany'],'capacity':{'storage':'" size "'}" spec \
	"},'status':{" status "}}"
#define FOR_C ",'claimRef':{'namespace':'ns','name':'c','uid':'u1'}"
#define AVAILABLE "'phase':'Available'"
#define CLASS(provisioner, mode)                                                              \
	"{'metadata':{'name':'k'},'provisioner':'" provisioner "','volumeBindingMode':'" mode \
	"','reclaimPolicy':'Delete'}"
#define DONE ",'annotations':{'pv.kubernetes.io/bind-completed':'yes'}"
#define NODE ",'annotations':{'volume.kubernetes.io/selected-node':'n1'}"
#define BIND(pv)                                    \
	"0 patch persistentvolumes " pv "\n"        \
	"1 patch-status persistentvolumes " pv "\n" \
	"2 patch persistentvolumeclaims ns/c\n"     \
	"3 patch-status persistentvolumeclaims ns/c\n"

static const struct {
	const char *about;
	const char *claim;
	const char *volumes[3];
	const char *class;
	const char *folder;
	const char *plan;
} rows[] = {
	{"a claim gets the smallest volume that suffices",
	 CLAIM("", OF_CLASS, "'phase':'Pending'"),
	 {PV("big", "9Gi", "", AVAILABLE), PV("fits", "2Gi", "", AVAILABLE),
	  PV("small", "1Gi", "", AVAILABLE)},
	 CLASS("none", "Immediate"),
	 NULL,
	 BIND("fits")},
	{"a volume of another class is not for it",
	 CLAIM("", "", "'phase':'Pending'"),
	 {PV("p", "9Gi", "", AVAILABLE)},
	 NULL,
	 NULL,
	 ""},
	{"nor one that is in use",
	 CLAIM("", OF_CLASS, "'phase':'Pending'"),
	 {PV("p", "9Gi", ",'claimRef':{'namespace':'ns','name':'d','uid':'u2'}",
	     "'phase':'Bound'")},
	 CLASS("none", "Immediate"),
	 NULL,
	 ""},
	{"a claim that waits for its first pod waits",
	 CLAIM("", OF_CLASS, "'phase':'Pending'"),
	 {PV("p", "9Gi", "", AVAILABLE)},
	 CLASS("none", "WaitForFirstConsumer"),
	 NULL,
	 "0 event Normal WaitForFirstConsumer ns/c: waiting for first consumer to be created "
	 "before "
	 "binding\n"},
	{"until a volume is kept for it",
	 CLAIM("", OF_CLASS, "'phase':'Pending'"),
	 {PV("p", "9Gi", FOR_C, AVAILABLE)},
	 CLASS("none", "WaitForFirstConsumer"),
	 NULL,
	 "0 patch-status persistentvolumes p\n1 patch persistentvolumeclaims ns/c\n"
	 "2 patch-status persistentvolumeclaims ns/c\n"},
	{"a binding goes on where it was broken off",
	 CLAIM(DONE, OF_CLASS ",'volumeName':'p'", "'phase':'Pending'"),
	 {PV("p", "9Gi", FOR_C, "'phase':'Bound'")},
	 CLASS("none", "Immediate"),
	 NULL,
	 "0 patch-status persistentvolumeclaims ns/c\n"},
	{"and ends",
	 CLAIM(DONE, OF_CLASS ",'volumeName':'p'", "'phase':'Bound'"),
	 {PV("p", "9Gi", FOR_C, "'phase':'Bound'")},
	 CLASS("none", "Immediate"),
	 NULL,
	 ""},
	{"a claim that names a volume gets that one",
	 CLAIM("", OF_CLASS ",'volumeName':'q'", "'phase':'Pending'"),
	 {PV("p", "2Gi", "", AVAILABLE), PV("q", "9Gi", "", AVAILABLE)},
	 CLASS("none", "Immediate"),
	 NULL,
	 BIND("q")},
	{"whose volume was deleted is lost",
	 CLAIM(DONE, OF_CLASS ",'volumeName':'p'", "'phase':'Bound'"),
	 {NULL},
	 CLASS("none", "Immediate"),
	 NULL,
	 "0 patch-status persistentvolumeclaims ns/c\n"},
	{"a folder is made for the first pod",
	 CLAIM(NODE, OF_CLASS, "'phase':'Pending'"),
	 {NULL},
	 CLASS(VOLUME_PROVISIONER, "WaitForFirstConsumer"),
	 "/var/v",
	 "0 create persistentvolumes pvc-u1\n"
	 "1 event Normal ProvisioningSucceeded ns/c: Successfully provisioned volume pvc-u1\n"},
	{"only where folders are",
	 CLAIM(NODE, OF_CLASS, "'phase':'Pending'"),
	 {NULL},
	 CLASS(VOLUME_PROVISIONER, "WaitForFirstConsumer"),
	 NULL,
	 ""},
	{"others make their volumes themselves",
	 CLAIM(NODE, OF_CLASS, "'phase':'Pending'"),
	 {NULL},
	 CLASS("example.com/p", "WaitForFirstConsumer"),
	 "/var/v",
	 ""},
	{"a claim that goes is left alone",
	 CLAIM(",'deletionTimestamp':'2026-01-01T00:00:00Z'", OF_CLASS, "'phase':'Pending'"),
	 {PV("p", "9Gi", "", AVAILABLE)},
	 CLASS("none", "Immediate"),
	 NULL,
	 ""},
};

static const struct {
	const char *about;
	const char *volume;
	const char *claim;
	const char *plan;
} volume_rows[] = {
	{"a volume of no claim is available", PV("p", "1Gi", "", "'phase':'Pending'"), NULL,
	 "0 patch-status persistentvolumes p\n"},
	{"and stays so", PV("p", "1Gi", "", AVAILABLE), NULL, ""},
	{"whose claim was deleted is released", PV("p", "1Gi", FOR_C, "'phase':'Bound'"), NULL,
	 "0 patch-status persistentvolumes p\n"},
	{"one that was made for it goes",
	 "{'metadata':{'name':'p','annotations':{'pv.kubernetes.io/"
	 "provisioned-by':'" VOLUME_PROVISIONER
	 "'}},'spec':{'persistentVolumeReclaimPolicy':'Delete'" FOR_C
	 "},'status':{'phase':'Bound'}}",
	 NULL, "0 delete persistentvolumes p\n"},
	{"not while the claim is there", PV("p", "1Gi", FOR_C, "'phase':'Bound'"),
	 CLAIM(DONE, ",'volumeName':'p'", "'phase':'Bound'"), ""},
	{"one that is kept for a claim to come waits",
	 PV("p", "1Gi", ",'claimRef':{'namespace':'ns','name':'d'}", AVAILABLE), NULL, ""},
};

static void check_claim(size_t i)
{
	AUTO(plan_done) struct plan plan;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *claim = quoted_doc(rows[i].claim);
	AUTO(json_doc_unref)
	struct json_doc *class = rows[i].class ? quoted_doc(rows[i].class) : NULL;
	struct json_doc *docs[3] = {NULL};
	struct json volumes[3];
	struct volume_world world = {.volumes = volumes,
				     .class = class ? json_doc_root(class) : JSON_NONE,
				     .folder = rows[i].folder};
	struct err err;

	plan_init(&plan);
	while (world.volume_count < 3 && rows[i].volumes[world.volume_count]) {
		docs[world.volume_count] = quoted_doc(rows[i].volumes[world.volume_count]);
		volumes[world.volume_count] = json_doc_root(docs[world.volume_count]);
		world.volume_count++;
	}
	ok(volume_claim_step(json_doc_root(claim), &world, &plan, &err) == 0, "%s", rows[i].about);
	plan_print(&plan, &text);
	is(buf_text(&text), rows[i].plan);
	for (size_t j = 0; j < 3; j++)
		json_doc_unref(docs[j]);
}

static void check_volume(size_t i)
{
	AUTO(plan_done) struct plan plan;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *volume = quoted_doc(volume_rows[i].volume);
	AUTO(json_doc_unref)
	struct json_doc *claim = volume_rows[i].claim ? quoted_doc(volume_rows[i].claim) : NULL;
	struct err err;

	plan_init(&plan);
	ok(volume_step(json_doc_root(volume), claim ? json_doc_root(claim) : JSON_NONE, &plan,
		       &err) == 0,
	   "%s", volume_rows[i].about);
	plan_print(&plan, &text);
	is(buf_text(&text), volume_rows[i].plan);
}

static void check_class(void)
{
	AUTO(plan_done) struct plan plan;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *known = quoted_doc("{}");

	plan_init(&plan);
	volume_class_step(json_doc_root(known), &plan);
	ok(plan_is_empty(&plan), "the class is made once");
	volume_class_step(JSON_NONE, &plan);
	plan_print(&plan, &text);
	is(buf_text(&text), "0 create storageclasses local\n");
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_claim(i);
	for (size_t i = 0; i < ARRAY_LEN(volume_rows); i++)
		check_volume(i);
	check_class();
	return tap_done();
}

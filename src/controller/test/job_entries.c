/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and their pods: before the job, after it, of its namesake, in their newest version. */
#include "controller/job_entries.h"

#include <stdio.h>

#include "base/mem.h"
#include "tap.h"

#include "base/banned.h"

static struct json_doc *job(const char *uid, int version)
{
	AUTO(mem_free)
	char *text = mem_printf("{\"metadata\":{\"namespace\":\"a\",\"name\":\"j\",\"uid\":\"%s\","
				"\"resourceVersion\":\"%d\"}}",
				uid, version);

	return json_parse(str_from(text), NULL, NULL);
}

static struct entry *put_pod(struct entries *entries, const char *name, const char *owner,
			     int version)
{
	AUTO(mem_free)
	char *text = mem_printf(
		"{\"metadata\":{\"namespace\":\"a\",\"name\":\"%s\",\"uid\":\"pod-%s\","
		"\"resourceVersion\":"
		"\"%d\",\"annotations\":{\"volcano.sh/job-name\":\"j\",\"volcano.sh/"
		"task-spec\":\"t\","
		"\"volcano.sh/job-version\":\"0\"},\"ownerReferences\":[{\"apiVersion\":"
		"\"batch.volcano.sh/v1alpha1\",\"kind\":\"Job\",\"name\":\"j\",\"uid\":\"%s\","
		"\"controller\":true}]}}",
		name, name, version, owner);
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(str_from(text), NULL, NULL);

	return entries_put_pod(entries, json_doc_root(doc));
}

static size_t count(const struct entry *entry)
{
	const struct job_pod *pods[8];

	return entries_collect(entry, pods);
}

int main(void)
{
	struct entries *entries = entries_new();
	AUTO(json_doc_unref) struct json_doc *first = job("u1", 5);
	AUTO(json_doc_unref) struct json_doc *older = job("u1", 4);
	AUTO(json_doc_unref) struct json_doc *second = job("u2", 9);
	const struct job_pod *pods[8];
	struct entry *entry;

	ok(put_pod(entries, "j-t-0", "u1", 1) != NULL, "a pod may come before its job");
	entry = entries_put_job(entries, first);
	ok(entry && count(entry) == 1, "the job finds it");
	ok(!entries_put_job(entries, older), "an older version of the job is passed over");
	ok(!put_pod(entries, "j-t-0", "u1", 1), "so is a version of the pod that is known");
	(void)put_pod(entries, "j-t-1", "u1", 2);
	(void)put_pod(entries, "j-t-2", "u1", 3);
	ok(entries_remove_pod(entries, STR("a"), STR("j-t-0"), STR("pod-j-t-0")) == entry &&
		   count(entry) == 2,
	   "a pod goes");
	ok(!entries_remove_pod(entries, STR("a"), STR("j-t-1"), STR("other")),
	   "not one that has only the same name");
	entries_mark_pod(entries, STR("a"), STR("j-t-1"), STR("pod-j-t-1"));
	(void)entries_collect(entry, pods);
	ok(pods[0]->deleting != pods[1]->deleting, "a pod is marked as going");
	ok(!entries_remove_job(entries, STR("a"), STR("j"), STR("u0")),
	   "a late deletion does not hit the job's successor");
	ok(entries_put_job(entries, second) == entry && count(entry) == 0,
	   "another job of the name does not take the pods over");
	(void)put_pod(entries, "j-t-7", "u2", 10);
	ok(count(entry) == 1, "it has its own");
	ok(entries_remove_job(entries, STR("a"), STR("j"), str_none()) == entry, "the job goes");
	entries_drop(entries, entry);
	ok(entries_len(entries) == 1, "its pods are still known");
	(void)entries_remove_pod(entries, STR("a"), STR("j-t-1"), str_none());
	(void)entries_remove_pod(entries, STR("a"), STR("j-t-2"), str_none());
	(void)entries_remove_pod(entries, STR("a"), STR("j-t-7"), str_none());
	entries_drop(entries, entry);
	ok(entries_len(entries) == 0, "with the last of them it is forgotten");
	entries_free(entries);
	return tap_done();
}

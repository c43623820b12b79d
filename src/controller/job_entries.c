/* SPDX-License-Identifier: Apache-2.0 */
/* controller/job_entries.c - jobs and their pods.
 *
 * Two maps: entries by the job's key, pods by their own. A pod knows its place in its entry's list,
 * so that it is taken out without a search. */
#include "controller/job_entries.h"

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "controller/cache.h"
#include "lifecycle/keys.h"
#include "model/core/meta.h"

#include "base/banned.h"

struct entry_pod {
	char *key;
	char *owner; /* uid of the job */
	struct job_pod *pod;
	uint64_t version;
	struct entry *entry;
	size_t at;
};

struct entries {
	struct map *jobs;
	struct map *pods;
};

struct entries *entries_new(void)
{
	struct entries *entries = mem_new(struct entries);

	entries->jobs = map_new(0);
	entries->pods = map_new(0);
	return entries;
}

static void entry_free(struct entry *entry)
{
	execution_cancel(entry->execution);
	execution_reports_done(&entry->reported);
	json_doc_unref(entry->complete);
	json_doc_unref(entry->doc);
	vec_done(&entry->pods);
	mem_free(entry->private_pem);
	mem_free(entry->public_line);
	mem_free(entry->key);
	mem_free(entry);
}

static void pod_free(struct entry_pod *row)
{
	mem_free(row->key);
	mem_free(row->owner);
	mem_free(row->pod);
	mem_free(row);
}

void entries_free(struct entries *entries)
{
	size_t at = 0;
	void *value;

	if (!entries)
		return;
	while (map_next(entries->pods, &at, NULL, &value))
		pod_free(value);
	at = 0;
	while (map_next(entries->jobs, &at, NULL, &value))
		entry_free(value);
	map_free(entries->pods);
	map_free(entries->jobs);
	mem_free(entries);
}

struct entry *entries_find(const struct entries *entries, struct str key)
{
	return map_get(entries->jobs, key);
}

struct entry *entries_next(const struct entries *entries, size_t *at)
{
	void *entry;

	return map_next(entries->jobs, at, NULL, &entry) ? entry : NULL;
}

size_t entries_len(const struct entries *entries)
{
	return map_len(entries->jobs);
}

static void put_key(struct str namespace, struct str name, struct buf *to)
{
	buf_put_str(to, namespace);
	buf_putc(to, '/');
	buf_put_str(to, name);
}

static struct entry *ensure(struct entries *entries, struct str namespace, struct str name)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	struct entry *entry;

	put_key(namespace, name, &key);
	entry = map_get(entries->jobs, buf_str(&key));
	if (entry)
		return entry;
	entry = mem_new(struct entry);
	entry->key = buf_take(&key);
	(void)map_put(entries->jobs, str_from(entry->key), entry);
	return entry;
}

void entries_drop(struct entries *entries, struct entry *entry)
{
	if (entry->doc || entry->pods.len > 0 || entry->busy)
		return;
	(void)map_remove(entries->jobs, str_from(entry->key));
	entry_free(entry);
}

/* --- jobs ------------------------------------------------------------------------------------ */

/* Another job has the name now: what was remembered was of the old one. */
static void forget(struct entry *entry)
{
	vec_clear(&entry->reported.hashes);
	entry->counted_at = 0;
	entry->wait_us = 0;
	entry->failing_since = 0;
	entry->pods_answer = JOB_PODS_UNKNOWN;
	entry->completed = 0;
	entry->failed = 0;
	mem_free(TAKE(entry->private_pem));
	mem_free(TAKE(entry->public_line));
}

struct entry *entries_put_job(struct entries *entries, struct json_doc *doc)
{
	struct json root = json_doc_root(doc);
	struct json meta = json_get(root, "metadata");
	struct entry *entry = ensure(entries, json_str(json_get(meta, "namespace")),
				     json_str(json_get(meta, "name")));
	uint64_t version = cache_version(root);

	if (entry->doc && version <= entry->version)
		return NULL;
	if (entry->doc && !str_eq(meta_uid(root), meta_uid(json_doc_root(entry->doc))))
		forget(entry);
	json_doc_unref(TAKE(entry->complete));
	json_doc_unref(entry->doc);
	entry->doc = json_doc_ref(doc);
	entry->version = version;
	return entry;
}

struct entry *entries_remove_job(struct entries *entries, struct str namespace, struct str name,
				 struct str uid)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	struct entry *entry;

	put_key(namespace, name, &key);
	entry = map_get(entries->jobs, buf_str(&key));
	if (!entry || !entry->doc ||
	    (uid.len > 0 && !str_eq(meta_uid(json_doc_root(entry->doc)), uid)))
		return NULL;
	json_doc_unref(TAKE(entry->complete));
	json_doc_unref(TAKE(entry->doc));
	forget(entry);
	return entry;
}

/* --- pods ------------------------------------------------------------------------------------ */

static struct entry_pod *find_pod(const struct entries *entries, struct str namespace,
				  struct str name)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;

	put_key(namespace, name, &key);
	return map_get(entries->pods, buf_str(&key));
}

static void unlink_pod(struct entry_pod *row)
{
	struct entry *entry = row->entry;

	vec_remove_swap(&entry->pods, row->at);
	if (row->at < entry->pods.len)
		entry->pods.ptr[row->at]->at = row->at;
}

static void remove_row(struct entries *entries, struct entry_pod *row)
{
	unlink_pod(row);
	(void)map_remove(entries->pods, str_from(row->key));
	pod_free(row);
}

/* Does the pod look to the job as it did? Most of what happens to a pod is of no interest to it: where
 * it is bound, its conditions, its addresses. */
static bool is_same(const struct job_pod *a, const struct job_pod *b)
{
	return str_eq(a->uid, b->uid) && str_eq(a->task, b->task) && a->phase == b->phase &&
	       a->index == b->index && a->partition == b->partition && a->version == b->version &&
	       a->retry == b->retry && a->out_of_sync == b->out_of_sync &&
	       a->deleting == b->deleting && a->ready == b->ready && a->restarts == b->restarts &&
	       a->exit_code == b->exit_code && a->created == b->created &&
	       a->evicted_at == b->evicted_at && a->deleted == b->deleted && a->ended == b->ended;
}

struct entry *entries_put_pod(struct entries *entries, struct json pod)
{
	struct json meta = json_get(pod, "metadata");
	struct str namespace = json_str(json_get(meta, "namespace"));
	struct str name = json_str(json_get(meta, "name"));
	struct str job = json_str(json_get(json_get(meta, "annotations"), KEY_JOB_NAME));
	struct entry_pod *row = find_pod(entries, namespace, name);
	uint64_t version = cache_version(pod);
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	struct job_pod *read;

	if (row && version <= row->version)
		return NULL;
	read = job_pod_new(pod);
	if (row && read && is_same(row->pod, read) && str_is(job_controller_of(pod), row->owner)) {
		row->version = version;
		mem_free(read);
		return NULL;
	}
	if (row)
		remove_row(entries, row);
	if (!read)
		return NULL;
	row = mem_new(struct entry_pod);
	put_key(namespace, name, &key);
	row->key = buf_take(&key);
	row->owner = str_dup(job_controller_of(pod));
	row->pod = read;
	row->version = version;
	row->entry = ensure(entries, namespace, job);
	row->at = row->entry->pods.len;
	vec_push(&row->entry->pods, row);
	(void)map_put(entries->pods, str_from(row->key), row);
	return row->entry;
}

void entries_mark_pod(struct entries *entries, struct str namespace, struct str name,
		      struct str uid)
{
	struct entry_pod *row = find_pod(entries, namespace, name);

	if (row && str_eq(row->pod->uid, uid))
		row->pod->deleting = true;
}

struct entry *entries_remove_pod(struct entries *entries, struct str namespace, struct str name,
				 struct str uid)
{
	struct entry_pod *row = find_pod(entries, namespace, name);
	struct entry *entry;

	if (!row || (uid.len > 0 && !str_eq(row->pod->uid, uid)))
		return NULL;
	entry = row->entry;
	remove_row(entries, row);
	return entry;
}

size_t entries_collect(const struct entry *entry, const struct job_pod **to)
{
	struct str uid = meta_uid(json_doc_root(entry->doc));
	size_t count = 0;

	for (size_t i = 0; i < entry->pods.len; i++)
		if (str_is(uid, entry->pods.ptr[i]->owner))
			to[count++] = entry->pods.ptr[i]->pod;
	return count;
}

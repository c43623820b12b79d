/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/volume_words.c - volumes that are missing or elsewhere, and what plugins say; see node_look.h. */
#include <string.h>

#include "model/core/taints.h"
#include "model/pod/affinity.h"
#include "model/pod/pod_affinity.h"
#include "sched/place/affinity_index.h"
#include "sched/place/volume_fit.h"
#include "sched/report/node_look.h"
#include "sched/report/words.h"
#include "sched/session/session.h"

#include "base/banned.h"

/* --- volumes ------------------------------------------------------------------------------------ */

void look_put_claims(const struct look *l, struct buf *to)
{
	const struct pod_spec *spec = l->task->class->terms->spec;
	size_t count = 0;

	for (size_t i = 0; i < spec->volumes.len; i++)
		if (spec->volumes.ptr[i].claim)
			buf_printf(to, "%s`%.*s`", count++ ? ", " : "",
				   STR_ARG(spec->volumes.ptr[i].claim->name));
}

struct volume_words {
	const char *before; /* the claims */
	const char *after;
	const char *brief;
	const char *advice;
};

static void say_volume(struct look *l, const struct volume_words *words)
{
	buf_puts(&l->m->text, words->before);
	look_put_claims(l, &l->m->text);
	buf_puts(&l->m->text, words->after);
	buf_puts(&l->m->brief, words->brief);
	buf_puts(&l->m->advice, words->advice);
}

void look_say_volume_zone(struct look *l)
{
	say_volume(l, &(struct volume_words){
			      "the volume of claim ", " is in a zone in which it may use no node",
			      "volume is in another zone", "Add a node in the zone of the volume"});
}
void look_say_volume_affinity(struct look *l)
{
	say_volume(l,
		   &(struct volume_words){
			   "the volume of claim ",
			   " can be used on certain nodes only, and none of these can take the pod",
			   "volume is on other nodes",
			   "Free capacity on the nodes of the volume, or use another claim"});
}
/* A claim that waits for its first pod, and no node at which it could get its volume. */
static void say_lack(struct message *m, const struct volume_lack *lack)
{
	AUTO(buf_done) struct buf size = BUF_UNBOUNDED;

	words_amount(&m->names, DIM_STORAGE, lack->size, &size);
	if (lack->node.len) {
		buf_printf(&m->text,
			   "claim `%.*s` gets its volume on node `%.*s`, which cannot take the pod",
			   STR_ARG(lack->claim), STR_ARG(lack->node));
		buf_puts(&m->advice, "Free capacity on that node, or use another claim");
	} else if (lack->match.len) {
		buf_printf(&m->text,
			   "volume `%.*s`, which matches the claim `%.*s`, cannot be used on the "
			   "nodes that "
			   "the job may use",
			   STR_ARG(lack->match), STR_ARG(lack->claim));
		buf_puts(&m->advice, "Let the job use the nodes of the volume, or create a volume "
				     "on other nodes");
	} else if (lack->provisioned) {
		buf_printf(&m->text,
			   "storage class `%.*s` of claim `%.*s` creates no volumes on the nodes "
			   "that the "
			   "job may use (allowedTopologies)",
			   STR_ARG(lack->class), STR_ARG(lack->claim));
		buf_puts(&m->advice, "Use other nodes, or another storage class");
	} else if (lack->largest > 0 && lack->largest < lack->size) {
		buf_printf(&m->text,
			   "no free volume is large enough for the claim `%.*s`: needs %s, the "
			   "largest of "
			   "storage class `%.*s` has ",
			   STR_ARG(lack->claim), buf_text(&size), STR_ARG(lack->class));
		words_amount(&m->names, DIM_STORAGE, lack->largest, &m->text);
		buf_puts(&m->advice, "Create a larger volume, or claim less");
	} else {
		buf_printf(&m->text,
			   "no free volume matches the claim `%.*s` (%s of storage class `%.*s`), "
			   "and no "
			   "program creates one",
			   STR_ARG(lack->claim), buf_text(&size), STR_ARG(lack->class));
		buf_puts(&m->advice, "Create such a volume, or use another storage class");
	}
	buf_puts(&m->brief, "no volume for its claim");
}

void look_say_volume_none(struct look *l)
{
	struct volume_lack lack;

	if (volumes_find_lack(l->m->ssn->cluster, l->task, &lack))
		say_lack(l->m, &lack);
	else
		say_volume(l, &(struct volume_words){
				      "no volume matches the claim ", "", "no volume for its claim",
				      "Create a volume that matches the claim, or change its "
				      "storage class or size"});
}
void look_say_volume_storage(struct look *l)
{
	say_volume(l, &(struct volume_words){"no node has enough free storage for the claim ", "",
					     "not enough storage", "Free storage, or claim less"});
}
void look_say_volume_lost(struct look *l)
{
	say_volume(l, &(struct volume_words){"the volume of claim ", " was deleted",
					     "volume was deleted",
					     "Delete the claim and create it again"});
}
void look_say_attach(struct look *l)
{
	buf_puts(&l->m->text, "the nodes cannot attach more volumes of the driver ");
	if (l->detail < l->m->names.text_count)
		buf_puts(&l->m->text, l->m->names.texts[l->detail]);
	buf_puts(&l->m->brief, "too many volumes on the nodes");
	buf_puts(&l->m->advice, "Wait for pods with volumes to end, or add a node");
}

/* --- plugins ------------------------------------------------------------------------------------ */

static void put_groups(const struct look *l, struct buf *to)
{
	const struct queue_info *queue = l->m->job->queue;
	const struct queue_affinity *affinity =
		queue && queue->view ? queue->view->spec.affinity : NULL;
	const struct queue_group_terms *terms = affinity ? affinity->node_group_affinity : NULL;

	for (size_t i = 0; terms && i < terms->required.len; i++)
		buf_printf(to, "%s%.*s", i ? ", " : "", STR_ARG(terms->required.ptr[i]));
}

void look_say_group(struct look *l)
{
	const struct queue_info *queue = l->m->job->queue;
	struct message *m = l->m;

	buf_printf(&m->text, "queue `%.*s` may use only the node groups ",
		   STR_ARG(queue ? queue->text : str_none()));
	put_groups(l, &m->text);
	buf_puts(&m->text, ", and no node of these can take the pod");
	buf_puts(&m->brief, "node groups of the queue");
	buf_puts(&m->advice, "Allow the queue more node groups, or free capacity in its own");
}
void look_say_group_label(struct look *l)
{
	look_put_nodes(l, &l->m->text);
	buf_printf(&l->m->text, " %s in no node group, and its queue may use node groups only",
		   look_are(l));
	buf_puts(&l->m->brief, "nodes are in no node group");
	buf_puts(&l->m->advice, "Label the nodes with their group (volcano.sh/nodegroup-name)");
}
void look_say_group_unset(struct look *l)
{
	const struct queue_info *queue = l->m->job->queue;

	look_put_nodes(l, &l->m->text);
	buf_printf(&l->m->text,
		   " %s in a node group, and queue `%.*s` names no node groups that it may use",
		   look_are(l), STR_ARG(queue ? queue->text : str_none()));
	buf_puts(&l->m->brief, "queue names no node groups");
	buf_puts(&l->m->advice, "Set the node groups of the queue (spec.affinity)");
}
void look_say_proportion(struct look *l)
{
	look_put_nodes(l, &l->m->text);
	buf_printf(&l->m->text, " %s ", l->nodes == 1 ? "keeps" : "keep");
	words_resource(&l->m->names, l->detail, &l->m->text);
	buf_puts(&l->m->text, " back for jobs that use other resources (predicate.resources)");
	buf_puts(&l->m->brief, "capacity is kept for other jobs");
	buf_puts(&l->m->advice,
		 "Ask for less, or lower the proportion in the scheduler's configuration");
}
void look_say_shard(struct look *l)
{
	look_put_nodes(l, &l->m->text);
	buf_printf(&l->m->text, " %s to the shard of another scheduler",
		   l->nodes == 1 ? "belongs" : "belong");
	buf_puts(&l->m->brief, "nodes belong to another shard");
	buf_puts(&l->m->advice, "Give more nodes to the shard of this scheduler");
}
void look_say_zone_closed(struct look *l)
{
	look_put_nodes(l, &l->m->text);
	buf_printf(&l->m->text, " may be used only at certain times");
	if (l->detail < l->m->names.text_count)
		buf_printf(&l->m->text, " (%s)", l->m->names.texts[l->detail]);
	buf_puts(&l->m->brief, "outside of the nodes' hours");
	buf_puts(&l->m->advice, "Wait for the hours of the zone, or use other nodes");
}
void look_say_zone_foreign(struct look *l)
{
	look_put_nodes(l, &l->m->text);
	buf_printf(&l->m->text, " %s revocable: only preemptable pods may use %s", look_are(l),
		   l->nodes == 1 ? "it" : "them");
	buf_puts(&l->m->brief, "nodes are for preemptable pods");
	buf_puts(&l->m->advice, "Mark the job as preemptable (annotation volcano.sh/preemptable: "
				"\"true\"), or use other nodes");
}

/* Texts of Volcano and Kubernetes about a pod as such; a name comes between quotation marks. */
struct known_text {
	const char *before;
	const char *after;
	const char *text; /* %.*s: the name */
	const char *brief;
	const char *advice;
};
static const struct known_text known_texts[] = {
	{"persistentvolumeclaim \"", "\" not found", "the volume claim `%.*s` does not exist",
	 "volume claim %.*s is missing", "Create the claim, or correct its name in the job"},
	{"persistentvolumeclaim \"", "\" is being deleted",
	 "the volume claim `%.*s` is being deleted", "volume claim %.*s is being deleted",
	 "Wait until it was deleted and create it again, or use another claim"},
	{"persistentvolumeclaim \"", "\" bound to non-existent",
	 "the volume of claim `%.*s` was deleted", "volume of claim %.*s was deleted",
	 "Delete the claim and create it again"},
	{"create the persistentvolumeclaim \"", "\"", "the volume claim `%.*s` is being created",
	 "volume claim %.*s is being created", "Nothing to do: a controller creates it"},
	{"persistentvolume \"", "\" not found", "the volume `%.*s` does not exist",
	 "volume %.*s is missing", "Create the volume, or delete the claim and create it again"},
	{"storageclass.storage.k8s.io \"", "\" not found",
	 "the storage class `%.*s` does not exist", "storage class %.*s is missing",
	 "Create the storage class, or name another one in the claim"},
};

struct plain_text {
	const char *part;
	struct volume_words words;
};
static const struct plain_text plain_texts[] = {
	{"unbound immediate PersistentVolumeClaims",
	 {"the volume claim ", " has no volume yet", "volume claim has no volume",
	  "Create a volume that matches the claim, or check the storage provisioner"}},
	{"ReadWriteOncePod",
	 {"the volume claim ",
	  " is in use by another pod, and only one pod may use it (ReadWriteOncePod)",
	  "volume claim is in use", "Wait for that pod to end, or use another claim"}},
	{"no pv name and storageClass name",
	 {"the volume claim ", " has neither a volume nor a storage class",
	  "volume claim has no volume",
	  "Name a storage class in the claim, or create a volume for it"}},
	{"PersistentVolume had no name",
	 {"the volume claim ", " has no volume yet", "volume claim has no volume",
	  "Create a volume that matches the claim, or check the storage provisioner"}},
	{"pod affinity terms conflict",
	 {"its node affinity contradicts itself: no node can match", "",
	  "contradictory node affinity", "Correct the node affinity of the job"}},
};

static struct str name_in(const char *text, const struct known_text *row)
{
	const char *at = strstr(text, row->before);
	const char *end;

	if (!at)
		return str_none();
	at += strlen(row->before);
	end = strchr(at, '"');
	if (!end || strncmp(end, row->after, strlen(row->after)) != 0)
		return str_none();
	return str_of(at, (size_t)(end - at));
}

static void put_named(const char *text, struct str name, struct buf *to)
{
	const char *mark = strstr(text, "%.*s");

	buf_put(to, text, (size_t)(mark - text));
	buf_put_str(to, name);
	buf_puts(to, mark + strlen("%.*s"));
}

/* Volcano says which filter refused before any node; what matters comes after that. */
static const char *without_plugin(const char *text)
{
	static const char words[] = " pre-predicates failed ";
	const char *at = strstr(text, words);

	return at ? at + strlen(words) : text;
}

void look_say_text(struct look *l, const char *text)
{
	struct message *m = l->m;

	for (size_t i = 0; i < ARRAY_LEN(known_texts); i++) {
		struct str name = name_in(text, &known_texts[i]);

		if (!name.len)
			continue;
		put_named(known_texts[i].text, name, &m->text);
		put_named(known_texts[i].brief, name, &m->brief);
		buf_puts(&m->advice, known_texts[i].advice);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(plain_texts); i++) {
		if (!strstr(text, plain_texts[i].part))
			continue;
		buf_puts(&m->text, plain_texts[i].words.before);
		if (plain_texts[i].words.after[0])
			look_put_claims(l, &m->text);
		buf_puts(&m->text, plain_texts[i].words.after);
		buf_puts(&m->brief, plain_texts[i].words.brief);
		buf_puts(&m->advice, plain_texts[i].words.advice);
		return;
	}
	buf_puts(&m->text, without_plugin(text));
	buf_puts(&m->brief, without_plugin(text));
	buf_puts(&m->advice,
		 "A plugin of the scheduler refuses it; its administrator knows the rule");
}

void look_say_other(struct look *l)
{
	look_say_text(l, l->detail < l->m->names.text_count ? l->m->names.texts[l->detail] : "");
}

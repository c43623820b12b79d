/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/aside.c - see the header. Only rows with enough crashes are reported; a single crash is in the
 * log of the start after it (programs/volcano/volcano_up.c). */
#include "apiserver/reconcile/aside.h"

#include <signal.h>
#include <string.h>

#include "apiserver/api_internal.h"
#include "apiserver/reconcile/reconcilers.h"
#include "apiserver/reconcile/self.h"
#include "base/log.h"
#include "base/quarantine.h"
#include "base/time.h"
#include "loop/loop.h"

#include "base/banned.h"

#define SET_ASIDE                                                                                 \
	"crashed %s %u times (%s) and is set aside: no component sees it until it is changed or " \
	"deleted"

static const char *signal_name(int signo)
{
	const char *name = sigabbrev_np(signo);

	return name ? name : "a signal";
}

static void put_involved(struct json_doc *doc, struct json event, const struct kind *kind,
			 struct json metadata)
{
	struct json involved = json_ensure_obj(doc, event, "involvedObject");
	static const char *const same[] = {"namespace", "name", "uid"};

	json_set_str(doc, involved, "apiVersion", kind->api_version);
	json_set_str(doc, involved, "kind", kind->name);
	for (size_t i = 0; i < ARRAY_LEN(same); i++)
		if (json_str(json_get(metadata, same[i])).len)
			json_set_str(doc, involved, same[i], json_str(json_get(metadata, same[i])));
}

static void create_event(struct api *api, const struct quarantine_row *row, const struct kind *kind,
			 const struct object *object)
{
	const struct kind *events = kinds_find(api_kinds(api), STR(""), STR("v1"), STR("events"));
	AUTO(json_doc_unref) struct json_doc *about = object_parse(object);
	struct json metadata = json_get(json_doc_root(about), "metadata");
	struct json_doc *doc = json_doc_new();
	struct json event = json_new_obj(doc);
	struct json own;
	struct str space = json_str(json_get(metadata, "namespace"));
	char now[TIME_TEXT_SIZE];

	if (!space.len)
		space = STR("default");
	(void)time_print(api_now(api), now);
	json_doc_set_root(doc, event);
	own = json_ensure_obj(doc, event, "metadata");
	json_set_str(doc, own, "generateName", STR("set-aside-"));
	json_set_str(doc, own, "namespace", space);
	put_involved(doc, event, kind, metadata);
	json_set_str(doc, event, "type", STR("Warning"));
	json_set_str(doc, event, "reason", STR("SetAside"));
	json_set(doc, event, STR("message"),
		 json_new_printf(doc, SET_ASIDE, row->component, row->crashes,
				 signal_name(row->signal)));
	json_set_str(doc, json_ensure_obj(doc, event, "source"), "component", STR("volcano"));
	json_set_str(doc, event, "firstTimestamp", str_from(now));
	json_set_str(doc, event, "lastTimestamp", str_from(now));
	json_set_int(doc, event, "count", 1);
	self_create(api, events, space, doc);
}

static void report_row(struct api *api, const struct quarantine_row *row)
{
	struct str key = str_from(row->key);
	struct object *object = store_newest(api_store(api), key);
	const struct kind *kind = object ? reconcile_kind(api, key_split(key).prefix) : NULL;

	log_warn(api_log(api), "an object crashed a component repeatedly and is set aside",
		 LOG_VIEW("object", key), LOG_STR("component", row->component),
		 LOG_INT("crashes", row->crashes), LOG_STR("signal", signal_name(row->signal)));
	if (kind)
		create_event(api, row, kind, object);
}

void aside_report(struct api *api)
{
	struct quarantine *quarantine = loop_quarantine(api_loop(api));
	struct quarantine_row row;
	size_t at = 0;

	while (quarantine_next(quarantine, &at, &row)) {
		if (!store_newest(api_store(api), str_from(row.key)))
			(void)quarantine_release(quarantine, str_from(row.key));
		else if (row.crashes >= QUARANTINE_CRASHES)
			report_row(api, &row);
	}
}

void aside_encode(struct api *api, struct json_doc *doc, struct json root)
{
	struct quarantine_row row;
	size_t at = 0;

	while (quarantine_next(loop_quarantine(api_loop(api)), &at, &row)) {
		struct json one;

		if (row.crashes < QUARANTINE_CRASHES)
			continue;
		one = json_new_obj(doc);
		json_set_str(doc, one, "object", str_from(row.key));
		json_set_str(doc, one, "component", str_from(row.component));
		json_set_int(doc, one, "crashes", row.crashes);
		json_set_str(doc, one, "signal", str_from(signal_name(row.signal)));
		json_append(doc, json_ensure_arr(doc, root, "setAside"), one);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_annotations.c - the rules of annotations that mean something: mirror pods, the cost
 * of deletion, and the profiles that were annotations before they were fields. */
#include "base/number.h"
#include "model/pod/pod_rules.h"

#include "base/banned.h"

#define MIRROR "kubernetes.io/config.mirror"
#define DELETION_COST "controller.kubernetes.io/pod-deletion-cost"
#define SECCOMP_POD "seccomp.security.alpha.kubernetes.io/pod"
#define SECCOMP_CONTAINER "container.seccomp.security.alpha.kubernetes.io/"
#define APP_ARMOR "container.apparmor.security.beta.kubernetes.io/"

static bool is_cost(struct str text)
{
	int64_t cost;
	bool first = text.len && (text.ptr[0] == '-' || (text.ptr[0] >= '1' && text.ptr[0] <= '9'));

	return (first || str_is(text, "0")) && !number_parse_i64(text, &cost, NULL) &&
	       cost >= INT32_MIN && cost <= INT32_MAX;
}

static void check_seccomp(struct pod_rules *r, struct str profile, const struct path *path)
{
	const struct rule_texts known =
		RULE_TEXTS("runtime/default", "docker/default", "unconfined");

	if (rule_texts_have(known, profile))
		return;
	if (str_starts(profile, STR("localhost/")))
		rule_local(str_skip(profile, sizeof("localhost/") - 1), path, r->causes);
	else
		causes_invalid_str(r->causes, path, profile, "must be a valid seccomp profile");
}

struct wanted {
	struct str name;
	bool found;
};

static void match_name(struct pod_rules *r, struct json container, const struct path *path,
		       void *arg)
{
	struct wanted *wanted = arg;

	(void)r;
	(void)path;
	wanted->found = wanted->found || str_eq(rule_text(container, "name"), wanted->name);
}

static void check_app_armor(struct pod_rules *r, struct str key, struct str profile,
			    const struct path *path)
{
	struct wanted wanted = {.name = str_skip(key, sizeof(APP_ARMOR) - 1)};
	struct path at = path_key(path, key);

	pod_rules_each(r, NULL, match_name, &wanted);
	if (!wanted.found)
		causes_invalid_str(r->causes, &at, wanted.name, "container not found");
	if (profile.len && !str_is(profile, "runtime/default") && !str_is(profile, "unconfined") &&
	    !str_starts(profile, STR("localhost/"))) {
		AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;

		causes_quote(&quoted, profile);
		causes_invalid_str(r->causes, &at, profile, "invalid AppArmor profile name: %s",
				   buf_text(&quoted));
	}
}

void pod_rules_annotations(struct pod_rules *r, struct json annotations, const struct path *path)
{
	struct json_iter it = json_iter(annotations);
	struct path mirror = path_key(path, STR(MIRROR));
	struct path cost = path_key(path, STR(DELETION_COST));
	PATH(seccomp, path, SECCOMP_POD);

	if (rule_has(annotations, MIRROR) && !rule_text(r->spec, "nodeName").len)
		causes_invalid_str(r->causes, &mirror, rule_text(annotations, MIRROR),
				   "must set spec.nodeName if mirror pod annotation is set");
	if (rule_has(annotations, DELETION_COST) && !is_cost(rule_text(annotations, DELETION_COST)))
		causes_invalid_str(r->causes, &cost, rule_text(annotations, DELETION_COST),
				   "must be a 32bit integer");
	if (rule_has(annotations, SECCOMP_POD))
		check_seccomp(r, rule_text(annotations, SECCOMP_POD), &seccomp);
	while (json_next(&it)) {
		struct path at = path_member(path, it.key);

		if (str_starts(it.key, STR(SECCOMP_CONTAINER)))
			check_seccomp(r, json_str(it.value), &at);
		if (str_starts(it.key, STR(APP_ARMOR)))
			check_app_armor(r, it.key, json_str(it.value), path);
	}
}

/* --- annotation and field -------------------------------------------------------------------- */

/* The two ways to say it. */
struct profile_words {
	const char *member;
	const char *called;
	const char *prefix;         /* of a container's annotation */
	const char *runtime_others; /* what stands for RuntimeDefault as well */
};

static void check_match(struct pod_rules *r, struct str annotation, struct json profile,
			const struct profile_words *words, const struct path *path)
{
	struct str type = rule_text(profile, "type");
	bool local = str_is(type, "Localhost");
	bool same = true;
	PATH(type_path, path, "type");
	PATH(local_path, path, "localhostProfile");

	if (str_is(type, "Unconfined"))
		same = str_is(annotation, "unconfined");
	else if (str_is(type, "RuntimeDefault"))
		same = str_is(annotation, "runtime/default") ||
		       (words->runtime_others && str_is(annotation, words->runtime_others));
	else if (local)
		same = str_starts(annotation, STR("localhost/"));
	if (!same)
		causes_add(r->causes, CAUSE_FORBIDDEN, &type_path,
			   "Forbidden: %s type in annotation and field must match", words->called);
	else if (local && !str_eq(str_skip(annotation, sizeof("localhost/") - 1),
				  rule_text(profile, "localhostProfile")))
		causes_add(r->causes, CAUSE_FORBIDDEN, &local_path,
			   "Forbidden: %s profile in annotation and field must match",
			   words->called);
}

struct matching {
	struct json annotations;
	struct json pod_profile; /* of containers that have none of their own */
	const struct profile_words *words;
};

static void match_container(struct pod_rules *r, struct json container, const struct path *path,
			    void *arg)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	const struct matching *m = arg;
	struct json profile = json_get(json_get(container, "securityContext"), m->words->member);
	struct json annotation;
	PATH(security, path, "securityContext");
	struct path at = path_member(&security, str_from(m->words->member));

	if (!json_is(profile, JSON_OBJ))
		profile = m->pod_profile;
	buf_puts(&key, m->words->prefix);
	buf_put_str(&key, rule_text(container, "name"));
	annotation = json_get_str(m->annotations, buf_str(&key));
	if (json_is(profile, JSON_OBJ) && json_is(annotation, JSON_STR))
		check_match(r, json_str(annotation), profile, m->words, &at);
}

void pod_rules_annotations_match(struct pod_rules *r, struct json annotations,
				 const struct path *spec)
{
	static const struct profile_words seccomp = {"seccompProfile", "seccomp", SECCOMP_CONTAINER,
						     "docker/default"};
	static const struct profile_words app_armor = {"appArmorProfile", "apparmor", APP_ARMOR,
						       NULL};
	struct json context = json_get(r->spec, "securityContext");
	struct matching by_seccomp = {annotations, JSON_NONE, &seccomp};
	struct matching by_app_armor = {annotations, json_get(context, "appArmorProfile"),
					&app_armor};
	PATH(security, spec, "securityContext");
	PATH(profile, &security, "seccompProfile");

	if (!json_len(annotations))
		return;
	if (rule_has(context, "seccompProfile") && rule_has(annotations, SECCOMP_POD))
		check_match(r, rule_text(annotations, SECCOMP_POD),
			    json_get(context, "seccompProfile"), &seccomp, &profile);
	pod_rules_each(r, spec, match_container, &by_seccomp);
	if (!str_is(rule_text(json_get(r->spec, "os"), "name"), "windows"))
		pod_rules_each(r, spec, match_container, &by_app_armor);
}

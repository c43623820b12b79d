/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_annotations.c - the rules of annotations with a meaning: mirror pods, the cost
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

static void check_mirror(const struct rule_at *at)
{
	if (!rule_text(pod_spec_of(at), "nodeName").len)
		rule_invalid(at, NULL, "must set spec.nodeName if mirror pod annotation is set");
}

static void check_cost(const struct rule_at *at)
{
	if (!is_cost(json_str(at->value)))
		rule_invalid(at, NULL, "must be a 32bit integer");
}

static void check_seccomp(const struct rule_at *at)
{
	const struct rule_texts known =
		RULE_TEXTS("runtime/default", "docker/default", "unconfined");
	struct str profile = json_str(at->value);

	if (rule_texts_have(known, profile))
		return;
	if (str_starts(profile, STR("localhost/")))
		rule_local(str_skip(profile, sizeof("localhost/") - 1), at->path, at->causes);
	else
		rule_invalid(at, NULL, "must be a valid seccomp profile");
}

static bool has_container(struct json spec, struct str name)
{
	static const char *const lists[] = {"initContainers", "containers", "ephemeralContainers"};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct json_iter it = json_iter(json_get(spec, lists[i]));

		while (json_next(&it))
			if (str_eq(rule_text(it.value, "name"), name))
				return true;
	}
	return false;
}

static void check_app_armor(const struct rule_at *at, struct str container)
{
	struct str profile = json_str(at->value);
	struct path path = path_key(at->up->path, at->path->name);

	if (!has_container(pod_spec_of(at), container))
		causes_invalid_str(at->causes, &path, container, "container not found");
	if (profile.len && !str_is(profile, "runtime/default") && !str_is(profile, "unconfined") &&
	    !str_starts(profile, STR("localhost/"))) {
		AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;

		causes_quote(&quoted, profile);
		causes_invalid_str(at->causes, &path, profile, "invalid AppArmor profile name: %s",
				   buf_text(&quoted));
	}
}

/* An annotation of a container: a member in paths if it is about seccomp, an entry if about AppArmor. */
static void check_container_profile(const struct rule_at *at)
{
	struct str key = at->path->name;

	if (str_starts(key, STR(SECCOMP_CONTAINER)))
		check_seccomp(at);
	if (str_starts(key, STR(APP_ARMOR)))
		check_app_armor(at, str_skip(key, sizeof(APP_ARMOR) - 1));
}

static const struct rule annotation_rows[] = {
	{MIRROR, R_ENTRY, R_CHECK(check_mirror)},
	{DELETION_COST, R_ENTRY, R_CHECK(check_cost)},
	{SECCOMP_POD, R_CHECK(check_seccomp)},
	{R_DOTTED, R_EACH(R_CHECK(check_container_profile))},
};
const struct rules pod_annotation_rules = RULES_OF(annotation_rows);

/* --- annotation and field -------------------------------------------------------------------- */

/* The two ways to say it. */
struct profile_words {
	const char *member;
	const char *called;
	const char *prefix;         /* of a container's annotation */
	const char *runtime_others; /* what stands for RuntimeDefault as well */
};

/* `key` is the profile's, as seen from `at`. */
static void check_match(const struct rule_at *at, const char *key, struct str annotation,
			struct json profile, const struct profile_words *words)
{
	AUTO(buf_done) struct buf path = BUF_UNBOUNDED;
	struct str type = rule_text(profile, "type");
	bool local = str_is(type, "Localhost");
	bool same = true;

	if (str_is(type, "Unconfined"))
		same = str_is(annotation, "unconfined");
	else if (str_is(type, "RuntimeDefault"))
		same = str_is(annotation, "runtime/default") ||
		       (words->runtime_others && str_is(annotation, words->runtime_others));
	else if (local)
		same = str_starts(annotation, STR("localhost/"));
	if (same && (!local || str_eq(str_skip(annotation, sizeof("localhost/") - 1),
				      rule_text(profile, "localhostProfile"))))
		return;
	buf_printf(&path, "%s.%s", key, same ? "localhostProfile" : "type");
	rule_add(at, buf_text(&path), CAUSE_FORBIDDEN,
		 "Forbidden: %s %s in annotation and field must match", words->called,
		 same ? "profile" : "type");
}

static void match_container(const struct rule_at *at, const struct profile_words *words,
			    const char *member, struct json pod_profile)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	struct json profile = json_get(json_get(at->value, "securityContext"), words->member);
	struct json annotation;

	if (!json_is(profile, JSON_OBJ))
		profile = pod_profile;
	buf_puts(&key, words->prefix);
	buf_put_str(&key, rule_text(at->value, "name"));
	annotation = json_get_str(pod_of(at)->annotations, buf_str(&key));
	if (json_is(profile, JSON_OBJ) && json_is(annotation, JSON_STR))
		check_match(at, member, json_str(annotation), profile, words);
}

static const struct profile_words seccomp = {"seccompProfile", "seccomp", SECCOMP_CONTAINER,
					     "docker/default"};
static const struct profile_words app_armor = {"appArmorProfile", "apparmor", APP_ARMOR, NULL};

static void match_pod_seccomp(const struct rule_at *at)
{
	struct json annotations = pod_of(at)->annotations;

	if (rule_has(annotations, SECCOMP_POD) && rule_has(at->value, "seccompProfile"))
		check_match(at, "seccompProfile", rule_text(annotations, SECCOMP_POD),
			    json_get(at->value, "seccompProfile"), &seccomp);
}

static void match_seccomp(const struct rule_at *at)
{
	match_container(at, &seccomp, "securityContext.seccompProfile", JSON_NONE);
}

static void match_app_armor(const struct rule_at *at)
{
	struct json context = json_get(pod_spec_of(at), "securityContext");

	match_container(at, &app_armor, "securityContext.appArmorProfile",
			json_get(context, "appArmorProfile"));
}

static bool is_not_windows(const struct rule_at *at)
{
	return !str_is(rule_text(json_get(at->value, "os"), "name"), "windows");
}

static bool has_annotations(const struct rule_at *at)
{
	return json_len(pod_of(at)->annotations) > 0;
}

static const struct rule seccomp_rows[] = {
	{R_CHECK(match_seccomp)},
};
static const struct rule app_armor_rows[] = {
	{R_CHECK(match_app_armor)},
};
static const struct rule all_app_armor_rows[] = {
	POD_EACH_CONTAINER(app_armor_rows),
};
static const struct rule match_rows[] = {
	{"securityContext", R_CHECK(match_pod_seccomp)},
	POD_EACH_CONTAINER(seccomp_rows),
	{R_WHEN(is_not_windows), R_OBJECT(all_app_armor_rows)},
};
static const struct rule spec_rows[] = {
	{R_WHEN(has_annotations), R_OBJECT(match_rows)},
};
const struct rules pod_annotation_match_rules = RULES_OF(spec_rows);

/* SPDX-License-Identifier: Apache-2.0 */
/* Do the admission policies of the chart say the same as src/admission? Linked to a test that sends objects
 * through admission, with --wrap: every review of that test also goes through the policies, evaluated by our
 * CEL engine in the place of an API server.
 *
 *	admission_change()	the object must get the same defaults from the MutatingAdmissionPolicies
 *	admission_check()	the ValidatingAdmissionPolicies must accept what it accepts, and refuse what it
 *				refuses, but for the refusals in `other_objects`, which need other objects
 *
 * docs/kubernetes.md has the same list for people. What differs ends the test with "Bail out!".
 *
 * The engine knows `self` only. So self is an object with the members object, oldObject, request,
 * namespaceObject and variables, their names in an expression get the prefix "self.", and JSONPatch{...}
 * becomes a map. */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "admission/admission.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cel/cel.h"
#include "json/patch.h"
#include "json/yaml.h"
#include "model/field/fields.h"
#include "model/volcano/vcjob.h"
#include "regexp/pattern.h"

#include "base/banned.h"

/* Refusals that no policy can express, by words of their message. */
static const struct {
	const char *resource;
	const char *words;
} other_objects[] = {
	{"jobs", "unable to find job queue"},
	{"jobs", "can only submit job to queue with state"},
	{"jobs", "can only submit job to leaf queue"},
	{"jobs", "no PriorityClass with name"},
	{"jobs", "spec.task["}, /* the pod template */
	{"podgroups", "unable to find queue"},
	{"podgroups", "can only submit PodGroup to queue with state"},
	{"queues", "is not allowed to be in the sub path of"},
	{"queues", "exceeds the maximum allowed depth"},
	{"queues", "failed to get parent queue"},
	{"queues", "because it has allocated Pods"},
	{"queues", "exceeds its ancestor's capability"},
	{"queues", "is smaller than its descendants' max capability"},
	{"queues", "validation failed: sum of children's"},
	{"queues", "can not be deleted because it has"},
	{"queues", "not found"},
	{"queues", "cannot use its descendant"},
};

/* Refusals of policies that admission does not have: it compares pod templates by their meaning, so that an
 * empty list is no list and 1000m is 1. */
static const char stricter[] = "job updates may not change fields other than";

struct policy {
	char *name;
	struct json_doc *doc;
	bool mutates;
};

static struct {
	VEC(struct policy) policies;
	size_t changes, checks, left_out, wrong;
	bool used[ARRAY_LEN(other_objects)];
	bool change_failed; /* for the review that is checked next */
} state;

/* --- the files ------------------------------------------------------------------------------- */

static int is_policy(const struct dirent *entry)
{
	return str_ends(str_from(entry->d_name), STR("ting.yaml"));
}

/* The list is true: each row is shown by a row of test/data/admission, and by the manual. */
static void check_list(void)
{
	AUTO(buf_done) struct buf page = BUF_INIT(LIMIT_YAML_BYTES);
	struct err err;

	if (fd_read_file("docs/kubernetes.md", &page, &err) < 0)
		printf("# policies: %s\n", err.text);
	for (size_t i = 0; i < ARRAY_LEN(other_objects); i++) {
		bool shown = str_find(buf_str(&page), str_from(other_objects[i].words), 0) >= 0;

		if (shown && state.used[i])
			continue;
		printf("# policies: \"%s\" is %s\n", other_objects[i].words,
		       shown ? "the refusal of no row" : "not in docs/kubernetes.md");
		state.wrong++;
	}
}

static void report(void)
{
	if (str_ends(str_from(program_invocation_short_name), STR("policy_rules")))
		check_list();
	printf("# policies: %zu defaults and %zu checks compared, %zu refusals differ as "
	       "listed\n",
	       state.changes, state.checks, state.left_out);
	for (size_t i = 0; i < state.policies.len; i++) {
		mem_free(state.policies.ptr[i].name);
		json_doc_unref(state.policies.ptr[i].doc);
	}
	vec_done(&state.policies);
	if (!state.wrong && state.checks)
		return;
	printf("Bail out! %zu answers of the policies differ from those of admission\n",
	       state.wrong);
	fflush(stdout);
	_exit(1);
}

static void load(void)
{
	static const char *const folders[] = {"config/installer/chart/volcano/policy",
					      "../config/installer/chart/volcano/policy"};
	struct dirent **files = NULL;
	const char *folder = NULL;
	int count = -1;

	if (state.policies.len)
		return;
	for (size_t i = 0; count <= 0 && i < ARRAY_LEN(folders); i++) {
		folder = folders[i];
		count = scandir(folder, &files, is_policy, alphasort);
	}
	assert(count > 0);
	for (int i = 0; i < count; i++) {
		AUTO(mem_free) char *path = mem_printf("%s/%s", folder, files[i]->d_name);
		AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_YAML_BYTES);
		struct policy policy = {.name = mem_strdup(files[i]->d_name)};
		struct err err;

		if (fd_read_file(path, &text, &err) == 0)
			policy.doc = yaml_parse(buf_str(&text), NULL, &err);
		assert(policy.doc);
		policy.mutates = str_ends(str_from(policy.name), STR("-mutating.yaml"));
		vec_push(&state.policies, policy);
		free(files[i]);
	}
	free(files);
	(void)atexit(report);
}

/* --- expressions in the words of our engine -------------------------------------------------- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static size_t word_len(struct str text)
{
	size_t len = 0;

	while (len < text.len && is_letter(text.ptr[len]))
		len++;
	return len;
}

/* The length of a string literal that begins here; 0: none does. */
static size_t literal_len(struct str text)
{
	size_t len = 1;

	if (!text.len || (text.ptr[0] != '\'' && text.ptr[0] != '"'))
		return 0;
	while (len < text.len && text.ptr[len] != text.ptr[0])
		len += text.ptr[len] == '\\' ? 2 : 1;
	return len + 1;
}

/* The length up to the byte that closes what is open, or separates it: one of `ends` outside of brackets. */
static size_t part_len(struct str text, const char *ends)
{
	size_t len = 0;
	int depth = 0;

	while (len < text.len) {
		char c = text.ptr[len];
		size_t literal = literal_len(str_skip(text, len));

		if (!literal && !depth && strchr(ends, c))
			break;
		depth += strchr("([{", c) ? 1 : 0;
		depth -= strchr(")]}", c) ? 1 : 0;
		len += literal ? literal : 1;
	}
	return len;
}

static void rewrite(struct str text, struct str schedulers, struct buf *to);

/* JSONPatch{op: 'add', value: 3} as {'op': dyn('add'), 'value': dyn(3)}; the length of the input. */
static size_t rewrite_patch(struct str text, struct str schedulers, struct buf *to)
{
	size_t at = strlen("JSONPatch{");

	buf_putc(to, '{');
	for (;;) {
		size_t key = part_len(str_skip(text, at), ":");
		size_t value = part_len(str_skip(text, at + key + 1), ",}");

		buf_printf(to, "'%.*s': dyn(", STR_ARG(str_trim(str_slice(text, at, at + key))));
		rewrite(str_slice(text, at + key + 1, at + key + 1 + value), schedulers, to);
		buf_putc(to, ')');
		at += key + 1 + value;
		buf_putc(to, text.ptr[at]);
		if (text.ptr[at++] == '}')
			return at;
	}
}

static void rewrite(struct str text, struct str schedulers, struct buf *to)
{
	static const char *const names[] = {"object", "oldObject", "request", "namespaceObject",
					    "variables"};
	size_t at = 0;

	while (at < text.len) {
		struct str rest = str_skip(text, at);
		size_t len = literal_len(rest);

		if (str_starts(rest, STR("['volcano']"))) {
			buf_put_str(to, schedulers);
			at += strlen("['volcano']");
			continue;
		}
		if (str_starts(rest, STR("JSONPatch{"))) {
			at += rewrite_patch(rest, schedulers, to);
			continue;
		}
		len = len ? len : word_len(rest);
		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			if (str_is(str_slice(text, at, at + len), names[i]) &&
			    (at == 0 || (text.ptr[at - 1] != '.' && text.ptr[at - 1] != '?')))
				buf_puts(to, "self.");
		len = len ? len : 1;
		buf_put_str(to, str_slice(text, at, at + len));
		at += len;
	}
}

/* --- values ---------------------------------------------------------------------------------- */

static struct json to_json(struct json_doc *doc, const struct cel_value *value)
{
	struct json made;

	switch (value->kind) {
	case CEL_BOOL:
		return json_new_bool(doc, value->truth);
	case CEL_INT:
		return json_new_int(doc, value->number);
	case CEL_DOUBLE:
		return json_new_real(doc, value->real);
	case CEL_STRING:
		return json_new_str(doc, value->text);
	case CEL_LIST:
		if (!json_is_absent(value->json))
			return json_new_copy(doc, value->json);
		made = json_new_arr(doc);
		for (size_t i = 0; i < value->len; i++)
			json_append(doc, made, to_json(doc, &value->items[i]));
		return made;
	case CEL_MAP:
	case CEL_OBJECT:
		if (!json_is_absent(value->json))
			return json_new_copy(doc, value->json);
		made = json_new_obj(doc);
		for (size_t i = 0; i + 1 < value->len; i += 2)
			json_set(doc, made, value->items[i].text,
				 to_json(doc, &value->items[i + 1]));
		return made;
	default:
		return json_new_null(doc);
	}
}

/* One review that goes through policies. */
struct run {
	const struct admission_setup *admission;
	const struct admission_review *review;
	struct json_doc *self;
	struct arena *arena;
	struct pattern_set patterns;
	char *schedulers; /* "['volcano', 'other']" */
};

static void run_init(struct run *run, const struct admission_setup *admission,
		     const struct admission_review *review, struct json object)
{
	const struct strs *names = &admission->config.scheduler_names;
	const struct admission_world *world = &admission->world;
	AUTO(buf_done) struct buf list = BUF_UNBOUNDED;
	struct json root, request, namespace;

	*run = (struct run){.admission = admission, .review = review, .arena = arena_new(0)};
	run->self = json_doc_new();
	root = json_new_obj(run->self);
	json_doc_set_root(run->self, root);
	json_set(run->self, root, STR("object"),
		 json_is_absent(object) ? json_new_null(run->self)
					: json_new_copy(run->self, object));
	json_set(run->self, root, STR("oldObject"),
		 json_is_absent(review->old) ? json_new_null(run->self)
					     : json_new_copy(run->self, review->old));
	request = json_ensure_obj(run->self, root, "request");
	json_set_str(run->self, request, "operation",
		     review->operation == ADMISSION_CREATE   ? STR("CREATE")
		     : review->operation == ADMISSION_UPDATE ? STR("UPDATE")
							     : STR("DELETE"));
	json_set_str(run->self, request, "name", review->name);
	namespace = world->namespace(world->arg, review->namespace);
	if (!json_is_absent(namespace))
		json_set(run->self, root, STR("namespaceObject"),
			 json_new_copy(run->self, namespace));
	(void)json_ensure_obj(run->self, root, "variables");
	for (size_t i = 0; i < names->len; i++)
		buf_printf(&list, "%s'%.*s'", i ? ", " : "", STR_ARG(names->ptr[i]));
	run->schedulers = mem_printf("[%s]", names->len ? buf_text(&list) : "'volcano'");
}

static void run_done(struct run *run)
{
	json_doc_unref(run->self);
	pattern_set_done(&run->patterns);
	arena_free(run->arena);
	mem_free(run->schedulers);
}

static struct cel_value evaluate(struct run *run, struct str text)
{
	const struct cel_type *type =
		cel_type_map(cel_type_simple(CEL_STRING), cel_type_simple(CEL_DYN), run->arena);
	AUTO(buf_done) struct buf ours = BUF_UNBOUNDED;
	struct cel_rule rule;
	uint64_t cost;

	rewrite(text, str_from(run->schedulers), &ours);
	cel_compile(str_from(arena_printf(run->arena, "%s", buf_text(&ours))), type, false,
		    run->arena, &run->patterns, &rule);
	if (!rule.expr) {
		AUTO(buf_done) struct buf issues = BUF_UNBOUNDED;

		cel_print_issues(&rule, &issues);
		printf("#   %.*s\n#   %s\n", STR_ARG(text), buf_text(&issues));
		state.wrong++;
		return (struct cel_value){.kind = CEL_ERROR, .text = STR("does not compile")};
	}
	return cel_evaluate(&rule,
			    &(struct cel_input){.type = type, .self = json_doc_root(run->self)},
			    run->arena, &cost);
}

static bool is_met(struct run *run, struct json policy)
{
	struct json_iter it = json_iter(json_get(policy, "matchConditions"));

	while (json_next(&it)) {
		struct cel_value value = evaluate(run, json_str(json_get(it.value, "expression")));

		if (value.kind != CEL_BOOL || !value.truth)
			return false;
	}
	return true;
}

/* A variable whose evaluation fails is missing, so that expressions that use it fail as well. */
static void set_variables(struct run *run, struct json policy)
{
	struct json_iter it = json_iter(json_get(policy, "variables"));
	struct json variables = json_get(json_doc_root(run->self), "variables");

	while (json_next(&it)) {
		struct cel_value value = evaluate(run, json_str(json_get(it.value, "expression")));

		if (value.kind != CEL_ERROR)
			json_set(run->self, variables, json_str(json_get(it.value, "name")),
				 to_json(run->self, &value));
	}
}

static bool has_text(struct json list, struct str text)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (str_eq(json_str(it.value), text))
			return true;
	return false;
}

static bool concerns(const struct policy *policy, const struct admission_review *review)
{
	struct json rule = json_at(
		json_get(json_get(json_doc_root(policy->doc), "matchConstraints"), "resourceRules"),
		0);
	struct str operation = review->operation == ADMISSION_CREATE   ? STR("CREATE")
			       : review->operation == ADMISSION_UPDATE ? STR("UPDATE")
								       : STR("DELETE");

	return !review->sub.len && has_text(json_get(rule, "apiGroups"), review->group) &&
	       has_text(json_get(rule, "resources"), review->resource) &&
	       has_text(json_get(rule, "operations"), operation);
}

/* --- defaults -------------------------------------------------------------------------------- */

static bool apply(struct run *run, struct json mutation)
{
	struct json root = json_doc_root(run->self);
	struct cel_value value =
		evaluate(run, json_str(json_get(json_get(mutation, "jsonPatch"), "expression")));
	AUTO(json_doc_unref) struct json_doc *patch = json_doc_new();
	AUTO(json_doc_unref) struct json_doc *patched = NULL;
	struct err err;

	if (value.kind != CEL_LIST) {
		printf("#   %.*s\n", STR_ARG(value.text));
		return false;
	}
	json_doc_set_root(patch, to_json(patch, &value));
	patched = json_patch_apply(json_get(root, "object"), json_doc_root(patch), &err);
	if (!patched) {
		printf("#   %s\n", err.text);
		return false;
	}
	json_set(run->self, root, STR("object"), json_new_copy(run->self, json_doc_root(patched)));
	return true;
}

/* Admission writes the tasks of a job as Go does if it changes one of them. */
static struct json_doc *normal(struct json object)
{
	struct json_doc *doc = json_doc_thaw(object);
	struct json_iter it = json_iter(json_get(json_get(json_doc_root(doc), "spec"), "tasks"));

	while (json_next(&it))
		if (json_is(it.value, JSON_OBJ))
			type_go(&vcjob_task_type, doc, it.value);
	return doc;
}

static void compare_defaults(const struct admission_setup *admission,
			     const struct admission_review *review, struct json before)
{
	AUTO(json_doc_unref) struct json_doc *got = NULL;
	AUTO(json_doc_unref) struct json_doc *want = normal(review->object);
	struct run run;
	bool good = true;

	run_init(&run, admission, review, before);
	for (size_t i = 0; i < state.policies.len; i++) {
		const struct policy *policy = &state.policies.ptr[i];
		struct json_iter it = json_iter(json_get(json_doc_root(policy->doc), "mutations"));

		if (!policy->mutates || !concerns(policy, review))
			continue;
		if (!is_met(&run, json_doc_root(policy->doc)))
			continue;
		set_variables(&run, json_doc_root(policy->doc));
		while (good && json_next(&it))
			good = apply(&run, it.value);
	}
	got = normal(json_get(json_doc_root(run.self), "object"));
	state.changes++;
	state.change_failed = !good;
	if (good && !json_eq(json_doc_root(got), json_doc_root(want))) {
		AUTO(mem_free) char *has = json_text(json_doc_root(got), JSON_CANONICAL);
		AUTO(mem_free) char *wants = json_text(json_doc_root(want), JSON_CANONICAL);

		printf("# policies: other defaults\n#   got:  %s\n#   want: %s\n", has, wants);
		state.wrong++;
	}
	run_done(&run);
}

/* --- rules ----------------------------------------------------------------------------------- */

/* The message of the first rule that is broken; NULL: all hold. In the arena of the run. */
static const char *broken(struct run *run, struct json policy)
{
	struct json_iter it = json_iter(json_get(policy, "validations"));

	if (!is_met(run, policy))
		return NULL;
	set_variables(run, policy);
	while (json_next(&it)) {
		struct cel_value value = evaluate(run, json_str(json_get(it.value, "expression")));
		struct str words = json_str(json_get(it.value, "messageExpression"));

		if (value.kind == CEL_BOOL && value.truth)
			continue;
		if (value.kind == CEL_ERROR)
			return arena_printf(run->arena, "%.*s: %.*s", STR_ARG(value.text),
					    STR_ARG(json_str(json_get(it.value, "expression"))));
		if (!words.len)
			return arena_printf(run->arena, "%.*s",
					    STR_ARG(json_str(json_get(it.value, "message"))));
		value = evaluate(run, words);
		if (value.kind != CEL_STRING) {
			printf("# policies: no message by %.*s: %.*s\n", STR_ARG(words),
			       STR_ARG(value.text));
			state.wrong++;
		}
		return arena_printf(run->arena, "%.*s", STR_ARG(value.text));
	}
	return NULL;
}

static bool needs_other_objects(const struct admission_review *review, struct str message)
{
	for (size_t i = 0; i < ARRAY_LEN(other_objects); i++)
		if (str_is(review->resource, other_objects[i].resource) &&
		    str_find(message, str_from(other_objects[i].words), 0) >= 0) {
			state.used[i] = true;
			return true;
		}
	return false;
}

/* Our engine knows no time zone by its name. */
static void rename_zone(struct run *run)
{
	const struct admission_world *world = &run->admission->world;
	struct json spec = json_get(json_get(json_doc_root(run->self), "object"), "spec");
	struct json zone = json_get(spec, "timeZone");

	if (str_is(run->review->resource, "cronjobs") && json_is(zone, JSON_STR) &&
	    world->has_time_zone(world->arg, json_str(zone)))
		json_set_str(run->self, spec, "timeZone", STR("UTC"));
}

static void compare_rules(const struct admission_setup *admission,
			  const struct admission_review *review, const struct str *refusal)
{
	const char *why = state.change_failed ? "the defaults cannot be set" : NULL;
	struct run run;

	state.change_failed = false;
	run_init(&run, admission, review, review->object);
	rename_zone(&run);
	for (size_t i = 0; !why && i < state.policies.len; i++)
		if (!state.policies.ptr[i].mutates && concerns(&state.policies.ptr[i], review))
			why = broken(&run, json_doc_root(state.policies.ptr[i].doc));
	state.checks++;
	if ((refusal && !why && needs_other_objects(review, *refusal)) ||
	    (!refusal && why && str_starts(str_from(why), str_from(stricter)))) {
		state.left_out++;
	} else if ((refusal != NULL) != (why != NULL)) {
		printf("# policies: %.*s %.*s\n#   admission: %.*s\n#   policies:  %s\n",
		       STR_ARG(review->resource), STR_ARG(review->name),
		       STR_ARG(refusal ? *refusal : STR("(accepted)")), why ? why : "(accepted)");
		state.wrong++;
	}
	run_done(&run);
}

/* --- in the place of admission --------------------------------------------------------------- */

/* The linker gives calls of admission_x() to __wrap_admission_x(), and __real_admission_x() is the function itself. */
typedef int change_fn(const struct admission_setup *admission,
		      const struct admission_review *review, struct json_doc *doc,
		      struct admission_refusal *ret);
typedef int check_fn(const struct admission_setup *admission, const struct admission_review *review,
		     struct admission_refusal *ret);

change_fn real_change __asm__("__real_admission_change");
check_fn real_check __asm__("__real_admission_check");
change_fn change_by_both __asm__("__wrap_admission_change");
check_fn check_by_both __asm__("__wrap_admission_check");

int change_by_both(const struct admission_setup *admission, const struct admission_review *review,
		   struct json_doc *doc, struct admission_refusal *ret)
{
	AUTO(json_doc_unref)
	struct json_doc *before =
		json_is_absent(review->object) ? NULL : json_doc_thaw(review->object);
	int result = real_change(admission, review, doc, ret);

	load();
	/* What pods get depends on a file of the webhook. */
	if (result == 0 && before && !str_is(review->resource, "pods"))
		compare_defaults(admission, review, json_doc_root(before));
	return result;
}

int check_by_both(const struct admission_setup *admission, const struct admission_review *review,
		  struct admission_refusal *ret)
{
	int result = real_check(admission, review, ret);

	load();
	compare_rules(admission, review, result < 0 ? &ret->message : NULL);
	return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/taints.c - match tolerations with taints, by Kubernetes' rules. */
#include "model/core/taints.h"

#include <assert.h>

#include "base/number.h"
#include "model/value/names.h"

#include "base/banned.h"

static const char *const effect_names[] = {
	[TAINT_ANY] = "",
	[TAINT_NO_SCHEDULE] = "NoSchedule",
	[TAINT_PREFER_NO_SCHEDULE] = "PreferNoSchedule",
	[TAINT_NO_EXECUTE] = "NoExecute",
};
static_assert(ARRAY_LEN(effect_names) == TAINT_EFFECT_COUNT, "name every effect");

static const char *const op_names[] = {
	[TOLERATION_DEFAULT] = "", [TOLERATION_EQUAL] = "Equal", [TOLERATION_EXISTS] = "Exists",
	[TOLERATION_LESS] = "Lt",  [TOLERATION_GREATER] = "Gt",
};
static_assert(ARRAY_LEN(op_names) == TOLERATION_OP_COUNT, "name every operator");

const char *taint_effect_name(enum taint_effect effect)
{
	return effect_names[effect];
}

/* Effects and operators that are not known match nothing. */
#define VIEW struct taint
static const struct field taint_fields[] = {
	{"key", F_STR, AT(key), F_REQUIRED},
	{"value", F_STR, AT(value)},
	{"effect", F_ENUM(effect_names), AT(effect), F_REQUIRED, F_OPEN, F_GO("v1.TaintEffect")},
	{"timeAdded", F_TIME, AT(time_added)},
};
#undef VIEW

static void validate_effect(struct str effect, const struct path *path, struct causes *causes)
{
	bool known = !effect.len;

	for (size_t i = 1; i < ARRAY_LEN(effect_names); i++)
		known = known || str_is(effect, effect_names[i]);
	if (!known)
		causes_not_supported(causes, path, effect, effect_names, ARRAY_LEN(effect_names));
}

static void validate_taint(struct json object, const struct path *path, struct causes *causes)
{
	struct path key = path_member(path, STR("key"));
	struct path value = path_member(path, STR("value"));
	struct path effect = path_member(path, STR("effect"));

	if (json_str(json_get(object, "key")).len)
		name_validate(NAME_QUALIFIED, json_str(json_get(object, "key")), &key, causes);
	name_validate(NAME_LABEL_VALUE, json_str(json_get(object, "value")), &value, causes);
	validate_effect(json_str(json_get(object, "effect")), &effect, causes);
}

const struct type taint_type = {
	TYPE("Taint", "v1", struct taint, taint_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = validate_taint,
};

#define VIEW struct toleration
static const struct field toleration_fields[] = {
	{"key", F_STR, AT(key)},
	{"operator", F_ENUM(op_names), AT(op), F_OPEN, F_GO("v1.TolerationOperator")},
	{"value", F_STR, AT(value)},
	{"effect", F_ENUM(effect_names), AT(effect), F_OPEN, F_GO("v1.TaintEffect")},
	{"tolerationSeconds", F_INT64, AT(seconds), F_POINTER},
};
#undef VIEW

/* Lt and Gt are new in Kubernetes 1.35; this API (1.34) does not accept them from users. */
static void validate_operator(struct json object, const struct path *path, struct causes *causes)
{
	static const char *const allowed[] = {"Equal", "Exists"};
	struct str op = json_str(json_get(object, "operator"));
	struct str value = json_str(json_get(object, "value"));

	if (!op.len || str_is(op, "Equal"))
		name_validate(NAME_LABEL_VALUE, value, path, causes);
	else if (!str_is(op, "Exists"))
		causes_not_supported(causes, path, op, allowed, ARRAY_LEN(allowed));
	else if (value.len)
		causes_invalid_str(causes, path, value,
				   "value must be empty when `operator` is 'Exists'");
}

static void validate_toleration(struct json object, const struct path *path, struct causes *causes)
{
	struct path key = path_member(path, STR("key"));
	struct path operation = path_member(path, STR("operator"));
	struct path effect = path_member(path, STR("effect"));
	struct str key_text = json_str(json_get(object, "key"));
	struct str op_text = json_str(json_get(object, "operator"));
	struct str effect_text = json_str(json_get(object, "effect"));
	bool timed = json_is(json_get(object, "tolerationSeconds"), JSON_INT);

	if (key_text.len)
		name_validate(NAME_QUALIFIED, key_text, &key, causes);
	else if (!str_is(op_text, "Exists"))
		causes_invalid_str(causes, &operation, op_text,
				   "operator must be Exists when `key` is empty, which means "
				   "\"match all values and all keys\"");
	if (timed && !str_is(effect_text, "NoExecute"))
		causes_invalid_str(causes, &effect, effect_text,
				   "effect must be 'NoExecute' when `tolerationSeconds` is set");
	validate_operator(object, &operation, causes);
	validate_effect(effect_text, &effect, causes);
}

const struct type toleration_type = {
	TYPE("Toleration", "v1", struct toleration, toleration_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = validate_toleration,
};

static bool compares(const struct toleration *toleration, const struct taint *taint)
{
	int64_t asked;
	int64_t found;

	if (number_parse_i64(toleration->value, &asked, NULL) ||
	    number_parse_i64(taint->value, &found, NULL))
		return false;
	return toleration->op == TOLERATION_LESS ? found < asked : found > asked;
}

bool toleration_matches(const struct toleration *toleration, const struct taint *taint)
{
	if (toleration->effect != TAINT_ANY && toleration->effect != taint->effect)
		return false;
	if (toleration->key.len && !str_eq(toleration->key, taint->key))
		return false;
	switch (toleration->op) {
	case TOLERATION_DEFAULT:
	case TOLERATION_EQUAL:
		return str_eq(toleration->value, taint->value);
	case TOLERATION_EXISTS:
		return true;
	case TOLERATION_LESS:
	case TOLERATION_GREATER:
		return compares(toleration, taint);
	default:
		return false;
	}
}

static bool is_tolerated(const struct taint *taint, const struct tolerations *tolerations)
{
	for (size_t i = 0; i < tolerations->len; i++)
		if (toleration_matches(&tolerations->ptr[i], taint))
			return true;
	return false;
}

const struct taint *taints_first_untolerated(const struct taints *taints,
					     const struct tolerations *tolerations,
					     unsigned effects)
{
	for (size_t i = 0; i < taints->len; i++)
		if ((effects & TAINT_BIT(taints->ptr[i].effect)) &&
		    !is_tolerated(&taints->ptr[i], tolerations))
			return &taints->ptr[i];
	return NULL;
}

size_t taints_count_untolerated(const struct taints *taints, const struct tolerations *tolerations,
				unsigned effects)
{
	size_t count = 0;

	for (size_t i = 0; i < taints->len; i++)
		count += (effects & TAINT_BIT(taints->ptr[i].effect)) &&
			 !is_tolerated(&taints->ptr[i], tolerations);
	return count;
}

/* The shorter of two times; -1 is unlimited. */
static int64_t shorter(int64_t a, int64_t b)
{
	if (a < 0)
		return b;
	return b < 0 || a < b ? a : b;
}

int64_t taints_seconds(const struct taints *taints, const struct tolerations *tolerations)
{
	int64_t least = -1;

	for (size_t i = 0; i < taints->len; i++) {
		bool found = false;

		if (taints->ptr[i].effect != TAINT_NO_EXECUTE)
			continue;
		for (size_t k = 0; k < tolerations->len; k++) {
			const struct toleration *t = &tolerations->ptr[k];

			if (!toleration_matches(t, &taints->ptr[i]))
				continue;
			found = true;
			if (t->seconds.set)
				least = shorter(least, t->seconds.value < 0 ? 0 : t->seconds.value);
		}
		if (!found)
			return 0;
	}
	return least;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/options.c - what a query says.
 *
 * One table of parameters; each row says where its value goes and how it is read. Unknown
 * parameters are passed over, as in Kubernetes. */
#include "apiserver/options.h"

#include <stddef.h>

#include "apiserver/call.h"
#include "base/buf.h"
#include "base/number.h"
#include "http/url.h"
#include "model/causes.h"

#include "base/banned.h"

enum parameter_type { PARAMETER_TEXT, PARAMETER_INT, PARAMETER_BOOL, PARAMETER_GRACE };

struct parameter {
	const char *name;
	enum parameter_type type;
	size_t at;
};

#define AT(member) offsetof(struct call_options, member)
static const struct parameter parameters[] = {
	{"labelSelector", PARAMETER_TEXT, AT(label_selector)},
	{"fieldSelector", PARAMETER_TEXT, AT(field_selector)},
	{"limit", PARAMETER_INT, AT(limit)},
	{"continue", PARAMETER_TEXT, AT(continue_token)},
	{"resourceVersion", PARAMETER_TEXT, AT(resource_version)},
	{"resourceVersionMatch", PARAMETER_TEXT, AT(version_match)},
	{"timeoutSeconds", PARAMETER_INT, AT(timeout_seconds)},
	{"watch", PARAMETER_BOOL, AT(watch)},
	{"allowWatchBookmarks", PARAMETER_BOOL, AT(allow_bookmarks)},
	{"sendInitialEvents", PARAMETER_BOOL, AT(send_initial_events)},
	{"fieldManager", PARAMETER_TEXT, AT(field_manager)},
	{"fieldValidation", PARAMETER_TEXT, AT(field_validation)},
	{"force", PARAMETER_BOOL, AT(force)},
	{"gracePeriodSeconds", PARAMETER_GRACE, AT(grace_seconds)},
	{"propagationPolicy", PARAMETER_TEXT, AT(propagation)},
	{"orphanDependents", PARAMETER_BOOL, AT(orphan)},
	{"container", PARAMETER_TEXT, AT(container)},
	{"follow", PARAMETER_BOOL, AT(follow)},
	{"previous", PARAMETER_BOOL, AT(previous)},
	{"timestamps", PARAMETER_BOOL, AT(timestamps)},
	{"sinceSeconds", PARAMETER_INT, AT(since_seconds)},
	{"sinceTime", PARAMETER_TEXT, AT(since_time)},
	{"tailLines", PARAMETER_INT, AT(tail_lines)},
	{"limitBytes", PARAMETER_INT, AT(limit_bytes)},
	{"pretty", PARAMETER_BOOL, AT(pretty)},
	{"includeObject", PARAMETER_TEXT, AT(include_object)},
};
#undef AT

/* As Go's strconv: a number or its two complaints. */
static int parse_int(struct str text, int64_t *ret, struct err *err)
{
	bool sign = text.len && (text.ptr[0] == '-' || text.ptr[0] == '+');
	bool digits = text.len > (size_t)sign;

	if (number_parse_i64(text, ret, NULL) == 0)
		return 0;
	for (size_t i = sign; i < text.len; i++)
		digits = digits && text.ptr[i] >= '0' && text.ptr[i] <= '9';
	return err_set(err, ERR_BAD_REQUEST, "strconv.ParseInt: parsing \"%.*s\": %s",
		       STR_ARG(text), digits ? "value out of range" : "invalid syntax");
}

/* As Kubernetes reads a boolean parameter: present means true, unless it says no. */
static bool parse_bool(struct str text)
{
	return !(str_eq_nocase(text, STR("false")) || str_is(text, "0"));
}

/* A grace below 0 means a second. */
static int64_t grace_of(int64_t seconds)
{
	return seconds < 0 ? 1 : seconds;
}

static int set_parameter(struct call *call, const struct parameter *row, struct str value,
			 struct err *err)
{
	char *member = (char *)&call->options + row->at;
	int64_t number = 0;

	switch (row->type) {
	case PARAMETER_TEXT:
		*(struct str *)(void *)member = arena_str(call->arena, value);
		return 0;
	case PARAMETER_BOOL:
		*(enum option_bool *)(void *)member =
			parse_bool(value) ? OPTION_TRUE : OPTION_FALSE;
		return 0;
	case PARAMETER_INT:
		return value.len ? parse_int(value, (int64_t *)(void *)member, err) : 0;
	case PARAMETER_GRACE:
		if (value.len && parse_int(value, &number, err) < 0)
			return -1;
		if (value.len)
			*(int64_t *)(void *)member = grace_of(number);
		return 0;
	}
	return 0;
}

bool options_ask_for_watch(const struct query *query)
{
	return query_has(query, STR("watch")) && parse_bool(query_get(query, STR("watch")));
}

int options_from_query(struct call *call, const struct query *query, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(parameters); i++) {
		struct str name = str_from(parameters[i].name);

		if (query_has(query, name) &&
		    set_parameter(call, &parameters[i], query_get(query, name), err) < 0)
			return -1;
	}
	for (size_t i = 0; i < query->count; i++)
		if (str_is(query->pairs[i].name, "dryRun"))
			call->options.dry_run = arena_str(call->arena, query->pairs[i].value);
	return 0;
}

/* A body takes the place of the query. */
static void clear_delete_options(struct call_options *options)
{
	options->grace_seconds = -1;
	options->propagation = str_none();
	options->orphan = OPTION_UNSET;
	options->dry_run = str_none();
}

int options_from_body(struct call *call, struct json body, struct err *err)
{
	struct call_options *options = &call->options;
	struct json grace = json_get(body, "gracePeriodSeconds");
	struct json conditions = json_get(body, "preconditions");
	struct json dry_run = json_get(body, "dryRun");
	struct str kind = json_str(json_get(body, "kind"));

	if (kind.len && !str_is(kind, "DeleteOptions"))
		return err_set(err, ERR_UNKNOWN,
			       "no kind \"%.*s\" is registered for version \"%.*s\" in scheme "
			       "\"pkg/apis/meta/internalversion/scheme/register.go:27\"",
			       STR_ARG(kind), STR_ARG(json_str(json_get(body, "apiVersion"))));
	clear_delete_options(options);
	if (json_is(grace, JSON_INT))
		options->grace_seconds = grace_of(json_int(grace));
	else if (!json_is_absent(grace) && !json_is(grace, JSON_NULL))
		return err_set(err, ERR_UNKNOWN,
			       "json: cannot unmarshal %s into Go struct field "
			       "DeleteOptions.gracePeriodSeconds of type int64",
			       json_type_name(json_type(grace)));
	if (json_is(json_get(body, "propagationPolicy"), JSON_STR))
		options->propagation =
			arena_str(call->arena, json_str(json_get(body, "propagationPolicy")));
	if (json_is(json_get(body, "orphanDependents"), JSON_BOOL))
		options->orphan =
			json_bool(json_get(body, "orphanDependents")) ? OPTION_TRUE : OPTION_FALSE;
	if (json_len(dry_run))
		options->dry_run = arena_str(call->arena, json_str(json_at(dry_run, 0)));
	options->precondition_uid = json_str(json_get(conditions, "uid"));
	options->precondition_version = json_str(json_get(conditions, "resourceVersion"));
	return 0;
}

/* The empty text is named among what is allowed, where it is allowed and stands last. */
static void check_text(struct str value, const char *name, const char *const *allowed, size_t count,
		       struct causes *causes)
{
	struct path path = path_member(NULL, str_from(name));
	AUTO(buf_done) struct buf names = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;

	for (size_t i = 0; i < count; i++) {
		if (str_is(value, allowed[i]))
			return;
		if (allowed[i][0] || i + 1 == count)
			buf_printf(&names, "%s\"%s\"", names.len ? ", " : "", allowed[i]);
	}
	causes_quote(&quoted, value);
	causes_add(causes, CAUSE_NOT_SUPPORTED, &path,
		   "Unsupported value: %s: supported values: %s", buf_text(&quoted),
		   buf_text(&names));
}

static void validate_list(const struct call_options *options, struct causes *causes)
{
	static const char *const matches[] = {"Exact", "NotOlderThan", ""};
	struct path match = path_member(NULL, STR("resourceVersionMatch"));
	struct path initial = path_member(NULL, STR("sendInitialEvents"));
	bool has_match = options->version_match.len > 0;
	bool watch = options->watch == OPTION_TRUE;

	if (has_match && !watch && options->resource_version.len == 0)
		causes_forbidden(
			causes, &match,
			"resourceVersionMatch is forbidden unless resourceVersion is provided");
	else if (has_match && !watch && options->continue_token.len)
		causes_forbidden(causes, &match,
				 "resourceVersionMatch is forbidden when continue is provided");
	else if (has_match && !watch)
		check_text(options->version_match, "resourceVersionMatch", matches,
			   ARRAY_LEN(matches), causes);
	else if (has_match && options->send_initial_events == OPTION_UNSET)
		causes_forbidden(causes, &match,
				 "resourceVersionMatch is forbidden for watch unless "
				 "sendInitialEvents is provided");
	if (str_is(options->version_match, "Exact") && str_is(options->resource_version, "0"))
		causes_forbidden(
			causes, &match,
			"resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
	if (options->send_initial_events == OPTION_UNSET)
		return;
	if (!watch)
		causes_forbidden(causes, &initial, "sendInitialEvents is forbidden for list");
	else if (!str_is(options->version_match, "NotOlderThan"))
		causes_forbidden(
			causes, &match,
			"sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
}

static void validate_delete(const struct call_options *options, struct causes *causes)
{
	static const char *const policies[] = {"Foreground", "Background", "Orphan", "nil"};
	struct path policy = path_member(NULL, STR("propagationPolicy"));

	if (options->propagation.len && options->orphan != OPTION_UNSET)
		causes_invalid_str(causes, &policy, options->propagation,
				   "orphanDependents and deletionPropagation cannot be both set");
	else if (options->propagation.len)
		check_text(options->propagation, "propagationPolicy", policies, ARRAY_LEN(policies),
			   causes);
}

static void validate_dry_run(const struct call_options *options, struct causes *causes)
{
	struct path path = path_member(NULL, STR("dryRun"));

	if (options->dry_run.len && !str_is(options->dry_run, "All"))
		causes_add(causes, CAUSE_NOT_SUPPORTED, &path,
			   "Unsupported value: [\"%.*s\"]: supported values: \"All\"",
			   STR_ARG(options->dry_run));
}

static void validate_field_validation(const struct call_options *options, struct causes *causes)
{
	static const char *const values[] = {"", "Ignore", "Warn", "Strict"};

	check_text(options->field_validation, "fieldValidation", values, ARRAY_LEN(values), causes);
}

enum { FIELD_MANAGER_MAX = 128 };

static void validate_field_manager(const struct call *call, struct causes *causes)
{
	struct path path = path_member(NULL, STR("fieldManager"));
	struct str name = call->options.field_manager;

	if (!name.len && call->patch == PATCH_APPLY)
		causes_required(causes, &path, "is required for apply patch");
	if (name.len > FIELD_MANAGER_MAX)
		causes_too_long(causes, &path, FIELD_MANAGER_MAX);
	for (size_t i = 0; i < name.len; i++) {
		if ((unsigned char)name.ptr[i] < ' ' || name.ptr[i] == 0x7f) {
			causes_invalid_str(causes, &path, name,
					   "should only contain printable characters");
			return;
		}
	}
}

static void validate_force(const struct call *call, struct causes *causes)
{
	struct path path = path_member(NULL, STR("force"));

	if (call->options.force != OPTION_UNSET && call->patch != PATCH_APPLY)
		causes_forbidden(causes, &path, "may not be specified for non-apply patch");
}

void options_validate(const struct call *call, const char **ret_kind, struct causes *causes)
{
	static const char *const names[] = {
		[VERB_GET] = "GetOptions",       [VERB_LIST] = "ListOptions",
		[VERB_WATCH] = "ListOptions",    [VERB_CREATE] = "CreateOptions",
		[VERB_UPDATE] = "UpdateOptions", [VERB_PATCH] = "PatchOptions",
		[VERB_DELETE] = "DeleteOptions", [VERB_DELETE_COLLECTION] = "DeleteOptions",
	};

	*ret_kind = names[call->verb];
	switch (call->verb) {
	case VERB_LIST:
	case VERB_WATCH:
		validate_list(&call->options, causes);
		break;
	case VERB_DELETE:
	case VERB_DELETE_COLLECTION:
		validate_delete(&call->options, causes);
		validate_dry_run(&call->options, causes);
		break;
	case VERB_CREATE:
	case VERB_UPDATE:
	case VERB_PATCH:
		validate_force(call, causes);
		validate_field_manager(call, causes);
		validate_dry_run(&call->options, causes);
		validate_field_validation(&call->options, causes);
		break;
	case VERB_GET:
	case VERB_COUNT:
		break;
	}
}

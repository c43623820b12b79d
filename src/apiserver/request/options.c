/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/options.c - what a query says.
 *
 * One table of parameters; each row says where its value goes and how it is read. Unknown
 * parameters are passed over, as in Kubernetes. */
#include "apiserver/request/options.h"

#include <inttypes.h>
#include <stddef.h>

#include "apiserver/request/call.h"
#include "base/buf.h"
#include "base/number.h"
#include "base/url.h"
#include "json/syntax.h"
#include "model/core/status.h"
#include "model/field/fields.h"
#include "model/rules/causes.h"

#include "base/banned.h"

enum parameter_type { PARAMETER_TEXT, PARAMETER_INT, PARAMETER_BOOL, PARAMETER_GRACE };

struct parameter {
	const char *name;
	enum parameter_type type;
	size_t at;
	bool of_list; /* and not of a read of one object */
};

#define OPTION(member) offsetof(struct call_options, member)
static const struct parameter parameters[] = {
	{"labelSelector", PARAMETER_TEXT, OPTION(label_selector), true},
	{"fieldSelector", PARAMETER_TEXT, OPTION(field_selector), true},
	{"limit", PARAMETER_INT, OPTION(limit), true},
	{"continue", PARAMETER_TEXT, OPTION(continue_token), true},
	{"resourceVersion", PARAMETER_TEXT, OPTION(resource_version), false},
	{"resourceVersionMatch", PARAMETER_TEXT, OPTION(version_match), true},
	{"timeoutSeconds", PARAMETER_INT, OPTION(timeout_seconds), true},
	{"watch", PARAMETER_BOOL, OPTION(watch), true},
	{"allowWatchBookmarks", PARAMETER_BOOL, OPTION(allow_bookmarks), true},
	{"sendInitialEvents", PARAMETER_BOOL, OPTION(send_initial_events), true},
	{"fieldManager", PARAMETER_TEXT, OPTION(field_manager), false},
	{"fieldValidation", PARAMETER_TEXT, OPTION(field_validation), false},
	{"force", PARAMETER_BOOL, OPTION(force), false},
	{"gracePeriodSeconds", PARAMETER_GRACE, OPTION(grace_seconds), false},
	{"propagationPolicy", PARAMETER_TEXT, OPTION(propagation), false},
	{"orphanDependents", PARAMETER_BOOL, OPTION(orphan), false},
	{"container", PARAMETER_TEXT, OPTION(container), false},
	{"follow", PARAMETER_BOOL, OPTION(follow), false},
	{"previous", PARAMETER_BOOL, OPTION(previous), false},
	{"timestamps", PARAMETER_BOOL, OPTION(timestamps), false},
	{"sinceSeconds", PARAMETER_INT, OPTION(since_seconds), false},
	{"sinceTime", PARAMETER_TEXT, OPTION(since_time), false},
	{"tailLines", PARAMETER_INT, OPTION(tail_lines), false},
	{"limitBytes", PARAMETER_INT, OPTION(limit_bytes), false},
	{"pretty", PARAMETER_BOOL, OPTION(pretty), false},
	{"export", PARAMETER_BOOL, OPTION(export), false},
	{"includeObject", PARAMETER_TEXT, OPTION(include_object), false},
};
#undef OPTION

/* As Go's strconv: a number, or one of its two errors. */
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
		return parse_int(value, (int64_t *)(void *)member, err);
	case PARAMETER_GRACE:
		if (parse_int(value, &number, err) < 0)
			return -1;
		*(int64_t *)(void *)member = grace_of(number);
		return 0;
	}
	return 0;
}

/* If a removal has a body, it has its options from there. */
static bool is_removal(enum verb verb)
{
	return verb == VERB_DELETE || verb == VERB_DELETE_COLLECTION;
}

bool options_ask_for_watch(const struct query *query)
{
	return query_has(query, STR("watch")) && parse_bool(query_get(query, STR("watch")));
}

static void put_value(struct buf *list, struct str value)
{
	buf_puts(list, list->len ? ",\"" : "[\"");
	buf_put_json(list, value);
	buf_putc(list, '"');
}

/* Every value counts, also an empty one: what is not exactly All must never write. */
static void dry_run_from_query(struct call *call, const struct query *query)
{
	AUTO(buf_done) struct buf list = BUF_UNBOUNDED;

	for (size_t i = 0; i < query->count; i++)
		if (str_is(query->pairs[i].name, "dryRun"))
			put_value(&list, query->pairs[i].value);
	if (list.len) {
		buf_putc(&list, ']');
		call->options.dry_run = arena_str(call->arena, buf_str(&list));
	}
}

int options_from_query(struct call *call, const struct query *query, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(parameters); i++) {
		struct str name = str_from(parameters[i].name);
		bool ignored = (call->body.doc && is_removal(call->verb) &&
				parameters[i].type == PARAMETER_GRACE) ||
			       (call->verb == VERB_GET && parameters[i].of_list);

		if (!ignored && query_has(query, name) &&
		    set_parameter(call, &parameters[i], query_get(query, name), err) < 0)
			return -1;
	}
	dry_run_from_query(call, query);
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

static void dry_run_from_body(struct call *call, struct json values)
{
	AUTO(buf_done) struct buf list = BUF_UNBOUNDED;
	struct json_iter it = json_iter(values);

	while (json_next(&it))
		put_value(&list, json_str(it.value));
	if (list.len) {
		buf_putc(&list, ']');
		call->options.dry_run = arena_str(call->arena, buf_str(&list));
	}
}

int options_from_body(struct call *call, struct json body, struct err *err)
{
	struct call_options *options = &call->options;
	struct json grace = json_get(body, "gracePeriodSeconds");
	struct json conditions = json_get(body, "preconditions");
	struct json policy = json_get(body, "propagationPolicy");
	struct str kind = json_str(json_get(body, "kind"));

	if (!json_is(body, JSON_OBJ) && !json_is(body, JSON_NULL))
		return err_set(err, ERR_BAD_REQUEST,
			       "couldn't get version/kind; json parse error: json: cannot "
			       "unmarshal %s into Go value of type struct { APIVersion string "
			       "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
			       "\"json:\\\"kind,omitempty\\\"\" }",
			       json_go_name(json_type(body)));
	if (kind.len && !str_is(kind, "DeleteOptions"))
		return err_set(err, ERR_BAD_REQUEST,
			       "no kind \"%.*s\" is registered for version \"%.*s\" in scheme "
			       "\"pkg/apis/meta/internalversion/scheme/register.go:27\"",
			       STR_ARG(kind), STR_ARG(json_str(json_get(body, "apiVersion"))));
	if (type_check_types(&delete_options_type, body, err) < 0)
		return -1;
	clear_delete_options(options);
	if (json_is(grace, JSON_INT))
		options->grace_seconds = grace_of(json_int(grace));
	if (json_is(policy, JSON_STR))
		options->propagation = arena_str(call->arena, json_str(policy));
	if (json_is(json_get(body, "orphanDependents"), JSON_BOOL))
		options->orphan =
			json_bool(json_get(body, "orphanDependents")) ? OPTION_TRUE : OPTION_FALSE;
	dry_run_from_body(call, json_get(body, "dryRun"));
	if (json_is(json_get(conditions, "uid"), JSON_STR))
		options->precondition_uid = json_str(json_get(conditions, "uid"));
	if (json_is(json_get(conditions, "resourceVersion"), JSON_STR))
		options->precondition_version = json_str(json_get(conditions, "resourceVersion"));
	return 0;
}

static void check_text(struct str value, const char *name, const char *const *allowed, size_t count,
		       struct causes *causes)
{
	struct path path = path_member(NULL, str_from(name));
	AUTO(buf_done) struct buf names = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;

	for (size_t i = 0; i < count; i++) {
		if (str_is(value, allowed[i]))
			return;
		buf_printf(&names, "%s\"%s\"", i ? ", " : "", allowed[i]);
	}
	causes_quote(&quoted, value);
	causes_add(causes, CAUSE_NOT_SUPPORTED, &path,
		   "Unsupported value: %s: supported values: %s", buf_text(&quoted),
		   buf_text(&names));
}

#define MATCH "resourceVersionMatch"

static void forbid_match(const char *why, struct causes *causes)
{
	struct path match = path_member(NULL, STR(MATCH));

	causes_forbidden(causes, &match, why);
}

static void validate_watch(const struct call_options *options, struct causes *causes)
{
	static const char *const matches[] = {"NotOlderThan"};
	bool initial = options->send_initial_events != OPTION_UNSET;

	if (initial && !str_is(options->version_match, "NotOlderThan"))
		forbid_match("sendInitialEvents requires setting " MATCH " to NotOlderThan",
			     causes);
	if (!options->version_match.len)
		return;
	if (!initial)
		forbid_match(MATCH " is forbidden for watch unless sendInitialEvents is provided",
			     causes);
	check_text(options->version_match, MATCH, matches, ARRAY_LEN(matches), causes);
	if (options->continue_token.len)
		forbid_match(MATCH " is forbidden when continue is provided", causes);
}

static void validate_list(const struct call_options *options, struct causes *causes)
{
	static const char *const matches[] = {"Exact", "NotOlderThan", ""};
	struct path initial = path_member(NULL, STR("sendInitialEvents"));

	if (options->version_match.len && !options->resource_version.len)
		forbid_match(MATCH " is forbidden unless resourceVersion is provided", causes);
	if (options->version_match.len && options->continue_token.len)
		forbid_match(MATCH " is forbidden when continue is provided", causes);
	check_text(options->version_match, MATCH, matches, ARRAY_LEN(matches), causes);
	if (str_is(options->version_match, "Exact") && str_is(options->resource_version, "0"))
		forbid_match(MATCH " \"exact\" is forbidden for resourceVersion \"0\"", causes);
	if (options->send_initial_events != OPTION_UNSET)
		causes_forbidden(causes, &initial, "sendInitialEvents is forbidden for list");
}

static void validate_delete(const struct call_options *options, struct causes *causes)
{
	static const char *const policies[] = {"Foreground", "Background", "Orphan", "nil"};
	struct path policy = path_member(NULL, STR("propagationPolicy"));

	if (str_is_none(options->propagation))
		return;
	if (options->orphan != OPTION_UNSET)
		causes_invalid_str(causes, &policy, options->propagation,
				   "orphanDependents and deletionPropagation cannot be both set");
	check_text(options->propagation, "propagationPolicy", policies, ARRAY_LEN(policies),
		   causes);
}

/* Is every value of the list All? It was printed by put_value(). */
static bool is_all(struct str list)
{
	struct str values = str_slice(list, 1, list.len - 1);
	struct str value;

	while (str_split(&values, ',', &value))
		if (!str_is(value, "\"All\""))
			return false;
	return true;
}

static void validate_dry_run(const struct call_options *options, struct causes *causes)
{
	struct path path = path_member(NULL, STR("dryRun"));

	if (options->dry_run.len && !is_all(options->dry_run))
		causes_add(causes, CAUSE_NOT_SUPPORTED, &path,
			   "Unsupported value: %.*s: supported values: \"All\"",
			   STR_ARG(options->dry_run));
}

static void validate_field_validation(const struct call_options *options, struct causes *causes)
{
	static const char *const values[] = {"", "Ignore", "Strict", "Warn"};

	check_text(options->field_validation, "fieldValidation", values, ARRAY_LEN(values), causes);
}

enum { FIELD_MANAGER_MAX = 128 };

/* The next character; *at moves after it. An invalid byte stands for itself. */
static uint32_t next_code(struct str text, size_t *at)
{
	unsigned char first = (unsigned char)text.ptr[(*at)++];
	unsigned more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
	uint32_t code = more ? first & (0x3fu >> more) : first;

	for (; more && *at < text.len && ((unsigned char)text.ptr[*at] & 0xc0) == 0x80; more--)
		code = code << 6 | ((unsigned char)text.ptr[(*at)++] & 0x3fu);
	return code;
}

/* As Go's unicode.IsPrint: of the blanks only the space, no control or format characters, nothing of
 * private use. What is not assigned yet passes. */
static bool is_printable(uint32_t code)
{
	static const uint32_t wrong[][2] = {
		{0, 0x1f},        {0x7f, 0xa0},     {0xad, 0xad},       {0x600, 0x605},
		{0x61c, 0x61c},   {0x1680, 0x1680}, {0x180e, 0x180e},   {0x2000, 0x200f},
		{0x2028, 0x202f}, {0x205f, 0x206f}, {0x3000, 0x3000},   {0xd800, 0xf8ff},
		{0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0001, 0xe007f}, {0xf0000, UINT32_MAX},
	};

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		if (code >= wrong[i][0] && code <= wrong[i][1])
			return false;
	return true;
}

static void validate_field_manager(const struct call *call, struct causes *causes)
{
	struct path path = path_member(NULL, STR("fieldManager"));
	struct str name = call->options.field_manager;

	if (!name.len && call->patch == PATCH_APPLY)
		causes_required(causes, &path, "is required for apply patch");
	if (name.len > FIELD_MANAGER_MAX)
		causes_too_long(causes, &path, FIELD_MANAGER_MAX);
	for (size_t at = 0; at < name.len;) {
		size_t start = at;
		uint32_t code = next_code(name, &at);

		if (!is_printable(code))
			causes_invalid_str(causes, &path, name,
					   "invalid character U+%04" PRIX32 " (at position %zu)",
					   code, start);
	}
}

/* Only a patch has this option: elsewhere it is unknown and ignored. */
static void validate_force(const struct call *call, struct causes *causes)
{
	struct path path = path_member(NULL, STR("force"));

	if (call->options.force != OPTION_UNSET && call->verb == VERB_PATCH &&
	    call->patch != PATCH_APPLY)
		causes_forbidden(causes, &path, "may not be specified for non-apply patch");
}

void options_validate(const struct call *call, const char **ret_kind, struct causes *causes)
{
#define VERB_OPTIONS(id, function, word, options) options,
	static const char *const names[] = {VERBS(VERB_OPTIONS)};
#undef VERB_OPTIONS

	*ret_kind = names[call->verb];
	switch (call->verb) {
	case VERB_LIST:
		validate_list(&call->options, causes);
		break;
	case VERB_WATCH:
		validate_watch(&call->options, causes);
		break;
	case VERB_DELETE_COLLECTION:
		validate_list(&call->options, causes);
		if (causes->len) {
			*ret_kind = names[VERB_LIST];
			break;
		}
		validate_delete(&call->options, causes);
		validate_dry_run(&call->options, causes);
		break;
	case VERB_DELETE:
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

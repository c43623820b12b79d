/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/media.c - in what form bodies come and answers go.
 *
 * JSON and YAML, both ways; Table and PartialObjectMetadata as parameters of JSON. Protobuf is read
 * (protobuf_body.h) but not written: clients that prefer it also accept JSON; those that accept nothing
 * else get an error. */
#include "apiserver/request/media.h"

#include "apiserver/api_internal.h"
#include "apiserver/request/protobuf_body.h"
#include "base/buf.h"
#include "base/limits.h"
#include "http/field.h"
#include "json/syntax.h"
#include "json/yaml.h"

#include "base/banned.h"

/* --- answers --- */

/* What a parameter as=... makes of an answer. */
static const struct form {
	const char *as;
	enum call_form form;
	bool list;  /* only of lists ... */
	bool plain; /* ... or only of single objects; but a watch may have all of them */
} forms[] = {
	{"Table", CALL_FORM_TABLE, false, false},
	{"PartialObjectMetadata", CALL_FORM_METADATA, false, true},
	{"PartialObjectMetadataList", CALL_FORM_METADATA, true, false},
};

/* One of the client's wishes, as far as it can be fulfilled. */
struct choice {
	const struct form *form; /* NULL: the object itself */
	bool beta;               /* the form's version is v1beta1 */
	bool yaml;
	bool any; /* a wildcard */
	int quality;
};

#define REPRESENTATIONS "application/json, application/yaml, application/vnd.kubernetes.protobuf"

/* Does a route have an answer of this very type? Upstream's router knows no other wildcard than that
 * of everything. */
static bool is_routed(const struct field_media *media)
{
	static const char *const subtypes[] = {"json", "yaml", "vnd.kubernetes.protobuf"};

	if (str_is(media->type, "*") && str_is(media->subtype, "*"))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(subtypes); i++)
		if (str_is(media->type, "application") && str_is(media->subtype, subtypes[i]))
			return true;
	return false;
}

static bool choose_form(struct str params, struct choice *choice)
{
	struct str as = field_param(params, STR("as"));
	struct str version = field_param(params, STR("v"));

	choice->beta = str_is(version, "v1beta1");
	if (!as.len)
		return true;
	if (!str_is(field_param(params, STR("g")), "meta.k8s.io") ||
	    (!choice->beta && !str_is(version, "v1")))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (str_is(as, forms[i].as))
			choice->form = &forms[i];
	return choice->form;
}

static bool fulfil(const struct call *call, const struct field_media *media, struct choice *choice)
{
	bool application = str_is(media->type, "application");

	*choice = (struct choice){.quality = media->quality, .any = str_is(media->subtype, "*")};
	if (media->quality == 0 || !choose_form(media->params, choice))
		return false;
	if (choice->form && (!call->kind || call->verb == VERB_DELETE_COLLECTION))
		return false; /* discovery has no other form */
	if (choice->form && choice->form->form == CALL_FORM_TABLE && call->kind->serve)
		return false; /* kinds that are not stored have no columns */
	choice->yaml = application && str_is(media->subtype, "yaml");
	if (choice->yaml)
		return call->verb != VERB_WATCH;
	return (application && (choice->any || str_is(media->subtype, "json"))) ||
	       (choice->any && str_is(media->type, "*"));
}

static bool is_better(const struct choice *a, const struct choice *b)
{
	return a->quality > b->quality || (a->quality == b->quality && b->any && !a->any);
}

/* "*core.ConfigMapList", as Go would call it. */
static const char *go_type(struct call *call, bool list)
{
	const struct kind *kind = call->kind;
	struct str group = kind->stored->group.len ? kind->stored->group : STR("core");
	struct str package;

	if (kind->custom)
		return list ? "*unstructured.UnstructuredList" : "*unstructured.Unstructured";
	(void)str_split(&group, '.', &package);
	return arena_printf(call->arena, "*%.*s.%.*s", STR_ARG(package),
			    STR_ARG(list ? kind->list_name : kind->name));
}

static int check_form(struct call *call, const struct form *form, struct err *err)
{
	bool list = call->verb == VERB_LIST;

	if (!call->kind) /* paths that are no resource have no other form */
		return 0;
	if (!form || call->verb == VERB_WATCH || !(list ? form->plain : form->list))
		return 0;
	call->error.plain = true;
	return err_set(err, ERR_NOT_ACCEPTABLE,
		       "you requested %s, but the requested object is %sa list (%s)", form->as,
		       list ? "" : "not ", go_type(call, list));
}

static int refuse_route(const struct call *call, struct err *err)
{
	bool list = call->verb == VERB_LIST || call->verb == VERB_WATCH;

	return err_set(err, ERR_NOT_ACCEPTABLE,
		       "406: Not Acceptable\n\nAvailable representations: " REPRESENTATIONS "%s",
		       list ? ", application/json;stream=watch, "
			      "application/vnd.kubernetes.protobuf;stream=watch"
			    : "");
}

int media_negotiate(struct call *call, struct str accept, struct err *err)
{
	struct choice best = {.quality = -1};
	struct field_media media;
	struct choice choice;
	struct str rest = accept;
	bool routed = false;

	if (str_trim(accept).len == 0)
		return 0;
	while (field_next_media(&rest, &media)) {
		routed = routed || is_routed(&media);
		if (fulfil(call, &media, &choice) && is_better(&choice, &best))
			best = choice;
	}
	if (!routed)
		return refuse_route(call, err);
	if (best.quality < 0) {
		call->error.plain = true;
		return err_set(err, ERR_NOT_ACCEPTABLE,
			       "only the following media types are accepted: " REPRESENTATIONS);
	}
	if (check_form(call, best.form, err) < 0)
		return -1;
	call->options.yaml = best.yaml;
	call->options.form = best.form && call->kind ? best.form->form : CALL_FORM_OBJECT;
	call->options.form_beta = best.form && best.beta;
	return 0;
}

bool media_takes_gzip(struct str accept)
{
	return field_quality(accept, STR("gzip")) > 0;
}

void media_quote(struct buf *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buf_putc(to, '\\');
		if ((unsigned char)*text >= ' ' && *text != 0x7f)
			buf_putc(to, *text);
	}
}

/* --- bodies --- */

enum { RAW_KEPT = 512 }; /* bytes, for errors that show them */
#define CANNOT_GET_KIND "couldn't get version/kind; json parse error: "

static const struct {
	const char *type;
	enum patch_type patch;
} patches[] = {
	{"application/json-patch+json", PATCH_JSON},
	{"application/merge-patch+json", PATCH_MERGE},
	{"application/strategic-merge-patch+json", PATCH_STRATEGIC},
	{"application/apply-patch+yaml", PATCH_APPLY},
};

/* A kind that is made by a definition says what there is; for the others there is no such route. */
static int refuse_patch(struct call *call, struct err *err)
{
	call->error.plain = call->kind->custom;
	if (!call->kind->custom)
		return err_set(err, ERR_UNSUPPORTED_MEDIA_TYPE, "415: Unsupported Media Type");
	return err_set(err, ERR_UNSUPPORTED_MEDIA_TYPE,
		       "the body of the request was in an unknown format - accepted media types "
		       "include: application/json-patch+json, application/merge-patch+json, "
		       "application/apply-patch+yaml");
}

/* Upstream compares the type of a patch by its bytes: capital letters name another one. */
static size_t before_parameters(struct str type)
{
	ptrdiff_t semicolon = str_find_byte(type, ';', 0);

	return semicolon < 0 ? type.len : (size_t)semicolon;
}

static int choose_patch(struct call *call, struct str type, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(patches); i++)
		if (str_eq(str_trim(str_slice(type, 0, before_parameters(type))),
			   str_from(patches[i].type)))
			call->patch = patches[i].patch;
	if (call->patch == PATCH_NONE || (call->patch == PATCH_STRATEGIC && call->kind->custom))
		return refuse_patch(call, err);
	return 0;
}

static int parse_json(struct call *call, struct str body, struct err *err)
{
	struct json_options options = {.max_bytes = LIMIT_BODY_BYTES,
				       .max_depth = LIMIT_OBJECT_DEPTH,
				       .on_duplicate = call_note_duplicate,
				       .arg = call};

	call->body.doc = json_parse(body, &options, err);
	if (call->body.doc)
		return 0;
	(void)json_syntax_check(body, err); /* in Go's words, if Go has some */
	return -1;
}

static void note_yaml_duplicate(void *arg, struct str text)
{
	struct call *call = arg;

	vec_push(&call->body.odd_fields, arena_printf(call->arena, "%.*s", STR_ARG(text)));
	call->body.yaml_duplicates++;
}

static int parse_yaml(struct call *call, struct str body, struct err *err)
{
	const struct yaml_options options = {.max_depth = LIMIT_OBJECT_DEPTH,
					     .on_duplicate = note_yaml_duplicate,
					     .arg = call,
					     .go_errors = true};

	call->body.yaml = true;
	call->body.doc = yaml_parse(body, &options, err);
	return call->body.doc ? 0 : -1;
}

/* YAML is turned into JSON with sorted keys before it is decoded: the first error is the first by
 * name. */
static int parse_yaml_object(struct call *call, struct str body, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json_options options = {.max_depth = LIMIT_OBJECT_DEPTH};
	struct json_doc *sorted;

	if (parse_yaml(call, body, err) < 0)
		return -1;
	json_print(json_doc_root(call->body.doc), JSON_CANONICAL, &text);
	sorted = json_parse(buf_str(&text), &options, err);
	if (!sorted)
		return -1;
	json_doc_unref(call->body.doc);
	call->body.doc = sorted;
	return 0;
}

/* A configuration to apply is YAML, of which JSON is a part. */
static int parse_applied(struct call *call, struct str body, struct err *err)
{
	if (parse_yaml(call, body, err) < 0) {
		struct err inner = *err;

		return err_set(err, ERR_BAD_REQUEST,
			       "error decoding YAML: error converting YAML to JSON: %s",
			       inner.text);
	}
	if (!json_is(json_doc_root(call->body.doc), JSON_OBJ) &&
	    !json_is(json_doc_root(call->body.doc), JSON_NULL))
		return err_set(err, ERR_BAD_REQUEST,
			       "error decoding YAML: error unmarshaling JSON: while decoding JSON: "
			       "json: cannot unmarshal %s into Go value of type "
			       "map[string]interface {}",
			       json_go_name(json_type(json_doc_root(call->body.doc))));
	return 0;
}

static int report_unrecognized(struct call *call, bool json, struct err *err)
{
	struct err inner = *err;

	if (call->verb == VERB_DELETE || call->verb == VERB_DELETE_COLLECTION)
		return err_set(err, ERR_BAD_REQUEST, "%s%s", json ? CANNOT_GET_KIND : "",
			       inner.text);
	err->code = ERR_BAD_REQUEST;
	if (call->verb == VERB_PATCH)
		return call->patch == PATCH_STRATEGIC ? -1 : err_wrap(err, "error decoding patch");
	return body_unrecognized(
		call, arena_printf(call->arena, "%s%s", json ? CANNOT_GET_KIND : "", inner.text),
		err);
}

/* What Go makes of null: no operations, or no changes; but a merge patch is not decoded first. */
static int take_null_patch(struct call *call, struct err *err)
{
	struct json_doc *doc;

	if (call->patch == PATCH_MERGE)
		return err_set(err, ERR_BAD_REQUEST, "Invalid JSON Patch");
	doc = json_doc_new();
	json_doc_set_root(doc, call->patch == PATCH_JSON ? json_new_arr(doc) : json_new_obj(doc));
	json_doc_unref(call->body.doc);
	call->body.doc = doc;
	return 0;
}

/* The members of an operation, as Go decodes them: what has another type is refused, what is unknown
 * is reported as any odd field. */
static int check_operation(struct call *call, size_t index, struct json operation, struct err *err)
{
	static const char *const texts[] = {"op", "from", "path"};
	struct json_iter it = json_iter(operation);
	enum json_type type = json_type(operation);

	if (type != JSON_OBJ && type != JSON_NULL)
		return err_set(err, ERR_BAD_REQUEST,
			       "error decoding patch: json: cannot unmarshal %s into Go value of "
			       "type handlers.jsonPatchOp",
			       json_go_name(type));
	while (type == JSON_OBJ && json_next(&it)) {
		bool known = str_is(it.key, "value");

		for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
			if (!str_is(it.key, texts[i]))
				continue;
			known = true;
			if (!json_is(it.value, JSON_STR) && !json_is(it.value, JSON_NULL))
				return err_set(err, ERR_BAD_REQUEST,
					       "error decoding patch: json: cannot unmarshal %s "
					       "into Go struct field jsonPatchOp.%s of type string",
					       json_go_name(json_type(it.value)), texts[i]);
		}
		if (!known)
			vec_push(&call->body.odd_fields,
				 arena_printf(call->arena,
					      "json patch unknown field \"[%zu].%.*s\"", index,
					      STR_ARG(it.key)));
	}
	return 0;
}

static int check_operations(struct call *call, struct err *err)
{
	struct json_iter it = json_iter(json_doc_root(call->body.doc));

	if (str_is(call->options.field_validation, "Ignore"))
		return 0;
	for (size_t i = 0; i < call->body.odd_fields.len; i++) /* duplicates, so far */
		call->body.odd_fields.ptr[i] =
			arena_printf(call->arena, "json patch %s", call->body.odd_fields.ptr[i]);
	while (json_next(&it))
		if (check_operation(call, it.index, it.value, err) < 0)
			return -1;
	return 0;
}

/* A patch is a list of operations, or an object. */
static int check_patch(struct call *call, struct err *err)
{
	enum json_type want = call->patch == PATCH_JSON ? JSON_ARR : JSON_OBJ;
	enum json_type type = json_type(json_doc_root(call->body.doc));

	if (type == want)
		return want == JSON_ARR ? check_operations(call, err) : 0;
	if (type == JSON_NULL)
		return take_null_patch(call, err);
	return err_set(
		err, ERR_BAD_REQUEST, "%sjson: cannot unmarshal %s into Go value of type %s",
		call->patch == PATCH_STRATEGIC ? "" : "error decoding patch: ", json_go_name(type),
		want == JSON_ARR ? "[]handlers.jsonPatchOp" : "map[string]interface {}");
}

static int parse_patch(struct call *call, struct str body, struct err *err)
{
	return parse_json(call, body, err) < 0 ? report_unrecognized(call, true, err)
					       : check_patch(call, err);
}

static int refuse_body(struct call *call, struct err *err)
{
	call->error.plain = true;
	return err_set(err, ERR_UNSUPPORTED_MEDIA_TYPE,
		       "the body of the request was in an unknown format - accepted media types "
		       "include: application/json, application/yaml, "
		       "application/vnd.kubernetes.protobuf");
}

static bool is_protobuf(struct str type)
{
	return field_is_media(type, STR("application/vnd.kubernetes.protobuf"));
}

void media_prepare_body(struct call *call, struct str type, struct str body)
{
	if (is_protobuf(type) && !call->kind->custom)
		protobuf_body_find(call, body);
}

int media_read_body(struct call *call, struct str type, struct str body, struct err *err)
{
	bool removal = call->verb == VERB_DELETE || call->verb == VERB_DELETE_COLLECTION;
	bool yaml = field_is_media(type, STR("application/yaml"));

	if (removal && body.len == 0)
		return 0;
	call->body.start = arena_str(call->arena, str_slice(body, 0, RAW_KEPT));
	call->body.len = body.len;
	if (call->verb == VERB_PATCH) {
		if (choose_patch(call, type, err) < 0)
			return -1;
		if (call->patch == PATCH_APPLY)
			return parse_applied(call, body, err);
		return parse_patch(call, body, err);
	}
	if (yaml)
		return parse_yaml_object(call, body, err) < 0
			       ? report_unrecognized(call, false, err)
			       : 0;
	if (is_protobuf(type) && !call->kind->custom) {
		call->body.doc = protobuf_body_read(call, body, err);
		return call->body.doc ? 0 : report_unrecognized(call, false, err);
	}
	if (type.len && !field_is_media(type, STR("application/json")))
		return refuse_body(call, err);
	return parse_json(call, body, err) < 0 ? report_unrecognized(call, true, err) : 0;
}

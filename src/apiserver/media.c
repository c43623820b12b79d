/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/media.c - in what form bodies come and answers go.
 *
 * JSON and YAML, both ways; Table and PartialObjectMetadata as parameters of JSON. Protobuf is not
 * spoken: clients that prefer it name JSON as well, and those that speak nothing else are told so.
 * */
#include "apiserver/media.h"

#include "apiserver/api_internal.h"
#include "base/buf.h"
#include "base/limits.h"
#include "http/field.h"
#include "json/yaml.h"

#include "base/banned.h"

/* --- answers --- */

/* What a parameter as=... makes of an answer. */
static const struct {
	const char *as;
	enum call_form form;
} forms[] = {
	{"Table", CALL_FORM_TABLE},
	{"PartialObjectMetadata", CALL_FORM_METADATA},
	{"PartialObjectMetadataList", CALL_FORM_METADATA},
};

static bool set_form(struct call *call, const struct field_media *media)
{
	struct str as = field_param(media->params, STR("as"));

	call->options.form = CALL_FORM_OBJECT;
	if (!as.len)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		if (str_is(as, forms[i].as) &&
		    str_is(field_param(media->params, STR("g")), "meta.k8s.io")) {
			call->options.form = forms[i].form;
			return call->verb != VERB_DELETE_COLLECTION;
		}
	}
	return false;
}

static bool is_range(const struct field_media *media, const char *type, const char *subtype)
{
	return (str_is(media->type, "*") || str_eq_nocase(media->type, str_from(type))) &&
	       (str_is(media->subtype, "*") || str_eq_nocase(media->subtype, str_from(subtype)));
}

static bool accept_media(struct call *call, const struct field_media *media)
{
	if (media->quality == 0 || !set_form(call, media))
		return false;
	call->options.yaml = false;
	if (is_range(media, "application", "json"))
		return true;
	call->options.yaml = is_range(media, "application", "yaml") && call->verb != VERB_WATCH;
	return call->options.yaml;
}

int media_negotiate(struct call *call, struct str accept, struct err *err)
{
	struct field_media media;
	struct str rest = accept;

	if (str_trim(accept).len == 0)
		return 0;
	while (field_next_media(&rest, &media))
		if (accept_media(call, &media))
			return 0;
	call->options.form = CALL_FORM_OBJECT;
	return err_set(err, ERR_NOT_ACCEPTABLE,
		       "406: Not Acceptable\n\nAvailable representations: application/json, "
		       "application/yaml, application/vnd.kubernetes.protobuf, "
		       "application/json;stream=watch, "
		       "application/vnd.kubernetes.protobuf;stream=watch");
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

static const struct {
	const char *type;
	enum patch_type patch;
} patches[] = {
	{"application/json-patch+json", PATCH_JSON},
	{"application/merge-patch+json", PATCH_MERGE},
	{"application/strategic-merge-patch+json", PATCH_STRATEGIC},
	{"application/apply-patch+yaml", PATCH_APPLY},
};

static int refuse_patch(const struct call *call, struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED_MEDIA_TYPE,
		       "the body of the request was in an unknown format - accepted media types "
		       "include: application/json-patch+json, application/merge-patch+json%s",
		       call->kind->custom ? "" : ", application/strategic-merge-patch+json");
}

static int choose_patch(struct call *call, struct str type, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(patches); i++)
		if (field_is_media(type, str_from(patches[i].type)))
			call->patch = patches[i].patch;
	if (call->patch == PATCH_NONE || call->patch == PATCH_APPLY ||
	    (call->patch == PATCH_STRATEGIC && call->kind->custom))
		return refuse_patch(call, err);
	return 0;
}

static int parse_json(struct call *call, struct str body, struct err *err)
{
	struct json_options options = {
		.max_bytes = LIMIT_BODY_BYTES, .on_duplicate = call_note_duplicate, .arg = call};

	call->body = json_parse(body, &options, err);
	return call->body ? 0 : -1;
}

static int parse_yaml(struct call *call, struct str body, struct err *err)
{
	call->body = yaml_parse(body, NULL, err);
	return call->body ? 0 : -1;
}

/* What kube-apiserver says of a body that does not parse; up to so many of its bytes are shown. */
enum { BODY_SHOWN = 1024 };

static int say_unrecognized(struct call *call, struct str body, struct err *err)
{
	struct str shown = str_slice(body, 0, BODY_SHOWN);
	struct err inner = *err;

	if (call->verb == VERB_PATCH)
		return err_set(err, ERR_BAD_REQUEST, "error decoding patch: %s", inner.text);
	return err_set(err, ERR_BAD_REQUEST,
		       "the object provided is unrecognized (must be of type %.*s): couldn't get "
		       "version/kind; json parse error: %s (%.*s)",
		       STR_ARG(call->kind->name), inner.text,
		       STR_ARG(shown.len ? shown : STR("<empty>")));
}

int media_read_body(struct call *call, struct str type, struct str body, struct err *err)
{
	bool removal = call->verb == VERB_DELETE || call->verb == VERB_DELETE_COLLECTION;
	bool json = type.len == 0 || field_is_media(type, STR("application/json"));
	bool yaml = field_is_media(type, STR("application/yaml"));
	int result;

	if (call->verb == VERB_PATCH) {
		if (choose_patch(call, type, err) < 0)
			return -1;
		json = true;
	} else if (!json && !yaml && !(removal && body.len == 0)) {
		return err_set(err, ERR_UNSUPPORTED_MEDIA_TYPE,
			       "the body of the request was in an unknown format - accepted media "
			       "types include: application/json, application/yaml, "
			       "application/vnd.kubernetes.protobuf");
	}
	if (removal && body.len == 0)
		return 0;
	result = json ? parse_json(call, body, err) : parse_yaml(call, body, err);
	return result == 0 ? 0 : say_unrecognized(call, body, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* fields_conformance.c - manifests held against a definition: is every field of the kind used by one of them?
 *
 *	fields-conformance DEFINITION FOLDER
 *
 * What stands in a pod's template or in a claim belongs to Kubernetes' kinds, and is not looked at. */
#include <dirent.h>
#include <stdlib.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/vec.h"
#include "json/pointer.h"
#include "json/yaml.h"
#include "tap.h"

struct values VEC_FIELDS(struct json);

static struct json_doc *read_yaml(const char *path)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json_doc *doc = NULL;
	struct err err = {0};

	if (fd_read_file(path, &text, &err) == 0)
		doc = yaml_parse(buf_str(&text), NULL, &err);
	ok(doc != NULL, "%s can be read %s", path, err.text);
	return doc;
}

/* The values of a property in all objects, lists taken apart. */
static void collect(const struct values *objects, struct str key, struct values *ret)
{
	for (size_t i = 0; i < objects->len; i++) {
		struct json value = json_get_str(objects->ptr[i], key);
		struct json_iter it = json_iter(value);

		if (!json_is(value, JSON_ARR) && !json_is_absent(value))
			vec_push(ret, value);
		while (json_is(value, JSON_ARR) && json_next(&it))
			vec_push(ret, it.value);
	}
}

static void check(struct json schema, const char *path, const struct values *objects)
{
	struct json items = json_get(schema, "items");
	struct json_iter it =
		json_iter(json_get(json_is_absent(items) ? schema : items, "properties"));

	while (json_next(&it)) {
		AUTO(mem_free) char *name = mem_printf("%s.%.*s", path, STR_ARG(it.key));
		struct values values = {0};

		collect(objects, it.key, &values);
		ok(values.len > 0, "%s is used", name);
		if (!str_is(it.key, "template") && !str_is(it.key, "volumeClaim"))
			check(it.value, name, &values);
		vec_done(&values);
	}
}

static int is_yaml(const struct dirent *entry)
{
	return str_ends(str_from(entry->d_name), STR(".yaml"));
}

int main(int argc, char **argv)
{
	AUTO(json_doc_unref) struct json_doc *definition = argc == 3 ? read_yaml(argv[1]) : NULL;
	struct values specs = {0};
	VEC(struct json_doc *) docs = {0};
	struct dirent **entries = NULL;
	int count = argc == 3 ? scandir(argv[2], &entries, is_yaml, alphasort) : -1;

	if (!definition || count < 0)
		return 2;
	ok(count >= 30, "there are at least 30 manifests");
	for (int i = 0; i < count; i++) {
		AUTO(mem_free) char *path = mem_printf("%s/%s", argv[2], entries[i]->d_name);
		struct json_doc *doc = read_yaml(path);

		free(entries[i]);
		if (!doc)
			continue;
		vec_push(&docs, doc);
		vec_push(&specs, json_get(json_doc_root(doc), "spec"));
	}
	free(entries);
	check(json_pointer_get(json_doc_root(definition),
			       STR("/spec/versions/0/schema/openAPIV3Schema/properties/spec")),
	      "spec", &specs);
	for (size_t i = 0; i < docs.len; i++)
		json_doc_unref(docs.ptr[i]);
	vec_done(&docs);
	vec_done(&specs);
	return tap_done();
}

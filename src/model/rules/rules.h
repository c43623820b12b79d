/* SPDX-License-Identifier: Apache-2.0 */
/* model/rules/rules.h - shared by the rules of the built-in kinds.
 *
 * A kind of Kubernetes has its rules in tables (model/field/rule.h), in the order of kube-apiserver; here are
 * the functions that rows name, and what functions of rows share. Events and jobs still have functions of
 * their own: event_validate_create(), event_validate_update() and so on.
 *
 * Documents must have the right types (type_check_types) and their defaults (type_default); metadata is
 * left to meta_validate() and meta_validate_update(), which are called before. */
#ifndef MODEL_RULES_H
#define MODEL_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "model/field/fields.h"
#include "model/field/path.h"
#include "model/field/rule.h"
#include "model/rules/causes.h"
#include "model/value/names.h"
#include "model/value/quantity.h"

/* --- of a value, at a path --------------------------------------------------------------------- */

/* `validate` of a kind whose rules are in functions of its own: adds nothing. */
type_validate_fn rules_elsewhere;

/* The rules of metadata once more, which an update of most kinds goes through. */
void rules_meta(struct json object, enum name_format format, bool namespaced,
		struct causes *causes);

/* Nothing, as Go's zero values are: absent, null, "", [], {}. */
bool rules_is_empty(struct json value);
/* The same content, nothing being equal to nothing. */
bool rules_same(struct json a, struct json b);

/* `field is immutable`, reported with the new value. */
void rules_immutable(struct json new, struct json old, const struct path *path,
		     struct causes *causes);
/* Invalid cause of a list, a map or a pointer: an absent one is reported as null. */
void rules_invalid(struct json value, const struct path *path, const char *detail,
		   struct causes *causes);
/* `must be greater than or equal to 0`; absent is fine. */
void rules_not_negative(struct json number, const struct path *path, struct causes *causes);
/* `must be between 1 and 65535, inclusive` */
void rules_port(int64_t port, const struct path *path, struct causes *causes);
/* A number of a port, or the name of one. */
void rules_port_or_name(struct json value, const struct path *path, struct causes *causes);
/* A text out of a few, which are given in the order to print; empty ones are rejected too. */
void rules_one_of(struct json value, const char *const *names, size_t count,
		  const struct path *path, struct causes *causes);
/* Like rules_one_of, with a Required cause (without detail) if it is empty. */
void rules_one_of_required(struct json value, const char *const *names, size_t count,
			   const struct path *path, struct causes *causes);

/* The amount of a resource list, or 0; false if it is absent. */
bool rules_quantity(struct json list, const char *name, struct quantity *ret);
/* A quantity below 0: `must be greater than or equal to 0`. */
void rules_quantity_not_negative(struct json value, const struct path *path, struct causes *causes);
/* A quantity that must be above 0: `must be greater than zero`. */
void rules_quantity_positive(struct json value, const struct path *path, struct causes *causes);
/* Invalid cause of a quantity, in the form that Go prints. */
void rules_invalid_quantity(struct json value, const struct path *path, const char *detail,
			    struct causes *causes);

/* The amount of a resource: not negative, and whole if it counts things. */
void rules_amount(struct str name, struct json value, const struct path *path,
		  struct causes *causes);

/* Is it one that Kubernetes knows without a domain (cpu, requests.cpu, pods, ...)? */
bool rules_is_standard_resource(struct str name);
/* Does it count whole things (pods, services, ...)? */
bool rules_is_integer_resource(struct str name);
bool rules_is_hugepages(struct str name);
/* example.com/thing: not of kubernetes.io, and not an amount requested. */
bool rules_is_extended_resource(struct str name);
/* In the namespace of Kubernetes: without a domain, or of kubernetes.io. */
bool rules_is_native_resource(struct str name);

/* What a resource may be called: a qualified name, and one that is known if it has no domain. */
bool rules_resource_name(struct str name, const struct path *path, struct causes *causes);
/* The same for what containers use. */
void rules_container_resource_name(struct str name, const struct path *path, struct causes *causes);

/* The selector with which an object names pods; absent is fine. */
void rules_label_selector(struct json selector, const struct path *path, struct causes *causes);
/* Does an object's selector choose these labels? False also for one that makes no sense. */
bool rules_selects(struct json selector, struct json labels);
/* Members that are numbers and not negative. */
void rules_counts(struct json object, const char *const *names, size_t count,
		  const struct path *path, struct causes *causes);

/* An IP address that is not loopback, link-local and the like, as endpoints want it. */
void rules_endpoint_ip(struct str text, const struct path *path, struct causes *causes);
/* `must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)` */
bool rules_ip(struct str text, const struct path *path, struct causes *causes);
/* `must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)` */
bool rules_cidr(struct str text, const struct path *path, struct causes *causes);
bool rules_is_ip(struct str text);
bool rules_is_cidr(struct str text);
/* Is a network a part of another, and smaller? */
bool rules_is_within(struct str inner, struct str outer);
/* Is an address, or a network, of IPv6? */
bool rules_is_ipv6(struct str text);
/* A domain and a path: "acme.io/foo". */
void rules_domain_path(struct str text, const struct path *path, struct causes *causes);
/* A qualified name, checked in lower case. */
void rules_qualified_lower(struct str name, const struct path *path, struct causes *causes);
/* The name of a CSI driver. */
void rules_csi_driver(struct str name, const struct path *path, struct causes *causes);
/* Count or percentage: not negative; a text must be a percentage. */
void rules_int_or_percent(struct json value, const struct path *path, struct causes *causes);
/* More than 100%: `must not be greater than 100%`. */
void rules_at_most_all(struct json value, const struct path *path, struct causes *causes);

/* The most that the values of a config map or a secret may take together. */
enum { RULES_DATA_MAX = 1024 * 1024 };
/* The number of bytes that base64 stands for. */
size_t rules_bytes_len(struct json value);

/* --- for rows (R_CHECK) ----------------------------------------------------------------------- */

/* The rules of metadata once more, which an update of most kinds goes through: of an object in a namespace,
 * or of the cluster; named by a subdomain, a path segment or a label. */
rule_fn rule_meta, rule_meta_cluster, rule_meta_segment, rule_meta_cluster_segment,
	rule_meta_cluster_label;
rule_fn rule_ip, rule_cidr, rule_endpoint_ip, rule_domain_path, rule_csi_driver,
	rule_lower_qualified;
rule_fn rule_port_or_name;
/* A host name: not an IP address. */
rule_fn rule_not_ip;
/* Access modes of a volume or a claim. */
rule_fn rule_access_modes;
/* A path of a file: without "..", from the root. */
rule_fn rule_no_backsteps_in, rule_absolute;
/* Relative and without ".."; and not beginning with "..". */
rule_fn rule_local_in, rule_local_free_in;
#define R_FILE_MODE                                                                       \
	R_RANGE(0, 0777), R_RANGE_AS("must be a number between 0 and 0777 (octal), both " \
				     "inclusive")
/* A number of a user or a group. */
#define R_ID R_RANGE(0, INT32_MAX)
/* Count or percentage; at most 100%. */
rule_fn rule_int_or_percent, rule_at_most_all;
/* Labels; a label selector. */
rule_fn rule_labels, rule_selector;
/* An entry of a resource list, by its key: the amount; the name of a resource; of one that containers use. */
rule_fn rule_amount, rule_resource_name, rule_container_resource_name;
rule_fn rule_amount_positive, rule_amount_not_negative;
/* Was `immutable` of a config map or a secret set before? Then it stays set, and data is R_FIXED. */
rule_when_fn rule_was_immutable;
rule_fn rule_stays_immutable;
#define RULE_DATA_FIXED "field is immutable when `immutable` is set"

/* --- of a member of an object ----------------------------------------------------------------- */

/* PATH(name, path, "name"); declares the path of a member. */
#define PATH(variable, up, member) struct path variable = path_member((up), STR(member))

bool rule_has(struct json object, const char *key);
static inline struct str rule_text(struct json object, const char *key)
{
	return json_str(json_get(object, key));
}

#define RULE_TEXTS(...)                                          \
	((struct rule_texts){(const char *const[]){__VA_ARGS__}, \
			     sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)})
bool rule_texts_have(struct rule_texts texts, struct str text);

/* Rules about a member of at->value. */

/* A text that may not be empty; says whether it is there. */
bool rule_required(const struct rule_at *at, const char *key);
/* A text in a format: if it is there; or required. */
void rule_name(const struct rule_at *at, const char *key, enum name_format format);
void rule_name_required(const struct rule_at *at, const char *key, enum name_format format);
/* One of some texts, if it has one. */
void rule_text_of(const struct rule_at *at, const char *key, struct rule_texts texts);
/* A number in a range, if it has one. */
void rule_range(const struct rule_at *at, const char *key, int64_t low, int64_t high);
/* A user's or a group's number, if it has one. */
void rule_id(const struct rule_at *at, const char *key);

/* --- paths of files -------------------------------------------------------------------------- */

bool rule_has_backsteps(struct str file);
void rule_no_backsteps(struct str file, const struct path *path, struct causes *causes);
/* Relative, and without "..". */
void rule_local(struct str file, const struct path *path, struct causes *causes);
/* And not beginning with "..". */
void rule_local_free(struct str file, const struct path *path, struct causes *causes);

/* --- sets of names --------------------------------------------------------------------------- */

/* In order of insertion; a hash map is added when there are many, because lists of a request may be
 * long. Names are borrowed. {0} is an empty set. */
struct map;
struct name_set {
	struct str *ptr;
	size_t len;
	size_t size;
	struct map *map;     /* NULL: there are few */
	struct arena *texts; /* of name_set_add_copy() */
};
void name_set_done(struct name_set *set);
DEFINE_AUTO_IN_PLACE(struct name_set, name_set_done);
bool name_set_has(const struct name_set *set, struct str name);
/* Returns whether it is new. */
bool name_set_add(struct name_set *set, struct str name);
/* The same for a text that does not live as long as the set. */
bool name_set_add_copy(struct name_set *set, struct str name);

/* --- values as Go shows them ------------------------------------------------------------------ */

/* An object, or a list of objects, as upstream's internal type prints it: every field, under its name
 * in Go. `type` is the objects'. */
void rule_invalid_go(const struct type *type, struct json value, const struct path *path,
		     struct causes *causes, const char *detail);
/* A struct without JSON names is reported with Go's names: the rows list them in their order, and the
 * value that stands for an absent one. */
struct rules_go {
	const char *go;
	const char *json;
	const char *zero;
};
void rules_print_go(struct json object, const struct rules_go *rows, size_t count, struct buf *to);

#endif

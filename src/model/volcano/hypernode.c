/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/hypernode.c - the tables of HyperNode. That a selector says exactly one thing is a rule of
 * the schema (CEL) and a function here. */
#include "model/volcano/hypernode.h"

#include "base/banned.h"

static const char *const member_type_names[HYPERNODE_MEMBER_TYPE_COUNT] = {
	[HYPERNODE_MEMBER_NONE] = "",
	[HYPERNODE_MEMBER_NODE] = "Node",
	[HYPERNODE_MEMBER_HYPERNODE] = "HyperNode",
};

#define TOPOLOGY .group = "sh.volcano.topology"

#define VIEW struct hypernode_exact
static const struct field hypernode_exact_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED, F_MIN_LEN(1), F_FORMAT(DNS_SUBDOMAIN)},
};
#undef VIEW
static const struct type hypernode_exact_type = {
	TYPE("ExactMatch", "v1alpha1", struct hypernode_exact, hypernode_exact_fields),
	TOPOLOGY,
};

#define VIEW struct hypernode_regex
static const struct field hypernode_regex_fields[] = {
	{"pattern", F_STR, AT(pattern), F_REQUIRED, F_MIN_LEN(1)},
};
#undef VIEW
static const struct type hypernode_regex_type = {
	TYPE("RegexMatch", "v1alpha1", struct hypernode_regex, hypernode_regex_fields),
	TOPOLOGY,
};

#define NONE_GIVEN "Either ExactMatch or RegexMatch or LabelMatch must be specified"
#define SEVERAL_GIVEN "Only one of ExactMatch, RegexMatch, or LabelMatch can be specified"

static const struct type_rule selector_rules[] = {
	{"has(self.exactMatch) || has(self.regexMatch) || has(self.labelMatch)", NONE_GIVEN},
	{"(has(self.exactMatch) ? 1 : 0) + (has(self.regexMatch) ? 1 : 0) + "
	 "(has(self.labelMatch) ? 1 : 0) <= 1",
	 SEVERAL_GIVEN},
	{NULL, NULL},
};

static void validate_selector(struct json object, const struct path *path, struct causes *causes)
{
	int given = json_is(json_get(object, "exactMatch"), JSON_OBJ) +
		    json_is(json_get(object, "regexMatch"), JSON_OBJ) +
		    json_is(json_get(object, "labelMatch"), JSON_OBJ);

	if (given != 1)
		causes_invalid_str(causes, path, STR("object"), "%s",
				   given ? SEVERAL_GIVEN : NONE_GIVEN);
}

#define VIEW struct hypernode_selector
static const struct field hypernode_selector_fields[] = {
	{"exactMatch", F_OBJECT(hypernode_exact), AT(exact_match), F_DOC("the one of this name")},
	{"regexMatch", F_OBJECT(hypernode_regex), AT(regex_match),
	 F_DOC("those whose name matches")},
	{"labelMatch", F_OBJECT(label_selector), AT(label_match), F_DOC("nodes with these labels")},
};
#undef VIEW
static const struct type hypernode_selector_type = {
	TYPE("MemberSelector", "v1alpha1", struct hypernode_selector, hypernode_selector_fields),
	TOPOLOGY,
	.cel = selector_rules,
	.validate = validate_selector,
};

#define VIEW struct hypernode_member
static const struct field hypernode_member_fields[] = {
	{"type", F_ENUM(member_type_names), AT(type), F_REQUIRED},
	{"selector", F_OBJECT(hypernode_selector), AT(selector)},
};
#undef VIEW
static const struct type hypernode_member_type = {
	TYPE("MemberSpec", "v1alpha1", struct hypernode_member, hypernode_member_fields),
	TOPOLOGY,
};

#define VIEW struct hypernode_spec
static const struct field hypernode_spec_fields[] = {
	{"tier", F_INT64, AT(tier), F_REQUIRED, F_MIN(0),
	 F_DOC("smaller means closer to one another")},
	{"tierName", F_STR, AT(tier_name), F_MAX_LEN(253)},
	{"members", F_LIST(F_OBJECT(hypernode_member)), AT(members), F_MIN_LEN(1)},
};
#undef VIEW
static const struct type hypernode_spec_type = {
	TYPE("HyperNodeSpec", "v1alpha1", struct hypernode_spec, hypernode_spec_fields),
	TOPOLOGY,
};

#define VIEW struct hypernode_status
static const struct field hypernode_status_fields[] = {
	{"conditions", F_LIST(F_OBJECT(strict_condition)), AT(conditions)},
	{"nodeCount", F_INT64, AT(node_count), F_MIN(0), F_DOC("nodes below it")},
};
#undef VIEW
static const struct type hypernode_status_type = {
	TYPE("HyperNodeStatus", "v1alpha1", struct hypernode_status, hypernode_status_fields),
	TOPOLOGY,
};

#define VIEW struct hypernode
static const struct field hypernode_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta)},
	{"spec", F_OBJECT(hypernode_spec), AT(spec)},
	{"status", F_OBJECT(hypernode_status), AT(status)},
};
#undef VIEW
const struct type hypernode_type = {
	TYPE("HyperNode", "v1alpha1", struct hypernode, hypernode_fields),
	TOPOLOGY,
	.doc = "nodes that are close to one another in the network",
};

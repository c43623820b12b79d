/* SPDX-License-Identifier: Apache-2.0 */
/* model/rules/rules_row.c - the functions that rows of rules name (R_CHECK): each passes the value to the
 * rule with the message. */
#include "model/core/meta.h"
#include "model/rules/rules.h"
#include "model/value/labels.h"

#include "base/banned.h"

static void check_meta(const struct rule_at *at, enum name_format format, bool namespaced)
{
	rules_meta(at->value, format, namespaced, at->causes);
}

void rule_meta(const struct rule_at *at)
{
	check_meta(at, NAME_DNS_SUBDOMAIN, true);
}

void rule_meta_cluster(const struct rule_at *at)
{
	check_meta(at, NAME_DNS_SUBDOMAIN, false);
}

void rule_meta_segment(const struct rule_at *at)
{
	check_meta(at, NAME_PATH_SEGMENT, true);
}

void rule_meta_cluster_segment(const struct rule_at *at)
{
	check_meta(at, NAME_PATH_SEGMENT, false);
}

void rule_meta_cluster_label(const struct rule_at *at)
{
	check_meta(at, NAME_DNS_LABEL, false);
}

void rule_ip(const struct rule_at *at)
{
	(void)rules_ip(json_str(at->value), at->path, at->causes);
}

void rule_cidr(const struct rule_at *at)
{
	(void)rules_cidr(json_str(at->value), at->path, at->causes);
}

void rule_endpoint_ip(const struct rule_at *at)
{
	rules_endpoint_ip(json_str(at->value), at->path, at->causes);
}

void rule_domain_path(const struct rule_at *at)
{
	rules_domain_path(json_str(at->value), at->path, at->causes);
}

void rule_csi_driver(const struct rule_at *at)
{
	rules_csi_driver(json_str(at->value), at->path, at->causes);
}

void rule_lower_qualified(const struct rule_at *at)
{
	rules_qualified_lower(json_str(at->value), at->path, at->causes);
}

void rule_port_or_name(const struct rule_at *at)
{
	rules_port_or_name(at->value, at->path, at->causes);
}

void rule_int_or_percent(const struct rule_at *at)
{
	rules_int_or_percent(at->value, at->path, at->causes);
}

void rule_at_most_all(const struct rule_at *at)
{
	rules_at_most_all(at->value, at->path, at->causes);
}

void rule_labels(const struct rule_at *at)
{
	labels_validate(at->value, at->path, at->causes);
}

void rule_selector(const struct rule_at *at)
{
	rules_label_selector(at->value, at->path, at->causes);
}

void rule_amount(const struct rule_at *at)
{
	rules_amount(at->path->name, at->value, at->path, at->causes);
}

void rule_resource_name(const struct rule_at *at)
{
	(void)rules_resource_name(at->path->name, at->path, at->causes);
}

void rule_container_resource_name(const struct rule_at *at)
{
	rules_container_resource_name(at->path->name, at->path, at->causes);
}

void rule_amount_positive(const struct rule_at *at)
{
	rules_quantity_positive(at->value, at->path, at->causes);
}

void rule_amount_not_negative(const struct rule_at *at)
{
	rules_quantity_not_negative(at->value, at->path, at->causes);
}

bool rule_was_immutable(const struct rule_at *at)
{
	return json_bool(json_get(at->old, "immutable"));
}

void rule_stays_immutable(const struct rule_at *at)
{
	if (!json_bool(at->value))
		rule_forbidden(at, NULL, RULE_DATA_FIXED);
}

void rule_not_ip(const struct rule_at *at)
{
	if (name_is(NAME_IP, json_str(at->value)))
		rule_invalid(at, NULL, "must be a DNS name, not an IP address");
}

void rule_no_backsteps_in(const struct rule_at *at)
{
	rule_no_backsteps(json_str(at->value), at->path, at->causes);
}

void rule_absolute(const struct rule_at *at)
{
	if (!str_starts(json_str(at->value), STR("/")))
		rule_invalid(at, NULL, "must be an absolute path");
}

void rule_access_modes(const struct rule_at *at)
{
	static const char *const known[] = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
					    "ReadWriteOncePod"};
	struct json_iter it = json_iter(at->value);
	bool others = false;

	while (json_next(&it)) {
		size_t before = at->causes->len;

		rules_one_of(it.value, known, ARRAY_LEN(known), at->path, at->causes);
		others = others || (at->causes->len == before &&
				    !str_is(json_str(it.value), "ReadWriteOncePod"));
	}
	if (others && json_has_str(at->value, STR("ReadWriteOncePod")))
		rule_forbidden(at, NULL, "may not use ReadWriteOncePod with other access modes");
}

void rule_local_in(const struct rule_at *at)
{
	rule_local(json_str(at->value), at->path, at->causes);
}

void rule_local_free_in(const struct rule_at *at)
{
	rule_local_free(json_str(at->value), at->path, at->causes);
}

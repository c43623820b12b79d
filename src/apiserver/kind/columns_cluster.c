/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/columns_cluster.c - the columns of webhooks, requests for certificates, leases, runtimes, budgets,
 * roles, priorities. Roles have none of their own. */
#include "apiserver/kind/cell.h"
#include "apiserver/kind/columns.h"
#include "base/time.h"
#include "model/value/duration.h"

#include "base/banned.h"

const struct kind_column columns_webhooks[] = {
	COLUMN_NAME,
	COLUMN("Webhooks", "integer", "How many webhooks it registers", .cell = cell_len,
	       .path = "webhooks"),
	COLUMN_AGE,
	COLUMN_END,
};

/* --- requests for certificates --------------------------------------------------------------- */

static struct json asked_duration(const struct kind_column *column, struct json object,
				  struct json_doc *doc, int64_t now)
{
	struct json seconds = cell_follow(object, "spec.expirationSeconds");
	char text[DURATION_TEXT_SIZE];

	(void)column;
	(void)now;
	if (!json_is(seconds, JSON_INT))
		return json_new_str(doc, STR("<none>"));
	return json_new_str(doc,
			    str_from(duration_print_age(json_int(seconds) * TIME_SECOND, text)));
}

static struct json request_state(const struct kind_column *column, struct json object,
				 struct json_doc *doc, int64_t now)
{
	struct json_iter it = json_iter(cell_follow(object, "status.conditions"));
	bool approved = false, denied = false, failed = false;

	(void)column;
	(void)now;
	while (json_next(&it)) {
		struct str type = json_str(json_get(it.value, "type"));

		approved |= str_is(type, "Approved");
		denied |= str_is(type, "Denied");
		failed |= str_is(type, "Failed");
	}
	return json_new_printf(doc, "%s%s%s",
			       denied     ? "Denied"
			       : approved ? "Approved"
					  : "Pending",
			       failed ? ",Failed" : "",
			       json_str(cell_follow(object, "status.certificate")).len ? ",Issued"
										       : "");
}

const struct kind_column columns_certificate[] = {
	COLUMN_NAME,
	COLUMN_AGE,
	COLUMN("SignerName", "string", "Who is to sign it", .cell = cell_text,
	       .path = "spec.signerName", .none = "<none>"),
	COLUMN("Requestor", "string", "Who asks for it", .cell = cell_text,
	       .path = "spec.username"),
	COLUMN("RequestedDuration", "string", "How long it is to be valid", .cell = asked_duration),
	COLUMN("Condition", "string", "What has been decided", .cell = request_state),
	COLUMN_END,
};

const struct kind_column columns_lease[] = {
	COLUMN_NAME,
	COLUMN("Holder", "string", "Who has it", .cell = cell_text, .path = "spec.holderIdentity"),
	COLUMN_AGE,
	COLUMN_END,
};

const struct kind_column columns_runtimeclass[] = {
	COLUMN_NAME,
	COLUMN("Handler", "string", "What runs its pods", .cell = cell_text, .path = "handler"),
	COLUMN_AGE,
	COLUMN_END,
};

const struct kind_column columns_pdb[] = {
	COLUMN_NAME,
	COLUMN("Min Available", "string", "How many pods must stay", .cell = cell_text,
	       .path = "spec.minAvailable", .none = "N/A"),
	COLUMN("Max Unavailable", "string", "How many pods may be away", .cell = cell_text,
	       .path = "spec.maxUnavailable", .none = "N/A"),
	COLUMN("Allowed Disruptions", "integer", "How many pods may be evicted now",
	       .cell = cell_int, .path = "status.disruptionsAllowed"),
	COLUMN_AGE,
	COLUMN_END,
};

const struct kind_column columns_priorityclass[] = {
	COLUMN_NAME,
	COLUMN("Value", "integer", "The priority that it stands for", .cell = cell_int,
	       .path = "value"),
	COLUMN("Global-Default", "boolean", "Whether pods without a class have it",
	       .cell = cell_bool, .path = "globalDefault"),
	COLUMN_AGE,
	COLUMN("PreemptionPolicy", "string", "Whether its pods may drive out others",
	       .cell = cell_text, .path = "preemptionPolicy"),
	COLUMN_END,
};

/* --- bindings of roles ----------------------------------------------------------------------- */

static struct json role_of(const struct kind_column *column, struct json object,
			   struct json_doc *doc, int64_t now)
{
	struct json ref = json_get(object, "roleRef");

	(void)column;
	(void)now;
	return json_new_printf(doc, "%.*s/%.*s", STR_ARG(json_str(json_get(ref, "kind"))),
			       STR_ARG(json_str(json_get(ref, "name"))));
}

/* The subjects of the kind that the column has as its path. */
static struct json subjects(const struct kind_column *column, struct json object,
			    struct json_doc *doc, int64_t now)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json_iter it = json_iter(json_get(object, "subjects"));

	(void)now;
	while (json_next(&it)) {
		struct str kind = json_str(json_get(it.value, "kind"));

		if (!str_is(kind, column->path))
			continue;
		cell_separate(&text, ", ");
		if (str_is(kind, "ServiceAccount"))
			buf_printf(&text, "%.*s/",
				   STR_ARG(json_str(json_get(it.value, "namespace"))));
		buf_put_str(&text, json_str(json_get(it.value, "name")));
	}
	return cell_take(doc, &text);
}

const struct kind_column columns_binding[] = {
	COLUMN_NAME,
	COLUMN("Role", "string", "The role that it gives", .cell = role_of),
	COLUMN_AGE,
	COLUMN("Users", "string", "Users who have it", .cell = subjects, .path = "User", WIDE),
	COLUMN("Groups", "string", "Groups who have it", .cell = subjects, .path = "Group", WIDE),
	COLUMN("ServiceAccounts", "string", "Accounts that have it", .cell = subjects,
	       .path = "ServiceAccount", WIDE),
	COLUMN_END,
};

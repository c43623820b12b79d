/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/columns_network.c - the columns of endpoint slices, ingresses and network policies. */
#include "apiserver/kind/cell.h"
#include "apiserver/kind/columns.h"

#include "base/banned.h"

enum { FEW = 3 };

/* What the first few have is in `text`. */
static struct json take_few(struct json_doc *doc, struct buf *text, size_t count)
{
	if (count > FEW)
		buf_printf(text, " + %zu more...", count - FEW);
	return json_new_str(doc, text->len ? buf_str(text) : STR("<unset>"));
}

static struct json slice_ports(const struct kind_column *column, struct json object,
			       struct json_doc *doc, int64_t now)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json ports = json_get(object, "ports");

	(void)column;
	(void)now;
	for (size_t i = 0; i < json_len(ports) && i < FEW; i++) {
		struct json port = json_get(json_at(ports, i), "port");
		struct str name = json_str(json_get(json_at(ports, i), "name"));

		if (i)
			buf_putc(&text, ',');
		if (json_is(port, JSON_INT))
			buf_put_int(&text, json_int(port));
		else
			buf_put_str(&text, name.ptr ? name : STR("*"));
	}
	return take_few(doc, &text, json_len(ports));
}

static struct json slice_endpoints(const struct kind_column *column, struct json object,
				   struct json_doc *doc, int64_t now)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json_iter it = json_iter(json_get(object, "endpoints"));
	size_t count = 0;

	(void)column;
	(void)now;
	while (json_next(&it)) {
		struct json_iter address = json_iter(json_get(it.value, "addresses"));

		while (json_next(&address)) {
			if (count++ >= FEW)
				continue;
			cell_separate(&text, ",");
			buf_put_str(&text, json_str(address.value));
		}
	}
	return take_few(doc, &text, count);
}

const struct kind_column columns_endpointslice[] = {
	COLUMN_NAME,
	COLUMN("AddressType", "string", "IPv4, IPv6 or names", .cell = cell_text,
	       .path = "addressType"),
	COLUMN("Ports", "string", "The ports of its endpoints", .cell = slice_ports),
	COLUMN("Endpoints", "string", "The addresses of its endpoints", .cell = slice_endpoints),
	COLUMN_AGE,
	COLUMN_END,
};

static struct json ingress_hosts(const struct kind_column *column, struct json object,
				 struct json_doc *doc, int64_t now)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json rules = cell_follow(object, "spec.rules");
	struct json_iter it = json_iter(rules);
	size_t shown = 0;

	(void)column;
	(void)now;
	while (json_next(&it)) {
		struct str host = json_str(json_get(it.value, "host"));

		if (shown == FEW) {
			buf_printf(&text, " + %zu more...", json_len(rules) - FEW);
			break;
		}
		if (!host.len)
			continue;
		cell_separate(&text, ",");
		buf_put_str(&text, host);
		shown++;
	}
	return json_new_str(doc, shown ? buf_str(&text) : STR("*"));
}

static struct json ingress_ports(const struct kind_column *column, struct json object,
				 struct json_doc *doc, int64_t now)
{
	(void)column;
	(void)now;
	return json_new_str(doc,
			    json_len(cell_follow(object, "spec.tls")) ? STR("80, 443") : STR("80"));
}

const struct kind_column columns_ingress[] = {
	COLUMN_NAME,
	COLUMN("Class", "string", "Who serves it", .cell = cell_text,
	       .path = "spec.ingressClassName", .none = "<none>"),
	COLUMN("Hosts", "string", "The hosts that its rules are for", .cell = ingress_hosts),
	COLUMN("Address", "string", "Where it is reached", .cell = cell_points,
	       .path = "status.loadBalancer.ingress"),
	COLUMN("Ports", "string", "The ports that it opens", .cell = ingress_ports),
	COLUMN_AGE,
	COLUMN_END,
};

static struct json class_parameters(const struct kind_column *column, struct json object,
				    struct json_doc *doc, int64_t now)
{
	struct json parameters = cell_follow(object, "spec.parameters");
	struct str group = json_str(json_get(parameters, "apiGroup"));

	(void)column;
	(void)now;
	if (!json_is(parameters, JSON_OBJ))
		return json_new_str(doc, STR("<none>"));
	return json_new_printf(doc, "%.*s%s%.*s/%.*s",
			       STR_ARG(json_str(json_get(parameters, "kind"))),
			       group.ptr ? "." : "", STR_ARG(group),
			       STR_ARG(json_str(json_get(parameters, "name"))));
}

const struct kind_column columns_ingressclass[] = {
	COLUMN_NAME,
	COLUMN("Controller", "string", "Who serves the class", .cell = cell_text,
	       .path = "spec.controller"),
	COLUMN("Parameters", "string", "Where more is said about it", .cell = class_parameters),
	COLUMN_AGE,
	COLUMN_END,
};

const struct kind_column columns_networkpolicy[] = {
	COLUMN_NAME,
	COLUMN("Pod-Selector", "string", "The pods that it is for", .cell = cell_selector,
	       .path = "spec.podSelector", .none = "<none>"),
	COLUMN_AGE,
	COLUMN_END,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/service_env.c - services as variables.
 *
 * The service `kubernetes` stands for the API server. Its cluster IP reaches nothing on a single machine, so the
 * sandbox may have the address of the server. */
#include "node/pod/service_env.h"

#include <inttypes.h>

#include "node/pod/sandbox.h"

#include "base/banned.h"

struct teller {
	struct arena *arena;
	service_env_fn *fn;
	void *arg;
};

static void emit(const struct teller *to, const char *name, const char *value)
{
	to->fn(to->arg, str_from(name), str_from(value));
}

/* Upper case, '-' as '_'. */
static const char *variable_name(struct arena *arena, struct str name)
{
	char *text = arena_printf(arena, "%.*s", STR_ARG(name));

	for (char *at = text; *at; at++) {
		if (*at >= 'a' && *at <= 'z')
			*at = (char)(*at - 'a' + 'A');
		else if (*at == '-')
			*at = '_';
	}
	return text;
}

static const char *lower(struct arena *arena, struct str name)
{
	char *text = arena_printf(arena, "%.*s", STR_ARG(name));

	for (char *at = text; *at; at++)
		if (*at >= 'A' && *at <= 'Z')
			*at = (char)(*at - 'A' + 'a');
	return text;
}

struct port {
	const char *host; /* as in a URL: an IPv6 address in brackets */
	const char *address;
	const char *number;
	struct str protocol;
};

static void emit_link(const struct teller *to, const char *prefix, const struct port *port)
{
	struct arena *arena = to->arena;
	const char *protocol = lower(arena, port->protocol);
	const char *name = arena_printf(arena, "%s_PORT_%s_%s", prefix, port->number,
					variable_name(arena, port->protocol));

	emit(to, name, arena_printf(arena, "%s://%s:%s", protocol, port->host, port->number));
	emit(to, arena_printf(arena, "%s_PROTO", name), protocol);
	emit(to, arena_printf(arena, "%s_PORT", name), port->number);
	emit(to, arena_printf(arena, "%s_ADDR", name), port->address);
}

static void emit_port(const struct teller *to, const char *prefix, struct json item,
		      const struct port *port, bool first)
{
	struct arena *arena = to->arena;
	struct str name = json_str(json_get(item, "name"));

	if (first) {
		emit(to, arena_printf(arena, "%s_SERVICE_PORT", prefix), port->number);
		emit(to, arena_printf(arena, "%s_PORT", prefix),
		     arena_printf(arena, "%s://%s:%s", lower(arena, port->protocol), port->host,
				  port->number));
	}
	if (name.len)
		emit(to,
		     arena_printf(arena, "%s_SERVICE_PORT_%s", prefix, variable_name(arena, name)),
		     port->number);
	emit_link(to, prefix, port);
}

static void emit_service(const struct teller *to, struct str name, struct json spec,
			 struct str address, struct str number)
{
	struct arena *arena = to->arena;
	const char *prefix = variable_name(arena, name);
	struct json_iter it = json_iter(json_get(spec, "ports"));
	bool v6 = str_find_byte(address, ':', 0) >= 0;

	emit(to, arena_printf(arena, "%s_SERVICE_HOST", prefix), arena_str(arena, address).ptr);
	while (json_next(&it)) {
		struct str protocol = json_str(json_get(it.value, "protocol"));
		struct port port = {
			.host = arena_printf(arena, v6 ? "[%.*s]" : "%.*s", STR_ARG(address)),
			.address = arena_str(arena, address).ptr,
			.number = number.len ? arena_str(arena, number).ptr
					     : arena_printf(arena, "%" PRId64,
							    json_int(json_get(it.value, "port"))),
			.protocol = protocol.len ? protocol : STR("TCP"),
		};

		emit_port(to, prefix, it.value, &port, it.index == 0);
	}
}

void service_env_walk(const struct sandbox *sandbox, struct arena *arena, service_env_fn *fn,
		      void *arg)
{
	struct teller to = {arena, fn, arg};
	struct opt_bool links = sandbox->pod->spec.enable_service_links;

	for (size_t i = 0; i < sandbox->n_services; i++) {
		struct json meta = json_get(sandbox->services[i], "metadata");
		struct json spec = json_get(sandbox->services[i], "spec");
		struct str name = json_str(json_get(meta, "name"));
		struct str in = json_str(json_get(meta, "namespace"));
		struct str address = json_str(json_get(spec, "clusterIP"));
		bool server = str_is(in, "default") && str_is(name, "kubernetes");

		if (!address.len || str_is(address, "None"))
			continue;
		if (server && sandbox->api_host.len)
			emit_service(&to, name, spec, sandbox->api_host, sandbox->api_port);
		else if (server ||
			 (str_eq(in, sandbox->pod->meta.namespace) && (!links.set || links.value)))
			emit_service(&to, name, spec, address, str_none());
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* client/zone_file.c - see zone_file.h. A name is a path below the folder of tzdata; one that would lead out of it
 * is no zone. */
#include "client/zone_file.h"

#include "base/buf.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/mem.h"
#include "model/value/zone.h"

#include "base/banned.h"

#define ZONES "/usr/share/zoneinfo/"

struct zone *zone_file_read(struct str name)
{
	AUTO(buf_done) struct buf bytes = BUF_INIT(LIMIT_BODY_BYTES);
	AUTO(mem_free) char *path = NULL;

	if (!zone_name_is_safe(name))
		return NULL;
	path = mem_printf(ZONES "%.*s", STR_ARG(name));
	return fd_read_file(path, &bytes, NULL) == 0 ? zone_parse(buf_str(&bytes), NULL) : NULL;
}

bool zone_file_exists(struct str name)
{
	AUTO(zone_free) struct zone *zone = NULL;

	if (str_is(name, "UTC"))
		return true;
	zone = zone_file_read(name);
	return zone != NULL;
}

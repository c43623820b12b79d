/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/time_zone.c - see the header. A name that could lead out of the folder of tzdata is none. */
#include "apiserver/kind/time_zone.h"

#include "base/buf.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/mem.h"
#include "model/value/zone.h"

#include "base/banned.h"

#define ZONES "/usr/share/zoneinfo/"

bool time_zone_exists(struct str name)
{
	AUTO(buf_done) struct buf bytes = BUF_INIT(LIMIT_BODY_BYTES);
	AUTO(zone_free) struct zone *zone = NULL;
	AUTO(mem_free) char *path = NULL;

	if (str_is(name, "UTC"))
		return true;
	if (!zone_name_is_safe(name))
		return false;
	path = mem_printf(ZONES "%.*s", STR_ARG(name));
	if (fd_read_file(path, &bytes, NULL) < 0)
		return false;
	zone = zone_parse(buf_str(&bytes), NULL);
	return zone != NULL;
}

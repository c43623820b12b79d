/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/local_zone.c - see the header. A value of TZ that is a rule ("EST5EDT,M3.2.0") or a path of its
 * own is not followed: names below tzdata are, as Go does. */
#include "scheduler/local_zone.h"

#include "base/buf.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "model/value/zone.h"

#include "base/banned.h"

#define ZONES "/usr/share/zoneinfo/"

char *local_zone_path(const char *tz)
{
	struct str name = tz ? str_from(tz) : str_none();

	if (!tz)
		return mem_strdup("/etc/localtime");
	if (name.len && name.ptr[0] == ':')
		name = str_skip(name, 1);
	if (str_starts(name, STR(ZONES)))
		name = str_skip(name, sizeof(ZONES) - 1);
	return zone_name_is_safe(name) ? mem_printf(ZONES "%.*s", STR_ARG(name)) : NULL;
}

struct zone *local_zone_read(const char *path, struct log *log)
{
	AUTO(buf_done) struct buf bytes = BUF_INIT(LIMIT_BODY_BYTES);
	struct zone *zone = NULL;
	struct err err;

	if (!path)
		return NULL;
	if (fd_read_file(path, &bytes, &err) == 0)
		zone = zone_parse(buf_str(&bytes), &err);
	if (!zone && err.code != ERR_NOT_FOUND)
		log_warn(log, "the time zone is not known, and taken for UTC",
			 LOG_STR("file", path), LOG_STR("why", err.text));
	return zone;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/zone.h - a time zone: how far local clocks are ahead of UTC, when.
 *
 * A zone is made from the bytes of a file of tzdata (RFC 8536), which the caller reads: nothing
 * here opens a file. After its last transition the rule at the end of the file applies
 * ("EST5EDT,M3.2.0,M11.1.0"), so that future years are known too. NULL stands for UTC everywhere. */
#ifndef MODEL_ZONE_H
#define MODEL_ZONE_H

#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "base/time.h"

struct zone;

/* ERR_BAD_REQUEST when it is no such file, or a damaged one. The bytes are copied. */
struct zone *zone_parse(struct str bytes, struct err *err) MUST_CHECK;
void zone_free(struct zone *zone);
DEFINE_AUTO(struct zone *, zone_free);

/* The offset at a point in time (seconds since 1970, UTC): seconds ahead of UTC, and since and until
 * when, the end not included. */
struct zone_span {
	int64_t offset;
	int64_t start;
	int64_t end;
};
struct zone_span zone_at(const struct zone *zone, int64_t seconds);

/* Local time of a point in time (microseconds), and back. A local time that a change of clocks
 * leaves out or has twice becomes one of the two it may be, the same one that Go chooses. Fields out
 * of range carry over. */
void zone_split(const struct zone *zone, int64_t time, struct time_fields *ret);
int64_t zone_join(const struct zone *zone, const struct time_fields *fields);

enum { ZONE_TEXT_SIZE = 40 };
/* RFC 3339 in the zone: 2026-01-02T03:04:05+01:00, or Z if it is 0. */
const char *zone_print(const struct zone *zone, int64_t time, char text[ZONE_TEXT_SIZE]);

/* May it be the name of a zone, that is, of a file below tzdata: Europe/Berlin, Etc/GMT+1? Neither
 * empty nor Local; parts are letters, digits, and . - _ +, and neither "." nor "..". */
bool zone_name_is_safe(struct str name);
/* One of the parts between slashes. */
bool zone_part_is_safe(struct str part);

#endif

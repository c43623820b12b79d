/* SPDX-License-Identifier: Apache-2.0 */
/* Which file says what clocks show here. */
#include "scheduler/local_zone.h"

#include "base/mem.h"
#include "model/value/zone.h"
#include "tap.h"

#include "base/banned.h"

static void leads_to(const char *tz, const char *want)
{
	AUTO(mem_free) char *path = local_zone_path(tz);

	if (want)
		is(path ? path : "UTC", want);
	else
		ok(!path, "\"%s\" is UTC", tz);
}

int main(void)
{
	leads_to(NULL, "/etc/localtime");
	leads_to("Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin");
	leads_to(":Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin");
	leads_to("/usr/share/zoneinfo/Asia/Tokyo", "/usr/share/zoneinfo/Asia/Tokyo");
	leads_to("", NULL);
	leads_to("../../etc/passwd", NULL);
	leads_to("/etc/passwd", NULL);
	ok(!local_zone_read(NULL, NULL), "no file is UTC");
	ok(!local_zone_read("/nowhere/at/all", NULL), "and so is one that is not there");
	return tap_done();
}

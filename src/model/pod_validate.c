/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod_validate.c - what holds for every pod and template. */
#include "model/pod_validate.h"

#include "base/banned.h"

void pod_validate_object(struct json object, const struct path *path, struct causes *causes)
{
	(void)object;
	(void)path;
	(void)causes;
}

void pod_validate_template(struct json object, const struct path *path, struct causes *causes)
{
	(void)object;
	(void)path;
	(void)causes;
}

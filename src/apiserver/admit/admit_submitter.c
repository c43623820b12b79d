/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit/admit_submitter.c - who submitted a job: an annotation with the name of the user.
 *
 * `vcctl job explain` names the jobs that others wait for, and their users. So a user who is no administrator cannot
 * choose that name: it is the authenticated one when a job or PodGroup is created, and stays when it is changed.
 * Administrators, service accounts and controllers set it as they like: on one machine vsub writes $USER. */
#include "apiserver/admit/admit_rows.h"
#include "apiserver/auth/access.h"
#include "model/volcano/wait_reason.h"

#include "base/banned.h"

static struct json annotations_of(const struct admission *admission)
{
	return json_ensure_obj(admission->doc, json_get(admission->object, "metadata"),
			       "annotations");
}

static int admit_submitter(const struct admission *admission, struct err *err)
{
	const struct user *user = &admission->call->user;
	struct json old = json_get(json_get(json_get(admission->old, "metadata"), "annotations"),
				   SUBMITTER_ANNOTATION);
	struct json now = json_get(json_get(json_get(admission->object, "metadata"), "annotations"),
				   SUBMITTER_ANNOTATION);

	(void)err;
	if (admission->call->internal || !user_has_group(user, GROUP_USERS))
		return 0;
	if (json_is_absent(admission->old))
		json_set_str(admission->doc, annotations_of(admission), SUBMITTER_ANNOTATION,
			     user->name);
	else if (json_is(old, JSON_STR))
		json_set_str(admission->doc, annotations_of(admission), SUBMITTER_ANNOTATION,
			     json_str(old));
	else if (!json_is_absent(now))
		(void)json_remove(admission->doc, annotations_of(admission),
				  STR(SUBMITTER_ANNOTATION));
	return 0;
}

const struct admitter admitter_submitter = {.name = "Submitter",
					    .verbs = ADMIT_CREATE | ADMIT_UPDATE,
					    .group = "batch.volcano.sh",
					    .plural = "jobs",
					    .change = admit_submitter};

const struct admitter admitter_submitter_group = {.name = "Submitter",
						  .verbs = ADMIT_CREATE | ADMIT_UPDATE,
						  .group = "scheduling.volcano.sh",
						  .plural = "podgroups",
						  .change = admit_submitter};

/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_volume.c - the claims of a job's volumes.
 *
 * A volume without a claim name gets one, which is written into the job before the claim is
 * created; the name derives from the job's uid, so that a crash in between creates no second claim.
 * A claim that is named without a spec must exist: the job waits for it. */
#include <stdio.h>

#include "base/time.h"
#include "lifecycle/job_internal.h"

#include "base/banned.h"

enum { SUFFIX_LEN = 12 };

static struct json find_claim(const struct job_view *view, struct str name)
{
	return view->world->find(view->world->arg, PLAN_CLAIM, name);
}

static void put_name(const struct job_view *view, size_t volume, struct buf *to)
{
	char place[64];
	int salt = 0;

	do {
		snprintf(place, sizeof(place), "volume %zu %d", volume, salt++);
		buf_clear(to);
		buf_printf(to, "%.*s-pvc-", STR_ARG(view->job->meta.name));
		job_build_suffix(view->job, str_from(place), SUFFIX_LEN, to);
	} while (!json_is_absent(find_claim(view, buf_str(to))));
}

/* Writes names into the job; false if all have one. */
static bool name_claims(struct job_view *view)
{
	const struct vcjob_spec *spec = &view->job->spec;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	AUTO(buf_done) struct buf name = BUF_UNBOUNDED;
	struct plan_write *write;

	for (size_t i = 0; i < spec->volumes.len; i++) {
		struct json volumes;

		if (spec->volumes.ptr[i].claim_name.len > 0)
			continue;
		if (!doc)
			doc = json_doc_thaw(view->world->job);
		volumes = json_get(json_get(json_doc_root(doc), "spec"), "volumes");
		put_name(view, i, &name);
		json_set_str(doc, json_at(volumes, i), "volumeClaimName", buf_str(&name));
	}
	if (!doc)
		return false;
	write = plan_update(view->plan, PLAN_JOB, TAKE(doc));
	write->fail_reason = "PVCError";
	write->fail_text = "Failed to create PVC, err: ";
	return true;
}

static void create_claim(struct job_view *view, const struct vcjob_volume *volume)
{
	struct json_doc *doc = job_build_owned(view, PLAN_CLAIM, volume->claim_name);
	struct plan_write *write;

	json_set(doc, json_doc_root(doc), STR("spec"), json_new_copy(doc, volume->claim));
	write = plan_create(view->plan, PLAN_CLAIM, doc);
	write->fail_reason = "PVCError";
	write->fail_text = "Failed to create PVC, err: ";
}

enum job_volumes job_volumes_ensure(struct job_view *view)
{
	const struct vcjob_spec *spec = &view->job->spec;
	enum job_volumes ret = JOB_VOLUMES_READY;

	if (name_claims(view))
		return JOB_VOLUMES_WRITTEN;
	for (size_t i = 0; i < spec->volumes.len; i++) {
		const struct vcjob_volume *volume = &spec->volumes.ptr[i];

		if (!json_is_absent(find_claim(view, volume->claim_name)))
			continue;
		if (!json_is_absent(volume->claim)) {
			create_claim(view, volume);
			ret = ret == JOB_VOLUMES_WAIT ? ret : JOB_VOLUMES_WRITTEN;
			continue;
		}
		plan_warning(view->plan, PLAN_JOB, &view->job->meta, "PVCError",
			     "Failed to create PVC, err: pvc %.*s is not found, the job will be in "
			     "the Pending state until the PVC is created",
			     STR_ARG(volume->claim_name));
		plan_steady(view->plan);
		plan_step_at(view->plan, view->world->now + TIME_SECOND);
		ret = JOB_VOLUMES_WAIT;
	}
	return ret;
}

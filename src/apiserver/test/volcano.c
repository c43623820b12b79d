/* SPDX-License-Identifier: Apache-2.0 */
/* Admission of Volcano's kinds through the API: what is filled in and refused is what is stored and
 * answered. The rules themselves are admission/test's. In the rows ' stands for ". */
#include "apiserver/crd/install.h"
#include "apiserver/test/quotes.h"

#define QUEUES "/apis/scheduling.volcano.sh/v1beta1/queues"
#define JOBS "/apis/batch.volcano.sh/v1alpha1/namespaces/a/jobs"
#define GROUPS "/apis/scheduling.volcano.sh/v1beta1/namespaces/a/podgroups"
#define SAYS(webhook) "admission webhook '" webhook ".volcano.sh' denied the request: "
#define TASKS                                                                               \
	"'tasks':[{'replicas':2,'template':{'spec':{'containers':[{'name':'c','image':'i'," \
	"'resources':{'requests':{'cpu':'1000m'}}}]}}}]"

static const struct step steps[] = {
	{"POST", "/api/v1/namespaces",
	 "{'metadata':{'name':'a','annotations':{'scheduling.volcano.sh/queue-name':'q'}}}", 201,
	 "/kind", "Namespace"},
	/* queues */
	{"POST", QUEUES, "{'metadata':{'name':'x'}}", 422, "/message",
	 "Queue.scheduling.volcano.sh 'x' is invalid: spec: Required value"},
	{"POST", QUEUES, "{'metadata':{'name':'x'},'spec':{'capability':{'cpu':'1x'}}}", 400,
	 "/status", "Failure"},
	{"POST", QUEUES, "{'metadata':{'name':'q'},'spec':{'weight':0}}", 201, "/spec/weight", "1"},
	{"GET", QUEUES "/q", NULL, 200, "/spec/reclaimable", "true"},
	{"PATCH merge", QUEUES "/q", "{'spec':{'weight':0}}", 422, "/reason", "Invalid"},
	{"POST", QUEUES, "{'metadata':{'name':'child'},'spec':{'parent':'none'}}", 400, "/message",
	 SAYS("validatequeue") "failed to get parent queue none of queue child: "
			       "queue.scheduling.volcano.sh 'none' not found"},
	{"POST", QUEUES, "{'metadata':{'name':'child'},'spec':{'parent':'q'}}", 201, "/kind",
	 "Queue"},
	{"DELETE", QUEUES "/q", NULL, 400, "/message",
	 SAYS("validatequeue") "queue q can not be deleted because it has 1 child queues: child"},
	{"DELETE", QUEUES "/child", NULL, 200, "/status", "Success"},
	/* jobs */
	{"POST", JOBS, "{'metadata':{'name':'j'},'spec':{'queue':'q'," TASKS "}}", 400, "/message",
	 SAYS("validatejob") "can only submit job to queue with state `Open`, queue `q` status is "
			     "``;"},
	{"POST", JOBS, "{'metadata':{'name':'j'},'spec':{'queue':'q'," TASKS "}}", 400, "/reason",
	 NULL},
	{"PATCH merge", QUEUES "/q/status", "{'status':{'state':'Open'}}", 200, "/status/state",
	 "Open"},
	{"POST", JOBS,
	 "{'metadata':{'name':'j'},'spec':{'queue':'q','plugins':{'env':null,'pytorch':[]}," TASKS
	 "}}",
	 201, "/spec/tasks",
	 "[{'replicas':2,'template':{'spec':{'containers':[{'name':'c','image':'i','resources':{"
	 "'requests':{'cpu':'1'}}}]},'metadata':{}},'name':'default0','minAvailable':2,'maxRetry':"
	 "3}]"},
	{"GET", JOBS "/j", NULL, 200, "/spec/minAvailable", "2"},
	{"GET", JOBS "/j", NULL, 200, "/spec/schedulerName", "volcano"},
	{"GET", JOBS "/j", NULL, 200, "/spec/plugins", "{'env':[],'pytorch':[],'svc':[]}"},
	{"PATCH merge", JOBS "/j", "{'spec':{'queue':'default'}}", 400, "/code", "400"},
	{"PATCH merge", JOBS "/j", "{'spec':{'minAvailable':1}}", 200, "/spec/minAvailable", "1"},
	{"PATCH merge", JOBS "/j/status", "{'status':{'state':{'phase':'Running'}}}", 200,
	 "/status/state/phase", "Running"},
	{"DELETE", JOBS "/j", NULL, 200, "/kind", "Status"},
	/* others */
	{"POST", GROUPS, "{'metadata':{'name':'g'},'spec':{}}", 201, "/spec/queue", "q"},
	{"PATCH merge", QUEUES "/q/status", "{'status':{'state':'Closed'}}", 200, "/status/state",
	 "Closed"},
	{"POST", GROUPS, "{'metadata':{'name':'h'},'spec':{}}", 400, "/message",
	 SAYS("validatepodgroup") "can only submit PodGroup to queue with state `Open`, queue `q` "
				  "status is `Closed`. "},
	{"POST", "/api/v1/namespaces/a/pods",
	 "{'metadata':{'name':'p','annotations':{'volcano.sh/jdb-min-available':'0'}},'spec':{"
	 "'schedulerName':'volcano','containers':[{'name':'c','image':'i'}]}}",
	 400, "/message",
	 SAYS("validatepod") "invalid value <'0'> for volcano.sh/jdb-min-available, it must be a "
			     "positive integer"},
	{"POST", "/apis/batch.volcano.sh/v1alpha1/namespaces/a/cronjobs",
	 "{'metadata':{'name':'c'},'spec':{'schedule':'x','timeZone':'No/Where','jobTemplate':{}}}",
	 400, "/message",
	 SAYS("validatecronjob") "schedule is not a valid cron expression invalid timeZone"},
	{"POST", "/apis/batch.volcano.sh/v1alpha1/namespaces/a/cronjobs",
	 "{'metadata':{'name':'c'},'spec':{'schedule':'@daily','timeZone':'UTC','jobTemplate':{}}}",
	 201, "/kind", "CronJob"},
};

/* A rejection that does not fit into a struct err is reported in full. */
static void test_long_refusal(struct world *w)
{
	AUTO(buf_done) struct buf body = BUF_UNBOUNDED;
	struct answer answer;

	buf_puts(&body, "{\"metadata\":{\"name\":\"long\"},\"spec\":{\"queue\":\"q\",\"tasks\":[");
	for (int i = 0; i < 40; i++)
		buf_printf(&body,
			   "%s{\"name\":\"t%d\",\"replicas\":1,\"template\":{\"spec\":{"
			   "\"containers\":[{\"name\":\"c\"}]}}}",
			   i ? "," : "", i);
	buf_puts(&body, "]}}");
	answer = ask(w, "POST", JOBS, buf_text(&body));
	ok(answer.code == 400 &&
		   json_str(json_get(json_doc_root(answer.doc), "message")).len > ERR_TEXT_SIZE &&
		   str_find(json_str(json_get(json_doc_root(answer.doc), "message")),
			    STR("spec.task[39].template.spec.containers[0].image: Required value."),
			    0) > 0,
	   "the errors of 40 tasks are all reported");
	json_doc_unref(answer.doc);
}

int main(void)
{
	struct world w = world_new();
	struct err err;

	ok(install_definitions(w.api, &err) == 0, "Volcano's kinds are there");
	quotes_steps(&w, steps, ARRAY_LEN(steps));
	test_long_refusal(&w);
	world_free(&w);
	return tap_done();
}

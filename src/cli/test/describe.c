/* SPDX-License-Identifier: Apache-2.0 */
/* What describe prints: upstream's shape, whatever the order in which an object is stored. */
#include "cli/describe.h"

#include "json/yaml.h"
#include "quoted.h"
#include "tap.h"

#include "base/banned.h"

static void test_flow(void)
{
	AUTO(json_doc_unref)
	struct json_doc *flow = quoted_doc(
		"{'apiVersion':'flow.volcano.sh/v1alpha1','status':{'unKnowJobs':['f-a'],"
		"'pendingJobs':['f-b']},'kind':'JobFlow','metadata':{'annotations':{'z':'1'},"
		"'managedFields':[{}],'uid':'u','namespace':'n','name':'f','more':1},"
		"'spec':{'jobRetainPolicy':'retain','flows':[{'dependsOn':{'targets':['b']},"
		"'name':'a'}]}}");
	AUTO(json_doc_unref)
	struct json_doc *shape = describe_shape(RESOURCE_JOBFLOWS, json_doc_root(flow));
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	json_print(json_doc_root(shape), JSON_COMPACT, &text);
	is(buf_text(&text),
	   "{\"kind\":\"JobFlow\",\"apiVersion\":\"flow.volcano.sh/v1alpha1\",\"metadata\":{"
	   "\"name\":\"f\",\"namespace\":\"n\",\"uid\":\"u\",\"annotations\":{\"z\":\"1\"},"
	   "\"more\":1},\"spec\":{\"flows\":[{\"name\":\"a\",\"dependsOn\":{\"targets\":[\"b\"]}}],"
	   "\"jobRetainPolicy\":\"retain\"},\"status\":{\"pendingJobs\":[\"f-b\"],\"unKnowJobs\":["
	   "\"f-a\"],\"state\":{}}}");
}

static void test_template(void)
{
	AUTO(json_doc_unref)
	struct json_doc *template = quoted_doc(
		"{'kind':'JobTemplate','metadata':{'name':'a'},'spec':{'tasks':[{'name':'t',"
		"'template':{'spec':{'containers':[{'name':'m','image':'i'},{'name':'o',"
		"'resources':{'limits':{'cpu':'1'}}}],'initContainers':[{'name':'i'}]}}},"
		"{'name':'bare'}]}}");
	AUTO(json_doc_unref)
	struct json_doc *shape = describe_shape(RESOURCE_JOBTEMPLATES, json_doc_root(template));
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	yaml_print(json_doc_root(shape), &text);
	is(buf_text(&text), "kind: JobTemplate\n"
			    "metadata:\n"
			    "  name: a\n"
			    "spec:\n"
			    "  tasks:\n"
			    "  - name: t\n"
			    "    template:\n"
			    "      metadata: {}\n"
			    "      spec:\n"
			    "        containers:\n"
			    "        - image: i\n"
			    "          name: m\n"
			    "          resources: {}\n"
			    "        - name: o\n"
			    "          resources:\n"
			    "            limits:\n"
			    "              cpu: \"1\"\n"
			    "        initContainers:\n"
			    "        - name: i\n"
			    "          resources: {}\n"
			    "  - name: bare\n"
			    "    template:\n"
			    "      metadata: {}\n"
			    "      spec: {}\n"
			    "status: {}\n");
}

static void test_nothing(void)
{
	AUTO(json_doc_unref) struct json_doc *odd = quoted_doc("{'spec':{'flows':7,'tasks':[3]}}");
	AUTO(json_doc_unref)
	struct json_doc *flow = describe_shape(RESOURCE_JOBFLOWS, json_doc_root(odd));
	AUTO(json_doc_unref)
	struct json_doc *template = describe_shape(RESOURCE_JOBTEMPLATES, json_doc_root(odd));
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	json_print(json_doc_root(flow), JSON_COMPACT, &text);
	json_print(json_doc_root(template), JSON_COMPACT, &text);
	is(buf_text(&text),
	   "{\"metadata\":{},\"spec\":{\"flows\":7,\"tasks\":[3]},\"status\":{\"state\":{}}}"
	   "{\"metadata\":{},\"spec\":{\"flows\":7,\"tasks\":[3]},\"status\":{}}");
}

int main(void)
{
	test_flow();
	test_template();
	test_nothing();
	return tap_done();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_network.c - the kinds of discovery.k8s.io and networking.k8s.io. */
#include "apiserver/kind/columns.h"
#include "apiserver/kind/kind_row.h"
#include "model/group/endpoints.h"
#include "model/group/ingress.h"
#include "model/group/networkpolicy.h"
#include "model/rules/warn_rules.h"

#include "base/banned.h"

#define NETWORK(plural_name, singular_name, kind_name, table) \
	ROW("networking.k8s.io", "v1", plural_name, singular_name, kind_name, table)

static const struct kind rows[] = {
	{ROW("discovery.k8s.io", "v1", "endpointslices", "endpointslice", "EndpointSlice",
	     endpoint_slice_type),
	 .columns = columns_endpointslice, .namespaced = true, .generation = true,
	 .ops = &kind_ruled_labelled},
	{NETWORK("ingressclasses", "ingressclass", "IngressClass", ingressclass_type),
	 .columns = columns_ingressclass, .generation = true, RULED},
	{NETWORK("ingresses", "ingress", "Ingress", ingress_type), .columns = columns_ingress,
	 .namespaced = true, .status = true, .generation = true, .short_names = NAMES("ing"),
	 RULES(.warn = ingress_warn), .subs = kind_subs_status},
	{NETWORK("networkpolicies", "networkpolicy", "NetworkPolicy", networkpolicy_type),
	 .columns = columns_networkpolicy, .namespaced = true, .generation = true,
	 .short_names = NAMES("netpol"), RULED},
};

const struct kind_group kind_group_network = {rows, ARRAY_LEN(rows)};

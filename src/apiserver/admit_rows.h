/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit_rows.h - the admitters; each is in a file of its own. */
#ifndef APISERVER_ADMIT_ROWS_H
#define APISERVER_ADMIT_ROWS_H

#include "apiserver/admit.h"

/* NamespaceLifecycle: nothing is made in a namespace that is not there or on its way out, and the
 * first namespaces stay. */
admit_fn admit_namespace, admit_namespace_removal;

#endif

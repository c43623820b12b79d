/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit_rows.h - the admitters; each is in a file of its own. */
#ifndef APISERVER_ADMIT_ROWS_H
#define APISERVER_ADMIT_ROWS_H

#include "apiserver/admit.h"

/* Nothing is made in a namespace that is not there or on its way out, and the first namespaces
 * stay. */
admit_fn admit_namespace;

#endif

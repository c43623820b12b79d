/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/ask.h - one question to the server of a data folder, as its administrator. */
#ifndef PROGRAMS_VOLCANO_ASK_H
#define PROGRAMS_VOLCANO_ASK_H

#include "base/err.h"
#include "base/macro.h"

struct json_doc;

/* What it answers, the caller's; NULL and why not, in the server's words if it has some. */
struct json_doc *ask_server(const char *folder, const char *method, const char *target,
			    struct err *err) MUST_CHECK;

#endif

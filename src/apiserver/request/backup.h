/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/backup.h - a copy of the store while the server runs: POST /backup?folder=/absolute/path,
 * answered when the copy is durable. It opens as a store of its own. */
#ifndef APISERVER_BACKUP_H
#define APISERVER_BACKUP_H

#include "apiserver/request/pages.h"

struct backup_call;

pages_fn backup_serve;
/* The client has disconnected; the copy goes on. */
void backup_forget(struct backup_call *backup);

#endif

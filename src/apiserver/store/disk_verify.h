/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/disk_verify.h - is this file a sound LMDB database? LMDB itself does not check.
 * */
#ifndef APISERVER_DISK_VERIFY_H
#define APISERVER_DISK_VERIFY_H

#include "base/err.h"

/* Walks every page but the content of large values. ERR_STORE_READ and what is wrong, if LMDB
 * could crash on it or would go on to destroy it; another code if it cannot be read at all.
 * The file must not be written meanwhile. */
int disk_verify(const char *path, struct err *err) MUST_CHECK;

#endif

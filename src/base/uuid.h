/* SPDX-License-Identifier: Apache-2.0 */
/* base/uuid.h - version 4 UUIDs, made from random bytes that the caller passes (loop_random). */
#ifndef BASE_UUID_H
#define BASE_UUID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { UUID_TEXT_SIZE = 37 };

/* Writes 36 characters and a NUL; gives `text` back. */
const char *uuid_print(const uint8_t bytes[16], char text[UUID_TEXT_SIZE]);
/* 8-4-4-4-12 hexadecimal digits, of any version? */
bool uuid_is_valid(struct str text);

#endif

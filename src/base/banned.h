/* SPDX-License-Identifier: Apache-2.0 */
/* base/banned.h - what does not compile here; the last include of every .c file.
 *
 * unbounded copies                     use buf, str, mem_printf
 * unchecked conversions                use number_parse_*
 * shared static results                use time_*, str_*
 * allocation that can return NULL      use mem_*
 * clock and random numbers use loop_now, loop_random (only loop/ reads them) */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

/* with _FORTIFY_SOURCE some of them are macros of the C library */
#undef sprintf
#undef vsprintf
#undef asprintf
#undef vasprintf
#undef strcpy
#undef strcat
#undef stpcpy
#undef strncpy
#undef strncat
#undef strndup

#pragma GCC poison strcpy strcat stpcpy strncpy strncat sprintf vsprintf gets
#pragma GCC poison atoi atol atoll atof strtok
#pragma GCC poison gmtime localtime ctime asctime strerror
#pragma GCC poison asprintf vasprintf strndup
#pragma GCC poison rand srand random srandom drand48

#endif

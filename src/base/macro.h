/* SPDX-License-Identifier: Apache-2.0 */
/* base/macro.h - the handful of macros that the whole project knows.
 *
 * Ownership ends with the scope unless it is handed over by name:
 *
 *	AUTO(job_free) struct job *job = job_decode(doc, err);
 *	if (!job || admit_job(job, err) < 0)
 *		return NULL;
 *	return TAKE(job);
 *
 * DEFINE_AUTO is used once, in the header of the type, after its destructor. */
#ifndef BASE_MACRO_H
#define BASE_MACRO_H

#include <stddef.h>

/* Run destructor `fn` on this variable when its scope ends. */
#define AUTO(fn) __attribute__((cleanup(fn##_auto)))

/* Let AUTO(fn) work on variables of type `type`; `fn` must accept NULL or an empty value. */
#define DEFINE_AUTO(type, fn)                        \
	static inline void fn##_auto(type *variable) \
	{                                            \
		fn(*variable);                       \
	}                                            \
	struct macro_semicolon

/* The same for a destructor that takes the address of an open struct (noun_done). */
#define DEFINE_AUTO_IN_PLACE(type, fn)               \
	static inline void fn##_auto(type *variable) \
	{                                            \
		fn(variable);                        \
	}                                            \
	struct macro_semicolon

/* Hand a pointer over: returns its value and sets the variable to NULL. */
#define TAKE(pointer)                                         \
	__extension__({                                       \
		__typeof__(pointer) *take_from_ = &(pointer); \
		__typeof__(pointer) taken_ = *take_from_;     \
		*take_from_ = NULL;                           \
		taken_;                                       \
	})

/* The rows of a registry: `#define THINGS(row) ROWS(row(a) row(b))`, with each row on a line of its own.
 * Declaration and enumeration use the same list: THINGS(DECLARE), THINGS(ADDRESS). */
#define ROWS(...) __VA_ARGS__

/* Number of elements of an array (not of a pointer). */
#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

/* The struct that holds `member` at this address. */
#define container_of(pointer, type, member) \
	((type *)(void *)((char *)(pointer)-offsetof(type, member)))

/* Is this a build with sanitizers? Then faults that a release build ignores stop the program. */
#if defined(__SANITIZE_ADDRESS__)
#define BUILT_FOR_TESTS true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BUILT_FOR_TESTS true
#endif
#endif
#ifndef BUILT_FOR_TESTS
#define BUILT_FOR_TESTS false
#endif

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF(text, first) __attribute__((format(printf, text, first)))

#endif

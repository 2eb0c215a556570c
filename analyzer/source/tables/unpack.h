/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What xz, zstd or bzip2 packed, undone as the bytes come; gzip is zlib's own business. Memory is bounded: 128 MiB, as much
 * as the programs take without being asked.
 */
#ifndef LIMPET_UNPACK_H
#define LIMPET_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

struct unpack;

enum { UNPACK_MAGIC = 6 }; /* as many bytes tell what it is */

/* What packed a file that begins so, "xz"; NULL: none of these, and it is not gzip's either. */
const char *unpack_name(const unsigned char *head, size_t n);

/* times_most: how many times as long the text may be, beyond 256 MiB of it; 0: as long as it likes. NULL with errno ENOMEM, or
 * EINVAL: it is none of the three. */
struct unpack *unpack_new(const unsigned char *head, size_t n, unsigned int times_most);
void unpack_free(struct unpack *u); /* takes NULL */

/*
 * Takes from *in, which moves on, and puts at most `room` bytes: how many; 0: it needs more, or is between two streams. -ENOMEM,
 * or -EBADMSG: it is damaged, or more than is believed (unpack_why()); nothing may follow then.
 */
long unpack(struct unpack *u, const unsigned char **in, size_t *n, void *to, size_t room);
/* A few words after -EBADMSG. */
const char *unpack_why(const struct unpack *u);

/* Whether it may end here: a stream ended, and none began. */
bool unpack_between(const struct unpack *u);

#endif

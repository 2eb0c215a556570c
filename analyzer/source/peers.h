/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is compared with whom. A peers file has a line per group: names of nodes, or patterns of the
 * shell (oss*, mds[12], host-?; a backslash takes its meaning from such a character), separated by
 * blanks or commas; "#" begins a comment; "NAME: " may begin a line and names the group. A node
 * belongs to the group that lists it by name, else to the first with a pattern that fits. A name, a
 * pattern or a group's name that is there twice is an error, as are a file that names no node, a
 * group that has a name only, and control characters. Nodes in no group are not judged. Without a
 * file all nodes are one group.
 */
#ifndef LIMPET_PEERS_H
#define LIMPET_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source.h"

/* What the file says. */
struct peers_file;

/* More is refused, and so are more names than SOURCE_HOSTS_MAX; every node may have to be tried
 * against every pattern. */
enum { PEERS_FILE_MAX = 16 << 20, PEERS_PATTERNS_MAX = 1000 };
enum { PEERS_NONE = -1 };

/* 0, or negative errno after a message that names file and line. */
int peers_load(struct peers_file **p, const char *path);
void peers_free(struct peers_file *p);
/* The group of a node, from 0; PEERS_NONE: in none. Without a file (NULL): 0. */
int32_t peers_group(const struct peers_file *p, const char *node);
size_t peers_groups(const struct peers_file *p);
/* Writes the names that the file gives, of the first n groups, over theirs. Without a file (NULL): nothing. */
void peers_labels(const struct peers_file *p, char (*names)[HOST_LEN], size_t n);

/*
 * What names say of n nodes: of which kind each is. Names that differ in their digits only (oss1, oss12) are of one kind. Kinds of
 * fewer than `least` are joined: servers of metadata with each other, by names that say so, the others with the largest kind.
 * How many kinds there are, in order of their first nodes but for those of metadata that were joined, which are the last one.
 */
size_t peers_kinds(uint32_t *kind, const char (*nodes)[HOST_LEN], size_t n, size_t least);
/* Whether a name says that the server has metadata: mds1, lustre-mdt02, mon.a. */
bool peers_metadata(const char *node);

/* Warns of names that are none of the n nodes (ascending), a misspelt one perhaps, and of nodes in no
 * group. */
void peers_warn(const struct peers_file *p, const char (*nodes)[HOST_LEN], size_t n,
		const char *path);

#endif

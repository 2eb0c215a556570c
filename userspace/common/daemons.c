// SPDX-License-Identifier: BSD-2-Clause
/* Daemons of file systems by name: what /proc/PID/comm has, 15 characters at most. */
#include "daemons.h"

#include <string.h>

static const char *const daemons[] = {
	"glusterfsd", "glusterd",	"pvfs2-server", "orangefs-serv*", "ceph-osd",
	"ceph-mds",   "beegfs-storag*", "beegfs-meta*", "mmfsd",	  "ll_ost*",
	"ll_mgs*",    "ll_mdt*",	"mdt*",		"nfsd",		  "ganesha.nfsd",
	"moosefs*",   "mfschunkserver", "weed",		"minio",	  "java",
};

bool name_among(const char *const *list, size_t n, const char *name)
{
	const char *colon = strrchr(name, ':');
	size_t len = colon ? (size_t)(colon - name) : strlen(name);

	for (size_t i = 0; i < n; i++) {
		size_t want = strlen(list[i]);
		bool any = want && list[i][want - 1] == '*';

		if (any ? len >= want - 1 && !strncmp(name, list[i], want - 1)
			: len == want && !strncmp(name, list[i], want))
			return true;
	}
	return false;
}

bool daemon_known(const char *name)
{
	return name_among(daemons, sizeof(daemons) / sizeof(*daemons), name);
}

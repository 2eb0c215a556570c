// SPDX-License-Identifier: BSD-2-Clause
/* peers.h: any file is refused with a reason, or every name in it has a group of the file's. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/source/peers.h"
#include "analyzer/source/frame/frame_peers.h"

/* Whatever groups the file makes of these, a part holds the nodes of one, in order. */
static void check_parts(const struct peers_file *p)
{
	enum { NODES = 5 };
	static char nodes[NODES][HOST_LEN] = {"a", "b", "mds1", "oss1", "oss2"};
	size_t row[NODES] = {0, 1, 2, 3, 4}, grouped = 0, seen = 0;
	struct frame f = {.n_nodes = NODES, .nodes = nodes, .row = row};
	int32_t group[NODES];
	struct peers parts;

	for (size_t i = 0; i < NODES; i++) {
		group[i] = peers_group(p, nodes[i]);
		MUST(group[i] >= PEERS_NONE && group[i] < (int32_t)peers_groups(p));
		grouped += group[i] != PEERS_NONE;
	}
	MUST(!peers_of(&parts, &f, group));
	for (size_t i = 0; i < parts.n; i++) {
		const struct frame *part = &parts.parts[i];

		MUST(part->n_nodes);
		MUST(!i || group[part->row[0]] > group[parts.parts[i - 1].row[0]]);
		for (size_t k = 0; k < part->n_nodes; k++, seen++)
			MUST(group[part->row[k]] == group[part->row[0]]);
	}
	MUST(seen == grouped);
	peers_release(&parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct peers_file *p;
	int err;

	fuzz_begin();
	err = peers_load(&p, fuzz_file(data, size));
	if (err) {
		MUST(!p);
		fuzz_check_refusal(err);
		return 0;
	}
	MUST(!fuzz_said.failures && peers_groups(p) >= 1 && peers_groups(p) <= size);
	check_parts(p);
	peers_free(p);
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
/* examine.h, offsets_load(): any file is refused with a reason, or it can be worked with and saved. */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/engine/examine.h"

struct seen {
	size_t n;
	double sum;
};

static int see(void *arg, const char *node, const char *disk, enum signal s, double offset)
{
	struct seen *seen = arg;

	MUST(*node && strlen(node) < HOST_LEN && strlen(disk) < INSTANCE_LEN);
	MUST(s < SIG_COUNT && isfinite(offset) && fabs(offset) <= 1);
	seen->n++;
	seen->sum += offset;
	return 0;
}

static struct robust *engine(void)
{
	struct robust_params p = ROBUST_PARAMS_DEFAULT;
	struct robust *r = robust_new(&p);

	MUST(r && robust_node(r, "oss-1", 0) == 0 && robust_node(r, "b", 0) == 1);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	struct robust *r = engine(), *again;
	struct seen before = {0}, after = {0};
	int err;

	fuzz_begin();
	err = offsets_load(r, 0, path);
	if (err) {
		fuzz_check_refusal(err);
		MUST(strstr(fuzz_said.last, path));
		MUST(!robust_offsets(r, see, &before) && !before.n);
		robust_free(r);
		return 0;
	}
	MUST(!fuzz_said.failures);
	MUST(!robust_offsets(r, see, &before));
	/* Written and read again, it is the same. */
	MUST(!offsets_save(r, path));
	again = engine();
	MUST(!offsets_load(again, 0, path));
	MUST(!robust_offsets(again, see, &after));
	MUST(before.n == after.n && fabs(before.sum - after.sum) <= 0.01 * (double)before.n);
	robust_free(again);
	robust_free(r);
	return 0;
}

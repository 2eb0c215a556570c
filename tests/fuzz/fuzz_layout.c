// SPDX-License-Identifier: BSD-2-Clause
/* log_layout.h: any lines are refused with a reason, or each file has servers that are names. */
#include "fuzz.h"

#include <string.h>

#include "analyzer/source/logs/log_layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct layouts y = {0};
	int err;

	fuzz_begin();
	err = layouts_read(&y, fuzz_file(data, size));
	if (err)
		fuzz_check_refusal(err);
	MUST(y.n_files == y.path.n);
	for (size_t i = 0; i < y.n_files; i++) {
		const struct listed_file *f = &y.file[i];

		MUST(f->first + f->n <= y.n_servers && *y.path.at[i] == '/');
		MUST(f->unknown || f->stripe >= 0);
		MUST((layouts_find(&y, y.path.at[i]) != NULL) == (f->n > 0));
	}
	for (size_t i = 0; i < y.n_servers; i++)
		MUST(y.server_of[i] < y.server.n &&
		     !name_check(y.server.at[y.server_of[i]], strlen(y.server.at[y.server_of[i]]),
				 HOST_LEN - 1));
	layouts_release(&y);
	return 0;
}

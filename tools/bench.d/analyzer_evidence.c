// SPDX-License-Identifier: BSD-2-Clause
/* What the test of evidence costs, of signals that are all there: a part of bench/analyzer. */
#include "analyzer.h"

#include "analyzer/evidence/evidence.h"

int bench_evidence(size_t n, size_t signals, size_t pushes, unsigned int k_min)
{
	struct evidence_params p = EVIDENCE_PARAMS_DEFAULT;
	struct over_time **e = need(signals, sizeof(struct over_time *));
	struct residual *in = need(n, sizeof(*in));
	struct evidence *out = need(n, sizeof(*out));
	struct rng r;
	double ms = 0, at;

	p.k_min = k_min;
	p.looks = (double)signals;
	rng_seed(&r, 1);
	for (size_t s = 0; s < signals; s++) {
		e[s] = over_time_new(n, &p);
		if (!e[s]) {
			fail("%zu nodes, lengths from %u on: no test of evidence", n, k_min);
			exit(1);
		}
	}
	for (size_t w = 0; w < pushes; w++) {
		for (size_t s = 0; s < signals; s++) {
			for (size_t i = 0; i < n; i++)
				in[i].r = 0.1 * rng_normal(&r);
			at = cpu_ms();
			if (over_time_push(e[s], in, 1, out, NULL)) {
				fail("out of memory");
				exit(1);
			}
			ms += cpu_ms() - at;
		}
	}
	printf("push\t%.9g\n", ms / (double)(pushes * signals));
	print_memory();
	for (size_t s = 0; s < signals; s++)
		over_time_free(e[s]);
	free(e);
	free(in);
	free(out);
	return 0;
}

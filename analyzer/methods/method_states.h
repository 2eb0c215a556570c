/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all methods that read states do: sources, the servers that the states are of, groups of peers, and what was
 * odd about the logs.
 */
#ifndef LIMPET_METHOD_STATES_H
#define LIMPET_METHOD_STATES_H

#include "analyzer/source/logs/states.h"
#include "analyzer/options/analysis.h"
#include "analyzer/verdict/verdict.h"

struct method;

/* Of each of the states' nodes. */
struct state_nodes {
	size_t *row; /* of the verdict's servers, which are in order of name; SIZE_MAX: it is charged with no
			 * state, or is none to compare */
	int32_t *group; /* of peers, from 0; negative: in none */
};

/* Lists the verdict's servers, of which none is judged yet. peers: file, or NULL. 0, or negative errno after a
 * message; state_nodes_release() takes what is there in either case. */
int state_nodes_list(struct state_nodes *n, struct verdict *v, const struct states *s,
		     const char *peers);
void state_nodes_release(struct state_nodes *n); /* takes a zeroed one */

/* `make` of methods on states (method.h), from sources to verdict: the first that is chosen judges, as these do not go
 * with others. */
int method_states(struct verdict *v, const struct method *const *chosen,
		  const struct analysis_opts *o, char *const *paths, size_t n_paths);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two phases of method `ganesha`, as the functions of struct method (method.h): training in
 * ganesha_train.c, judging in ganesha_judge.c.
 */
#ifndef LIMPET_GANESHA_PHASES_H
#define LIMPET_GANESHA_PHASES_H

#include "method.h"

/* 0: vectors and profiles; 1: the threshold of the distance; 2: that of the weighted count. */
enum { GANESHA_PASSES = 3 };

void *ganesha_train_new(const struct method *method, const struct peers *peers, struct model *m);
int ganesha_train_slice(void *state, struct slice s, unsigned int pass);
int ganesha_train_pass_end(void *state, unsigned int pass);
void ganesha_train_free(void *state);

void *ganesha_judge_new(const struct method *method, const struct peers *peers,
			const struct model *m, const size_t *index, struct judgement *j);
int ganesha_judge_slice(void *state, struct slice s);
int ganesha_judge_end(void *state);
void ganesha_judge_free(void *state);

#endif

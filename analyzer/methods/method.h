/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of methods: what each reads, which options it heeds, whether it is trained, and how it comes from
 * sources and options to a verdict. A new one is one file and one row.
 *
 * Most look at a frame, one value a second of each server and metric, slice by slice, and say which nodes are
 * odd; those can be combined, as one look at the frame serves all. The driver
 * (passes.c) holds one slice of the grid after the other. A slice begins with `from`, the first column not yet
 * looked at, and ends before `to`; besides, as many columns before and after it are held, where the grid
 * has them, as the methods' context() and a window need. A method of windows looks at those that begin
 * in [from, to), a method of seconds at the seconds in it.
 */
#ifndef LIMPET_METHOD_H
#define LIMPET_METHOD_H

#include "judgement.h"
#include "analyzer/methods/model/model.h"
#include "analyzer/source/peers.h"
#include "analyzer/source/frame/frame_peers.h"
#include "analyzer/options/analysis.h"
#include "analyzer/verdict/cause.h"

/* Fewer peers than this and nobody can be the odd one. */
enum { NODES_MIN = 3 };

struct verdict;
struct window_run;
struct window_task;
struct states;
struct state_nodes;

struct slice {
	size_t from, to;
};

/* What a method can make a verdict of: seconds of series files, gathered into intervals; columns of tables;
 * either of them as a frame; states of logs. */
enum method_reads { READS_INTERVALS = 1, READS_COLUMNS = 2, READS_FRAMES = 4, READS_STATES = 8 };

struct method {
	const char *name;
	unsigned int reads; /* of enum method_reads; what reads frames goes with others that do */
	bool is_default;    /* one row: taken where neither method nor model is asked for */
	enum vocabulary words;	  /* of the causes it names */
	const char *const *heeds; /* names of options that not every method has; ends with NULL */
	/*
	 * The verdict; the only entry. All below serves method_states() or method_frames(), which are this of all that
	 * read states or frames.
	 * chosen: rows with the same entry; none: those that the model was trained for. 0, also where nothing
	 * could be judged (verdict.cannot); negative errno after a message otherwise; the verdict is empty then.
	 */
	int (*make)(struct verdict *v, const struct method *const *chosen,
		    const struct analysis_opts *o, char *const *paths, size_t n_paths);

	/*
	 * What reads states and has method_states() as `make`: fills the verdict, which has the servers. 0, or
	 * negative errno after a message; -ENOMEM without one.
	 */
	int (*judge_states)(struct verdict *v, const struct states *s,
			    const struct state_nodes *nodes, const struct analysis_opts *o);

	/* ---- what reads frames --------------------------------------------------------------------- */

	/* What it looks at of those that limpet knows; of a table also what limpet does not know, and
	 * always what was asked for by name: method_looks_at(). */
	const enum metric_id *metrics;
	size_t n_metrics;
	bool per_node; /* what it learns is about single nodes: others cannot be judged */
	bool causes;   /* what it finds are symptoms for the checklist */
	bool one_by_one; /* a task holds as much as the slice of its group: no two of them run at a time */
	bool larger; /* to it larger is worse: it passes over metrics of which less is worse */
	/* Samples it needs before and after a slice; NULL: none. */
	unsigned int (*context)(const struct params *p);
	/*
	 * Training looks at all slices `passes` times (0: needs no training); pass_end follows each
	 * pass. What was learnt is in the model after the last. NULL: errno is ENOMEM.
	 */
	/* If 0, train_new is NULL, and nothing up to train_free is called. */
	unsigned int passes;
	void *(*train_new)(const struct method *method, const struct peers *peers, struct model *m);
	int (*train_slice)(void *state, struct slice s, unsigned int pass);
	int (*train_pass_end)(void *state, unsigned int pass);
	void (*train_free)(void *state); /* takes NULL */
	/*
	 * Judging: index[i] is the model's number of node i of the whole frame (SIZE_MAX: the model
	 * does not know it). judge_end puts what was found into the judgement. A metric that was
	 * not trained, or that has no data, becomes a row of coverage with nothing judged.
	 */
	void *(*judge_new)(const struct method *method, const struct peers *peers,
			   const struct model *m, const size_t *index, struct judgement *j);
	int (*judge_slice)(void *state, struct slice s);
	int (*judge_end)(void *state);
	void (*judge_free)(void *state); /* takes NULL */

	/* ---- what judges windows: window_run.h ------------------------------------------------------ */

	/* What is done with a slice of one task. 0 or -ENOMEM. */
	int (*train_task)(struct window_run *r, struct window_task *t, struct slice s);
	int (*judge_task)(struct window_run *r, struct window_task *t, struct slice s);
	/* From what training found of a node to its threshold, and the most that there can be, in *b; whether the
	 * threshold is out of reach. NULL where the method needs no training. */
	bool (*threshold)(const struct params *p, double trained, struct blind *b);
};

/* The rows: method_NAME, each in a file of its own but for the baselines (method_baseline.c). */
#define METHODS(X) \
	X(kl)      \
	X(cwnd) X(ganesha) X(salsa) X(autodiagn) X(stragglers) X(ratio) X(hdfs) X(ceph) X(robust)

#define METHOD_ROW(NAME) extern const struct method method_##NAME;
METHODS(METHOD_ROW)
#undef METHOD_ROW

#define METHOD_COUNT(NAME) +1

/* Their names, with a blank before each. */
#define METHOD_NAME(NAME) " " #NAME
#define METHOD_NAMES	  METHODS(METHOD_NAME)

/* method_frames.c: `make` and `heeds` of all that read frames. */
int method_frames(struct verdict *v, const struct method *const *chosen,
		  const struct analysis_opts *o, char *const *paths, size_t n_paths);
extern const char *const method_frames_heeds[];

/* Whether the options have a meaning for what is read of the sources (bits of enum method_reads). 0, or -EINVAL after a
 * message. */
int method_options_meant(const struct analysis_opts *o, const struct sources *s,
			 unsigned int reads);

/* What was odd about the sources, and what was left out of them, into the verdict. 0 or -ENOMEM. */
int method_note_sources(struct verdict *v, const struct sources *s);

/* Ends with NULL. */
extern const struct method *const methods[];

/* NULL if there is none of that name. */
const struct method *method_by_name(const char *name);

/* For model_load(). */
const char *method_trained(const char *name, bool *profiles);

/*
 * "kl,cwnd" as a list of rows; NULL text means kl and cwnd, which together are FAST'10. Writes at
 * most as many as there are and a final NULL. 0, or -EINVAL after a message: not a method, or one that does
 * not go with the others.
 */
enum { METHODS_MAX = 0 METHODS(METHOD_COUNT) };
int methods_parse(const char *text, const struct method *chosen[METHODS_MAX + 1]);

/*
 * The methods asked for; without any the default's row, or, with a model, none: those it was trained for. 0, or
 * -EINVAL after a message: none of that name, or an option is given that none of them heeds.
 */
int methods_choose(const struct analysis_opts *o, const struct method *chosen[METHODS_MAX + 1]);

/* Whether each option that not every method has is heeded by one of these; 0, or -EINVAL after a message. */
int methods_heed(const struct method *const *chosen, const struct analysis_opts *o);

/* The verdict by what methods_choose() chose; as method.make. */
int methods_make(struct verdict *v, const struct method *const *chosen,
		 const struct analysis_opts *o, char *const *paths, size_t n_paths);

/* Whether any of them, or of those that a model is for, needs a model; and the words of their causes. */
bool methods_trained(const struct method *const *chosen);
enum vocabulary methods_words(const struct method *const *chosen);

/* Marks in wanted (M_COUNT) what the chosen methods look at; with names asked for, those only. */
void methods_wanted(const struct method *const *chosen, const struct string_list *asked,
		    bool *wanted);

/* Whether the method looks at this metric of a frame. */
bool method_looks_at(const struct method *m, const struct frame_metric *metric);

#endif

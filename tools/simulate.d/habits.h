/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What real servers do besides working: each habit is off unless asked for, alone or in a mixture, and a
 * run without any is what it always was, byte for byte.
 */
#ifndef LIMPET_SIM_HABITS_H
#define LIMPET_SIM_HABITS_H

#include "wander.h"

enum layout {
	LAYOUT_STRIPE, /* each request goes over all servers: the slowest one paces everybody */
	LAYOUT_FILE,   /* each server has requests of its own: a slow one is asked less, no other */
};

struct habits {
	struct wanders wander; /* of the logarithm of disks' service times */
	unsigned int rack;     /* so many servers, one after the other, share… */
	double shared;	       /* …this part of its variance */
	double cache;	       /* share of disk requests that the array's cache answers */
	struct wanders hits;   /* of the logit of that share */
	double warm_s;	       /* it is empty at first and fills with this constant; 0: full */
	struct duty job;       /* a program of each server's own, at its own time… */
	double job_share;      /* …that reads the disk and takes this share of its time */
	double daily;	       /* amplitude of the day in the logarithm of the load */
	double tick_s;	       /* times of requests are whole multiples */
	double unit_kb;	       /* counters of bytes of disk and interface likewise */
	bool unread;	       /* record tcp-unread */
	enum layout layout;
};

/* As options have them; NULL: not given. */
struct habit_opts {
	const char *like, *wander, *hits, *warm, *job, *layout;
	unsigned int rack;
	double shared, cache, job_share, daily, tick_ms, unit_kb;
	bool unread;
};

/* Rows of options of a struct that has a struct habit_opts at `base`. */
#define HABIT_OPTIONS(base)                                                                      \
	{0,                                                                                      \
	 "like",                                                                                 \
	 OPT_STRING,                                                                             \
	 (base) + offsetof(struct habit_opts, like),                                             \
	 "KIND[,KIND]",                                                                          \
	 "what real servers have: wander, racks, cache, warm-up, daily, ticks, units; all",      \
	 0,                                                                                      \
	 0},                                                                                     \
		{0,                                                                              \
		 "wander",                                                                       \
		 OPT_STRING,                                                                     \
		 (base) + offsetof(struct habit_opts, wander),                                   \
		 "SD:TIME[,...]",                                                                \
		 "service times wander, as 0.1:1h does",                                         \
		 0,                                                                              \
		 0},                                                                             \
		{0,	   "rack",                                                               \
		 OPT_UINT, (base) + offsetof(struct habit_opts, rack),                           \
		 "N",	   "so many servers share their wander",                                 \
		 1,	   10000},                                                               \
		{0,	     "shared",                                                           \
		 OPT_DOUBLE, (base) + offsetof(struct habit_opts, shared),                       \
		 "P",	     "part of its variance that they share (0.8)",                       \
		 0.0001,     1},                                                                 \
		{0,	     "cache",                                                            \
		 OPT_DOUBLE, (base) + offsetof(struct habit_opts, cache),                        \
		 "P",	     "share of disk requests that the array's cache answers",            \
		 0.0001,     0.9999},                                                            \
		{0,                                                                              \
		 "hits",                                                                         \
		 OPT_STRING,                                                                     \
		 (base) + offsetof(struct habit_opts, hits),                                     \
		 "SD:TIME[,...]",                                                                \
		 "the logit of that share wanders",                                              \
		 0,                                                                              \
		 0},                                                                             \
		{0,	     "warm-up",                                                          \
		 OPT_STRING, (base) + offsetof(struct habit_opts, warm),                         \
		 "TIME",     "the cache is empty at first and fills in about so long",           \
		 0,	     0},                                                                 \
		{0,                                                                              \
		 "job",                                                                          \
		 OPT_STRING,                                                                     \
		 (base) + offsetof(struct habit_opts, job),                                      \
		 "PERIOD:SHARE",                                                                 \
		 "each server has a program that reads its disk, now and then",                  \
		 0,                                                                              \
		 0},                                                                             \
		{0,	     "job-share",                                                        \
		 OPT_DOUBLE, (base) + offsetof(struct habit_opts, job_share),                    \
		 "P",	     "share of the disk's time that it takes (0.15)",                    \
		 0.0001,     0.9},                                                               \
		{0,	     "daily",                                                            \
		 OPT_DOUBLE, (base) + offsetof(struct habit_opts, daily),                        \
		 "X",	     "the load's logarithm goes so far up by day and down by night",     \
		 0.0001,     3},                                                                 \
		{0,	     "tick",                                                             \
		 OPT_DOUBLE, (base) + offsetof(struct habit_opts, tick_ms),                      \
		 "MS",	     "times of disk requests are whole multiples",                       \
		 0.001,	     100},                                                               \
		{0,	     "unit",                                                             \
		 OPT_DOUBLE, (base) + offsetof(struct habit_opts, unit_kb),                      \
		 "KB",	     "bytes of disk and interface are counted in whole multiples",       \
		 1,	     1000000},                                                           \
		{0,	   "unread",                                                             \
		 OPT_FLAG, (base) + offsetof(struct habit_opts, unread),                         \
		 NULL,	   "record tcp-unread: connections that the server does not read",       \
		 0,	   0},                                                                   \
	{                                                                                        \
		0, "layout", OPT_STRING, (base) + offsetof(struct habit_opts, layout),           \
			"stripe|file",                                                           \
			"file: who waits for a slow server asks it less, and no other (stripe)", \
			0, 0                                                                     \
	}

/* 0, or -1 after a message. What is asked for by itself goes before what --like has of it. */
int habits_settle(const struct habit_opts *o, struct habits *h);

/* How full a cache is after another `step_s`. */
double cache_fills(double full, double pace_s, double step_s);
/* The share of hits, given what a full cache has, the wander of its logit, and how full it is. */
double cache_hits(double share, double wander, double full);

#endif

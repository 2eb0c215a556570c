// SPDX-License-Identifier: BSD-2-Clause
/* The table of sources (log_source.h): a file is of the first that knows it. */
#include "log_source.h"

static const struct log_source *const sources[] = {
	&log_darshan,	  &log_hadoop_history, &log_spark,	   &log_rumen,
	&log_jhist,	  &log_jhist_binary,   &log_app_master,	   &log_node_manager,
	&log_spark_codec, &log_spark_driver,   &log_hadoop_daemon, &log_progress,
};

const struct log_source *log_source_of(const char *head, size_t n)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (sources[i]->is(head, n))
			return sources[i];
	return NULL;
}

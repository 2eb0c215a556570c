// SPDX-License-Identifier: BSD-2-Clause
#include "analysis.h"

void analysis_release(struct analysis_opts *o)
{
	string_list_release(&o->table.counters);
	string_list_release(&o->table.metrics);
	log_opts_release(&o->logs);
	string_list_release(&o->acknowledged);
	string_list_release(&o->symptoms);
	string_list_release(&o->diagnosers);
	string_list_release(&o->decisions);
}

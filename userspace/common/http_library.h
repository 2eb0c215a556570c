/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libmicrohttpd, looked for when something is to be served and not before: it brings GnuTLS, 2.4 MiB
 * resident that most probes have no use for.
 */
#ifndef LIMPET_HTTP_LIBRARY_H
#define LIMPET_HTTP_LIBRARY_H

#include <microhttpd.h>

/* What is called of it; MHD_run() is mhd.run(). */
#define HTTP_LIBRARY(X)                  \
	X(add_response_header)           \
	X(create_response_from_callback) \
	X(destroy_response)              \
	X(get_connection_info)           \
	X(get_daemon_info)               \
	X(get_timeout)                   \
	X(lookup_connection_value)       \
	X(queue_response)                \
	X(run)                           \
	X(start_daemon)                  \
	X(stop_daemon)

struct http_library {
#define HTTP_LIBRARY_FUNCTION(name) __typeof__(MHD_##name) *name;
	HTTP_LIBRARY(HTTP_LIBRARY_FUNCTION)
#undef HTTP_LIBRARY_FUNCTION
};

extern struct http_library mhd;

/*
 * Once, from one thread, before the files of libraries are out of reach (rights.h). 0, also when that
 * was done before; else -ENOENT with a sentence of up to WHY_LEN in `why`.
 */
int http_library_load(char *why);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* Finds libmicrohttpd and its functions. */
#include "http_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "options.h"

/* Of this interface, which <microhttpd.h> declares: since 0.9.31. */
#define SONAME "libmicrohttpd.so.12"

struct http_library mhd;

static const struct {
	const char *name;
	void **at;
} functions[] = {
#define ROW(name) {"MHD_" #name, (void **)&mhd.name},
	HTTP_LIBRARY(ROW)
#undef ROW
};

int http_library_load(char *why)
{
	static void *library;
	bool all = true;

	if (library)
		return 0;
	library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; library && all && i < sizeof(functions) / sizeof(*functions); i++) {
		*functions[i].at = dlsym(library, functions[i].name);
		all = *functions[i].at != NULL;
	}
	if (library && all)
		return 0;
	snprintf(why, WHY_LEN, "cannot serve HTTP: %.160s (Debian: libmicrohttpd12)", dlerror());
	if (library)
		dlclose(library);
	library = NULL;
	return -ENOENT;
}

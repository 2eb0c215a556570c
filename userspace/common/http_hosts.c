// SPDX-License-Identifier: BSD-2-Clause
/* The names that requests may be addressed to. */
#include "http_hosts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "array.h"

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
#define NAME_LEN   256 /* of a host, with the end of the string */

const char *http_hosts_check(const char *name)
{
	if (!*name || !strcmp(name, "."))
		return "it is empty";
	if (strlen(name) >= NAME_LEN)
		return "it is too long";
	if (name[strspn(name, NAME_CHARS)])
		return "a name has letters, digits, dots, hyphens and underscores, and no port";
	return NULL;
}

/* `name`, in `domain` unless that is NULL. */
static int add(struct http_hosts *h, const char *name, size_t len, const char *domain)
{
	char *text, **at;

	/* "example.com." is the same name, and so it is compared. */
	if (!domain && len && name[len - 1] == '.')
		len--;
	if (asprintf(&text, "%.*s%s%s", (int)len, name, domain ? "." : "", domain ? domain : "") <
	    0)
		return -ENOMEM;
	at = array_add(&h->at, &h->n);
	if (!at) {
		free(text);
		return -ENOMEM;
	}
	*at = text;
	return 0;
}

/* The first label of the host name in each domain of a line "search a.example b.example". */
static int add_domains(struct http_hosts *h, const char *node, char *line)
{
	char *save, *word = strtok_r(line, " \t\n", &save);
	int err = 0;

	if (!word || (strcmp(word, "search") && strcmp(word, "domain")))
		return 0;
	while (!err && (word = strtok_r(NULL, " \t\n", &save))) {
		size_t n = strlen(word);

		if (n && word[n - 1] == '.')
			word[n - 1] = '\0';
		if (*word && !http_hosts_check(word))
			err = add(h, node, strcspn(node, "."), word);
	}
	return err;
}

static int add_own_names(struct http_hosts *h, const char *node, const char *resolv_conf)
{
	int err = add(h, "localhost", strlen("localhost"), NULL);
	char line[1024];
	FILE *f;

	if (!*node)
		return err;
	err = err ? err : add(h, node, strlen(node), NULL);
	err = err ? err : add(h, node, strcspn(node, "."), NULL);
	f = fopen(resolv_conf, "re");
	while (!err && f && fgets(line, sizeof(line), f))
		err = add_domains(h, node, line);
	if (f)
		fclose(f);
	return err;
}

int http_hosts_init(struct http_hosts *h, const char *node, const char *resolv_conf,
		    const struct string_list *more)
{
	int err;

	memset(h, 0, sizeof(*h));
	err = add_own_names(h, node, resolv_conf);
	for (size_t i = 0; !err && more && i < more->n; i++)
		err = add(h, more->at[i], strlen(more->at[i]), NULL);
	if (err)
		http_hosts_release(h);
	return err;
}

int http_hosts_here(struct http_hosts *h, const struct string_list *more, char *why)
{
	char node[NAME_LEN] = "";

	for (size_t i = 0; more && i < more->n; i++) {
		const char *wrong = http_hosts_check(more->at[i]);

		if (!wrong)
			continue;
		snprintf(why, WHY_LEN, "'--allow-host %.60s': %s", more->at[i], wrong);
		return -EINVAL;
	}
	gethostname(node, sizeof(node) - 1);
	if (!http_hosts_init(h, node, "/etc/resolv.conf", more))
		return 0;
	snprintf(why, WHY_LEN, "%s", strerror(ENOMEM));
	return -ENOMEM;
}

void http_hosts_release(struct http_hosts *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->at[i]);
	free(h->at);
	memset(h, 0, sizeof(*h));
}

/* What is before ":PORT", in place; false if what follows the name is no port. */
static bool cut_port(char *host)
{
	char *end = *host == '[' ? strchr(host, ']') : strrchr(host, ':');

	if (*host == '[') {
		if (!end)
			return false;
		end++;
	}
	if (!end || !*end)
		return true;
	if (*end != ':' || end[1 + strspn(end + 1, "0123456789")])
		return false;
	*end = '\0';
	return true;
}

static bool is_address(char *host)
{
	unsigned char address[sizeof(struct in6_addr)];
	size_t n = strlen(host);
	bool is = false;

	if (*host != '[')
		return inet_pton(AF_INET, host, address) == 1;
	host[n - 1] = '\0'; /* cut_port() has seen the bracket */
	is = inet_pton(AF_INET6, host + 1, address) == 1;
	host[n - 1] = ']';
	return is;
}

bool http_hosts_has(const struct http_hosts *h, const char *header)
{
	char host[NAME_LEN + 8]; /* and ":65535" */
	size_t n;

	if (!header)
		return true;
	if ((size_t)snprintf(host, sizeof(host), "%s", header) >= sizeof(host) || !cut_port(host))
		return false;
	if (is_address(host))
		return true;
	n = strlen(host);
	if (n && host[n - 1] == '.')
		host[--n] = '\0';
	for (size_t i = 0; n && i < h->n; i++) {
		size_t len = strlen(h->at[i]);

		if (*h->at[i] == '.' ? n > len && !strcasecmp(host + n - len, h->at[i])
				     : !strcasecmp(host, h->at[i]))
			return true;
	}
	return false;
}

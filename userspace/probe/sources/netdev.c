// SPDX-License-Identifier: BSD-2-Clause
/* The identity of network interfaces: driver, firmware and speed, by ethtool's ioctls. */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "targets.h"

int netdevs_open(struct netdevs *n, const struct netns *ns)
{
	n->n_known = 0;
	/* Any socket takes these ioctls. This one is never connected, and can send nothing. */
	n->fd = netns_socket(ns, AF_UNIX, SOCK_STREAM, 0);
	return n->fd < 0 ? n->fd : 0;
}

void netdevs_close(struct netdevs *n)
{
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
}

static int ask(const struct netdevs *n, const char *name, void *request)
{
	struct ifreq ifr = {0};

	if (strlen(name) >= sizeof(ifr.ifr_name))
		return -ENODEV;
	strcpy(ifr.ifr_name, name);
	ifr.ifr_data = request;
	return ioctl(n->fd, SIOCETHTOOL, &ifr) ? -errno : 0;
}

/* The first call is answered with the number of words the masks have here, as a negative one. */
static int64_t ask_speed(const struct netdevs *n, const char *name)
{
	struct {
		struct ethtool_link_settings head;
		uint32_t masks[3 * 127];
	} request = {.head.cmd = ETHTOOL_GLINKSETTINGS};

	if (ask(n, name, &request) || request.head.link_mode_masks_nwords >= 0)
		return -1;
	request.head.link_mode_masks_nwords = (int8_t)-request.head.link_mode_masks_nwords;
	request.head.cmd = ETHTOOL_GLINKSETTINGS;
	if (ask(n, name, &request) || request.head.speed == (uint32_t)SPEED_UNKNOWN ||
	    !request.head.speed)
		return -1;
	return request.head.speed;
}

void netdev_identity(const struct netdevs *n, const char *name, struct device_identity *id)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};

	memset(id, 0, sizeof(*id));
	id->family = FAM_NET;
	id->rotational = -1;
	id->size_bytes = -1;
	snprintf(id->name, sizeof(id->name), "%s", name);
	if (!ask(n, name, &info)) {
		snprintf(id->driver, sizeof(id->driver), "%.31s", info.driver);
		snprintf(id->firmware, sizeof(id->firmware), "%.31s", info.fw_version);
	}
	id->speed_mbps = ask_speed(n, name);
}

int64_t netdev_speed(struct netdevs *n, const char *name)
{
	struct netdev_speed *s = n->known;

	while (s < n->known + n->n_known && strcmp(s->name, name))
		s++;
	if (s == n->known + n->n_known) {
		if (n->n_known == MAX_NETDEVS)
			return ask_speed(n, name);
		n->n_known++;
		snprintf(s->name, sizeof(s->name), "%s", name);
		s->uses = 0;
	}
	if (!(s->uses++ % 60))
		s->mbps = ask_speed(n, name);
	return s->mbps;
}

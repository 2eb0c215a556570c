/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The service's side of TLS: its key and certificate, the pin by which senders know it, and what it says of theirs.
 *
 * Without files of the site's own the key (ECDSA, P-256) and a certificate that it signs itself are made at the first start, in
 * DIR/tls/service.pem, mode 0600, in one step, and kept: with another key no sender would know the service.
 */
#ifndef LIMPET_SERVE_TLS_H
#define LIMPET_SERVE_TLS_H

#include <openssl/ssl.h>

#include "userspace/common/options.h"
#include "userspace/wire/exchange.h"

struct tls_files {
	const char *certificate, *key; /* PEM; a chain, the service's first. NULL, both: our own */
	const char *client_ca;	       /* whose certificates senders may show; NULL: of nobody */
};

struct tls;

/* 0 or -errno with the sentence. */
int tls_new(struct tls **t, const char *dir, const struct tls_files *files, char why[WHY_LEN]);
void tls_free(struct tls *t); /* takes NULL */

/* The site's own certificate and key, read once more, for connections from now on; of our own nothing is to do. 0, or -errno with the
 * sentence, and what there was stays. In the thread of the listener. */
int tls_reload(struct tls *t, char why[WHY_LEN]);

SSL_CTX *tls_context(const struct tls *t);
const char *tls_pin(const struct tls *t); /* exchange.h */

/* The dNSNames of the certificate that the other side showed and that the CA has signed, each for OPENSSL_free():
 * how many. */
enum { TLS_NAMES_MAX = 16 };
size_t tls_names(SSL *s, char *names[TLS_NAMES_MAX]);

#endif

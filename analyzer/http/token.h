/* SPDX-License-Identifier: BSD-2-Clause */
/* Secrets that senders show: 32 random bytes as text. Of those that we gave out only the hash is kept. */
#ifndef LIMPET_SERVE_TOKEN_H
#define LIMPET_SERVE_TOKEN_H

#include "userspace/wire/exchange.h"

enum { TOKEN_BYTES = 32, TOKEN_HASH_LEN = 64 };

/* As base64url without padding. */
void token_text(const unsigned char bytes[TOKEN_BYTES], char text[EXCHANGE_TOKEN_LEN + 1]);

/* A new one. 0 or -EIO: there is no randomness. */
int token_make(char text[EXCHANGE_TOKEN_LEN + 1]);

/* SHA-256 of any text, in hexadecimal digits. */
void token_hash(const char *text, char hash[TOKEN_HASH_LEN + 1]);

#endif

// SPDX-License-Identifier: BSD-2-Clause
#include "token.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>

_Static_assert(SHA256_DIGEST_LENGTH == TOKEN_BYTES, "a pin is as long as a token");

void token_text(const unsigned char bytes[TOKEN_BYTES], char text[EXCHANGE_TOKEN_LEN + 1])
{
	unsigned char padded[EXCHANGE_TOKEN_LEN + 2];

	EVP_EncodeBlock(padded, bytes, TOKEN_BYTES);
	for (int i = 0; i < EXCHANGE_TOKEN_LEN; i++)
		text[i] = (char)(padded[i] == '+' ? '-' : padded[i] == '/' ? '_' : padded[i]);
	text[EXCHANGE_TOKEN_LEN] = '\0';
}

int token_make(char text[EXCHANGE_TOKEN_LEN + 1])
{
	unsigned char bytes[TOKEN_BYTES];

	if (RAND_bytes(bytes, sizeof(bytes)) != 1)
		return -EIO;
	token_text(bytes, text);
	return 0;
}

void token_hash(const char *text, char hash[TOKEN_HASH_LEN + 1])
{
	unsigned char digest[SHA256_DIGEST_LENGTH];

	SHA256((const unsigned char *)text, strlen(text), digest);
	for (int i = 0; i < SHA256_DIGEST_LENGTH; i++)
		snprintf(hash + 2 * i, 3, "%02x", digest[i]);
}

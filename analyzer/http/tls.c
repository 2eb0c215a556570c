// SPDX-License-Identifier: BSD-2-Clause
#include "tls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "token.h"
#include "userspace/common/safe_open.h"

#define TLS_FILE "service.pem"
/* "No well-defined expiration" (RFC 5280, 4.1.2.5): whoever trusts it does so by its key. */
#define TLS_FOR_EVER "99991231235959Z"

struct tls {
	SSL_CTX *context;
	char pin[EXCHANGE_PIN_LEN + 1];
	char *certificate, *key; /* files of the site's own; NULL: ours */
};

/* What OpenSSL said first, or the system. */
static int tls_fail(char why[WHY_LEN], const char *cannot, const char *path)
{
	unsigned long code = ERR_get_error();
	const char *reason = code ? ERR_reason_error_string(code) : NULL;

	snprintf(why, WHY_LEN, "%s '%.120s': %s", cannot, path, reason ? reason : strerror(errno));
	ERR_clear_error();
	return -EINVAL;
}

/* ---- our own certificate ---- */

/* Signed by its own key; for the name of this host, which only people who look at it read. */
static X509 *certificate_make(EVP_PKEY *key)
{
	X509 *c = X509_new();
	X509_NAME *name = c ? X509_get_subject_name(c) : NULL;
	char host[HOST_NAME_MAX + 1] = "limpet-serve", alt[HOST_NAME_MAX + 8];
	unsigned char serial[16];
	X509_EXTENSION *san;
	BIGNUM *number;
	bool made;

	gethostname(host, sizeof(host) - 1);
	snprintf(alt, sizeof(alt), "DNS:%s", host);
	san = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, alt);
	RAND_bytes(serial, sizeof(serial));
	serial[0] &= 0x7f; /* positive */
	number = BN_bin2bn(serial, sizeof(serial), NULL);
	made = name && number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(c)) &&
	       X509_set_version(c, X509_VERSION_3) &&
	       X509_gmtime_adj(X509_getm_notBefore(c), -86400L) &&
	       ASN1_TIME_set_string_X509(X509_getm_notAfter(c), TLS_FOR_EVER) &&
	       X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
					  (const unsigned char *)"limpet serve", -1, -1, 0) &&
	       X509_set_issuer_name(c, name) && X509_set_pubkey(c, key) &&
	       (!san || X509_add_ext(c, san, -1)) && X509_sign(c, key, EVP_sha256());
	X509_EXTENSION_free(san);
	BN_free(number);
	if (made)
		return c;
	X509_free(c);
	return NULL;
}

/* Key and certificate as text; the caller frees *bio. */
static int service_make(BIO **bio, char why[WHY_LEN])
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *c = key ? certificate_make(key) : NULL;
	bool made;

	*bio = BIO_new(BIO_s_mem());
	made = c && *bio && PEM_write_bio_PrivateKey(*bio, key, NULL, NULL, 0, NULL, NULL) &&
	       PEM_write_bio_X509(*bio, c);
	X509_free(c);
	EVP_PKEY_free(key);
	return made ? 0 : tls_fail(why, "cannot make", TLS_FILE);
}

/* A whole file appears under the name, or none; one that is there stays. */
static int service_write(int folder, BIO *bio, char why[WHY_LEN])
{
	char temp[64];
	const char *text;
	size_t len = (size_t)BIO_get_mem_data(bio, &text);
	int fd, err = 0;

	snprintf(temp, sizeof(temp), ".%s.%d", TLS_FILE, (int)getpid());
	unlinkat(folder, temp, 0);
	fd = openat(folder, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len || fsync(fd) ||
	    (linkat(folder, temp, folder, TLS_FILE, 0) && errno != EEXIST) || fsync(folder))
		err = errno ? -errno : -EIO;
	if (fd >= 0) {
		close(fd);
		unlinkat(folder, temp, 0);
	}
	if (err)
		snprintf(why, WHY_LEN, "cannot write '" TLS_FILE "': %s", strerror(-err));
	return err;
}

/* Nobody but us may read the key. */
static int service_check(int folder, char why[WHY_LEN])
{
	struct stat st;

	if (fstatat(folder, TLS_FILE, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (S_ISREG(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 077))
		return 0;
	snprintf(why, WHY_LEN,
		 "cannot use '" TLS_FILE "': it is not a file of ours with mode 0600");
	return -EPERM;
}

/* Where key and certificate are, made where they are not there yet. */
static int service_path(const char *dir, char path[PATH_MAX], char why[WHY_LEN])
{
	char reason[SAFE_WHY_LEN];
	BIO *bio = NULL;
	int folder, err;

	if (snprintf(path, PATH_MAX, "%s/tls", dir) >= PATH_MAX - (int)sizeof("/" TLS_FILE)) {
		snprintf(why, WHY_LEN, "the name of the folder is too long");
		return -ENAMETOOLONG;
	}
	folder = safe_make_folder(path, false, reason);
	if (folder < 0) {
		snprintf(why, WHY_LEN, "cannot use '%.100s': %.120s", path, reason);
		return folder;
	}
	err = service_check(folder, why);
	if (err == -ENOENT) {
		err = service_make(&bio, why);
		err = err ? err : service_write(folder, bio, why);
		BIO_free(bio);
	} else if (err && err != -EPERM) {
		snprintf(why, WHY_LEN, "cannot use '%.100s/" TLS_FILE "': %.60s", path,
			 strerror(-err));
	}
	close(folder);
	strcat(path, "/" TLS_FILE);
	return err;
}

/* ---- the context ---- */

static int tls_load(SSL_CTX *to, const char *certificate, const char *key, char why[WHY_LEN])
{
	ERR_clear_error();
	if (SSL_CTX_use_certificate_chain_file(to, certificate) != 1)
		return tls_fail(why, "cannot use the certificate", certificate);
	if (SSL_CTX_use_PrivateKey_file(to, key, SSL_FILETYPE_PEM) != 1)
		return tls_fail(why, "cannot use the key", key);
	return 0;
}

static int tls_load_ca(struct tls *t, const char *path, char why[WHY_LEN])
{
	STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(path);

	if (!names || SSL_CTX_load_verify_locations(t->context, path, NULL) != 1) {
		sk_X509_NAME_pop_free(names, X509_NAME_free);
		return tls_fail(why, "cannot use the CA", path);
	}
	SSL_CTX_set_client_CA_list(t->context, names);
	SSL_CTX_set_verify(t->context, SSL_VERIFY_PEER, NULL);
	return 0;
}

static int tls_make_pin(struct tls *t, char why[WHY_LEN])
{
	X509 *c = SSL_CTX_get0_certificate(t->context);
	unsigned char digest[SHA256_DIGEST_LENGTH], *der = NULL;
	int len = c ? i2d_PUBKEY(X509_get0_pubkey(c), &der) : -1;

	if (len <= 0)
		return tls_fail(why, "cannot use", "the certificate");
	SHA256(der, (size_t)len, digest);
	OPENSSL_free(der);
	token_text(digest, t->pin);
	return 0;
}

/* Sessions are resumed by tickets; kept here they would be memory that whoever connects makes grow. */
static SSL_CTX *context_new(void)
{
	SSL_CTX *c = SSL_CTX_new(TLS_server_method());

	if (!c)
		return NULL;
	SSL_CTX_set_min_proto_version(c, TLS1_2_VERSION);
	SSL_CTX_set_options(c, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
	SSL_CTX_set_mode(c, SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_session_id_context(c, (const unsigned char *)"limpet", 6);
	return c;
}

int tls_new(struct tls **out, const char *dir, const struct tls_files *files, char why[WHY_LEN])
{
	const char *certificate = files->certificate, *key = files->key;
	struct tls *t = calloc(1, sizeof(*t));
	char own[PATH_MAX];
	int err = 0;

	*out = NULL;
	if (t)
		t->context = context_new();
	if (!t || !t->context) {
		snprintf(why, WHY_LEN, "out of memory");
		tls_free(t);
		return -ENOMEM;
	}
	if (certificate) {
		t->certificate = strdup(certificate);
		t->key = strdup(key ? key : certificate);
		err = t->certificate && t->key ? 0 : -ENOMEM;
		snprintf(why, WHY_LEN, "out of memory");
	} else {
		err = service_path(dir, own, why);
		certificate = key = own;
	}
	if (!err)
		err = tls_load(t->context, certificate, key ? key : certificate, why);
	if (!err && files->client_ca)
		err = tls_load_ca(t, files->client_ca, why);
	if (!err)
		err = tls_make_pin(t, why);
	if (err) {
		tls_free(t);
		return err;
	}
	*out = t;
	return 0;
}

void tls_free(struct tls *t)
{
	if (!t)
		return;
	SSL_CTX_free(t->context);
	free(t->certificate);
	free(t->key);
	free(t);
}

int tls_reload(struct tls *t, char why[WHY_LEN])
{
	char before[EXCHANGE_PIN_LEN + 1];
	SSL_CTX *tried;
	int err;

	if (!t->certificate)
		return 0;
	tried = context_new();
	err = tried ? tls_load(tried, t->certificate, t->key, why) : -ENOMEM;
	SSL_CTX_free(tried);
	if (!err)
		err = tls_load(t->context, t->certificate, t->key, why);
	if (err)
		return err;
	memcpy(before, t->pin, sizeof(before));
	err = tls_make_pin(t, why);
	if (!err && strcmp(before, t->pin) != 0)
		warn("the certificate has another key: senders that know this service by its pin "
		     "have to be "
		     "enrolled anew");
	return err;
}

SSL_CTX *tls_context(const struct tls *t)
{
	return t->context;
}

const char *tls_pin(const struct tls *t)
{
	return t->pin;
}

/* ---- the other side's certificate ---- */

size_t tls_names(SSL *s, char *names[TLS_NAMES_MAX])
{
	X509 *c = s && SSL_get_verify_result(s) == X509_V_OK ? SSL_get0_peer_certificate(s) : NULL;
	GENERAL_NAMES *all = c ? X509_get_ext_d2i(c, NID_subject_alt_name, NULL, NULL) : NULL;
	size_t n = 0;

	for (int i = 0; i < sk_GENERAL_NAME_num(all) && n < TLS_NAMES_MAX; i++) {
		const GENERAL_NAME *g = sk_GENERAL_NAME_value(all, i);
		const ASN1_STRING *text = g->type == GEN_DNS ? g->d.dNSName : NULL;
		size_t len = text ? (size_t)ASN1_STRING_length(text) : 0;
		const char *name = text ? (const char *)ASN1_STRING_get0_data(text) : NULL;

		/* One with a NUL in it is somebody's trick. */
		if (!len || len > 255 || memchr(name, 0, len))
			continue;
		names[n] = OPENSSL_strndup(name, len);
		n += names[n] != NULL;
	}
	GENERAL_NAMES_free(all);
	return n;
}

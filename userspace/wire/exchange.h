/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What limpet-push and `limpet serve` say to each other: HTTP/1.1 over TLS, POST, from the sender to the receiver and never
 * the other way. The receiver holds every cursor: a sender has no state, asks with an empty body where the receiver is, and
 * asks again after any error. Bodies are frames (wire.h); answers are JSON, at most EXCHANGE_ANSWER_MAX bytes.
 *
 * A sender proves its name with "Authorization: Bearer TOKEN", a token that is bound to one host, or with a client
 * certificate of the site, whose SAN has a dNSName that is the host, or whose first label is. All that it sends must be of that
 * host: a frame of another host is refused, with 403, and nothing of that request is taken.
 *
 *   POST /v1/enroll         Authorization: Bearer ENROLMENT-TOKEN; body: {"host": "oss-3"}
 *                           200 {"token": "…"}: the token of that host. 409: the name is taken; `limpet serve approve oss-3`
 *                           at the receiver lets it be enrolled anew, once.
 *   POST /v1/seconds        body: frames of seconds, in order of time
 *                           200 {"live": NS}: it wants the seconds after that time, which is of the newest that it has, or as far
 *                           back as it judges.
 *   POST /v1/series/FILE?origin=NS
 *                           FILE: the name of the series file, "HOST-YYYYMMDD.limpet". origin: when the file's first run of the
 *                           probe began (started_ns of the first row of `boot`): another file of that name has another origin.
 *                           body: frames of copies (wire.h)
 *                           200 {"kept": ID, "boot": ID, "device": ID, "metric": ID, "stack": ID, "user_stack": ID}: the chunk that
 *                           it wants next, and the highest rows of those tables that it has, 0: none (struct series_cursor)
 *   POST /v1/logs           body: frames of lines of logs, of one log or of many. A frame without bytes asks.
 *                           200 {"logs": [{"path": "…", "identity": "…", "size": BYTES}, …]}: for each frame how much of that log it
 *                           has, in the order of the frames. Bytes are taken at that place only. "error", a sentence, beside it: this
 *                           log is not taken (its path, or the host's share of the disk), and the others are.
 *
 * Each answer may have "wait_ms": the sender sends nothing to this receiver for so long. A receiver that has just begun answers
 * 503 to what it cannot take yet. Errors: 400 what is no frame, or damaged; 401 no token, or an unknown one; 403 of another host;
 * 404 no such path; 409 above; 413 too long; 429 too much, with wait_ms; 503 not now, with wait_ms. Their body is
 * {"error": "a sentence"}.
 */
#ifndef LIMPET_EXCHANGE_H
#define LIMPET_EXCHANGE_H

#define EXCHANGE_ENROLL	 "/v1/enroll"
#define EXCHANGE_SECONDS "/v1/seconds"
#define EXCHANGE_SERIES	 "/v1/series/"
#define EXCHANGE_LOGS	 "/v1/logs"
#define EXCHANGE_PAIR	 "/v1/pair" /* GET, by another receiver: analyzer/serve/pair.h */

/* Of a request: one frame may be longer than what senders put together, and a receiver takes that too. */
#define EXCHANGE_BODY_MAX ((4 << 20) + (1 << 16))
#define EXCHANGE_BODY \
	(256 << 10) /* what senders put together at most, where it is more than one frame */
#define EXCHANGE_ANSWER_MAX  (64 << 10)
#define EXCHANGE_WAIT_MAX_MS 60000
/* Of one request about logs. */
#define EXCHANGE_LOGS_MAX 256
/* So long a sender waits for a whole answer, and a receiver for a whole request. */
#define EXCHANGE_TIMEOUT_S 10

/*
 * The line of enrolment, which `limpet serve` prints and `limpet-push enroll` takes:
 *
 *	https://ADDRESS:PORT#PIN.TOKEN
 *
 * PIN: the SHA-256 of the receiver's public key (DER, SubjectPublicKeyInfo), in base64url without padding, 43 characters: what
 * the sender trusts instead of an authority. TOKEN: base64url, 43 characters. Tokens of hosts look alike.
 */
#define EXCHANGE_PIN_LEN   43
#define EXCHANGE_TOKEN_LEN 43

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The record of one second of one host as a message: a frame. What a series file says of that second, and of the host, for a
 * source that is no file: a pipe, a socket, a queue. Frames follow each other without anything in between, of one host
 * or of many; each is complete by itself, so that a reader may begin with any. The room's one header.
 *
 * A frame is a header and a body. Numbers of the header are little-endian.
 *
 *	at	bytes
 *	0	4	"lmpw"
 *	4	1	version: 1. Another one is refused: what a reader may pass over does not need a new version.
 *	5	1	kind: 1, a second; 2, a copy; 3, lines of a log. A reader passes over frames of a kind that it does
 *			not know.
 *	6	1	h, length of the host's name: 1 to HOST_LEN - 1
 *	7	1	flags: 0. A reader passes over those that it does not know.
 *	8	4	length of the body, at most WIRE_BODY_MAX
 *	12	4	CRC-32 of the body (zlib's crc32())
 *	16	8	the wall-clock second, ns since the epoch, not negative: what a router or a queue orders by; of a copy
 *			and of lines when they were sent
 *	24	h	the host's name (series_check_host())
 *	24 + h	4	CRC-32 of all of the header before it
 *
 * So a body that was damaged costs one second of one host, and whose is known; after a header that was damaged nobody
 * knows where the next frame begins, and the stream ends.
 *
 * The body is fields, to its end: varint number, varint length, bytes (varints as in series.h). A reader passes over fields
 * that it does not know, and over bytes behind those that it knows in DEVICE. A field that a frame does not have says
 * nothing: what was said before holds. Each comes once at most, but for DEVICE.
 *
 *	1 SECOND	the second, as in series.h, "one second by itself". Its wall_ns is that of the header.
 *	2 INTERVAL	varint: ms from one second to the next, 1 to 3600000
 *	3 TOOL		text: what recorded it, "limpet-probe 0.1"
 *	4 DEVICE	what stands behind the name of an instance (struct device_identity): byte, the family; text name,
 *			model, firmware, driver: each varint length and bytes; signed varints rotational,
 *			size_bytes, speed_mbps; text detail, the control group of a process
 *	5 CGROUPS	what the probe was told is the file system's own, as meta of a series file has it, a path a line
 *	6 PIDS		the same: processes
 *	7 MISSING	the same: what the host cannot measure, a sentence a line
 *
 * Of a copy (exchange.h says of which file), and of lines of a log:
 *
 *	8 COPY		a part of a series file, as in series.h, "copying a file"
 *	9 PATH		text: the log's name, folders and all, from where logs are collected: 1 to WIRE_PATH_LEN - 1 bytes, components of
 *			any bytes but NUL, '/' and control characters, none of them "", "." or ".."
 *	10 IDENTITY	text: another log of the same name has another one: 1 to WIRE_IDENTITY_LEN - 1 of A-Z a-z 0-9 . _ -
 *	11 OFFSET	varint: where in the log the bytes stand; they end at 2^63 - 1 at the latest
 *	12 BYTES	the bytes; none: how much of that log is there?
 *
 * SECOND and INTERVAL are in every frame of a second, COPY in each of a copy, PATH and IDENTITY in each of lines, OFFSET where there
 * are BYTES. The encoder says the others in its first frame, once a minute, and when they have changed; of processes with each row.
 *
 * Functions return 0 or a negative errno and leave a sentence for people in series_error().
 */
#ifndef LIMPET_WIRE_H
#define LIMPET_WIRE_H

#include "userspace/series/series.h"

#define WIRE_VERSION  1
#define WIRE_HEAD_MAX (24 + HOST_LEN - 1 + 4)
/* 128 busy disks with 256 remote hosts are 0.4 MB. */
#define WIRE_BODY_MAX (4 << 20)
/* Disks and interfaces that the encoder describes; those that come later it does not. */
#define WIRE_DEVICES_MAX 2048
/* With the NUL. */
#define WIRE_PATH_LEN	  1024
#define WIRE_IDENTITY_LEN 65

enum wire_kind { WIRE_SECOND = 1, WIRE_COPY, WIRE_LINES, WIRE_KINDS };

/* Lines of a log. */
struct wire_lines {
	const char *path, *identity;
	uint64_t offset;
	const void *at; /* len bytes; of a question none */
	size_t len;
};

/* ---- writing ---- */

struct wire_encoder;

struct wire_encoder_opts {
	const char *host; /* series_check_host() */
	const char *tool;
	unsigned int interval_ms;
	int64_t boot_ns; /* when this run of the probe began: series_time.boot */
	int level;	 /* of zlib, 1 to 9; 0: not compressed */
};

/* The strings are copied. */
int wire_encoder_new(struct wire_encoder **e, const struct wire_encoder_opts *o);
void wire_encoder_free(struct wire_encoder *e); /* takes NULL */

/* As series_writer_identity(), of disks and interfaces, and as series_writer_set_cgroups() and _set_pids(). */
int wire_encoder_identity(struct wire_encoder *e, const struct device_identity *id);
int wire_encoder_set_cgroups(struct wire_encoder *e, const char *const *cgroups, size_t n);
int wire_encoder_set_pids(struct wire_encoder *e, const uint32_t *pids, size_t n);

/* Adds a frame to `to`; on an error nothing. -EEXIST: s has an instance twice; -E2BIG: it is larger than a
 * frame may be. `lost` is added to that of s. */
int wire_encode(struct wire_encoder *e, const struct second *s, uint64_t lost, struct text *to);

/* The same of a copy, and of lines; -EINVAL: no such host, path or identity. */
int wire_put_copy(const char *host, int64_t wall_ns, const void *part, size_t len, struct text *to);
int wire_put_lines(const char *host, int64_t wall_ns, const struct wire_lines *lines,
		   struct text *to);

/* ---- reading ---- */

/* Every byte may be hostile. A decoder takes at most WIRE_HEAD_MAX and WIRE_BODY_MAX for the bytes of a frame, and 64 MiB for
 * what they hold. */
struct wire_decoder;

int wire_decoder_new(struct wire_decoder **d);
void wire_decoder_free(struct wire_decoder *d); /* takes NULL */

/*
 * Takes bytes as they come, up to n, until a frame is complete; *taken says how many. 1: a frame is complete, which
 * stands until the next call; 0: all were taken, and it is not. Of a negative errno:
 *   -EILSEQ         the body of a frame is damaged; wire_decoder_host() and _wall_ns() say whose it was. The next
 *                   call goes on behind it.
 *   -EBADMSG        this is no header: no frame, or a damaged one
 *   -EPROTONOSUPPORT  another version
 *   -EMSGSIZE       its body is too long
 * Anything but -EILSEQ ends the stream: it comes again with every call.
 */
int wire_decoder_take(struct wire_decoder *d, const void *at, size_t n, size_t *taken);

/* Which kinds are given, bits of 1 << enum wire_kind; others are passed over. At first seconds alone. */
void wire_decoder_kinds(struct wire_decoder *d, unsigned int kinds);
enum wire_kind wire_decoder_kind(const struct wire_decoder *d);

/* Whether bytes of a frame were taken that is not complete. */
bool wire_decoder_midway(const struct wire_decoder *d);

/* Of the frame that is complete, or that was damaged; nothing is unpacked for that. */
const char *wire_decoder_host(const struct wire_decoder *d);
int64_t wire_decoder_wall_ns(const struct wire_decoder *d);

/* What a frame of a copy says, or one of lines, instead of the functions below; it is the decoder's. -EILSEQ: it cannot be right,
 * though its checksum is. */
int wire_decoder_copy(struct wire_decoder *d, const void **part, size_t *len);
int wire_decoder_lines(struct wire_decoder *d, const struct wire_lines **lines);

/* What the frame of a second says, for the functions below. -EILSEQ: it cannot be right, though its checksum is. */
int wire_decoder_unpack(struct wire_decoder *d);

/* As series_reader_want(), of what is unpacked later. */
void wire_decoder_want(struct wire_decoder *d, const bool *wanted);

unsigned int wire_decoder_interval_ms(const struct wire_decoder *d);
/* "" if the frame does not say it. */
const char *wire_decoder_tool(const struct wire_decoder *d);
const struct series_time *wire_decoder_time(const struct wire_decoder *d);

/* As series_reader_rows() and its like, of the one second; in no order of time but in that of families. */
int wire_decoder_rows(struct wire_decoder *d, unsigned int hists, series_row_fn fn, void *arg);
int wire_decoder_devices(const struct wire_decoder *d,
			 int (*fn)(void *arg, const struct device_identity *id), void *arg);
int wire_decoder_cgroups(const struct wire_decoder *d, int (*fn)(void *arg, const char *path),
			 void *arg);
int wire_decoder_pids(const struct wire_decoder *d, int (*fn)(void *arg, const char *pid),
		      void *arg);
int wire_decoder_missing(const struct wire_decoder *d, int (*fn)(void *arg, const char *text),
			 void *arg);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The style sheet of a report. */
#ifndef LIMPET_REPORT_STYLE_H
#define LIMPET_REPORT_STYLE_H

extern const char report_style[];

#endif

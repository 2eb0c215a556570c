/* SPDX-License-Identifier: BSD-2-Clause */
/* The page around the contents: its style sheet, and what carries that. */
#ifndef LIMPET_REPORT_STYLE_H
#define LIMPET_REPORT_STYLE_H

#include <stdio.h>

/* The page's begin, up to <main>, with its style; and its end. */
void html_head(FILE *to, const char *title);
void html_foot(FILE *to);
/* The style sheet alone, for pages that are served. */
const char *html_style(void);

#endif

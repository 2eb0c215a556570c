/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIMPET_VERSION_H
#define LIMPET_VERSION_H

#define LIMPET_VERSION "0.2"

#endif

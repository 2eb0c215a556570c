#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# evaluate_methods.sh of the sections about robust, which is not trained, and of the curves.
sections='robust curves' of=robust
# shellcheck source=tests/golden/evaluate_methods.sh
. "$(dirname "$0")/evaluate_methods.sh"

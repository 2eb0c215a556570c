#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# long: it belongs to benchmarks, which few people run
# The benchmarks of the analyzer still work: --smoke runs each section of them at its smallest, and a table comes out
# whose cells are numbers. What they measure is nobody's concern here.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/smoke.sh
. "$(dirname "$0")/../smoke.sh"

for program in bench/analyzer bench/states simulate limpet tests/make_series; do
	[ -x "$O/$program" ] || all_skip "'$O/$program' is not built (make all benches)"
done
/usr/bin/python3 -c 'import numpy, scipy, sklearn' 2>/dev/null ||
	all_skip "needs numpy, scipy and scikit-learn (tools/deps bench)"

case_begin "bench-analyzer: every section has its table"
# Of a window four rows; peers, some peers and threads two, three and two; read five; stages two; the whole one; evidence six.
smoke bench-analyzer && rows 4 '^ +10?0 +(5|20)( +[0-9.e-]+){6}$' && rows 2 '^ +10?0 .* x .* x .* x$' &&
	rows 3 '^ +100 +(8|20|62)( +[0-9.]+){7}$' && rows 2 '^ +[12]( +[0-9.]+){5}$' &&
	rows 5 '(cat does|decoded|need|cwnd|ganesha)( +[0-9.,]+){3} +[0-9.]+ s$' &&
	rows 2 '^ *(diagnose|watch, .*) +[0-9,]+ .*( +[0-9]+ %){7}$' && rows 1 '^ +6 +240( +[0-9.]+){6}$' &&
	rows 6 '^ +(5|12|200) +(4|16)( +[0-9.e-]+){3}$' && rows 1 '^ +[0-9.]+ +[0-9.]+ +[0-9.]+ x$' && ok

case_begin "bench-states: methods and parsers"
smoke bench-states && rows 2 '^ +100( +[0-9.]+){3}$' && rows 1 '^ +10 +2000 +20 +s1( +[0-9.]+){2}$' &&
	rows 4 '^(job history|DataNode|  its words|Spark, JSON).*( +[0-9.]+){5} ' && ok

case_begin "series-size: what a second takes, and each further thing"
smoke series-size && rows 1 '^1 busy disk.*( +[0-9.]+){3}$' && rows 3 '^each further .* \+[0-9.]+ +\+[0-9.]+ +[+-][0-9]+$' && ok

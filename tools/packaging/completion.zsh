#compdef limpet limpet-probe limpet-push
# SPDX-License-Identifier: BSD-2-Clause
# Zsh completion of limpet, limpet-probe and limpet-push. It knows no option itself: the program at hand is asked
# (--dump-options, see userspace/common/options.h), and what a value may be follows from its placeholder.

local program=${words[1]/#\~/$HOME} given=${words[2]} before=${words[CURRENT - 1]}
local table command letter name placeholder help value=
local -a commands options

table=$("$program" --dump-options 2>/dev/null) || return 1
# "--option=value" is one word.
if [[ ${words[CURRENT]} == --*=* ]]; then
	before=${words[CURRENT]%%=*}
	compset -P '*='
fi
while read -r command letter name placeholder help; do
	[[ $name != --help ]] || commands+=("$command:$help")
	[[ $command == "$given" ]] || continue
	options+=("$name:$help")
	[[ $letter == - ]] || options+=("$letter:$help")
	[[ $before != "$letter" && $before != "$name" ]] || value=$placeholder
done <<<"$table"

if ((CURRENT == 2)); then
	commands+=("help:the page of a command" "version:the version of the program"
		"--help:the commands" "--version:the version of the program")
	_describe command commands
elif [[ $given == help ]]; then
	((CURRENT > 3)) || _describe command commands
elif [[ -n $value && $value != - ]]; then
	case $value in
	*'|'*) compadd -- ${(s:|:)value} ;;
	DISK) compadd -- /sys/block/*(N:t) ;;
	DEV) compadd -- /sys/class/net/*(N:t) ;;
	NS) compadd -- /run/netns/*(N:t) ;;
	PID) compadd -- /proc/<->(N:t) ;;
	DIR | PATH) _files -/ ;;
	FILE | MODEL | SOURCE | PROGRAM) _files ;;
	esac
elif [[ ${words[CURRENT]} == -* ]]; then
	_describe -o option options
elif [[ ${program:t} == limpet ]] && (($#options)); then
	_files
fi

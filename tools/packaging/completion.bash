# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Bash completion of limpet, limpet-probe and limpet-push. It knows no option itself: the program at hand is asked
# (--dump-options, see userspace/common/options.h), and what a value may be follows from its placeholder.

_limpet() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local program=${COMP_WORDS[0]} given=${COMP_WORDS[1]}
	local table command letter name placeholder
	local commands='' options='' value=''

	COMPREPLY=()
	# "--option=value" comes as three words.
	if [[ $cur == = ]]; then
		cur=''
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	table=$("${program/#\~/$HOME}" --dump-options 2>/dev/null) || return
	while read -r command letter name placeholder _; do
		[[ " $commands" == *" $command "* ]] || commands+="$command "
		[[ $command == "$given" ]] || continue
		options+="$name "
		[[ $letter == - ]] || options+="$letter "
		[[ $prev != "$letter" && $prev != "$name" ]] || value=$placeholder
	done <<<"$table"

	if ((COMP_CWORD == 1)); then
		_limpet_offer -W "$commands help version --help --version" -- "$cur"
	elif [[ $given == help ]]; then
		((COMP_CWORD > 2)) || _limpet_offer -W "$commands" -- "$cur"
	elif [[ $value && $value != - ]]; then
		_limpet_value "$value" "$cur"
	elif [[ $cur == -* ]]; then
		_limpet_offer -W "$options" -- "$cur"
	elif [[ $program != *limpet-probe && $program != *limpet-push && $options ]]; then
		_limpet_value SOURCE "$cur"
	fi
}

# Offers what compgen makes of the same arguments.
_limpet_offer() {
	local found

	found=$(compgen "$@") && mapfile -t COMPREPLY <<<"$found"
}

# What is in a folder; no name that compgen -W would expand, as in "$(reboot)".
_limpet_names() { # FOLDER
	command ls "$1" 2>/dev/null | grep -v '[^[:alnum:]!._:+@-]'
}

# Completes a value by what its placeholder in --help says it is; anything else is typed by hand.
_limpet_value() { # PLACEHOLDER BEGINNING
	case $1 in
	*'|'*) _limpet_offer -W "${1//|/ }" -- "$2" ;;
	DISK) _limpet_offer -W "$(_limpet_names /sys/block)" -- "$2" ;;
	DEV) _limpet_offer -W "$(_limpet_names /sys/class/net)" -- "$2" ;;
	NS) _limpet_offer -W "$(_limpet_names /run/netns)" -- "$2" ;;
	PID) _limpet_offer -W "$(command ps -eo pid=)" -- "$2" ;;
	DIR | PATH)
		compopt -o filenames 2>/dev/null
		_limpet_offer -d -- "$2"
		;;
	FILE | MODEL | SOURCE | PROGRAM)
		compopt -o filenames 2>/dev/null
		_limpet_offer -f -- "$2"
		;;
	esac
}

complete -F _limpet limpet limpet-probe limpet-push

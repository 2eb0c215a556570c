#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What zsh and fish complete, asked of these shells themselves; bash: golden/manual.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

PACKAGING=tools/packaging
PATH=$O:$PATH
mkdir -p "$T/fish" "$T/zsh" "$T/c/folder"
: >"$T/c/file"
printf '#!/bin/sh\necho "go - --how text|json how it is"\necho "go -h --help - goes"\n' >"$T/c/limpet-push"
chmod 755 "$T/c/limpet-push"
for program in limpet limpet-probe limpet-push; do
	cp "$PACKAGING/completion.fish" "$T/fish/$program.fish"
	cp "$PACKAGING/completion.zsh" "$T/zsh/_$program"
done

fish_completes() { # LINE: what is offered for its last word, sorted, in one line
	# shellcheck disable=SC2016 # of fish
	HOME=$T fish --no-config -c 'set -p fish_complete_path $argv[1]; complete -C "$argv[2]"' "$T/fish" "$1" 2>&1 |
		cut -f 1 | sort -u | tr '\n' ' ' | sed 's/ $//'
}

# The words are those that zsh's completion functions add, in a shell with a terminal: <TAB> is pressed behind the line.
cat >"$T/.zshrc" <<'END'
PS1='ready>' fpath=($ZDOTDIR/zsh $fpath)
unsetopt beep
autoload -Uz compinit && compinit -u -D
zstyle ':completion:*' completer _complete
LISTMAX=100000
compadd() {
	local -a hits
	[[ $* == *-[OADE]\ * ]] || { builtin compadd -O hits "$@"; print -rl -- $hits >>$ZDOTDIR/hits; }
	builtin compadd "$@"
}
offered() { zle complete-word; : >$ZDOTDIR/done; zle -I; zle kill-buffer }
zle -N offered
bindkey '^I' offered
END
zsh_completes() { # LINE
	rm -f "$T/hits" "$T/done"
	# shellcheck disable=SC2016
	ZDOTDIR=$T HOME=$T LINES=1000 timeout 60 zsh -f -c 'zmodload zsh/zpty
		zpty it "zsh -i -d"
		zpty -r it line "*ready>" && zpty -n -w it "$1"$'"'\\t'"'
		while [[ ! -e $ZDOTDIR/done ]]; do zpty -r -t it line; sleep 0.05; done
		zpty -d it' zsh "$1" >/dev/null 2>"$T/err"
	cat "$T/err" "$T/hits" 2>/dev/null | sed '/^$/d' | sort -u | tr '\n' ' ' | sed 's/ $//'
}

commands_of() { # PROGRAM
	"$O/$1" --dump-options | cut -d ' ' -f 1 | sort -u
}

# What a shell writes after a folder is its own affair.
slashless() { sed 's|/ | |g;s|/$||'; }

for shell in fish zsh; do
	case_begin "$shell completes a command"
	command -v $shell >/dev/null || { skip "$shell is not installed (tools/deps ci)"; continue; }
	check_eq "$(${shell}_completes 'limpet dia')" diagnose "limpet dia" &&
		check_eq "$(${shell}_completes 'limpet help d')" diagnose "after help" &&
		check_eq "$(${shell}_completes 'limpet-push ')" \
			"$({ commands_of limpet-push; echo help; echo version; [ $shell = fish ] || printf -- '--help\n--version\n'; } |
			sort | tr '\n' ' ' | sed 's/ $//')" "all of limpet-push" && ok

	case_begin "$shell completes every option of every command"
	wrong=
	for program in limpet limpet-probe limpet-push; do
		for command in $(commands_of $program); do
			offered=$(${shell}_completes "$program $command --")
			wanted=$("$O/$program" --dump-options | awk -v c="$command" '$1 == c { print $3 }' | sort | tr '\n' ' ')
			[ "$offered " = "$wanted" ] || wrong="$program $command: '$offered' and not '$wanted'"
		done
	done
	check_eq "$wrong" '' options && ok

	case_begin "$shell completes folders, files and words where they are asked for"
	check_eq "$(${shell}_completes "limpet-probe record -o $T/c/f" | slashless | sed "s|$T/c/||g")" folder "after -o" &&
		check_eq "$(${shell}_completes "limpet-probe record --output=$T/c/f" | slashless | sed "s|--output=||;s|$T/c/||g")" \
			folder "after --output=" &&
		check_eq "$(${shell}_completes "limpet show $T/c/f" | slashless | sed "s|$T/c/||g")" "file folder" "a SOURCE" &&
		check_eq "$(PATH=$T/c:$PATH ${shell}_completes "limpet-push go --how ")" "json text" "words with bars" && ok

	case_begin "$shell is silent where it knows nothing"
	check_eq "$(${shell}_completes "limpet-probe no-such-command -")" '' "of an unknown command" &&
		check_eq "$(${shell}_completes "limpet-probe record $T/c/f")" '' "of an interval" &&
		check_eq "$(${shell}_completes "limpet-probe record --host $T/c/f")" '' "of a name" && ok
done

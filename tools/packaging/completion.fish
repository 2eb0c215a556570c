# SPDX-License-Identifier: BSD-2-Clause
# Fish completion of limpet, limpet-probe and limpet-push, each from a file of its name. It knows no option itself: the
# program is asked (--dump-options, see userspace/common/options.h), and what a value may be follows from its placeholder.

function __limpet_given -d 'Whether this is the command before the cursor'
    set -l words (commandline -opc)
    test "$words[2]" = $argv[1]
end

function __limpet_first -d 'Whether no command stands before the cursor, or nothing but help'
    set -l words (commandline -opc)
    test "$words[2..-1]" = "$argv"
end

function __limpet_names -d 'What is in a folder'
    test -d $argv[1]; and command ls $argv[1]
end

set -l program (status basename | string replace -r '\.fish$' '')

complete -c $program -f
complete -c $program -n __limpet_first -l help -d 'the commands'
complete -c $program -n __limpet_first -l version -d 'the version of the program'
complete -c $program -n __limpet_first -a help -d 'the page of a command'
complete -c $program -n __limpet_first -a version -d 'the version of the program'
command $program --dump-options 2>/dev/null | while read -l -d ' ' command letter name placeholder help
    set -l option -c $program -n "__limpet_given $command" -l (string sub -s 3 -- $name) -d "$help"
    test $letter = -; or set -a option -s (string sub -s 2 -- $letter)
    switch $placeholder
        case -
        case '*|*'
            set -a option -x -a (string replace -a '|' ' ' -- $placeholder)
        case DISK
            set -a option -x -a '(__limpet_names /sys/block)'
        case DEV
            set -a option -x -a '(__limpet_names /sys/class/net)'
        case NS
            set -a option -x -a '(__limpet_names /run/netns)'
        case PID
            set -a option -x -a '(__fish_complete_pids)'
        case DIR PATH
            set -a option -x -a '(__fish_complete_directories (commandline -ct))'
        case FILE MODEL SOURCE PROGRAM
            set -a option -r -F
        case '*'
            set -a option -x
    end
    complete $option
    if test $name = --help
        complete -c $program -n __limpet_first -a $command -d "$help"
        complete -c $program -n '__limpet_first help' -a $command -d "$help"
        test $program != limpet; or complete -c $program -n "__limpet_given $command" -F
    end
end

# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# The file system, or the engine, that a testbed is of: what its file defines, and how it is loaded.
#
# shellcheck disable=SC2034

# testbed.d/NAME.sh sets, if the environment has not, RATE, MEM_MB and PING_S, which 'fs_help' tells
# of, and READ_FILE_MB, the size of a file of which there are READ_FILES at least; and it defines all
# of these. Those that can fail return 1 and say why.
#
#   fs_help                   lines of 'testbed help'
#   fs_needs                  "PROGRAM:PACKAGE ..." that 'up' needs beside its own
#   fs_version                of what is installed
#   fs_check                  looks at what the environment said (check_number)
#   fs_prepare                what comes before all else: folders, settings
#   fs_disk SERVER LOOP       prepares the disk of a server; it is fast then. $STATE/SERVER is there
#   fs_start                  starts the servers, each in its namespace and cgroup (start), and what
#                             else it takes; comes back when clients can come. Says what it did
#   fs_client CLIENT          readies a client; fs_has_client CLIENT: is it still so?
#   fs_where                  where the clients' files are, in words
#   fs_errors                 the errors in the logs
#   fs_lay CLIENT FILE        writes FILE, READ_FILE_MB large, where all clients find it
#   fs_laid FILE              prints how many MB of it there are
#   fs_pass KIND CLIENT STREAM [FILE...]   one round of a load: writes, or reads the files. 1: again
#   fs_hot_on, fs_hot_off SERVER   a part of the file system that lies on this server alone, or no more
#   fs_hot_load MB/s          uses it from namespace h1; does not come back
#   fs_columns                heads of 'testbed status'; fs_cells: a line for each server. 1: something is dead

# An engine's file is testbed.d/engines/NAME.sh. It sources lib/engine.sh there, which has its own faults
# and loads and most of these functions, and says what is left. These have a meaning for engines only,
# and may be defined anew, each with its own part of what 'load', 'fault' and 'collect' do:
#
#   load_streams KIND         sets WRITERS and READERS, the clients that write and read, or STREAMS_OF,
#                             "KIND CLIENT STREAM" for each stream, and prepares what they read
#   more_fault_on, more_fault_off KIND SERVER [ARG], more_fault_arg KIND: a pattern of ARG
#   fs_fetch                  fetches the programs
#   fs_collect DIR            copies the logs
#   fs_renew                  ends the jobs, and leaves of the logs what servers say as they start
#   fs_idle                   nothing is to be stopped when a load ends

declare -r FS_FUNCTIONS='help needs version check prepare disk start client has_client where errors lay laid pass
	hot_on hot_off hot_load columns cells'

more_fault_on() { return 1; }
more_fault_off() { return 1; }
more_fault_arg() { return 1; }
fs_fetch() { :; }
fs_collect() { die "$FS has no jobs, and no logs to collect"; }
fs_renew() { die "$FS cannot be renewed: 'testbed down', and 'up'"; }
fs_idle() { :; }

part_of() { # name: its file
	if [[ " $ENGINES " == *" $1 "* ]]; then echo "$PARTS/engines/$1.sh"; else echo "$PARTS/$1.sh"; fi
}

load_fs() { # name
	local f
	[[ " $FILE_SYSTEMS $ENGINES " == *" $1 "* ]] ||
		misuse "unknown '$1' (file systems: $FILE_SYSTEMS; engines: $ENGINES)"
	FS=$1
	# shellcheck source=/dev/null
	source "$(part_of "$1")"
	for f in $FS_FUNCTIONS; do declare -F "fs_$f" >/dev/null || die "'$PARTS/$1.sh' has no fs_$f"; done
}

# SPDX-License-Identifier: BSD-2-Clause
#
# Replaces the names of threads that have nothing to do with the recorded command by
# "other" in perf script text. Reads the file twice:
#   awk -f unrelated.awk FILE FILE
# Kept: the command and what it forks, perf, kernel threads, the idle threads.
function number(s, key,    n) {
	n = index(s, key)
	return n ? substr(s, n + length(key)) + 0 : -1
}
function kept(pid, comm) {
	return (pid in ours) || comm ~ /^(perf|perf-exec|swapper.*|k.*|rcu_.*|migration.*|kworker.*)$/
}
# Renames every "<prefix>comm=NAME <prefix>pid=N" of s.
function rename(s, prefix,    out, at, rest, name, pid, key) {
	key = prefix "comm="
	at = index(s, " " key)
	if (!at)
		return s
	out = substr(s, 1, at + length(key))
	rest = substr(s, at + length(key) + 1)
	at = index(rest, " " prefix "pid=")
	name = substr(rest, 1, at - 1)
	pid = substr(rest, at + length(prefix) + 5) + 0
	return out (kept(pid, name) ? name : "other") substr(rest, at)
}
NR == FNR {
	if (/comm=perf-exec pid=/)
		ours[number($0, "comm=perf-exec pid=")] = 1
	if (/sched_process_fork:/ && (number($0, " pid=") in ours))
		ours[number($0, "child_pid=")] = 1
	next
}
{
	at = index($0, " [0")
	head = substr($0, 1, at - 1)
	tail = substr($0, at)
	pid = head
	sub(/.* /, "", pid)
	comm = head
	sub(/ +[0-9-]+$/, "", comm)
	gsub(/^ +| +$/, "", comm)
	if (tail ~ /sched_process_exec:/ && !(pid in ours))
		sub(/filename=.* pid=/, "filename=/other pid=", tail)
	tail = rename(rename(rename(rename(tail, ""), "prev_"), "next_"), "child_")
	printf "%16s %5d%s\n", pid < 0 || kept(pid, comm) ? comm : "other", pid, tail
}

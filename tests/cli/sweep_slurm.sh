#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sweep submit --slurm on a real Slurm: controller and two nodes on this machine, started here
# without systemd, with a task that is killed and requeued. Needs root, munged, slurmctld and
# slurmd; it is skipped where one is missing. Where they are, a Slurm that does not start is a
# failure.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"

PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch scontrol squeue; do
	has $program || finish
done
[ "$(id -u)" = 0 ] || {
	leave_out "Slurm's daemons need root"
	finish
}

host=$(hostname -s)
pids=
stop() {
	for pid in $pids; do kill "$pid" 2>/dev/null || :; done
	sleep 1
	for pid in $pids; do kill -9 "$pid" 2>/dev/null || :; done
	rm -rf "$scratch"
}
trap stop EXIT
trap 'exit 1' INT TERM
chmod 755 "$scratch"
mkdir m state spool1 spool2
head -c 1024 /dev/urandom >m/key
chmod 700 m && chmod 600 m/key
munged -F -f -S "$PWD/m/socket" --key-file="$PWD/m/key" --pid-file="$PWD/m/pid" \
	--log-file="$PWD/m/log" --seed-file="$PWD/m/seed" >munged.log 2>&1 &
pids="$pids $!"
port=$((20000 + $$ % 20000))
cat >slurm.conf <<S
ClusterName=schedlab
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$PWD/m/socket
CredType=cred/munge
SlurmUser=root
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool%n
SlurmctldPidFile=$PWD/ctld.pid
SlurmdPidFile=$PWD/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
SchedulerParameters=sched_interval=1
KillWait=2
NodeName=1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1
NodeName=2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1
PartitionName=all Nodes=1,2 Default=YES MaxTime=INFINITE State=UP
S
export SLURM_CONF="$PWD/slurm.conf"
slurmctld -D -i >ctld.log 2>&1 &
pids="$pids $!"
for node in 1 2; do
	slurmd -D -N $node >slurmd.$node.log 2>&1 &
	pids="$pids $!"
done
# A daemon that is gone is not waited for.
alive() {
	for pid in $pids; do kill -0 "$pid" 2>/dev/null || return 1; done
}
last=$(($(date +%s) + 60))
until [ "$(timeout 5 sinfo -h -t idle -o %D 2>/dev/null)" = 2 ]; do
	alive && [ "$(date +%s)" -lt $last ] || {
		for log in munged.log m/log ctld.log slurmd.1.log slurmd.2.log; do
			[ ! -s $log ] || { echo "$log:" && tail -n 12 $log; }
		done >&2
		fail "Slurm is installed and does not start"
		finish
	}
	sleep 0.5
done

cat >s.sweep <<'S'
[sweep]
topologies = 1x2x1
policies = ule; 4bsd
runs = 40
until = 400ms
metrics = switches
[cells hack]
workloads = hackbench
groups = 1,2
S
content() { "$SCHEDLAB" sweep status "$@" 2>/dev/null | sed -n 's/^# content //p'; }
"$SCHEDLAB" sweep submit s.sweep --slurm --tasks 4 --program "$SCHEDLAB" >out 2>err &
job=$!
# The first task that has begun to write is put back into the queue: it is killed and comes again.
tries=0 requeued=
while [ -z "$requeued" ] && [ $tries -lt 100 ]; do
	tries=$((tries + 1))
	for part in 1 2; do
		[ -s s.$part-of-4.sqlite ] || continue
		id=$(squeue -h -t R -r -o '%i %K' 2>/dev/null | awk -v p=$part '$2 == p { print $1 }')
		if [ -n "$id" ] && scontrol requeue "$id" 2>/dev/null; then
			requeued=$id
			# A requeued task waits for two minutes, unless it is told not to.
			(sleep 3 && scontrol update jobid="$id" starttime=now) >/dev/null 2>&1 || :
			break
		fi
	done
	sleep 0.1
done
got=0
wait $job || got=$?
[ $got = 0 ] && pass || fail "submit --slurm: exit code $got: $(cat out err)"
[ -n "$requeued" ] && pass || fail "no task was requeued"
[ "$(grep -l . s.[1-4].log | wc -l)" = 4 ] && pass || fail "logs of tasks: $(ls)"
expect 0 '' "$SCHEDLAB" sweep run s.sweep -j1 -o one.sqlite
[ -n "$(content one.sqlite)" ] && [ "$(content s.sqlite)" = "$(content one.sqlite)" ] && pass ||
	fail "Slurm's content differs from that of one process"
finish

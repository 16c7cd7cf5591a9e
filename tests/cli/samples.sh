# SPDX-License-Identifier: BSD-2-Clause
# Other people's recordings, where there are some: SL_SAMPLES names a folder whose
# MANIFEST.tsv has a file's name in its first column and the number of its scheduler events
# in its eighth. Every file is imported or refused with the right reason, the counts agree,
# and what is kept of perf text has at most a twentieth of its size.
. "$SL_SOURCE_DIR/tests/cli/common.inc"
if [ -z "${SL_SAMPLES:-}" ]; then
	leave_out "SL_SAMPLES is not set"
	finish
fi

# What is no trace, and what its refusal says. The manifest counts lines that name an
# event, so what it counts beside events is taken off here: heads of files, and one line
# that ends in the middle.
cat >known <<'KNOWN'
catapult_chromeos_system_trace.json	0	spans of work but no scheduling
catapult_nanoseconds.json	0	spans of work but no scheduling
catapult_simple_trace.json	0	spans of work but no scheduling
trappy_trace_equals.txt	0	no scheduler events in 7 lines of ftrace text
trappy_trace_failed_to_parse.txt	0	no scheduler events in 11 lines of ftrace text
msperf_perf.data.txt	0	no scheduler events in 742 lines of perf text
catapult_compressed_atrace_data.txt	0	no scheduler events in 1054 lines of ftrace text
catapult_trivial_systrace.html	0	no scheduler events in 37 lines of systrace-html text
perfetto_unknown_thread_name.systrace	1	no thread is left to replay
trappy_trace_no_trailing_line.txt	0	no thread is left to replay
excerpt_yocto_3.4_no_subsystem.txt	0	no thread is left to replay
trappy_trace_idle_unsorted.txt	1	
trappy_trace_systrace.html	1	
perf_script_default_header.txt.gz	10	
KNOWN
tab=$(printf '\t')
tail -n +2 "$SL_SAMPLES/MANIFEST.tsv" | cut -f 1,8 >files
imported=0 refused=0 text=0 kept=0
while IFS="$tab" read -r file count; do
	base=${file##*/} beside=0 reason=
	case $file in
	*/time/* | *.time.txt | *.tsv | *time-formats/* | *perf-record.txt) continue ;;
	*.md | *.py | *.out | *build.ninja | *stderr.txt | *perf_sched_*) reason='not a trace that is known here' ;;
	esac
	if known=$(grep "^$base$tab" known); then
		beside=$(echo "$known" | cut -f 2)
		reason=$(echo "$known" | cut -f 3)
	fi
	if [ -n "$reason" ]; then
		expect 2 "$reason" "$SCHEDLAB" import --all "$SL_SAMPLES/$file"
		refused=$((refused + 1))
		continue
	fi
	got=0
	case $file in
	*ninja_log) "$SCHEDLAB" import "$SL_SAMPLES/$file" >stdout 2>stderr || got=$? ;;
	*) "$SCHEDLAB" import --all --report -o kept.slr "$SL_SAMPLES/$file" >stdout 2>stderr || got=$? ;;
	esac
	events=$(sed -n 's/^lines.*scheduler events: //p' stdout)
	case $file in
	*ktr-derived* | *ninja*) events=$count ;;
	esac
	if [ "$got" = 0 ] && [ "$((events + beside))" = "${count:-0}" ]; then
		pass
		imported=$((imported + 1))
	else
		fail "$file: exit code $got, ${events:-no} events, expected $count - $beside"
	fi
	case $file in
	*.script.gz)
		size=$(gzip -dc "$SL_SAMPLES/$file" | wc -c) small=$(wc -c <kept.slr)
		text=$((text + size)) kept=$((kept + small))
		if [ $((small * 20)) -le "$size" ]; then pass; else fail "$file: $small bytes of $size"; fi
		;;
	esac
done <files
echo "$imported imported, $refused refused; $text bytes of perf text kept in $kept"
if [ "$imported" -gt 0 ]; then pass; else fail "nothing was imported"; fi
finish

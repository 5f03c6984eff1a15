#!/bin/sh
# Runs a program of this folder on an unmodified Flink, case by case.
#
#   run.sh PROGRAM FOLDER [TIMES]
#
# PROGRAM is the name of a .java file beside this script; PROGRAM.cases has the arguments of one case
# in each line. The program exits with 0 if all is well and with 10 if the defect shows. FOLDER has the
# jars of a Flink release, in FOLDER or in FOLDER/lib. The script needs a JDK, 11 or 17 (JAVA_HOME, else
# PATH). Each case runs TIMES times (default: 1). The script prints one line for each case, and what
# happened if there is one run. Exit code: 0 if no run shows the defect, 1 if a run shows it, 2 if a run
# did not come to its end.
set -u
usage() { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
case $# in 2 | 3) ;; *) usage ;; esac
here=$(cd "$(dirname "$0")" && pwd) || exit 2
program=$1 flink=$2 times=${3:-1} bin=${JAVA_HOME:+$JAVA_HOME/bin/}
[ -f "$here/$program.cases" ] || { echo "no $program.cases is in $here" >&2; exit 2; }
ls "$flink"/flink-dist*.jar >/dev/null 2>&1 || flink=$flink/lib
dist=$(ls "$flink"/flink-dist*.jar 2>/dev/null | head -n 1)
[ -n "$dist" ] || { echo "no flink-dist-*.jar is in $2, nor in $2/lib" >&2; exit 2; }

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
"${bin}javac" -nowarn -proc:none -cp "$flink/*" -d "$work/classes" "$here/$program.java" || exit 2
echo 'rootLogger.level = OFF' >"$work/log4j2.properties"
opens= worst=0
for package in lang util time nio; do
    opens="$opens --add-opens=java.base/java.$package=ALL-UNNAMED"
done
echo "${dist##*/}"
while read -r arguments; do
    run=0 shown=0
    while [ "$run" -lt "$times" ]; do
        run=$((run + 1))
        # shellcheck disable=SC2086
        "${bin}java" -Xmx700m $opens -Djava.io.tmpdir="$work" \
            -Dlog4j2.configurationFile="$work/log4j2.properties" \
            -cp "$work/classes:$flink/*" "$program" $arguments >"$work/out" 2>&1 </dev/null
        code=$?
        [ "$times" -eq 1 ] && sed 's/^/    /' "$work/out"
        case $code in
        0) ;;
        10) shown=$((shown + 1)) worst=1 ;;
        *) sed 's/^/    /' "$work/out" >&2; echo "a run of $arguments failed" >&2; exit 2 ;;
        esac
    done
    echo "$arguments: the defect shows in $shown of $times"
done <"$here/$program.cases"
exit "$worst"

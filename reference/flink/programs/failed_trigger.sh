#!/bin/sh
# Runs FailedTrigger.java on an unmodified Flink, with and without the trigger that fails.
#
#   failed_trigger.sh FOLDER [TIMES]
#
# FOLDER has the jars of a Flink release, 1.15 or later, in FOLDER or in FOLDER/lib. The script needs
# a JDK, 11 or later (JAVA_HOME, else PATH). Each case runs TIMES times (default: 1), ten seconds each.
# The script prints one line for each case, and what happened if there is one run. Exit code: 0 if
# no run shows the defect, 1 if a run shows it, 2 if a run did not come to its end.
set -u
usage() { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
case $# in 1 | 2) ;; *) usage ;; esac
here=$(cd "$(dirname "$0")" && pwd) || exit 2
flink=$1 times=${2:-1} bin=${JAVA_HOME:+$JAVA_HOME/bin/}
ls "$flink"/flink-dist*.jar >/dev/null 2>&1 || flink=$flink/lib
dist=$(ls "$flink"/flink-dist*.jar 2>/dev/null | head -n 1)
[ -n "$dist" ] || { echo "no flink-dist-*.jar is in $1, nor in $1/lib" >&2; exit 2; }

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
"${bin}javac" -nowarn -proc:none -cp "$flink/*" -d "$work/classes" "$here/FailedTrigger.java" || exit 2
echo 'rootLogger.level = OFF' >"$work/log4j2.properties"
opens= worst=0
for package in lang util time nio; do
    opens="$opens --add-opens=java.base/java.$package=ALL-UNNAMED"
done
echo "${dist##*/}"
for pending in savepoint checkpoint; do
    for case in failing control; do
        run=0 twice=0
        while [ "$run" -lt "$times" ]; do
            run=$((run + 1))
            # shellcheck disable=SC2086
            "${bin}java" -Xmx700m $opens -Djava.io.tmpdir="$work" \
                -Dlog4j2.configurationFile="$work/log4j2.properties" \
                -cp "$work/classes:$flink/*" FailedTrigger "$pending" "$case" >"$work/out" 2>&1
            code=$?
            [ "$times" -eq 1 ] && sed 's/^/    /' "$work/out"
            case $code in
            0) ;;
            1) twice=$((twice + 1)) worst=1 ;;
            *) sed 's/^/    /' "$work/out" >&2; echo "a run of $pending, $case failed" >&2; exit 2 ;;
            esac
        done
        echo "pending $pending, $case: the operator has the event twice in $twice of $times"
    done
done
exit "$worst"

#!/usr/bin/env bash
# Runs `finale check` as action.yml asks: the inputs are in the environment, and a list has one
# entry a line. So no input is ever read as a command.
set -euo pipefail

words=()
while IFS= read -r line; do
    [[ -z $line ]] || words+=("$line")
done <<<"${INPUT_SPECS}
${INPUT_ARGUMENTS}"
[[ -z ${INPUT_PROTOCOLS} ]] || words+=(--protocols "$INPUT_PROTOCOLS")
[[ ${INPUT_STRICT} != true ]] || words+=(--strict)
[[ -z ${INPUT_JUNIT} ]] || words+=(--junit "$INPUT_JUNIT")
[[ -z ${INPUT_SARIF} ]] || words+=(--sarif "$INPUT_SARIF")

code=0
finale check "${words[@]}" || code=$?
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
if [[ $code == 3 && ${INPUT_UNDECIDED} == warn ]]; then
    echo "::warning title=Finale::A limit was reached before every verdict was known."
    exit 0
fi
exit "$code"

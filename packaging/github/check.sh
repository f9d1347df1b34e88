#!/bin/sh
# The step of action.yml: runs `tierscope check`, shows the answer in the log, the summary and the outputs.
# Ends with the status of the command; with 0 if the answer is not known and NOT_KNOWN=pass.
set -u

case $NOT_KNOWN in
  pass | fail) ;;
  *)
    echo "::error::not-known: $NOT_KNOWN is neither pass nor fail"
    exit 2
    ;;
esac
case ${OUT-} in
  *"
"*)
    echo "::error::out: a path of one line is needed"
    exit 2
    ;;
esac
program=${PROGRAM:-$GITHUB_ACTION_PATH/../../tierscope}
run=${OUT:-$(mktemp -d "${RUNNER_TEMP:-/tmp}/tierscope.XXXXXX")}
set -- check "$FILE" --out "$run"
[ -z "$JUNIT" ] || set -- "$@" --junit "$JUNIT"
answer=$("$program" "$@")
status=$?

case $status in
  0) verdict=passed level=notice ;;
  1) verdict=failed level=error ;;
  4) verdict="not known" level=warning ;;
  *) verdict=error level=error ;;
esac
[ -n "$answer" ] || answer="check: error: status $status, see the log of this step"
printf '%s\n' "$answer"
printf '::%s title=Tierscope::%s\n' "$level" "$(printf '%s\n' "$answer" | head -n 1 | sed 's/%/%25/g')"
printf '%s\n' "verdict=$verdict" "run=$run" >>"$GITHUB_OUTPUT"
printf '### Memory: %s\n\n```text\n%s\n```\n' "$verdict" "$answer" >>"$GITHUB_STEP_SUMMARY"

[ "$status" -ne 4 ] || [ "$NOT_KNOWN" = fail ] || exit 0
exit "$status"

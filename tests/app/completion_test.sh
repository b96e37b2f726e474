#!/bin/bash
# Bash completion offers the commands, tables, columns and options that the program has.
set -u
PATH=$LANESCOPE_BIN:$PATH
source "$LANESCOPE_ROOT/app/completion/lanescope.bash"
compopt() { :; }  # bash defines it only during a completion

passed=0
failed=0
expect() { # EXPECTED WORD...: completing the last word must offer exactly EXPECTED
    local expected=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _lanescope
    if [ "${COMPREPLY[*]}" = "$expected" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: '${*}' offers '${COMPREPLY[*]}' instead of '$expected'"
    fi
}

expect 'screenshot' lanescope scr
expect 'lanes' lanescope table lan
expect 'busy_ns' lanescope table lanes x.json --sort bus
expect 'text csv json md' lanescope info --format ''
expect 'text csv json md torch' lanescope table operators x.json --format ''
expect 'text csv json md' lanescope table kernels x.json --format ''
expect 'shape stack step' lanescope table operators x.json --by s
expect '' lanescope table lanes x.json --by ''
expect 'summary' lanescope summ
expect '' lanescope table summ
expect 'folded speedscope json svg' lanescope flame x.json --format ''
expect 'gpu' lanescope flame x.json --of g
expect 'light' lanescope screenshot --theme l
expect '--reverse' lanescope table lanes --rev
expect 'columns' lanescope columns colu
expect 'info' lanescope columns inf
expect 'kernels' lanescope columns kern  # without its groupings

for command in summary info histogram flame 'table lanes' 'table operators' columns screenshot doctor; do
    # shellcheck disable=SC2086  # two words
    help=$(lanescope $command --help)
    COMP_WORDS=(lanescope $command --)
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _lanescope
    for option in "${COMPREPLY[@]}"; do
        if [[ $help == *"$option"* ]]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED: $command has no option $option"
        fi
    done
done

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]

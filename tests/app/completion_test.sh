#!/bin/bash
# Completion offers the commands, tables, columns and options that the program has, in bash, zsh and fish.
set -u
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
cd "$empty" || exit 1  # no file is offered by chance
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
expect 'text csv json md arrow' lanescope info --format ''
expect 'text csv json md arrow torch' lanescope table operators x.json --format ''
expect 'text csv json md arrow' lanescope table kernels x.json --format ''
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

expect '--specs' lanescope table models x.json --spe
expect 'what-if' lanescope help what
expect 'lanes' lanescope help table lan
expect 'help' lanescope hel
expect '--force' lanescope convert --forc
expect 'kineto perfetto' lanescope convert x.json --format ''
expect '--scrub' lanescope cut --scr
expect '' lanescope comple
expect '--reuse' lanescope --reu

for command in summary compare info histogram flame sql 'table lanes' 'table operators' columns formats screenshot doctor; do
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

same() { # SHELL EXPECTED FOUND
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1 offers '$3' instead of '$2'"
    fi
}

in_zsh() { # WORD...: what zsh offers for the last word; the functions are those of a completion
    zsh -fc 'compadd() { shift; print -rl -- "$@" }; _files() { print files }
        words=("$@"); CURRENT=$#; autoload +X -Uz _lanescope; _lanescope' zsh "$@" | paste -sd' '
}
skipped=0
if command -v zsh >/dev/null; then
    export FPATH=$LANESCOPE_ROOT/app/completion:${FPATH-}
    same zsh screenshot "$(in_zsh lanescope scr | cut -d' ' -f1)"
    same zsh busy_ns "$(in_zsh lanescope table lanes x.json --sort bus)"
    same zsh 'text csv json md arrow torch' "$(in_zsh lanescope table operators x.json --format '')"
    same zsh files "$(in_zsh lanescope info x)"
else
    echo 'SKIPPED: zsh is not installed'
    skipped=$((skipped + 1))
fi

in_fish() {
    HOME=$empty fish -c "source $LANESCOPE_ROOT/app/completion/lanescope.fish; complete -C '$*'" | paste -sd' '
}
if command -v fish >/dev/null; then
    touch x.json
    same fish screenshot "$(in_fish lanescope scr)"
    same fish busy_ns "$(in_fish lanescope table lanes x.json --sort bus)"
    same fish 'arrow csv json md text torch' "$(in_fish 'lanescope table operators x.json --format ')"
    same fish x.json "$(in_fish lanescope info x)"
else
    echo 'SKIPPED: fish is not installed'
    skipped=$((skipped + 1))
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]

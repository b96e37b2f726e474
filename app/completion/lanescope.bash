# Bash completion for lanescope. The words come from the program itself, so they are always its own.

_lanescope() {
    local current word files=
    current=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    while IFS= read -r word; do
        if [[ $word == :files ]]; then files=yes; else COMPREPLY+=("$word"); fi
    done < <(lanescope complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *: ]]; then compopt -o nospace; fi
    if [[ -n $files ]]; then
        compopt -o filenames
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current")
    fi
}

complete -F _lanescope lanescope

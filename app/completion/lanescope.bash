# Bash completion for lanescope. Tables and columns come from the program itself, so they are always its own.

_lanescope_registry() { # FIELD [TABLE]: names from the column registry
    lanescope columns ${2:+"$2"} --format csv 2>/dev/null | tail -n +2 | cut -d, -f"$1" |
        sed 's/ --by .*//' | sort -u
}

_lanescope_forms() { # TABLE: what --by takes for it
    lanescope columns "$1" --format csv 2>/dev/null | cut -d, -f1 | sed -n 's/.* --by //p' | sort -u
}

_lanescope() {
    local current previous command table
    current=${COMP_WORDS[COMP_CWORD]}
    previous=${COMP_WORDS[COMP_CWORD - 1]}
    command=${COMP_WORDS[1]-}
    table=${COMP_WORDS[2]-}

    case $previous in
        --format)
            local formats='text csv json md'
            [[ $command == table && $table == operators ]] && formats+=' torch'
            [[ $command == flame ]] && formats='folded speedscope json svg'
            mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$current")
            return
            ;;
        --of) mapfile -t COMPREPLY < <(compgen -W 'calls python samples modules gpu' -- "$current"); return ;;
        --weight) mapfile -t COMPREPLY < <(compgen -W 'time samples' -- "$current"); return ;;
        --by) mapfile -t COMPREPLY < <(compgen -W "$(_lanescope_forms "$table")" -- "$current"); return ;;
        --theme) mapfile -t COMPREPLY < <(compgen -W 'dark light' -- "$current"); return ;;
        --align) mapfile -t COMPREPLY < <(compgen -W 'start clock step: event:' -- "$current"); return ;;
        --sort | --group-by) mapfile -t COMPREPLY < <(compgen -W "$(_lanescope_registry 2 "$table")" -- "$current"); return ;;
        --range | --kernel | --operator | --focus | --faster | --top | --duration | --ring | --iterations | --warm-up | --wait | --dynolog-port | --size | --select | --scale) return ;;
    esac

    local options='--help' words='' files=yes
    case $command in
        info) options+=' --format --output' ;;
        histogram) options+=' --kernel --operator --range --format --output' ;;
        flame) options+=' --of --range --lanes --focus --inverted --weight --format --theme --output' ;;
        what-if) options+=' --kernel --operator --faster --range --top --format --output --full-names' ;;
        summary) options+=' --range --format --output' ;;
        find) options+=' --range --top --format --output --full-names' ;;
        notes) options+=' --format --output' ;;
        attach)
            options+=' --list --duration --iterations --warm-up --shapes --stack --memory --flops --modules --wait --open'
            options+=' --socket-dir --dynolog-port --format --output'
            words=$(ps -u "$(id -u)" -o pid= --no-headers 2>/dev/null) files=
            ;;
        record) options+=' --output --duration --ring --sample --no-cuda --open' ;;
        convert) options+=' --output' ;;
        doctor) options+=' --socket-dir --dynolog-port --format --output' files= ;;
        columns) options+=' --format --output'; words=$(_lanescope_registry 1) files= ;;
        screenshot) options+=' --output --range --size --theme --lanes --select --panel --scale --align --color --specs --flows --critical-path' ;;
        table)
            options+=' --range --group-by --sort --reverse --top --format --output --full-names'
            [[ -n $(_lanescope_forms "$table") ]] && options+=' --by'
            ((COMP_CWORD == 2)) && words=$(_lanescope_registry 1 | grep -vx -e columns -e info -e histogram -e summary -e what-if) files=
            ;;
        *) options+=' --version --align --specs --follow' ;;
    esac
    ((COMP_CWORD == 1)) && words='summary info table histogram flame what-if find notes columns screenshot record convert attach doctor'

    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        if [[ -n $files ]]; then
            compopt -o filenames
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current")
        fi
    fi
}

complete -F _lanescope lanescope

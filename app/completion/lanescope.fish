# Fish completion for lanescope. The words come from the program itself, so they are always its own.

function __lanescope_words
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    for word in (lanescope complete -- $before[2..] "$current" 2>/dev/null)
        if test "$word" = ":files"
            __fish_complete_path "$current"
        else
            echo $word
        end
    end
end

complete -c lanescope -f -a '(__lanescope_words)'

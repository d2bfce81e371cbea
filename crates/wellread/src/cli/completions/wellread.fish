# Completions of wellread for fish: wellread completions fish | source
function __wellread_complete
    set -l before (commandline -opc)
    set -l typed (commandline -ct)
    set -l plain (string unescape -- "$typed" 2>/dev/null; or string trim --left --chars "'\"" -- "$typed")
    set -l found ($before[1] complete -- (count $before) $before "$plain" 2>/dev/null)
    if string match -q ':files*' -- $found
        __fish_complete_path "$typed"
        return
    end
    printf '%s\n' $found
end
complete -c wellread -f -a '(__wellread_complete)'

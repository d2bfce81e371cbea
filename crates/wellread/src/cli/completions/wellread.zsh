#compdef wellread
# Completions of wellread for zsh, behind compinit: eval "$(wellread completions zsh)"
_wellread() {
    local line value
    local -a values shown
    while IFS= read -r line; do
        value=${line%%$'\t'*}
        if [[ $value == :files ]]; then
            _files
            return
        fi
        values+=("$value")
        if [[ -n ${line#*$'\t'} ]]; then
            shown+=("$value -- ${line#*$'\t'}")
        else
            shown+=("$value")
        fi
    done < <("${words[1]}" complete -- $((CURRENT - 1)) "${(@Q)words}" 2>/dev/null)
    compadd -l -d shown -a values
}
compdef _wellread wellread

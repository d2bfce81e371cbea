# Completions of wellread for bash: eval "$(wellread completions bash)"
_wellread() {
    local value about
    COMPREPLY=()
    while IFS=$'\t' read -r value about; do
        if [[ $value == :files ]]; then
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
            return
        fi
        # The shell quotes a name with blanks as it quotes the name of a file.
        [[ $value == *[[:space:]]* ]] && compopt -o filenames
        COMPREPLY+=("$value")
    done < <("${COMP_WORDS[0]}" complete --shell bash -- "$COMP_CWORD" "${COMP_WORDS[@]}" 2>/dev/null)
}
complete -F _wellread wellread

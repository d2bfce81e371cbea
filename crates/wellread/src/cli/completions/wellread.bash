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
        # Quoted here, as the word was begun: readline leaves some of what the shell would run.
        case ${COMP_WORDS[COMP_CWORD]} in
            \'*) value=${value//\'/\'\\\'\'} ;;
            \"*) value=$(printf '%s' "$value" | sed -e 's/[\\"$`]/\\&/g' -e "s/!/\"'!'\"/g") ;;
            *) printf -v value %q "$value" ;;
        esac
        COMPREPLY+=("$value")
    done < <("${COMP_WORDS[0]}" complete --shell bash -- "$COMP_CWORD" "${COMP_WORDS[@]}" 2>/dev/null)
}
complete -F _wellread wellread

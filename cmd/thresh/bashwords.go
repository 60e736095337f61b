package main

// bashWords begins the script for bash. What follows needs a function of the package bash-completion,
// which many servers do not have; this one is enough. Bash cuts --flag=value and FILE:MEMBER into words,
// which are put together again.
const bashWords = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
_get_comp_words_by_ref() {
    local i join=
    words=() cword=0
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        case ${COMP_WORDS[i]} in
        [=:]*) ((${#words[@]})) && join=1 ;;
        esac
        if [[ $join ]]; then
            words[${#words[@]}-1]+=${COMP_WORDS[i]}
        else
            words+=("${COMP_WORDS[i]}")
        fi
        join=
        [[ ${COMP_WORDS[i]} == [=:] ]] && join=1
        ((i == COMP_CWORD)) && cword=$((${#words[@]} - 1))
    done
    cur=${words[cword]} prev=
    ((cword > 0)) && prev=${words[cword - 1]}
    return 0
}
fi
`

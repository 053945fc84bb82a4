# vitrine, for fish: vitrine completion fish >~/.config/fish/completions/vitrine.fish
function __vitrine_offers
    set -l typed (commandline -ct)
    set -l words (commandline -opc) $typed
    # A word that is not begun yet is none for fish.
    test -z "$typed"; and set words (commandline -opc) ''
    set -l offers (vitrine completion candidates -- $words[2..] 2>/dev/null)
    switch "$offers[1]"
        case ':directory*' ':file*'
            set -l behind (string replace -r '^:\w+ ?' '' -- $offers[1])
            set -l path (string sub -s (math (string length -- "$behind") + 1) -- $typed)
            set -l found (__fish_complete_path "$path")
            string match -q ':directory*' -- $offers[1]; and set found (__fish_complete_directories "$path" '')
            for one in $found
                echo -- "$behind$one"
            end
        case ':command*'
            set -l first (math (string replace ':command ' '' -- $offers[1]) + 2)
            set -l line
            # A slice that ends before it begins is turned round.
            test $first -lt (count $words); and set line (string escape -- $words[$first..-2])
            complete -C (string join ' ' -- $line "$typed")
        case '*'
            string join \n -- $offers
    end
end
complete -c vitrine -f -a '(__vitrine_offers)'

/**
 * What a file operation runs: /bin/sh with the tools that every POSIX system and every container has. They start in a few
 * milliseconds, where Node takes forty and is in no container, and the operating system judges each call of theirs by the mode, so
 * that what a command cannot change no file operation can.
 */

/** The most bytes of a file that is read as text, or edited. */
export const mostBytes = 32 * 1024 * 1024

/** What the scripts say with their exit codes. */
export const exits = { unanswered: 3, changed: 4, cut: 5, directory: 21, special: 22, pattern: 24 } as const

/** PATH can lead into a project; messages are those of strerror(3). A name may begin with a dash. */
const start = `set -f; LC_ALL=C PATH=/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin; export LC_ALL PATH
p=$1; case $p in /*) ;; *) p=./$p ;; esac
`
const regular = `[ ! -d "$p" ] || exit ${exits.directory}
[ ! -e "$p" ] || [ -f "$p" ] || exit ${exits.special}
`
/** A shell of its own has fewer words for what keeps it from opening a file than cat has. */
const size = `size=$(wc -c <"$p") || { cat "$p"; exit 1; }
echo $((size))
`
const listable = `ls -d "$p/" >/dev/null || exit 1
`

/** PATH MOST: the size, then the bytes. */
const read = `${start}${regular}${size}[ "$size" -gt "$2" ] || exec cat "$p"`

/**
 * PATH edit|write MOST NAME: says the size of the file and whether it is new, then its bytes. Reads "go LENGTH" and the new bytes, or
 * nothing: the file stays as it is. A link stays, and where it leads is replaced: by a copy with the same mode, owner and access list,
 * whose bytes are new. A file is written in place where no copy can be like it or stand beside it, and where it has further names:
 * what it lacks of room is taken first, so that on a full disk it stays whole, and none of its bytes goes before another stands there.
 * A file that is not there is made empty first, so that it is refused by its own name and gets the mode that any new file gets.
 */
const replace = `${start}what=$2 most=$3 own=$4 made= tmp= t=$p
clean() { [ -z "$tmp" ] || rm -f "$tmp"; [ -z "$made" ] || [ -s "$t" ] || rm -f "$t"; }
like() { set -- $(ls -ldn "$1"); echo "$1 $2 $3 $4"; }
cut() { dd if=/dev/null of="$t" bs=1 seek="$1" 2>/dev/null; }
inplace() {
  was=$(($(wc -c <"$t"))); tail -c "+$((was + 1))" "$tmp" >>"$t" || { cut "$was"; return 1; }
  dd if="$tmp" of="$t" bs=65536 conv=notrunc 2>/dev/null && cut "$length"
}
trap clean EXIT; trap 'exit 1' HUP INT TERM
${regular}if [ -e "$p" ] || [ -L "$p" ]; then t=$(readlink -f "$p" && echo .) && t=\${t%??} || t=$p; fi
if [ -e "$t" ]; then true >>"$t" || exit 1
elif [ "$what" = edit ]; then cat "$t"; exit 1
else case $t in */) exit ${exits.directory} ;; esac; d=\${t%/*}/; [ -d "$d" ] || mkdir -p "$d" || exit 1; made=1; set -C; true >"$t" || { made=; exit 1; }; set +C; fi
near=1 tmp=\${t%/*}/.vitrine-$own
cp -p "$t" "$tmp" 2>/dev/null || { rm -f "$tmp"; near= tmp=\${TMPDIR:-/tmp}/vitrine-$own; (umask 077; cat "$t" >"$tmp") || exit 1; }
echo $(($(wc -c <"$tmp"))) \${made:-0}; head -c "$most" "$tmp"
read -r go length && [ "$go" = go ] || exit ${exits.unanswered}
old=$(cksum <"$tmp") || exit 1; cat >"$tmp" || exit 1
[ $(($(wc -c <"$tmp"))) = "$length" ] || exit ${exits.cut}
[ "$what" = write ] || [ "$(cksum <"$t")" = "$old" ] || exit ${exits.changed}
if [ -n "$near" ] && [ "$(like "$t")" = "$(like "$tmp")" ]; then mv -f "$tmp" "$t" && tmp=; else inplace; fi || exit 1
made=`

/** PATH DEPTH MOST: each entry behind a letter for its type. */
const list = `${start}${listable}find "$p/" -mindepth 1 -maxdepth "$2" -type d -exec printf 'd%s\\000' {} + \\
-o -type f -exec printf 'f%s\\000' {} + -o -type l -exec printf 'l%s\\000' {} + -o -exec printf 'o%s\\000' {} + | head -c "$3"`

/**
 * PATH MOST: the files beneath, those that git ignores left out unless they are asked for by PATH. An empty name: it is a file itself.
 * A repository cannot name a program that this starts.
 */
const files = `${start}[ ! -f "$p" ] || exec printf '\\000'
${listable}cd "$p" || exit 1
git -c core.fsmonitor=false check-ignore -q . 2>/dev/null
if [ $? = 1 ]; then git -c core.fsmonitor=false ls-files -z -t -c -o -d --exclude-standard
else find . -name .git -prune -o ! -type d -print0; fi | head -c "$2"`

/** PATH PATTERN -i|-s LINES MOST, with names on standard input. Not every grep can end a name with NUL. */
const grep = `${start}grep -E -e "$2" /dev/null; [ $? -le 1 ] || exit ${exits.pattern}
z=--null; grep --null x /dev/null >/dev/null 2>&1; [ $? -le 1 ] || z=
cd "$p" || exit 1
xargs -0 grep -nHIsE $z "$3" -e "$2" -- | head -n "$4" | head -c "$5"`

const scripts = { read, replace, list, files, grep }

/** What starts. */
export function scriptOf(
  name: keyof typeof scripts,
  ...words: readonly (string | number)[]
): [string, ...string[]] {
  return ['/bin/sh', '-c', scripts[name], 'sh', ...words.map(String)]
}

/** The words of strerror(3) in glibc, musl, macOS and shells of their own. */
const words: readonly (readonly [RegExp, string])[] = [
  [/no such file|nonexistent/i, 'ENOENT'],
  [/permission denied|access denied/i, 'EACCES'],
  [/not permitted/i, 'EPERM'],
  [/read-only file system/i, 'EROFS'],
  [/not a directory/i, 'ENOTDIR'],
  [/is a directory/i, 'EISDIR'],
  [/file ?name too long/i, 'ENAMETOOLONG'],
  [/symbolic link/i, 'ELOOP'],
  [/no space left/i, 'ENOSPC'],
  [/quota exceeded/i, 'EDQUOT'],
  [/file exists/i, 'EEXIST'],
  [/too large/i, 'EFBIG'],
  [/text file busy/i, 'ETXTBSY'],
]

/** The error that a tool has told of last; undefined: none that is known. */
export function errnoIn(said: string): string | undefined {
  const last = said.trimEnd().split('\n').at(-1) ?? ''
  // The reason stands behind the name.
  const reason = last.slice(last.lastIndexOf(': ') + 1)
  return words.find(([pattern]) => pattern.test(reason))?.[1]
}

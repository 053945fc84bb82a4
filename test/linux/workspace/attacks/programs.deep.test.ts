import { shell } from '../protected-rows.ts'
import { describeAttacks } from './attack.ts'

/** Members of archives that lead out by a link, by `..`, by an absolute name or by a hard link. */
const archives = shell(`
mkdir s && ln -s ../.git/hooks s/h && tar cf a s/h && rm s/h && mkdir s/h && echo x > s/h/new && tar rf a s/h/new && rm -r s && tar xPf a
echo x > member && tar cPf a --transform 's,^,../outside/,' member && tar xPf a
echo x > member && tar cPf a --transform "s,^,$PWD/.git/hooks/," member && tar xPf a
mkdir -p t/.git && echo x > t/.git/config && ln t/.git/config t/got && tar cf a -C t .git/config got && tar xf a got && echo x >> got
mkdir t && echo x > t/settings.json && tar cf a -C t . && tar xf a --overwrite --keep-directory-symlink -C .vscode
ln -s .vscode way && mkdir -p t/way && echo x > t/way/new && tar cf a -C t way && tar xf a --keep-directory-symlink
mkdir -p t/.git/hooks && echo x > t/.git/hooks/new && (cd t && find .git | cpio -o --quiet) > a && cpio -iu --quiet < a
mkdir -p t/outside && echo x > t/outside/new && (cd t/outside && echo ../outside/new | cpio -o --quiet) > a && cpio -iu --quiet < a
echo .git/config | cpio -pdl --quiet got && echo x >> got/.git/config
`)

const rsync = shell(`
mkdir -p t/.vscode && echo longer > t/.vscode/settings.json && rsync -a --inplace t/ ./
mkdir -p t/.vscode && echo longer > t/.vscode/settings.json && rsync -a --append --inplace t/ ./
ln -s .git/hooks way && mkdir -p t/way && echo x > t/way/new && rsync -aK t/ ./
mkdir t && echo longer > t/main.c && rsync -a --backup --backup-dir=$PWD/.git/hooks t/ src/
mkdir t && echo longer > t/main.c && rsync -a --temp-dir=$PWD/.git/hooks t/ src/
mkdir t && cp -p .vscode/settings.json t/ && rsync -a --link-dest=$PWD/.vscode t/ got/ && echo x >> got/settings.json
mkdir -p t/.vscode && rsync -a --delete t/ ./
mkdir t && echo x > t/new && rsync -a --remove-source-files t/ ../outside/
`)

const git = shell(`
git mv src/main.c .envrc
git mv src .claude
git mv -f src/main.c .vscode/settings.json
git mv .vscode src/
git --work-tree=../outside checkout -q HEAD -- src
git config -f .vscode/settings.json a.b c
git config -f ../outside/file a.b c
GIT_DIR=.git GIT_CONFIG_GLOBAL=$PWD/.envrc git config --global a.b c
git archive -o .git/hooks/new HEAD
git format-patch -q -o .git/hooks --root HEAD
git bundle create -q .vscode/bundle HEAD
git clone -q . .idea
git worktree add -q --detach .claude
git worktree add -q ../outside/tree
git init -q --separate-git-dir ../outside/git
git -c core.fsmonitor=false update-index -q --refresh; git diff --output=.git/hooks/new --no-index /dev/null src/main.c
git read-tree --index-output=../outside/index HEAD
`)

describeAttacks('archives change nothing protected in workspace mode', archives)
describeAttacks('rsync changes nothing protected in workspace mode', rsync)
describeAttacks('git changes nothing protected in workspace mode', git)

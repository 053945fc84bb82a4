import { describeTwins, twinsOf } from './twins.ts'

const alone = String.raw`
sed -i s/two/2/ src/deep/text; printf 'y\n' | git add -p; git status --short
sed -i s/two/2/ src/deep/text; printf 'y\n' | git checkout -p; git status --short
echo x > n; git add -N n; git diff --stat; git add -u; git status --short
git add --chmod=+x src/main.c; git commit -qm mode; git ls-files -s src
echo x >> run.sh; git commit -qa --amend -m again; git log --format='%s %an'
echo message > m; git commit -q --allow-empty -F m; git log --format=%B
rm run.sh link; git checkout -- run.sh; git checkout HEAD link; ls
git checkout --detach; git checkout --orphan fresh; git commit -qm root; git log --all --format=%s
git switch -qc a; git switch -q -; git switch --detach; git switch main; git branch
echo x >> run.sh; git add run.sh; git restore --staged run.sh; git restore run.sh; git status --short
echo new > new; git stash -uq; ls; git stash list; git stash apply; git stash drop
echo x >> run.sh; git stash -q; git stash branch back; git status --short
echo x >> run.sh; git diff > p; git checkout run.sh; git apply p; git apply -R p; git update-index --refresh; git apply --index p; git status --short
echo x >> run.sh; git diff > p; echo y > run.sh; git apply --reject p; ls; cat run.sh.rej
git worktree add -q -b w tree; git worktree list; git worktree lock tree; git worktree unlock tree; git worktree move tree other; git worktree remove other; git branch
git worktree add -q tree; rm -r tree; git worktree prune -v
git gc -q --aggressive --prune=now; git fsck --lost-found
git repack -Adq; git prune-packed; git pack-refs --all; git commit-graph write; git multi-pack-index write
git maintenance run --task=gc --task=commit-graph
git tag -a v1 -m one; git tag -f v1 HEAD; git tag -d v1; git tag -l
git notes add -m n; git notes append -m o; git notes show; git notes remove; git notes prune
git rm -q --cached run.sh; git status --short; git rm -rq src; ls
git mv src lib; git mv run.sh lib/; git commit -qm moved; git log --stat --format=%s -1
mkdir junk; touch junk/a b; git clean -n; git clean -fdx; ls
git update-index --assume-unchanged run.sh; echo x >> run.sh; git status --short; git update-index --no-assume-unchanged run.sh; git status --short
git update-index --skip-worktree run.sh; rm run.sh; git status --short; git update-index --no-skip-worktree run.sh; git checkout-index -a; ls
git archive --format=tar.gz -o out.tgz HEAD; git archive -o out.zip HEAD; tar tzf out.tgz
git bundle create all.bundle --all; git bundle verify -q all.bundle; git clone -q all.bundle copy; ls copy
git clone -q --bare . bare.git; git clone -q --mirror . mirror.git; git clone -q --depth 1 file://$PWD shallow; ls
git clone -q --no-hardlinks . c; cd c; git remote -v | wc -l; git switch -qc x; echo x > x; git add x; git commit -qm x; git push -q origin x; git -C .. branch
git init -q --bare up.git; git push -q up.git main; git fetch -q ./up.git main; cat .git/FETCH_HEAD
git init -q new; cd new; git config user.name B; git config user.email b@c; echo '#!/bin/sh' > .git/hooks/pre-commit; git remote add o ..; git pull -q o main; git log --format=%s
git reflog; git reflog expire --expire=now --all; git reflog
git symbolic-ref HEAD refs/heads/other; git symbolic-ref HEAD refs/heads/main; printf 'create refs/heads/made HEAD\n' | git update-ref --stdin; git show-ref
git read-tree --empty; git read-tree --reset HEAD; git write-tree; git commit-tree -m c HEAD^{tree}
echo blob | git hash-object -w --stdin; git ls-tree HEAD | git mktree
git fast-export --all | git fast-import --quiet --force; git log --format=%s
git replace --graft HEAD; git replace -l; git replace -d $(git replace -l)
git filter-branch -f --msg-filter 'tr a-z A-Z' HEAD 2>/dev/null | tail -1; git log --format=%s
printf '*.up filter=up\n' > .gitattributes; echo abc > x.up; git -c filter.up.clean='tr a-z A-Z' add .; git show :x.up
printf '*.txt text eol=crlf\n' > .gitattributes; echo a > a.txt; git add .; rm a.txt; git checkout a.txt; od -c a.txt
printf '$Id$ $Format:%%s$\n' > v; printf 'v ident export-subst\n' > .gitattributes; git add .; git commit -qm v; rm v; git checkout v; cat v; git archive HEAD v | tar xO v
git -c core.autocrlf=true -c core.fileMode=false checkout -f HEAD -- .; git status --short
git bisect start; git bisect bad; git bisect reset; git bisect log; true
git -c gc.auto=1 commit -q --allow-empty -m e; git gc --auto -q; git count-objects
git submodule status; git submodule foreach true; git submodule deinit --all
git diff --no-index run.sh src/main.c > d; git hash-object d; git stash list
git read-tree --prefix=sub/ HEAD; git checkout-index -fa; ls sub
git update-index --split-index; git update-index --no-split-index; git update-index --index-version 4; git ls-files; rm .git/sharedindex.*
git -c core.sharedRepository=group commit -q --allow-empty -m g; git -c core.fsync=all commit -q --allow-empty -m h; git log --format=%s
git interpret-trailers --in-place --trailer 'Signed-off-by: A' src/deep/text; cat src/deep/text
git mergetool --tool-help >/dev/null; git rerere gc; git -c rerere.enabled=true rerere status
git check-ignore -v x; echo '*.o' > .gitignore; touch a.o; git add -A; git status --short --ignored
git worktree add -q --detach t; cd t; git checkout -q -b n; echo > z; git add z; git commit -qm z; git stash list; git rebase -q main; cd ..; git log --format=%s n
git init -q a/b/c; cd a/b/c; git -c user.name=n -c user.email=e commit -q --allow-empty -m e; cd ..; mv c d; rm -rf d
`

const history = `for n in 1 2 3; do echo $n > f$n; git add f$n; git commit -qm "add $n"; done`
const ofHistory = `
GIT_SEQUENCE_EDITOR='sed -i 2s/pick/squash/' GIT_EDITOR=true git rebase -qi HEAD~3; git log --format=%B
GIT_SEQUENCE_EDITOR='sed -i 1s/pick/reword/' GIT_EDITOR='sed -i s/add/put/' git rebase -qi HEAD~2; git log --format=%s
GIT_SEQUENCE_EDITOR='sed -i 1d' git rebase -qi HEAD~2; git log --format=%s; ls
GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -qi HEAD~2; echo more > more; git add more; git commit -q --amend --no-edit; GIT_EDITOR=true git rebase --continue; ls
git rebase -q --exec 'touch e' HEAD~2; ls; git rebase -q --onto HEAD~3 HEAD~1; git log --format=%s
echo x >> f1; git commit -qa --fixup HEAD~2; GIT_SEQUENCE_EDITOR=true git rebase -qi --autosquash HEAD~4; git log --format=%s
echo dirty >> f1; git rebase -q --autostash --force-rebase HEAD~2; cat f1
git revert --no-edit HEAD; git revert -n HEAD~2; git status --short; git revert --abort; git log --format=%s
git reset --soft HEAD~1; git reset -q --mixed HEAD~1; git reset --keep HEAD; git reset --hard ORIG_HEAD; git log --format=%s
git format-patch -q -3 -o out; git reset -q --hard HEAD~3; git am -q out/*; git log --format=%s
git format-patch -q -1 -o out; git am -q out/*; git am --show-current-patch=diff | wc -l; git am --abort
git bisect start HEAD HEAD~3; git bisect run test ! -e f2; git bisect log; git bisect reset
git checkout -q HEAD~2; git switch -q main; git restore --source HEAD~2 .; git status --short
git cherry-pick HEAD~1; git cherry-pick --skip; git status --short
git notes --ref x add -m n HEAD~1; git notes --ref x copy HEAD~1 HEAD; git log --notes=x --format=%N
git subtree split -q --prefix=src 2>&1 | tail -1; git log --oneline | wc -l; rm -r .git/subtree-cache
git range-diff HEAD~2..HEAD~1 HEAD~1..HEAD > r; git describe --all; git shortlog -s HEAD
git stash -q; git worktree add -q t HEAD~2; cd t; git cherry-pick main; git log --format=%s; ls
`

const diverged = `
git checkout -qb topic; echo topic > topic; git add topic; git commit -qm topic; echo 2 >> topic; git commit -qam topic2
git checkout -q main; echo main > main; git add main; git commit -qm main`
const ofDiverged = `
git merge -q --no-ff -m merged topic; git log --format=%s
git merge --squash topic; git commit -qm squashed; git log --format=%s
git merge -q -s ours -m ours topic; ls; git reset -q --hard HEAD~1
git branch -q third HEAD~1; git merge -q -m octopus topic third; git log --format='%s %p' -1
git cherry-pick topic~1 topic; git log --format=%s; git cherry -v topic
git cherry-pick -n topic~1; git status --short; git cherry-pick --quit; git commit -qm mine
git rebase -q topic; git log --format=%s; git rebase -q --force-rebase HEAD~2; git log --format=%s
git checkout -q topic; git merge -q --ff-only main; git rebase -q main; git switch -q main; git merge --ff-only topic; git log --format=%s
git merge-tree --write-tree main topic > m; git checkout -q topic -- topic; git status --short
git fetch -q . topic:copy; git pull -q --no-rebase --no-edit . topic; git log --format=%s
`

const conflicting = `
git checkout -qb topic; sed -i s/two/topic/ src/deep/text; git commit -qam topic
git checkout -q main; sed -i s/two/main/ src/deep/text; git commit -qam main`
const ofConflicting = `
git merge topic; cat src/deep/text; git status --short
git merge topic; git merge --abort; git status --short; cat src/deep/text
git merge -q topic; echo mended > src/deep/text; git add -A; git commit -qm mended; git log --format=%s
git merge -q topic; git checkout --theirs src/deep/text; git add -u; git -c core.editor=true merge --continue; cat src/deep/text
git merge -q -X theirs -m theirs topic; cat src/deep/text
git rebase topic; git status --short; git rebase --abort; git log --format=%s
git rebase topic; echo mended > src/deep/text; git add -u; EDITOR=true git rebase --continue; git log --format=%s
git rebase topic; git rebase --continue; git rebase --skip; git log --format=%s
git cherry-pick topic; git cherry-pick --abort; git status --short
git cherry-pick topic; echo mended > src/deep/text; git add -u; VISUAL=true git cherry-pick --continue; git log --format=%s
git -c rerere.enabled=true merge topic; echo mended > src/deep/text; git -c rerere.enabled=true commit -qam m; git reset -q --hard HEAD~1; git -c rerere.enabled=true merge topic; cat src/deep/text
git format-patch -q -1 topic -o out; git am -q -3 out/*; git status --short; git am --abort
git format-patch -q -1 topic -o out; git apply --3way out/*; git status --short; patch -p1 < out/0001-topic.patch; ls src/deep
git checkout -q topic; echo x > src/deep/text; git checkout main; git checkout -m main; git status --short
git stash -q; echo local > src/deep/text; git stash -q; git checkout -q topic; git stash pop; git status --short; git stash list
`

const hooks = `for hook in pre-commit commit-msg post-commit post-checkout post-merge pre-rebase pre-push; do
printf '#!/bin/sh\\necho %s >> hooks.log\\n' $hook > .git/hooks/$hook; chmod +x .git/hooks/$hook; done
git branch other`
const ofHooks = `
echo x > new; git add new; git commit -qm new; cat hooks.log
git checkout -q other; git commit -q --allow-empty -m o; git merge -q --no-edit main; git rebase -q main; cat hooks.log
git init -q --bare up.git; git push -q up.git main; cat hooks.log
git status --short; git stash list; cat hooks.log
`

describeTwins('git in workspace mode does what it does in write mode', [
  ...twinsOf(alone),
  ...twinsOf(ofHistory, { given: history }),
  ...twinsOf(ofDiverged, { given: diverged }),
  ...twinsOf(ofConflicting, { given: conflicting }),
  ...twinsOf(ofHooks, { given: hooks }),
])

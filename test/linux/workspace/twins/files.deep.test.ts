import { describeTwins, twinsOf } from './twins.ts'

const commands = String.raw`
echo x >> src/main.c; tail -1 src/main.c
mkdir a; mkdir -p a/b/c; rmdir a/b/c
mkdir -m 700 private; umask 077; touch mine; mkdir own
cp -r src copy; rm -r copy
mv src moved; ls
mv run.sh src/; mv src/run.sh again.sh
mv -T src/deep elsewhere
ln -s src s; ls s; rm s
ln src/main.c src/twin
chmod 600 run.sh; chmod -R go-rwx src
truncate -s 100 run.sh; truncate -s 5 src/main.c; truncate -s 1M big; rm big
mkfifo pipe; ls pipe
dd if=/dev/zero of=zeros bs=1k count=3 2>/dev/null
printf abc > f; dd if=/dev/zero of=f bs=1 count=1 seek=1 conv=notrunc 2>/dev/null; od -c f
sed -i.bak s/on/off/ run.sh
sort -o src/deep/text -r src/deep/text
tee one two < run.sh
install -m 755 run.sh bin
install -d -m 750 x/y/z
tar cf all.tar src run.sh link; mkdir out; tar xf all.tar -C out; rm all.tar
find src -name '*.c' -exec cp {} {}.orig ';'
find . -name text -delete
split -b 5 src/deep/text part.
mktemp -p . XXXXXX | wc -c; rm -f ??????
flock lock -c 'echo held'
python3 -c 'import os; os.makedirs("p/q"); open("p/q/r","w").write("x"); os.replace("p/q/r","p/s"); os.symlink("s","p/t"); os.utime("p/s",(1,1)); os.truncate("p/s",0)'
python3 -c 'import tempfile; f=tempfile.NamedTemporaryFile(dir=".",delete=False,prefix="t"); f.write(b"x"); f.close(); import os; os.rename(f.name,"kept")'
python3 -c 'import shutil; shutil.copytree("src","c2",symlinks=True); shutil.move("c2","c3"); shutil.rmtree("src")'
python3 -c 'import sqlite3; d=sqlite3.connect("db"); d.execute("create table t(x)"); d.execute("insert into t values (1)"); d.commit(); print(d.execute("select * from t").fetchall())'
python3 -c 'import mmap,os; fd=os.open("run.sh",os.O_RDWR); m=mmap.mmap(fd,0); m[0:1]=b"%"; m.flush()'
python3 -m py_compile src/../x.py || true; ls
python3 -m venv --without-pip v && ls v
node -e 'const fs=require("fs"); fs.mkdirSync("n/m",{recursive:true}); fs.writeFileSync("n/m/f","x"); fs.renameSync("n","o"); fs.cpSync("src","cp",{recursive:true}); fs.rmSync("src",{recursive:true}); fs.appendFileSync("run.sh","y")'
sqlite3 db 'create table t(x); insert into t values (1),(2);'; sqlite3 db 'select count(*) from t'
rsync -a src/ dst/; rsync -a --delete --exclude deep src/ dst/
patch -p0 < /dev/null; diff run.sh link > d; true
gcc -o main src/main.c && ./main
make -f /dev/null nothing; printf 'all: out\nout: src/main.c\n\tcp src/main.c out\n' > Makefile; make -s; make -s
zip -qr z.zip src; unzip -qo z.zip -d unzipped; rm z.zip
xz -k run.sh; gzip -nk run.sh; gunzip -c run.sh.gz | cmp - run.sh
vim -es -u NONE -c 'normal Goadded' -c wq src/deep/text; cat src/deep/text
git add -A; git status --short
echo x >> run.sh; git stash -q; git stash pop -q; git diff --stat
git mv run.sh walk.sh; git commit -qm moved; git show --stat --oneline
git rm -q link; git commit -qm gone
echo c > c; git add c; git commit -qm c; git reset -q --hard HEAD~1; ls
git checkout -qb t; echo t > t; git add t; git commit -qm t; git checkout -q main; echo m > m; git add m; git commit -qm m; git merge -q --no-edit t; git log --oneline | wc -l
git checkout -qb t; echo t > t; git add t; git commit -qm t; git checkout -q main; echo m > m; git add m; git commit -qm m; git checkout -q t; git rebase -q main; git log --format=%s
git worktree add -q tree HEAD; ls tree; git worktree remove tree
git worktree add -q -b w tree; cd tree && echo w > w && git add w && git commit -qm w && git log --oneline
git clone -q . clone; cd clone && git config x.y z && git log --oneline
git init -q sub; cd sub; echo x > x; git add x; git -c user.name=n -c user.email=e commit -qm x; git log --format=%s
git tag v1; git tag -a v2 -m v2; git tag
git gc -q; git fsck; git count-objects -v | head -1
git format-patch -q -1 -o out; git apply --check out/*.patch; ls out
git archive HEAD | tar x -C src
git bisect start; git bisect reset; git notes add -m n; git notes show
git clean -fdqx; git checkout -q -- .
git sparse-checkout list; git reflog | wc -l; git repack -adq; git prune
git update-index --chmod=-x run.sh; git commit -qm mode; git ls-files -s run.sh | cut -c1-6
: > empty; : > run.sh; wc -c run.sh
`

describeTwins('in workspace mode a command does what it does in write mode', twinsOf(commands))

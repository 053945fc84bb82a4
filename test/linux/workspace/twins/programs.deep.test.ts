import { describeTwins, twinsOf } from './twins.ts'

const coreutils = `
mkdir -m 700 private; umask 077; touch mine; mkdir own; mkfifo pipe; ls pipe; install -d -m 750 x/y/z
sort -o src/deep/text -r src/deep/text; split -b 5 src/deep/text part.; : > empty; : > run.sh; wc -c run.sh
cp -p run.sh kept; cp --preserve=all run.sh all; cp --reflink=auto run.sh r; cp --sparse=always run.sh s; ls
cp -l run.sh hard; cp -s $PWD/run.sh soft; cp --parents src/deep/text .github; cp -b run.sh link; cp -u run.sh hard; ls
cp -aT src copy; cp -dR link l; cp -f run.sh copy/main.c; cp -rL link copy; cp --remove-destination run.sh link
mv run.sh src/deep/; mv src/deep/run.sh .vscode/../kept; mv -b kept link; mv -n link src; mv -u src/main.c link; ls
mkdir a b; touch a/x b/x; mv -t b a/x; mv b a; mv a/b c; mv a c; find a c
ln -sr src/main.c src/deep/m; ln -sfn src/deep link; ln -f run.sh src/main.c; ln -b -s x run.sh; readlink src/deep/m link
install -D -p -m 640 run.sh x/y/run; install -b -S .old -m 700 run.sh x/y/run; install -t x run.sh src/main.c; ls x
chmod g+s src; mkdir src/inherits; touch src/inherits/f; chmod +t src; chmod a=rX,u+w -R src
touch -r src run.sh; touch -a -d @5 run.sh; touch -m -d @6 src; touch -h -d @7 link; touch -c none; stat -c %X run.sh
truncate -r run.sh t; fallocate -l 4096 f; fallocate -p -o 0 -l 1024 f; fallocate -n -l 8192 f; wc -c t f
shred -n1 -z -u run.sh; csplit -s src/deep/text 2; sync xx00 .; shuf -o o --random-source=run.sh src/deep/text; ls
set -C; echo x > new; echo y > run.sh; echo y >| run.sh; cat new run.sh
cat <<E > here; cat here; diff <(cat here) <(cat run.sh); tee -a here >(cat > side) < run.sh; sleep 0.2
seq 5 | xargs -P 3 -I{} sh -c 'echo {} > n{}; mv n{} m{}'; ls m*
find src -type f -exec sed -i s/o/O/ {} + ; find src -type l -delete; find src -depth -exec touch -d @1 {} ';'
rename=1; for f in src/*; do mv -- "$f" "$f.moved"; done; mkdir -p src/{a,b}/{c,d}; rmdir -p src/a/c; rmdir --ignore-fail-on-non-empty src; find src
flock lock sh -c 'flock -n lock echo twice || echo held'; flock -x -w 1 src echo directory; rm lock
(flock 9; echo in; touch done) 9> lock; exec 5<> rw; echo abc >&5; cat rw
chown $(id -u) run.sh; chgrp -R $(id -g) src; chown -h --reference=run.sh link
dd if=run.sh of=d bs=1 conv=fsync,excl 2>/dev/null; dd if=/dev/zero of=d bs=1 seek=3 count=2 oflag=append conv=notrunc 2>/dev/null; wc -c d
mktemp -d -p . dXXX >/dev/null; mktemp -p src --suffix=.c XXXX >/dev/null; ls | grep -c ^d; find . -maxdepth 1 -name 'd???' -delete; find src -name '????.c' -empty -delete
rm run.sh/ link/; mkdir src; rmdir src; mv none x; cp none x; ln run.sh src/main.c; touch none/x; mkdir none/y; true
cd src && rm -r ../src; touch x; ls -a; mkdir y; cd ..; ls
`

const editors = String.raw`
perl -i -pe s/two/TWO/ src/deep/text; perl -i.bak -ne 'print if /o/' src/deep/text; cat src/deep/text src/deep/text.bak
perl -e 'open F,">n";print F 1;close F;rename "n","m";link "m","l";symlink "m","s";utime 5,5,"m";chmod 0600,"m";unlink "l";mkdir "d",0700;truncate "m",0'
gawk -i inplace '{ print NR, $0 }' src/deep/text; gawk '{ print > $1 }' src/deep/text; ls
vim -es -u NONE -i NONE -c 'set backup writebackup backupcopy=no' -c 'g/two/d' -c wq src/deep/text; ls -A src/deep; cat src/deep/text
vim -es -u NONE -i NONE -c 'set backupcopy=yes undofile' -c 'normal ggOx' -c wq run.sh; ls -A; rm .run.sh.un~
vim -es -u NONE -i NONE -c 'e new/../made' -c 'call writefile(["a"],"b")' -c 'call mkdir("d/e","p")' -c 'call rename("b","d/b")' -c 'call delete("run.sh")' -c q; ls d
sed -i.bak -e 1d -e '$a end' src/deep/text run.sh; sed -i --follow-symlinks s/main/Main/ link; sed -n 'w out' run.sh; cat link
python3 -c 'import os,tempfile as t; fd,n=t.mkstemp(dir="src"); os.write(fd,b"x"); os.fsync(fd); os.fchmod(fd,os.stat("src/main.c").st_mode); os.close(fd); os.replace(n,"src/main.c"); d=os.open("src",0); os.fsync(d)'
python3 -c 'import os; os.rename("run.sh","run.sh~"); open("run.sh","w").write("new"); os.chmod("run.sh",os.stat("run.sh~").st_mode); os.unlink("run.sh~")'
python3 -c 'import os; open(".run.sh.swp","xb").write(b"s"); f=open("run.sh","r+"); f.truncate(0); f.write("n"); f.flush(); os.fsync(f.fileno()); os.unlink(".run.sh.swp")'
python3 -c 'import ctypes; l=ctypes.CDLL(None,use_errno=True); print(l.renameat2(-100,b"run.sh",-100,b"src/main.c",2), l.renameat2(-100,b"run.sh",-100,b"link",1), ctypes.get_errno(), l.renameat2(-100,b"run.sh",-100,b"new",1))'
python3 -c 'import os; os.symlink("run.sh","t"); os.replace("t","link"); os.link("run.sh",".#lock"); os.rename(".#lock","run.sh"); print(os.path.exists(".#lock"))'; rm .\#lock
xxd run.sh > hex; xxd -r hex back; cmp run.sh back; jq -n '{a:1}' > j; jq .a=2 j > j.tmp && mv j.tmp j; cat j
patch -b -p0 <<< $(printf -- '--- run.sh\n+++ run.sh\n@@ -1,2 +1,2 @@\n #!/bin/sh\n-echo ran\n+echo run'); cat run.sh; ls
busybox cp -a src c; busybox mv c d; busybox sed -i s/one/1/ d/deep/text; busybox tar cf t.tar d; busybox tar xf t.tar -C src; busybox touch -d @9 run.sh; rm t.tar; cat d/deep/text
zsh -fc 'setopt extendedglob; print x >| run.sh; zmodload zsh/files; mkdir -p z/y; mv run.sh z; ln -s z/run.sh q; rm q'
fish -N -c 'echo x > f; mkdir g; mv f g; string collect a >> g/f; cat g/f'
ctags -R --sort=yes -f tags src; sed -i '/^!_/d' tags; cat tags
`

const archives = `
find src | cpio -o --quiet > c.cpio; mkdir o; cd o; cpio -idm --quiet < ../c.cpio; cpio -p --quiet -ld x < /dev/null; cd ..; rm c.cpio; find o
find src link | cpio -pdmu --quiet passed; find src -type f | cpio -pdl --quiet linked; find passed linked
tar cf a.tar --transform s,src,lib, src link; mkdir o; tar xpf a.tar -C o --no-same-owner; tar rf a.tar run.sh; tar --delete -f a.tar link; tar tf a.tar; rm a.tar
setfattr -n user.a -v 1 run.sh; tar --xattrs -cf a.tar run.sh; rm run.sh; tar --xattrs -xf a.tar; getfattr -d run.sh; rm a.tar
tar cf a.tar src; tar xf a.tar --overwrite; tar xf a.tar --unlink-first; tar xf a.tar --recursive-unlink; tar xf a.tar -k; tar uf a.tar run.sh; rm a.tar; find src
setfattr -n user.a -v 1 src; setfattr -n user.b -v 2 run.sh; setfattr -x user.b run.sh; cp -a run.sh src/; attr -qs c -V 3 src/main.c; attr -qg c src/main.c
zip -qrm z.zip src run.sh; ls; unzip -qo z.zip; zip -qd z.zip src/main.c; zip -qy z.zip link; rm z.zip; find src
gzip -k run.sh; bzip2 -k run.sh; xz src/main.c; zstd -q --rm src/deep/text; ls src src/deep; unxz src/main.c.xz; zstd -qd src/deep/text.zst; rm *.gz
rsync -a --inplace src/ d/; rsync -a --link-dest=$PWD/src src/ e/; rsync -a --delete --backup --backup-dir=$PWD/old run.sh e/; rsync -rtX --chmod=F600 src f; find d e f old
rsync -a --partial --temp-dir=$PWD/src run.sh t/; rsync -a --remove-source-files src/ moved/; find src moved t
python3 -c 'import zipfile,tarfile,shutil; shutil.make_archive("m","zip","src"); zipfile.ZipFile("m.zip").extractall("x"); t=tarfile.open("t.tgz","w:gz"); t.add("src"); t.close(); tarfile.open("t.tgz").extractall("y"); shutil.unpack_archive("m.zip","z")'; rm m.zip t.tgz; find x y z
openssl rand -out r 16; openssl enc -aes-256-cbc -pbkdf2 -k x -in run.sh -out e; openssl enc -d -aes-256-cbc -pbkdf2 -k x -in e -out d; cmp run.sh d; rm r e
`

const python = `
python3 -c 'import shutil; shutil.copytree("src","c2",symlinks=True); shutil.move("c2","c3"); shutil.rmtree("src")'
python3 -c 'import os; d=os.open("src",os.O_RDONLY); os.mkdir("m",dir_fd=d); os.close(os.open("f",os.O_CREAT|os.O_WRONLY,0o640,dir_fd=d)); os.rename("f","m/g",src_dir_fd=d,dst_dir_fd=d); os.symlink("g","m/s",dir_fd=d); os.link("m/g","h",src_dir_fd=d,dst_dir_fd=d); os.utime("h",(3,4),dir_fd=d); os.chmod("h",0o600,dir_fd=d); os.unlink("main.c",dir_fd=d)'
python3 -c 'import os; r=os.open(".",os.O_RDONLY); os.mkdir("m",0o750,dir_fd=r); os.close(os.open("f",os.O_CREAT|os.O_WRONLY,dir_fd=r)); os.rename("f","g",src_dir_fd=r,dst_dir_fd=r); os.utime("link",(3,4),dir_fd=r,follow_symlinks=False); os.rmdir("m",dir_fd=r); os.unlink("run.sh",dir_fd=r)'
python3 -c 'import os; s=os.open("src/main.c",0); d=os.open("d",os.O_CREAT|os.O_RDWR); os.sendfile(d,s,0,5); os.copy_file_range(s,d,4); os.posix_fallocate(d,0,100); os.pwrite(d,b"p",50); os.ftruncate(d,60); os.fdatasync(d)'
python3 -c 'import os; os.setxattr("run.sh","user.k",b"v"); f=open("new","w"); os.setxattr(f.fileno(),"user.n",b"w"); print(os.listxattr("new"),os.getxattr("run.sh","user.k")); os.removexattr("run.sh","user.k"); os.setxattr("src","user.d",b"1")'
python3 -c 'import fcntl; f=open("new","w"); fcntl.lockf(f,fcntl.LOCK_EX); fcntl.flock(f,fcntl.LOCK_EX|fcntl.LOCK_NB); g=open("run.sh","a"); fcntl.lockf(g,fcntl.LOCK_EX|fcntl.LOCK_NB,1,0); print("locked")'
python3 -c 'import os; os.mknod("regular",0o600); os.umask(0o027); os.mkdir("u"); open("v","w"); os.umask(0); open("w","w"); os.mkdir("t",0o1777)'
python3 -c 'import shelve,dbm.dumb,pickle; s=shelve.open("s"); s["a"]=[1]; s.close(); d=dbm.dumb.open("dd","c"); d["x"]="y"; d.close(); pickle.dump(1,open("p","wb")); print(pickle.load(open("p","rb")))'; rm -f s s.*
python3 -c 'import sqlite3; d=sqlite3.connect("w.db"); print(d.execute("pragma journal_mode=wal").fetchone()); d.execute("create table t(x)"); d.executemany("insert into t values (?)",[(i,) for i in range(99)]); d.commit(); d.execute("vacuum"); d.close()'; rm w.db; ls
python3 -c 'import logging.handlers as h,logging; r=h.RotatingFileHandler("app.log",maxBytes=40,backupCount=2); l=logging.getLogger(); l.addHandler(r); [l.error("line %d of the log",i) for i in range(9)]'; cat app.log*
python3 -c 'import pathlib as p; d=p.Path("a/b"); d.mkdir(parents=True); (d/"f").write_text("x"); (d/"f").rename("g"); p.Path("g").chmod(0o600); p.Path("h").symlink_to("g"); p.Path("i").hardlink_to("g"); p.Path("g").unlink(); d.rmdir(); p.Path("j").touch(mode=0o640)'
python3 -c 'import mmap; f=open("m","w+b"); f.truncate(8192); m=mmap.mmap(f.fileno(),0); m[4096:4100]=b"page"; m.resize(12288); m.close(); print(open("m","rb").read().count(b"p"))'
python3 -c 'import tempfile,os,shutil; d=tempfile.mkdtemp(); open(d+"/f","w").write("x"); shutil.move(d+"/f","moved"); shutil.copy2("run.sh",d); shutil.copystat("run.sh","moved"); shutil.rmtree(d); t=tempfile.TemporaryFile(); t.write(b"x"); print(tempfile.SpooledTemporaryFile(1).write(b"xy"))'
python3 -c 'import os,threading; t=[threading.Thread(target=lambda i=i: [open(f"t{i}-{n}","w").close() or os.rename(f"t{i}-{n}",f"r{i}-{n}") or os.remove(f"r{i}-{n}") for n in range(50)]) for i in range(4)]; [x.start() for x in t]; [x.join() for x in t]; print(os.listdir("src"))'
python3 -c 'import os; from concurrent.futures import ThreadPoolExecutor as P; p=P(3); list(p.map(os.mkdir,[f"d{i}" for i in range(20)])); list(p.map(os.rmdir,[f"d{i}" for i in range(10)]))'; ls
python3 -c 'import configparser,csv,json; c=configparser.ConfigParser(); c["a"]={"b":"c"}; c.write(open("x.ini","w")); csv.writer(open("x.csv","w",newline="")).writerow([1,2]); json.dump({"a":1},open("x.json","w"))'; cat x.*
unset PYTHONDONTWRITEBYTECODE; python3 -m compileall -q --invalidation-mode unchecked-hash src; echo 'x=1' > m.py; touch -d @1577836800 m.py; python3 -c 'import m; print(m.x)'; ls __pycache__
export PYTHONDONTWRITEBYTECODE=1; python3 -m unittest -q 2>&1 | tail -1; echo 'def test(): open("made","w")' > test_x.py; python3 -m doctest test_x.py; ls
python3 -c 'import os; fd=os.open("src/main.c",os.O_WRONLY|os.O_TRUNC); os.write(fd,b"t"); os.close(fd); fd=os.open("run.sh",os.O_WRONLY|os.O_CREAT|os.O_EXCL)' 2>&1 | tail -1
`

const node = `
node -e 'const fs=require("fs"); fs.mkdirSync("n/m",{recursive:true}); fs.writeFileSync("n/m/f","x"); fs.renameSync("n","o"); fs.cpSync("src","cp",{recursive:true}); fs.rmSync("src",{recursive:true}); fs.appendFileSync("run.sh","y")'
node -e 'import("node:fs/promises").then(async f=>{ await f.mkdir("a/b",{recursive:true}); await f.writeFile("a/f","x"); await f.appendFile("a/f","y"); await f.copyFile("a/f","a/g"); await f.cp("a","c",{recursive:true}); await f.rename("a/g","h"); await f.link("h","i"); await f.symlink("h","j"); await f.truncate("i",1); await f.unlink("h"); await f.rmdir("a/b"); await f.rm("src",{recursive:true}) })'
node -e 'import("node:fs/promises").then(async f=>{ await f.chmod("run.sh",0o600); await f.utimes("run.sh",3,4); await f.lutimes("link",5,6); const d=await f.mkdtemp("t-"); await f.rename(d,"made"); await f.chown("run.sh",process.getuid(),process.getgid()); await f.lchown("link",process.getuid(),process.getgid()) })'
node -e 'import("node:fs/promises").then(async f=>{ const h=await f.open("n","wx+",0o640); await h.write("abc"); await h.writev([Buffer.from("d")]); await h.appendFile("e"); await h.truncate(4); await h.chmod(0o600); await h.utimes(7,8); await h.sync(); await h.datasync(); await h.close(); const w=await f.open("run.sh","r+"); await w.write("X",0); await w.close() })'
node -e 'const fs=require("fs"),{pipeline}=require("stream"); pipeline(fs.createReadStream("run.sh"),fs.createWriteStream("src/out",{mode:0o600}),()=>pipeline(fs.createReadStream("run.sh"),fs.createWriteStream("top",{flags:"a"}),e=>console.log(e??"ok")))'
node -e 'const fs=require("fs"); for (let i=0;i<50;i++) { fs.writeFileSync("f"+i,"x",{mode:0o644}); fs.renameSync("f"+i,"g"+i); if (i%2) fs.unlinkSync("g"+i) } console.log(fs.readdirSync(".").length); try { fs.writeFileSync("run.sh","",{flag:"wx"}) } catch (e) { console.log(e.code) }'
node -e 'const fs=require("fs"); const w=fs.watch("."); w.once("change",(t,n)=>{ console.log(t,n); w.close() }); setTimeout(()=>fs.writeFileSync("seen","x"),100)'
node -e 'const fs=require("fs"); const w=fs.watch("src",{recursive:true}); w.once("change",(t,n)=>{ console.log(n); w.close(); process.exit() }); setTimeout(()=>fs.writeFileSync("src/deep/seen","x"),200)'
inotifywait -qq -t 20 -e create . & while kill -0 $! 2>/dev/null; do touch new; rm new; done; wait $!; echo $?
sqlite3 db 'pragma journal_mode=wal; create table t(x); insert into t values(1); vacuum;'; sqlite3 db .dump > dump; sqlite3 copy < dump; sqlite3 db 'vacuum into "v"; pragma journal_mode=delete'; ls
sqlite3 src/db 'pragma journal_mode=truncate; create table t(x); begin; insert into t values(1); rollback; begin exclusive; insert into t values(2); commit; select * from t'; ls src
`

const compilers = String.raw`
gcc -o main src/main.c && ./main
gcc -g -c src/main.c -o main.o; ar rcs libm.a main.o; ranlib libm.a; ld -r main.o -o r.o; strip r.o; objcopy --only-keep-debug main.o d; nm libm.a | head -1; rm libm.a d *.o
gcc -MD -MF deps -save-temps -gsplit-dwarf -O2 src/main.c -o m 2>&1 | head -1; ls; rm -f m* a-*
g++ -shared -fPIC -x c++ src/main.c -o lib.so; echo 'int f(){return 1;}' | g++ -x c++ -c - -o f.o; ar q l.a f.o; ar d l.a f.o; g++ -x c++-header src/main.c -o h.gch; ls; rm h.gch lib.so
gcc -fprofile-arcs -ftest-coverage src/main.c -o cov; ./cov; gcov -n cov-main.gcda | head -1; ls; rm -f cov*
printf 'objs := $(addsuffix .o,$(basename $(wildcard src/*.c)))\nall: build/app\nbuild/app: $(objs) | build\n\tcc -o $@ $^\nbuild:\n\tmkdir -p $@\nclean:\n\trm -rf build $(objs)\n' > Makefile; make -sj4; build/app; make -q; make -s clean; ls
`

describeTwins('coreutils and shells in workspace mode', twinsOf(coreutils))
describeTwins('editors in workspace mode', twinsOf(editors))
describeTwins('archivers in workspace mode', twinsOf(archives))
describeTwins('Python in workspace mode', twinsOf(python))
describeTwins('Node, watchers and SQLite in workspace mode', twinsOf(node))
describeTwins('compilers in workspace mode', twinsOf(compilers))

import { join } from 'node:path'
import { readable } from '../../../helpers/programs.ts'
import { describeTwins, twinsOf } from './twins.ts'

/** programs.deep.test.ts has more. */
const commands = `
echo x > new; cat new
umask 002; touch shared; mkdir -p group/sub
cp -a src copy
mv src/main.c main.c
ln run.sh hard; echo more >> hard; cat run.sh
echo x > t; ln -s t sym; ln -L sym new; ln -P sym other; ln -L link main; ln -L src/../link src/l; stat -c '%h %F' t sym new other main src/l
python3 -c 'import ctypes; l=ctypes.CDLL(None,use_errno=True).linkat; [print(l(-100,b"link",-100,b"n%d"%f,f),ctypes.get_errno()) for f in (0,1024,4096,5120,16384)]'; ls
rm -rf src
chmod u+x src/main.c
touch -d 2001-02-03T04:05:06Z run.sh src/main.c src new
sed -i s/two/TWO/ src/deep/text; cat src/deep/text
tar czf - src | tar xzf - --one-top-level=again
python3 -c 'import os; os.rename("src","r"); os.link("r/main.c","l"); os.chmod("l",0o640); fd=os.open("l",os.O_RDWR|os.O_APPEND); os.write(fd,b"z"); os.fchmod(fd,0o600); os.ftruncate(fd,3); os.utime(fd,(5,5))'
python3 -c 'import os,ctypes; l=ctypes.CDLL(None).linkat; [print(l(-100,b"/proc/self/fd/%d"%os.open(d,os.O_TMPFILE|os.O_RDWR,0o644),-100,b"%s%d"%(t,len(d)),0x400)) for d in (".","src") for t in (b"top",b"src/below")]'
node -e 'const fs=require("fs"); fs.writeFileSync("a.tmp","1"); fs.renameSync("a.tmp","run.sh"); fs.copyFileSync("run.sh","b"); fs.symlinkSync("b","c"); fs.utimesSync("b",9,9)'
echo x > new; git add new; git commit -qm second; git log --oneline
git checkout -qb topic; git checkout -q main; git update-ref -d refs/heads/topic
cd src; mkdir ../beside; echo x > ../beside/y; cd ../beside; rm y; rmdir ../beside
exec 3> fd; echo a >&3; echo b >&3; cat fd
`

describeTwins('in workspace mode a command does what it does in write mode', twinsOf(commands))

const program = join(readable, 'test/fixtures/workspace/errors.py')

describeTwins(
  'in workspace mode a new directory that has the inode number of a removed one is like any other',
  [
    {
      given: 'mkdir $(seq 40)',
      command:
        'rmdir $(seq 40); for n in $(seq 41 80); do mkdir $n; mkdir $n/d; echo x > $n/f; done; ls | wc -l',
    },
  ],
)

const racing = `
const { mkdir } = require("node:fs/promises")
const paths = Array.from({ length: 100 }, (_, n) => ["a/b/c", "a/b/d", "a/e/f", "a/b/c"].map((path) => n + "/" + path)).flat()
Promise.all(paths.map((path) => mkdir(path, { recursive: true }))).then((made) => console.log(made.length))`

describeTwins('in workspace mode threads that make the same directories do not meet EACCES', [
  { command: `node -e '${racing}'` },
])

describeTwins('in workspace mode a call fails as in write mode', [
  { command: `python3 '${program}'` },
  { command: `cd src && python3 '${program}'` },
  { command: `mkdir new && cd new && python3 '${program}'` },
])

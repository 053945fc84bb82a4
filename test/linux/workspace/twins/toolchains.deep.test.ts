import { homedir } from 'node:os'
import { join } from 'node:path'
import { repository } from '../../../helpers/repository.ts'
import { describeTwins, twinsOf } from './twins.ts'

const bin = join(repository, 'node_modules/.bin')

const packages = `
mkdir lib && cd lib && printf '{"name":"lib","version":"1.0.0","bin":{"lib":"cli.js"}}' > package.json
printf '#!/usr/bin/env node\\nconsole.log("lib ran")\\n' > cli.js && tar cf - --mtime @1577836800 --transform 's,^,package/,' package.json cli.js | gzip -n > ../lib.tgz && cd ..
printf '{"name":"app","version":"1.0.0","private":true,"scripts":{"build":"lib > built"}}' > package.json`

const npm = `
npm install --offline ./lib.tgz && npx --no-install lib && npm ls
npm install --offline ./lib.tgz && rm -r node_modules && npm ci --offline && npm run -s build && cat built
npm install --offline ./lib.tgz && npm uninstall lib && npm prune && ls
npm install --offline ./lib && npm dedupe --offline && npm rebuild && readlink node_modules/lib
npm pkg set a=b && npm version --no-git-tag-version minor && cat package.json && npm pack --silent && tar tzf app-1.1.0.tgz | wc -l; rm app-1.1.0.tgz
cd lib && npm version major -m v%s && npm init -y >/dev/null && npm shrinkwrap && git log --format=%s
`

/** The store and pnpm's own state hold times and absolute paths. */
const pnpm = `
$pnpm install ./lib.tgz >/dev/null && node_modules/.bin/lib && $pnpm clean; cat pnpm-lock.yaml
$pnpm add ./lib.tgz >/dev/null && rm -r node_modules && $pnpm install --frozen-lockfile >/dev/null && $pnpm -s run build && cat built; $pnpm clean
$pnpm add -D ./lib >/dev/null && readlink node_modules/lib && $pnpm ls --depth 0 | tail -2 && $pnpm remove lib >/dev/null; $pnpm clean; cat package.json
cp lib.tgz x.tgz && $pnpm add --config.package-import-method=copy ./lib.tgz >/dev/null && $pnpm pack >/dev/null && tar tzf app-1.0.0.tgz | sort; rm app-1.0.0.tgz; $pnpm clean
mkdir -p packages && mv lib packages && printf 'packages: ["packages/*"]\\n' > pnpm-workspace.yaml && $pnpm install >/dev/null && $pnpm -r exec sh -c 'echo x > made' && $pnpm clean; find packages
`.replaceAll('$pnpm clean', 'rm -rf node_modules packages/*/node_modules')

const crate = `
mkdir -p crate/src crate/dep/src && cd crate
printf '[package]\\nname = "app"\\nversion = "0.1.0"\\nedition = "2021"\\n[dependencies]\\ndep = { path = "dep" }\\n' > Cargo.toml
printf '[package]\\nname = "dep"\\nversion = "0.1.0"\\nedition = "2021"\\n' > dep/Cargo.toml
printf 'pub fn one() -> u8 { 1 }\\n' > dep/src/lib.rs
printf 'fn main() { println!("{}", dep::one()) }\\n#[test]\\nfn works() { std::fs::write("made", "x").unwrap() }\\n' > src/main.rs`

const cargo = `
cd crate && cargo build -q --offline && target/debug/app && cargo clean -q && ls
cd crate && cargo test -q --offline 2>&1 | grep '^test result' | cut -d. -f1; rm -rf target; ls
cd crate && CARGO_TARGET_DIR=$TMPDIR/target cargo check -q --offline && cargo generate-lockfile --offline -q && cargo vendor -q --offline && cargo package -q --offline --list --allow-dirty | head -3; ls
cd crate && rustc -o app --emit link dep/src/lib.rs --crate-type rlib && ls && rm app
`

const module = `
mkdir -p mod/sub && cd mod && printf 'module example.org/m\\n\\ngo 1.18\\n' > go.mod
printf 'package main\\nimport "example.org/m/sub"\\nfunc main() { println(sub.One()) }\\n' > main.go
printf 'package sub\\nfunc One() int { return 1 }\\n' > sub/sub.go
printf 'package sub\\nimport ("os"; "testing")\\nfunc TestOne(t *testing.T) { os.WriteFile("made", nil, 0600); os.MkdirTemp(t.TempDir(), "x") }\\n' > sub/sub_test.go`

const go = `
cd mod && go build -trimpath -buildvcs=false -o app && ./app && rm app
cd mod && go test ./... | cut -f1,2; go vet ./... ; gofmt -w . ; go mod tidy; go mod vendor; cat main.go; ls sub
`

const project = `
printf 'cmake_minimum_required(VERSION 3.10)\\nproject(p C)\\nenable_testing()\\nadd_executable(app src/main.c)\\nadd_test(NAME t COMMAND app)\\ninstall(TARGETS app)\\n' > CMakeLists.txt`

const cmake = `
cmake -S . -B out >/dev/null && cmake --build out -j2 >/dev/null && cmake --install out --prefix $PWD/installed --strip && rm -rf out && installed/bin/app
cmake -G Ninja -S . -B out >/dev/null && ninja -C out | tail -1; (cd out && ctest 2>&1 | grep passed | cut -d, -f1); ninja -C out clean; rm -rf out; ls
`

const wheel = `
mkdir w && cd w && printf 'x = 1\\n' > one.py && mkdir one-1.dist-info
printf 'Metadata-Version: 2.1\\nName: one\\nVersion: 1\\n' > one-1.dist-info/METADATA
printf 'Wheel-Version: 1.0\\nGenerator: hand\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n' > one-1.dist-info/WHEEL
printf 'one.py,,\\none-1.dist-info/METADATA,,\\none-1.dist-info/WHEEL,,\\none-1.dist-info/RECORD,,\\n' > one-1.dist-info/RECORD
touch -d @1577836800 one.py one-1.dist-info one-1.dist-info/* && python3 -m zipfile -c ../one-1-py3-none-any.whl one.py one-1.dist-info && cd ..
printf 'import pathlib\\ndef test_one(tmp_path):\\n    (tmp_path / "x").write_text("x")\\n    pathlib.Path("made").write_text("y")\\n' > test_made.py
printf '[tox]\\nskipsdist = true\\n[testenv]\\nskip_install = true\\ncommands = python -c "open(1, \\\\"w\\\\").write(\\\\"tested\\\\")"\\n' > tox.ini`

const python = `
export PYTHONDONTWRITEBYTECODE=1; python3 -m venv v && v/bin/pip -q --disable-pip-version-check --no-cache-dir install --no-compile --no-index --find-links . one && v/bin/python -c 'import one; print(one.x)'; rm -rf v; ls
export PYTHONDONTWRITEBYTECODE=1; $(python3 -c 'import sys; print(sys.executable)') -m pip -q --disable-pip-version-check --no-cache-dir install --no-compile --no-index --root-user-action=ignore --target t --find-links . one; ls t t/one-1.dist-info
export PYTHONDONTWRITEBYTECODE=1; python3 -m pytest -q 2>&1 | sed 's/ in [0-9.]*s//'; rm -rf .pytest_cache; ls
tox -q -e py --workdir $PWD/.tox 2>&1 | grep -v 'congratulations' | tail -1; rm -rf .tox; ls
`

const sources = `
printf '{"compilerOptions":{"outDir":"out","incremental":true,"composite":true,"declaration":true,"types":[]},"include":["src"]}' > tsconfig.json
printf 'export const one: number = 1\\n' > src/one.ts && printf 'import { one } from "./one"\\nconsole.log(one)\\n' > src/main.ts
printf '<script type="module" src="/src/main.ts"></script>' > index.html && mkdir public && echo p > public/p`

const web = `
${bin}/tsc -p . && node out/main.js && ls out
${bin}/tsc --build --verbose | cut -d' ' -f4- | wc -l; ${bin}/tsc --build --clean; ls
${bin}/vite build --logLevel error && find dist | sort
${bin}/rolldown src/main.ts --file out.js --minify >/dev/null && cat out.js
${bin}/esbuild src/main.ts --bundle --sourcemap --outdir=out --allow-overwrite --log-level=error && ls -l out | cut -d' ' -f1 && node out/main.js
${bin}/esbuild src/main.ts src/one.ts --format=cjs --outdir=. --outbase=. --metafile=meta.json --log-level=error && node src/main.js && cat meta.json
${bin}/tsc --noEmit --incremental false --composite false -p . ; ${bin}/vite build --ssr src/main.ts --outDir ssr --logLevel error && find ssr
${bin}/rolldown src/main.ts --dir out --sourcemap >/dev/null && find out && ${bin}/tsdown --no-config --no-clean --no-dts -d lib src/main.ts >/dev/null; find lib
${bin}/biome format --write src/one.ts >/dev/null 2>&1; cat src/one.ts
`

const java = `
mkdir -p java/src/main/java java/app/src/main/java && cd java && printf 'subprojects { apply plugin: "java" }\\napply plugin: "java"\\n' > build.gradle
printf 'rootProject.name = "hello"\\ninclude "app"\\n' > settings.gradle
printf 'class Hello { public static void main(String[] a) { System.out.println("hello"); } }\\n' | tee app/src/main/java/Hello.java > src/main/java/Hello.java`

/** Java does not read TMPDIR. Gradle's own state holds times. */
const gradle = `
cd java && $gradle build && java -cp build/libs/hello.jar Hello && $gradle clean; rm -rf .gradle; ls
cd java && $gradle --parallel classes && java -cp app/build/classes/java/main Hello; rm -rf .gradle; find . -name '*.class'
`.replaceAll(
  '$gradle',
  'GRADLE_OPTS=-Djava.io.tmpdir=$TMPDIR gradle -g $TMPDIR/gradle --offline --no-daemon -q',
)

/** The caches are in the command's temporary directory, which in write mode is the machine's. CI passes in write mode only. */
const environment = `unset CI; export TMPDIR=$(mktemp -d); export CARGO_HOME=$TMPDIR/cargo GOCACHE=$TMPDIR/go GOPATH=$TMPDIR/gopath GOTOOLCHAIN=local
export GOPROXY=off RUSTUP_HOME='${process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup')}'
export npm_config_cache=$TMPDIR/npm npm_config_update_notifier=false npm_config_audit=false npm_config_fund=false npm_config_loglevel=silent
export npm_config_offline=true npm_config_userconfig=$TMPDIR/npmrc npm_config_store_dir=$TMPDIR/store npm_config_manage_package_manager_versions=false XDG_CACHE_HOME=$TMPDIR/cache XDG_STATE_HOME=$TMPDIR/state XDG_DATA_HOME=$TMPDIR/data
pnpm='${bin}/pnpm'`

function withCaches(lines: string, given: string) {
  return twinsOf(lines, { given }).map((twin) => ({ ...twin, command: `${environment}\n${twin.command}` }))
}

describeTwins('npm in workspace mode', withCaches(npm, packages))
describeTwins('pnpm in workspace mode', withCaches(pnpm, packages))
describeTwins('Cargo in workspace mode', withCaches(cargo, crate))
describeTwins('Go in workspace mode', withCaches(go, module))
describeTwins('Gradle in workspace mode', withCaches(gradle, java))
describeTwins('CMake in workspace mode', withCaches(cmake, project))
describeTwins('pip, pytest and tox in workspace mode', withCaches(python, wheel))
describeTwins('compilers and bundlers for the web in workspace mode', withCaches(web, sources))

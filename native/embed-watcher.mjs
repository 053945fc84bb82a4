// Compiles the watcher (freestanding, static) and writes it as a C array: embed-watcher.mjs SOURCE... OUTPUT.h
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const sources = process.argv.slice(2)
const output = sources.pop()
const program = `${output}.elf`
const [compiler, ...prefix] = (process.env.CC ?? 'cc').split(' ')
const flags = [
  '-iquote',
  fileURLToPath(new URL('linux', import.meta.url)),
  '-Os',
  '-std=gnu11',
  '-Wall',
  '-Wextra',
  '-Werror',
  // clang knows that -static needs no -no-pie; gcc passes over a -Wno- that it does not know.
  '-Wno-unused-command-line-argument',
  '-ffreestanding',
  '-fno-stack-protector',
  '-fno-asynchronous-unwind-tables',
  '-fno-pic',
  '-nostdlib',
  '-static',
  '-no-pie',
  '-s',
  '-Wl,--build-id=none',
  '-Wl,-z,noseparate-code',
  '-Wl,-z,noexecstack',
]

mkdirSync(dirname(output), { recursive: true })
execFileSync(compiler, [...prefix, ...flags, ...sources, '-o', program], {
  stdio: ['ignore', 'inherit', 'inherit'],
})
const image = readFileSync(program)
rmSync(program)
const rows = []
for (let at = 0; at < image.length; at += 16) rows.push(`  ${[...image.subarray(at, at + 16)].join(', ')},`)
writeFileSync(
  output,
  `/* Made by embed-watcher.mjs. */\nstatic const unsigned char vt_watcher_image[] = {\n${rows.join('\n')}\n};\n`,
)
